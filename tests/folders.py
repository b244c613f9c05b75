"""A folder of notes, and its import as tests need it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_core.folders.comparing import FolderReport
from rag_core.folders.opening import open_folder_import
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import Database

PAST_NS = 1_700_000_000_000_000_000
"""A time of files that is long over, so that equal sizes and times are believed."""


@dataclass
class Vault:
    """A folder, the source that it is imported as, and the database it goes to."""

    path: Path
    database: Database
    tenant: TenantId
    source: str = "vault"

    def write(self, path: str, text: str | bytes, *, modified_ns: int = PAST_NS) -> Path:
        """Write a file; its time is long over unless told."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(file, ns=(modified_ns, modified_ns))
        return file

    def take(self, **options: Any) -> FolderReport:
        """Import the folder."""
        with open_folder_import(read_settings(), self.database, self.tenant, source=self.source) as folder_import:
            return folder_import.run(self.path, **options)

    def statuses(self, **options: Any) -> dict[str, str]:
        """What becomes of each file when the folder is imported."""
        return {file.path: file.status for file in self.take(**options).files}

    def rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Rows of the tenant's tables."""
        with self.database.transaction(self.tenant) as connection:
            return connection.execute(statement.encode(), parameters).fetchall()

    def notes(self) -> dict[str, str]:
        """Texts of the source's notes by their external ids."""
        return dict(self.rows("select external_id, content from notes where source = %s", self.source))

"""The file that a note was made of, as it was read: an upload from the database, a followed file from its folder."""

import hashlib
from pathlib import Path

from rag_core.errors import ConflictError
from rag_core.folders.originals import read_below
from rag_core.model.note import TenantId
from rag_core.storage.cited_pages import FileOfNote, fetch_place_of_folder
from rag_core.storage.database import Database
from rag_core.storage.uploads import fetch_original


def read_original(database: Database, tenant: TenantId, file: FileOfNote, *, max_bytes: int) -> bytes:
    """The content of the file that a note was made of. Of followed files at most ``max_bytes`` are read.

    Raises:
        ConflictError: the file is gone, or is not what was read any more.
    """
    content = (_uploaded if file.is_upload else _on_disk)(database, tenant, file, max_bytes)
    if content is None or not file.is_current or hashlib.sha256(content).digest() != file.file_hash:
        raise ConflictError(f"{file.path} is gone, or changed since it was read; import its folder again")
    return content


def _uploaded(database: Database, tenant: TenantId, file: FileOfNote, _max_bytes: int) -> bytes | None:
    assert file.file_hash is not None
    with database.transaction(tenant) as connection:
        return fetch_original(connection, tenant, file.file_hash)


def _on_disk(database: Database, tenant: TenantId, file: FileOfNote, max_bytes: int) -> bytes | None:
    folder = fetch_place_of_folder(database, tenant, file.source)
    try:
        return None if folder is None else read_below(Path(folder), file.path, max_bytes=max_bytes)
    except OSError:
        return None

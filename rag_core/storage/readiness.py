"""Whether the database can be used at this moment."""

from rag_core.errors import (
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    QueryFailedError,
)
from rag_core.model import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migrate import read_migrations
from rag_core.storage.queries import query

_NOBODY = TenantId("")


def check_ready(database: Database, *, timeout_ms: int) -> None:
    """Return when the database answers and has exactly the migrations this program knows.

    Raises:
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
    found, wanted = dict(rows), {migration.version: migration.checksum for migration in read_migrations()}
    if found != wanted:
        raise DatabaseSetupError(
            f"the database has migrations up to {max(found, default=0):04d}, this program knows up to "
            f"{max(wanted):04d}; restart the newer Brain Sync, which migrates it"
        )

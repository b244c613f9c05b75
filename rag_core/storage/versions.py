"""The version of what a tenant can find."""

from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query


def corpus_version(database: Database, tenant: TenantId, *, timeout_ms: int) -> str:
    """A text that is another one after every committed change of the tenant's notes, chunks, vectors or causal graph.

    Folding the statistics changes it too. A corpus that was emptied may have the version of one that never had a note.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError: see ``Database.read``.
    """

    def read(connection: Connection) -> str:
        row = connection.execute(query("corpus_version"), {"tenant": tenant}).fetchone()
        assert row is not None
        return ".".join(map(str, row))

    return database.read(tenant, read, timeout_ms=timeout_ms)

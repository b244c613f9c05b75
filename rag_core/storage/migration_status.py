"""The figures of a tenant's migration, in one query."""

from typing import Any

from psycopg.rows import dict_row

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS
from rag_core.storage.queries import query


def fetch_figures(database: Database, tenant: TenantId, *, timeout_ms: int | None = None) -> dict[str, Any]:
    """Fetch the counts of ``migration_status`` by name; a tenant without notes has zeros.

    Raises:
        DeadlineExceededError: it takes longer than ``timeout_ms``.
    """
    with (
        database.transaction(tenant, timeout_ms=timeout_ms) as connection,
        connection.cursor(row_factory=dict_row) as cursor,
    ):
        row = cursor.execute(query("migration_status"), {"tenant": tenant, "most_attempts": MAX_ATTEMPTS}).fetchone()
    assert row is not None
    return row

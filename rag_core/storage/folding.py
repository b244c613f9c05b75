"""Folding of the changes of a tenant's full-text statistics into their sums."""

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value


def fold_statistics(database: Database, tenant: TenantId) -> int:
    """Fold the changes into the sums; the number of rows folded. With nothing to fold nothing is written."""
    with database.transaction(tenant) as connection:
        if connection.execute(query("needs_folding"), {"tenant": tenant}).fetchone() != (True,):
            return 0
    with database.transaction(tenant) as connection:
        return int(fetch_value(connection, "fold_statistics", {"tenant": tenant}))

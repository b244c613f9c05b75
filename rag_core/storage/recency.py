"""When what was found was written."""

from collections.abc import Sequence
from datetime import datetime

from rag_core.model import ChunkId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query


def fetch_created_at(
    database: Database, tenant: TenantId, chunks: Sequence[ChunkId], *, timeout_ms: int
) -> dict[ChunkId, datetime]:
    """The ``created_at`` of each chunk's note; chunks deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        return dict(
            connection.execute(query("fetch_created_at"), {"tenant": tenant, "chunks": list(chunks)}).fetchall()
        )

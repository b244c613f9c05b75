"""Facts about a database and a tenant, for ``brain status`` and ``brain doctor``."""

from dataclasses import dataclass
from typing import Any

from rag_core.model.entity import NAMES_FINGERPRINT
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS
from rag_core.storage.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """The server and the isolation of tenants in it: whether our role evades it, tables without it; the newest migration."""

    server: str
    pgvector: str
    can_bypass: bool
    open_tables: int
    migration: int


def fetch_status(database: Database, tenant: TenantId, *, fingerprint: str, extractor: str) -> tuple[Any, ...]:
    """The columns of the query ``status``, in its order."""
    parameters = {
        "tenant": tenant,
        "fingerprint": fingerprint,
        "extractor": extractor,
        "names": NAMES_FINGERPRINT,
        "most_attempts": MAX_ATTEMPTS,
    }
    with database.transaction(tenant) as connection:
        row = connection.execute(query("status"), parameters).fetchone()
    assert row is not None
    return row


def fetch_server_facts(database: Database) -> ServerFacts:
    """Fetch facts about the server, as the owner."""
    with database.owner() as connection:
        row = connection.execute(query("doctor")).fetchone()
    assert row is not None
    server, pgvector, can_bypass, open_tables, migration = row
    return ServerFacts(
        server=server, pgvector=pgvector, can_bypass=can_bypass, open_tables=open_tables, migration=migration
    )

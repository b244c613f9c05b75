"""Batches of 100 notes, newest first: the partitions of the pipeline.

A note keeps its batch for ever, so partition keys stay what they are; new notes fill the open batch before another begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.model import TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query

BATCH_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One partition and whose notes it holds."""

    tenant: TenantId
    key: str


def register_batches(database: Database, tenant: TenantId) -> list[str]:
    """Give every note of the tenant a batch; the keys of batches that are new. With nothing to do nothing is written."""
    with database.transaction(tenant) as connection:
        if connection.execute(query("has_unassigned_notes"), {"tenant": tenant}).fetchone() != (True,):
            return []
    with database.transaction(tenant) as connection:
        connection.execute(query("lock_batches"), {"tenant": tenant})
        rows = connection.execute(query("assign_batches"), {"tenant": tenant, "size": BATCH_SIZE}).fetchall()
    return [row[0] for row in rows]


def list_tenants(database: Database) -> list[TenantId]:
    """All tenants, for the operator's tools."""
    with database.owner() as connection:
        return [TenantId(row[0]) for row in connection.execute(query("list_tenants")).fetchall()]


def list_batches(database: Database) -> list[Batch]:
    """All batches of all tenants in the order they were made, for the operator's tools."""
    with database.owner() as connection:
        rows = connection.execute(query("list_batches")).fetchall()
    return [Batch(tenant=TenantId(tenant), key=key) for tenant, key in rows]


def batches_by_tenant(database: Database, keys: Sequence[str]) -> dict[TenantId, list[str]]:
    """The given batches under their tenants, in the order they were made; keys nobody has are left out."""
    wanted = set(keys)
    found: dict[TenantId, list[str]] = {}
    for batch in list_batches(database):
        if batch.key in wanted:
            found.setdefault(batch.tenant, []).append(batch.key)
    return found


def stale_batches(database: Database, tenant: TenantId, *, fingerprint: str) -> list[str]:
    """Batches with a note whose live chunks are not this pipeline's, newest first; one query, nothing written."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(
            query("list_stale_batches"), {"tenant": tenant, "fingerprint": fingerprint}
        ).fetchall()
    return [row[0] for row in rows]

"""Batches of 100 notes, newest first: the partitions of the pipeline.

A note keeps its batch for ever, so partition keys stay what they are; new notes fill the open batch before another begins.
Legacy notes that are not chunked yet have batches of their own, so that a migration is a range of partitions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_column

BATCH_SIZE = 100
REGISTER_NOTES = 10_000
"""Notes placed by one transaction: what others wait for is some tenths of a second, whatever is to be placed in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One partition, whose notes it holds, and whether they are legacy ones."""

    tenant: TenantId
    key: str
    is_legacy: bool = False


def register_batches(database: Database, tenant: TenantId) -> list[str]:
    """Give every note of the tenant a batch; the keys of batches that are new. With nothing to do nothing is written.

    Notes are placed newest first, ten thousand a transaction, so a process that is killed leaves the rest to the next one.
    """
    with database.transaction(tenant) as connection:
        if connection.execute(query("has_unassigned_notes"), {"tenant": tenant}).fetchone() is None:
            return []
    return [key for keys in _register_pages(database, tenant) for key in keys]


def _register_pages(database: Database, tenant: TenantId) -> Iterator[list[str]]:
    until: datetime | str = "infinity"
    count = REGISTER_NOTES
    while count == REGISTER_NOTES:
        with database.transaction(tenant) as connection:
            connection.execute(query("lock_batches"), {"tenant": tenant})
            row = connection.execute(
                query("assign_batches"),
                {"tenant": tenant, "size": BATCH_SIZE, "limit": REGISTER_NOTES, "until": until},
            ).fetchone()
        assert row is not None
        keys, count, until = row
        yield keys


def list_tenants(database: Database) -> list[TenantId]:
    """All tenants, for the operator's tools."""
    with database.owner() as connection:
        return [TenantId(row[0]) for row in connection.execute(query("list_tenants")).fetchall()]


def list_batches(database: Database) -> list[Batch]:
    """All batches of all tenants in the order they were made, for the operator's tools."""
    with database.owner() as connection:
        rows = connection.execute(query("list_batches")).fetchall()
    return [Batch(tenant=TenantId(tenant), key=key, is_legacy=is_legacy) for tenant, key, is_legacy in rows]


def batches_by_tenant(database: Database, keys: Sequence[str]) -> dict[TenantId, list[str]]:
    """The given batches under their tenants, in the order they were made; keys nobody has are left out."""
    wanted = set(keys)
    found: dict[TenantId, list[str]] = {}
    for batch in list_batches(database):
        if batch.key in wanted:
            found.setdefault(batch.tenant, []).append(batch.key)
    return found


def stale_batches(database: Database, tenant: TenantId, *, fingerprint: str) -> list[str]:
    """Batches with a note whose live chunks are not this pipeline's, newest first; one query, nothing written.

    Pending legacy notes are left to the migration, notes that failed ``MAX_ATTEMPTS`` times to the operator, and after a
    rollback nothing is stale.
    """
    with database.transaction(tenant) as connection:
        return fetch_column(
            connection,
            "list_stale_batches",
            {"tenant": tenant, "fingerprint": fingerprint, "most_attempts": MAX_ATTEMPTS},
        )


def has_unindexed_notes(database: Database, tenant: TenantId) -> bool:
    """Tell whether an index run would chunk a note that has no chunks of its current text; notes of another pipeline do not count."""
    parameters = {"tenant": tenant, "most_attempts": MAX_ATTEMPTS}
    with database.transaction(tenant) as connection:
        row = connection.execute(query("has_unindexed_notes"), parameters).fetchone()
    return row is not None and bool(row[0])


def pending_batches(database: Database, tenant: TenantId) -> list[str]:
    """Batches with a legacy note that is still to be chunked, newest first; notes without a batch are not in them yet.

    Notes that failed ``MAX_ATTEMPTS`` times are left out.
    """
    parameters = {"tenant": tenant, "most_attempts": MAX_ATTEMPTS}
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "list_pending_batches", parameters)

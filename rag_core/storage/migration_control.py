"""The state of a tenant's migration and the notes the pipeline failed at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag_core.model import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query

MigrationState = Literal["running", "stopped", "rolled_back", "finished"]
FailureStage = Literal["attachment", "chunking", "embedding", "publication"]

MAX_ATTEMPTS = 3
"""Runs that try a note; after so many it is passed over until somebody has it tried again or edits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationCounts:
    """The state, and how many legacy notes are pending and migrated, and how many notes failed."""

    state: MigrationState
    pending: int
    migrated: int
    failed: int


def fetch_state(connection: Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration, or None."""
    row = connection.execute(query("migration_state"), {"tenant": tenant}).fetchone()
    return None if row is None else row[0]


def lock_state(connection: Connection, tenant: TenantId) -> None:
    """Wait until nobody publishes for the tenant, and keep it so until the caller's transaction ends."""
    connection.execute(query("lock_migration_state"), {"tenant": tenant})


def hold_state(connection: Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration, which stays so until the caller's transaction ends."""
    connection.execute(query("hold_migration_state"), {"tenant": tenant})
    return fetch_state(connection, tenant)


def set_state(connection: Connection, tenant: TenantId, state: MigrationState, *, reason: str | None) -> None:
    """Change the state; one that is so already keeps its time and its reason."""
    connection.execute(query("set_migration_state"), {"tenant": tenant, "state": state, "reason": reason})


def count_migration(connection: Connection, tenant: TenantId) -> MigrationCounts:
    """State and counts of the tenant's migration, which must exist."""
    row = connection.execute(query("count_migration"), {"tenant": tenant}).fetchone()
    assert row is not None
    state, pending, migrated, failed = row
    return MigrationCounts(state=state, pending=pending, migrated=migrated, failed=failed)


def retry_failed(connection: Connection, tenant: TenantId) -> int:
    """Count every failure of the pipeline as the first one; how many there are."""
    return len(connection.execute(query("retry_failed"), {"tenant": tenant}).fetchall())


def record_failures(
    connection: Connection, tenant: TenantId, reasons: Mapping[NoteId, str], *, stage: FailureStage
) -> int:
    """Count a failed attempt at each note that still exists and unstage it; how many these are."""
    connection.execute(query("lock_notes"), {"tenant": tenant, "notes": list(reasons)})
    connection.execute(query("unstage_notes"), {"tenant": tenant, "notes": list(reasons)})
    parameters = {"tenant": tenant, "notes": list(reasons), "reasons": list(reasons.values()), "stage": stage}
    return len(connection.execute(query("record_failures"), parameters).fetchall())

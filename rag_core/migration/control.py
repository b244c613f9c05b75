"""The state of a migration, and what an operator does with it: stop, resume, try again, roll back, finish."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from rag_core.errors import ConflictError, NotFoundError
from rag_core.indexing.pipeline import Pipeline
from rag_core.model import NoteId, TenantId
from rag_core.storage import migration_control as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.migration_control import MigrationCounts, MigrationState

LEAST_HIT_RATE = 0.85
"""The hit rate at 10 that a migration must reach before what a rollback needs is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReport:
    """Notes that are whole again and chunks that are no more, in this call; notes left chunked, with the reason.

    ``without_vector`` counts whole notes that had no vectors to average: the next run of the pipeline embeds them.
    """

    notes: int
    chunks: int
    without_vector: int
    failed: Mapping[NoteId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishReport:
    """Legacy notes that were migrated, the evaluation that says how well, and vectors that only a rollback needed."""

    migrated: int
    run_id: UUID
    hit_rate_at_10: float
    dropped_vectors: int


def fetch_state(source: Database | Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration; None where there is none, and everything is as usual."""
    if isinstance(source, Database):
        with source.transaction(tenant) as connection:
            return store.fetch_state(connection, tenant)
    return store.fetch_state(source, tenant)


def stop(database: Database, tenant: TenantId, *, reason: str | None = None) -> MigrationCounts:
    """Leave pending notes as they are from now on; what is chunked stays so, and all other notes go on.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: it is rolled back or finished.
    """
    return _change(database, tenant, "stopped", allowed=("running", "stopped"), reason=reason)


def resume(database: Database, tenant: TenantId) -> MigrationCounts:
    """Let the migration go on after a stop or a rollback; nothing is chunked by this alone.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: it is finished.
    """
    return _change(database, tenant, "running", allowed=("running", "stopped", "rolled_back"), reason=None)


def retry_failed(database: Database, tenant: TenantId) -> int:
    """Have the pipeline try again the notes it passes over; how many failures there are to be tried again."""
    with database.transaction(tenant) as connection:
        return store.retry_failed(connection, tenant)


def roll_back(
    database: Database,
    tenant: TenantId,
    pipeline: Pipeline,
    *,
    reason: str | None = None,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> RollbackReport:
    """Turn every chunked note back into one whole-note chunk, newest first, and keep all new ones so.

    Raises:
        NotFoundError: the tenant has no migration.
    """
    raise NotImplementedError


def finish(database: Database, tenant: TenantId, *, least_hit_rate: float = LEAST_HIT_RATE) -> FinishReport:
    """End the migration, and drop what only a rollback needs.

    Raises:
        NotFoundError: the tenant has no migration.
        MigrationIncompleteError: something is left to do; its ``reasons`` list what.
    """
    raise NotImplementedError


def _change(
    database: Database,
    tenant: TenantId,
    state: MigrationState,
    *,
    allowed: tuple[MigrationState, ...],
    reason: str | None,
) -> MigrationCounts:
    with database.transaction(tenant) as connection:
        store.lock_state(connection, tenant)
        _require(store.fetch_state(connection, tenant), tenant, allowed=allowed, wanted=state)
        store.set_state(connection, tenant, state, reason=reason)
        return store.count_migration(connection, tenant)


def _require(
    state: MigrationState | None, tenant: TenantId, *, allowed: tuple[MigrationState, ...], wanted: MigrationState
) -> None:
    if state is None:
        raise NotFoundError(f"{tenant} has no migration; begin one with `brain migration attach`")
    if state not in allowed:
        raise ConflictError(
            f"the migration of {tenant} is {state} and cannot become {wanted}; it can from {', '.join(allowed)}"
        )

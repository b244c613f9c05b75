"""Progress of the migration of legacy notes, for the runs that perform and evaluate it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from rag_core.model.evaluation import StoredRun
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import MAX_DISTURBED_SHARE
from rag_core.storage.database import Connection, Database
from rag_core.storage.evaluations import fetch_run
from rag_core.storage.migration_control import MAX_ATTEMPTS, MigrationState
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one, fetch_value


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationProgress:
    """A tenant's migration: its state and why, since when, and counts of its notes and batches.

    ``failed`` notes may be tried again; a batch is ``waiting`` while one of its pending notes will be tried.
    """

    state: MigrationState
    reason: str | None
    stopped_by_run: UUID | None
    evaluate_every: int
    started_at: datetime
    changed_at: datetime
    notes: int
    pending: int
    failed: int
    batches: int
    waiting_batches: int

    @property
    def is_running(self) -> bool:
        """Tell whether pending notes are being chunked."""
        return self.state == "running"

    @property
    def migrated(self) -> int:
        """Notes that are chunked."""
        return self.notes - self.pending

    @property
    def batches_done(self) -> int:
        """Batches of which no note waits."""
        return self.batches - self.waiting_batches


@dataclass(frozen=True, slots=True, kw_only=True)
class MigratedBatch:
    """Legacy notes of a batch by what became of them; ``new`` were migrated since the moment asked about."""

    batch: str
    migrated: int
    pending: int
    failed: int
    new: int
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationEvaluations:
    """The first evaluation before anything was migrated that met no outage, and the last one; None where there is none."""

    baseline: StoredRun | None
    last: StoredRun | None


def fetch_progress(database: Database, tenant: TenantId) -> MigrationProgress | None:
    """Fetch the progress of the tenant's migration; None without one. A note that failed ``MAX_ATTEMPTS`` times is not pending."""
    with database.transaction(tenant) as connection:
        parameters = {"tenant": tenant, "attempts": MAX_ATTEMPTS}
        return fetch_one(connection, MigrationProgress, "fetch_migration_progress", parameters)


def count_migrated_batches(
    database: Database, tenant: TenantId, batches: Sequence[str], *, since: datetime
) -> list[MigratedBatch]:
    """Count the legacy notes of each batch by their state, by key; batches without any are left out."""
    parameters = {"tenant": tenant, "batches": list(batches), "since": since}
    with database.transaction(tenant) as connection:
        return fetch_all(connection, MigratedBatch, "count_migrated_batches", parameters)


def fetch_migration_evaluations(database: Database, tenant: TenantId, *, since: datetime) -> MigrationEvaluations:
    """The migration's evaluations since it began."""
    parameters = {"tenant": tenant, "since": since, "most_disturbed": MAX_DISTURBED_SHARE}
    with database.transaction(tenant) as connection:
        row = connection.execute(query("fetch_migration_evaluations"), parameters).fetchone()
        assert row is not None
        baseline, last = (None if run_id is None else fetch_run(connection, tenant, run_id) for run_id in row)
    return MigrationEvaluations(baseline=baseline, last=last)


def fetch_chunks_table_bytes(connection: Connection) -> int:
    """Size of the table of chunks with its indexes, of all tenants."""
    return int(fetch_value(connection, "chunks_table_bytes"))


def fetch_batches_mark(database: Database) -> str:
    """Fetch a mark that changes whenever a batch is made or removed; for the operator's tools."""
    with database.owner() as connection:
        return str(fetch_value(connection, "fetch_batches_mark"))

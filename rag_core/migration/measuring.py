"""Retrieval measured while legacy notes are migrated: before the first batch, every few batches, and when it is done.

The first evaluation is the baseline that the later ones are compared with; one that is significantly worse stops the
migration. A tenant without golden set is migrated unmeasured. Not here: the chunking itself (``rag_core.indexing``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from rag_core.evaluation.report.markdown import disturbance_line
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.migration import control
from rag_core.model.counting import in_english
from rag_core.model.evaluation import StoredRun
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import MIN_COMMON_QUERIES, Comparison
from rag_core.runtime.engine import Engine
from rag_core.storage import migration_runs as store
from rag_core.storage.database import Database
from rag_core.storage.golden import has_askable_query
from rag_core.storage.migration_runs import MigratedBatch, MigrationEvaluations, MigrationProgress

TIMEOUT_MS = 30_000
"""Quality is measured here, so no query is cut short."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationStep:
    """Result of a run over some batches of a tenant's migration, and the state of the migration.

    ``evaluation`` is this run's, if one was due; ``last`` and ``baseline`` are the migration's. ``has_stopped`` says that
    an evaluation since the run began made it stop, an earlier attempt's too.
    """

    tenant: TenantId
    batches: tuple[MigratedBatch, ...]
    progress: MigrationProgress
    evaluation: EvaluationRun | None
    baseline: StoredRun | None
    last: StoredRun | None
    has_stopped: bool

    @property
    def regression(self) -> Comparison | None:
        """The comparison of the last evaluation, if that is worse than the baseline."""
        comparison = None if self.last is None else self.last.comparison
        return comparison if comparison is not None and comparison.is_regression else None

    @property
    def objection(self) -> str | None:
        """Reason that the last evaluation cannot tell whether retrieval got worse; None if it can, and without golden set."""
        if self.last is None:
            return None
        if self.last.is_disturbed:
            return disturbance_line(self.last)
        if self.last.total_queries < MIN_COMMON_QUERIES:
            asked = in_english(self.last.total_queries, "query", "queries")
            return f"the golden set has {asked}, {MIN_COMMON_QUERIES} are needed for a verdict"
        if self.baseline is not None and self.baseline.run_id == self.last.run_id:
            return None
        if self.last.comparison is None:
            return "no undisturbed evaluation was made before the first batch, so there is nothing to compare with"
        return self.last.comparison.objection


def follow(engine: Engine, tenant: TenantId, batches: Sequence[str], *, since: datetime) -> MigrationStep | None:
    """After a run over batches: count what it migrated since it began, evaluate if that is due, stop if it got worse.

    None for a tenant without migration.
    """
    if fetch_progress(engine.database, tenant) is None:
        return None
    counts = store.count_migrated_batches(engine.database, tenant, batches, since=since)
    evaluation = measure_when_due(engine, tenant)
    progress = fetch_progress(engine.database, tenant)
    assert progress is not None
    evaluations = _evaluations(engine.database, tenant, progress)
    last = evaluations.last
    is_of_this_run = last is not None and last.run_id == progress.stopped_by_run and last.created_at >= since
    return MigrationStep(
        tenant=tenant,
        batches=tuple(counts),
        progress=progress,
        evaluation=evaluation,
        baseline=evaluations.baseline,
        last=last,
        has_stopped=is_of_this_run,
    )


def fetch_progress(database: Database, tenant: TenantId) -> MigrationProgress | None:
    """Return the progress of the tenant's migration; None without one."""
    return store.fetch_progress(database, tenant)


def measure_before(
    engine: Engine, tenant: TenantId, *, on_progress: OnProgress = lambda _done, _total: None
) -> EvaluationRun | None:
    """Evaluate before the first note of a running migration is chunked; None where that is not now, or was done.

    One that met an outage is no baseline: it is made again as long as nothing is chunked.

    Raises:
        DatabaseUnavailableError: the database does not answer.
    """
    progress = fetch_progress(engine.database, tenant)
    if progress is None or not progress.is_running or progress.migrated or not progress.pending:
        return None
    if _evaluations(engine.database, tenant, progress).baseline is not None or not has_golden_queries(
        engine.database, tenant
    ):
        return None
    return _measure(engine, tenant, progress, baseline=None, on_progress=on_progress)


def measure_when_due(engine: Engine, tenant: TenantId) -> EvaluationRun | None:
    """Evaluate a running migration when it is time to, and stop it if retrieval got worse; None where it is not."""
    progress = fetch_progress(engine.database, tenant)
    if progress is None or not progress.is_running or not has_golden_queries(engine.database, tenant):
        return None
    evaluations = _evaluations(engine.database, tenant, progress)
    if not is_due(progress, evaluations.last):
        return None
    run = _measure(engine, tenant, progress, baseline=evaluations.baseline)
    if (comparison := run.comparison) is not None and comparison.is_regression:
        reason = regression_reason(comparison, run.run_id, progress)
        control.stop(engine.database, tenant, reason=reason, evaluation_run=run.run_id)
    return run


def measure_now(
    engine: Engine, tenant: TenantId, *, on_progress: OnProgress = lambda _done, _total: None
) -> EvaluationRun | None:
    """Evaluate a migration as it stands, whatever its state; None without migration or golden set."""
    progress = fetch_progress(engine.database, tenant)
    if progress is None or not has_golden_queries(engine.database, tenant):
        return None
    baseline = _evaluations(engine.database, tenant, progress).baseline
    return _measure(engine, tenant, progress, baseline=baseline, on_progress=on_progress)


def is_due(progress: MigrationProgress, last: StoredRun | None) -> bool:
    """True when enough was migrated since the last evaluation, or that one must be repeated.

    An evaluation is repeated if it was worse than the baseline, met an outage, or was made before a rollback. When no batch
    is waiting, the last one is evaluated, however few there were since the evaluation or since the migration was resumed.
    """
    if last is None or (last.comparison is not None and last.comparison.is_regression) or last.is_disturbed:
        return True
    done = progress.batches_done - int(last.circumstances.get("batches", 0))
    is_at_the_end = not progress.waiting_batches and (done > 0 or last.created_at < progress.changed_at)
    return done < 0 or done >= progress.evaluate_every or is_at_the_end


def regression_reason(comparison: Comparison, run_id: UUID, progress: MigrationProgress) -> str:
    """Reason for stopping a migration, for people."""
    return (
        f"{comparison.metric} fell by {-comparison.difference:.3f} from {comparison.baseline:.3f} to "
        f"{comparison.current:.3f} (one-sided p = {comparison.p_worse:.4f}) after "
        f"{progress.batches_done} of {progress.batches} batches: evaluation run {run_id}"
    )


def has_golden_queries(database: Database, tenant: TenantId) -> bool:
    """Tell whether the default golden set has a query with a note that exists."""
    with database.transaction(tenant) as connection:
        return has_askable_query(connection, tenant, set_name=DEFAULT_SET)


def _evaluations(database: Database, tenant: TenantId, progress: MigrationProgress) -> MigrationEvaluations:
    return store.fetch_migration_evaluations(database, tenant, since=progress.started_at)


def _measure(
    engine: Engine,
    tenant: TenantId,
    progress: MigrationProgress,
    *,
    baseline: StoredRun | None,
    on_progress: OnProgress = lambda _done, _total: None,
) -> EvaluationRun:
    """Compared with the migration's own baseline; without one, with the tenant's."""
    engine = pinned(engine, tenant)
    config = engine.served_config(tenant)
    return evaluate(
        engine.database,
        tenant,
        evaluated_search(engine, tenant, config=config, timeout_ms=TIMEOUT_MS),
        set_name=DEFAULT_SET,
        purpose="migration",
        strategy=config.strategy,
        circumstances={"migratedNotes": progress.migrated, "notes": progress.notes, "batches": progress.batches_done},
        baseline_run_id=None if baseline is None else baseline.run_id,
        on_progress=on_progress,
    )

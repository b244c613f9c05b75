"""The migration of legacy notes: what each run over their batches came to, and ``brain migration run``.

``migration_report`` follows the index: it counts, evaluates when that is due, and on a regression stops the migration and
cancels the backfills that would go on with it. Not here: chunking (the stages), the evaluation (``rag_core.migration``).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from dagster._core.execution.backfill import BulkActionStatus

from rag_assets.checks import LOOKED_AT
from rag_assets.fulltext_index import fulltext_index
from rag_assets.indexing import IndexEvent, OnEvent, opened_job, run_range
from rag_assets.migration_checks import ASSET
from rag_assets.partitions import (
    BACKFILL_POLICY,
    NOTE_BATCHES,
    PARTITIONS_NAME,
    BatchRange,
    merge_ranges,
)
from rag_assets.planning import MIGRATION_JOB, keys_to_publish, open_backfills
from rag_assets.stages import OWNERS, Materialized, Stopwatch, outages_retried, ratio, table, total
from rag_core.errors import ConflictError, NotFoundError
from rag_core.migration.measuring import MigrationStep, fetch_progress, follow, measure_before
from rag_core.migration.status import percent_of
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import Comparison
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant, list_batches, pending_batches, register_batches
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS, MigrationState
from rag_core.storage.migration_runs import MigrationProgress, fetch_chunks_table_bytes

QUALITY_CHECK = "migration_has_not_made_retrieval_worse"
MAX_BATCHES = 50
"""5,000 notes a run of ``brain migration run``, where it is evaluated less often than that."""


@dg.asset(
    deps=[fulltext_index],
    group_name="migration",
    owners=OWNERS,
    tags={"brain/scope": "note-batches"},
    kinds={"python", "postgres"},
    code_version="1",
    partitions_def=NOTE_BATCHES,
    backfill_policy=BACKFILL_POLICY,
    check_specs=[
        dg.AssetCheckSpec(
            QUALITY_CHECK,
            asset=ASSET,
            description=(
                "The migration's last evaluation is not significantly below the one made before it began (one-sided "
                "p < 0.05, nDCG@10 lower by 0.02 or more). A regression stops the migration and cancels its backfills; a "
                "warning says that an outage or too few queries left it unguarded."
            ),
        )
    ],
    description=(
        "How far the takeover of legacy notes is: notes migrated, pending and failed, and the quality of retrieval, measured "
        "before the first batch, every few batches and after the last. Tenants without a migration are passed over."
    ),
)
def migration_report(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Count, evaluate when it is due, and stop what made retrieval worse."""
    clock = Stopwatch()
    batches = batches_by_tenant(engine.database, context.partition_keys)
    began = _run_began(context)
    with outages_retried(context):
        steps = [follow(engine, tenant, keys, since=began) for tenant, keys in batches.items()]
    followed = [step for step in steps if step is not None]
    for step in followed:
        _tell_partitions(context, step)
    cancelled = [
        backfill
        for step in followed
        if step.has_stopped
        for backfill in cancel_backfills(context.instance, engine.database, step.tenant)
    ]
    return dg.MaterializeResult(
        metadata={
            **_figures(followed, seconds=(datetime.now(UTC) - began).total_seconds()),
            "chunks_table_bytes": float(_chunks_table_bytes(engine.database)),
            "report": dg.MetadataValue.md(markdown_summary(followed)),
            "cancelled_backfills": dg.MetadataValue.json(cancelled),
            "batches": sum(len(keys) for keys in batches.values()),
            "seconds": clock.seconds,
        },
        check_results=[_quality_check(followed)],
    )


def _run_began(context: dg.AssetExecutionContext) -> datetime:
    record = context.instance.get_run_record_by_id(context.run.run_id)
    assert record is not None
    return datetime.fromtimestamp(record.start_time or record.create_timestamp.timestamp(), UTC)


def _chunks_table_bytes(database: Database) -> int:
    with database.owner() as connection:
        return fetch_chunks_table_bytes(connection)


def _tell_partitions(context: dg.AssetExecutionContext, step: MigrationStep) -> None:
    for batch in step.batches:
        context.add_asset_metadata(
            {
                "migrated_in_batch": batch.migrated,
                "pending_in_batch": batch.pending,
                "failed_in_batch": batch.failed,
                "chunks_in_batch": batch.chunks,
            },
            partition_key=batch.batch,
        )


def _figures(steps: Sequence[MigrationStep], *, seconds: float) -> dict[str, Any]:
    """Floats by name, which Dagster plots over the runs; a tenant's name stands before them where there are several."""
    return {
        (name if len(steps) == 1 else f"{step.tenant}_{name}"): figure
        for step in steps
        for name, figure in _tenant_figures(step, seconds=seconds).items()
    }


def _tenant_figures(step: MigrationStep, *, seconds: float) -> dict[str, float]:
    migrated = total(step.batches, "migrated")
    figures = {
        "progress_percent": percent_of(step.progress.migrated, step.progress.notes),
        "notes_per_second": ratio(total(step.batches, "new"), seconds),
        "errors": float(step.progress.failed),
        "chunks_per_note": ratio(total(step.batches, "chunks"), migrated),
        **{name: float(total(step.batches, name)) for name in ("migrated", "pending", "failed")},
    }
    if step.last is not None:
        figures["hit_rate_at_10"] = step.last.metrics.hit_rate_at[10]
        figures["latency_p50_ms"] = step.last.latency_ms.p50
    return figures


def markdown_summary(steps: Sequence[MigrationStep]) -> str:
    """Summary for an operator: state, counts, and quality now and before."""
    return "\n".join(map(_tenant_summary, steps)) or "No note of these batches is being migrated.\n"


def _tenant_summary(step: MigrationStep) -> str:
    progress = step.progress
    lines = [
        f"# {step.tenant}: {progress.state}, {percent_of(progress.migrated, progress.notes):g} %",
        "",
        f"- Notes: {progress.migrated} of {progress.notes} migrated, {progress.pending} pending, {progress.failed} failed",
        f"- Batches: {progress.batches_done} of {progress.batches} done",
        f"- Retrieval: {_quality(step)}",
    ]
    if progress.reason:
        lines.append(f"- Reason: {progress.reason}")
    if step.has_stopped:
        lines.append(
            "- What to do: find the cause in the evaluation run, then `brain migration resume`, or `brain rollback`"
        )
    return "\n".join([*lines, ""])


def _quality(step: MigrationStep) -> str:
    if step.last is None:
        return "not measured; `brain golden import FILE` gives it questions"
    now = f"hit rate at 10 {step.last.metrics.hit_rate_at[10]:.3f}, p50 {step.last.latency_ms.p50:.0f} ms"
    if step.baseline is None or step.baseline.run_id == step.last.run_id:
        return now
    before = step.baseline
    return f"{now}; before {before.metrics.hit_rate_at[10]:.3f}, {before.latency_ms.p50:.0f} ms"


def _quality_check(steps: Sequence[MigrationStep]) -> dg.AssetCheckResult:
    """Red where retrieval got worse; a warning where a migration is measured and that cannot be told."""
    worse = {step.tenant: step.progress.reason or "worse" for step in steps if step.regression is not None}
    unclear = {step.tenant: step.objection for step in steps if step.objection is not None}
    rows = [_regression(step, step.regression) for step in steps if step.regression is not None]
    metadata: dict[str, Any] = {
        "evaluated": sum(step.evaluation is not None for step in steps),
        "not_comparable": len(unclear),
        LOOKED_AT: dg.MetadataValue.json([step.tenant for step in steps]),
    }
    if rows:
        metadata["regressions"] = table(rows)
    return dg.AssetCheckResult(
        check_name=QUALITY_CHECK,
        passed=not worse and not unclear,
        severity=dg.AssetCheckSeverity.ERROR if worse else dg.AssetCheckSeverity.WARN,
        metadata=metadata,
        description="; ".join(f"{tenant}: {why}" for tenant, why in (unclear | worse).items()) or None,
    )


def _regression(step: MigrationStep, comparison: Comparison) -> dict[str, Any]:
    return {
        "tenant": step.tenant,
        "metric": comparison.metric,
        "baseline": comparison.baseline,
        "current": comparison.current,
        "difference": comparison.difference,
        "p_one_sided": comparison.p_worse,
        "queries": comparison.queries,
        "run": None if step.last is None else str(step.last.run_id),
    }


def cancel_backfills(instance: dg.DagsterInstance, database: Database, tenant: TenantId) -> list[str]:
    """Cancel the backfills that would go on chunking legacy notes of the tenant, whoever else's are in them; their ids.

    The daemon ends their runs within a minute; what these have published stays.
    """
    keys = {batch.key for batch in list_batches(database) if batch.tenant == tenant and batch.is_legacy}
    cancelled = []
    for backfill in open_backfills(instance):
        if keys & keys_to_publish(backfill):
            instance.update_backfill(backfill._replace(status=BulkActionStatus.CANCELING))
            cancelled.append(backfill.backfill_id)
    return cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationRunReport:
    """Batches and notes migrated by this call, notes that failed, evaluations made, the time, and how it ended.

    ``stopped`` is why it did not go on to the end; None where nothing waits any more.
    """

    batches: int
    migrated: int
    failed: int
    evaluations: int
    seconds: float
    state: MigrationState
    stopped: str | None


def run_migration(engine: Engine, tenant: TenantId, *, on_event: OnEvent = lambda _event: None) -> MigrationRunReport:
    """Migrate all that is pending, newest first, in this process and by Dagster's definitions.

    Measured before the first batch and as often as the migration says; it ends when nothing waits, or its state is no
    longer running: a regression stops it, and so does another process. Notes that fail are tried again at the end.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: its migration is not running.
        IndexingError: a run failed; what earlier ones migrated stays so.
        DatabaseUnavailableError: the database does not answer.
    """
    clock = Stopwatch()
    before = _running(engine.database, tenant)
    register_batches(engine.database, tenant)
    baseline = measure_before(engine, tenant, on_progress=_telling(on_event))
    with opened_job(engine, MIGRATION_JOB, on_event) as (job, instance):
        evaluations = _migrate(engine.database, tenant, job, instance, size=before.evaluate_every, on_event=on_event)
    after = fetch_progress(engine.database, tenant)
    assert after is not None
    return MigrationRunReport(
        batches=max(0, after.batches_done - before.batches_done),
        migrated=max(0, after.migrated - before.migrated),
        failed=after.failed,
        evaluations=evaluations + (baseline is not None),
        seconds=clock.seconds,
        state=after.state,
        stopped=None if after.is_running else after.reason or f"the migration is {after.state}",
    )


def _running(database: Database, tenant: TenantId) -> MigrationProgress:
    progress = fetch_progress(database, tenant)
    if progress is None:
        raise NotFoundError(f"{tenant} has no migration; begin one with `brain migration attach`")
    if not progress.is_running:
        why = f" ({progress.reason})" if progress.reason else ""
        raise ConflictError(
            f"the migration of {tenant} is {progress.state}{why}; `brain migration resume` lets a stopped one go on"
        )
    return progress


def _telling(on_event: OnEvent) -> Callable[[int, int], None]:
    def tell(done: int, queries: int) -> None:
        if done == queries:
            on_event(IndexEvent(done=0, batches=0, message=f"baseline: {queries} golden queries measured"))

    return tell


def _migrate(
    database: Database,
    tenant: TenantId,
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    *,
    size: int,
    on_event: OnEvent,
) -> int:
    """Run over what is pending until nothing waits or the state says stop; how many evaluations that took."""
    waiting = len(pending_batches(database, tenant))
    done = evaluations = 0
    on_event(IndexEvent(done=0, batches=waiting, message=""))
    for batch_range in _ranges(database, instance, tenant, size=min(size, MAX_BATCHES)):
        result = run_range(job, instance, batch_range, is_full=False)
        done += batch_range.wanted
        evaluations += _evaluated(result)
        on_event(IndexEvent(done=min(done, waiting), batches=waiting, message=_line(database, tenant)))
    return evaluations


def _ranges(database: Database, instance: dg.DagsterInstance, tenant: TenantId, *, size: int) -> Iterator[BatchRange]:
    """Ranges of pending batches, newest first, as long as the migration runs; batches with failures again afterwards."""
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    for _ in range(MAX_ATTEMPTS):
        wanted = pending_batches(database, tenant)
        for batch_range in merge_ranges(order, wanted, passable=wanted, max_gap=0, max_wanted=size):
            progress = fetch_progress(database, tenant)
            if progress is None or not progress.is_running:
                return
            yield batch_range


def _evaluated(result: dg.ExecuteInProcessResult) -> int:
    return sum(
        int(str(evaluation.metadata["evaluated"].value))
        for evaluation in result.get_asset_check_evaluations()
        if evaluation.check_name == QUALITY_CHECK
    )


def _line(database: Database, tenant: TenantId) -> str:
    progress = fetch_progress(database, tenant)
    assert progress is not None
    return f"{progress.migrated} of {progress.notes} notes migrated, {progress.failed} failed"

"""Jobs of an operator on a migration: migrate, stop, resume, roll back, finish."""

from collections.abc import Callable, Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from rag_assets.checks import BATCH_CHECKS
from rag_assets.jobs import INDEX_ASSETS
from rag_assets.migration import cancel_backfills, migration_report
from rag_assets.migration_checks import MIGRATION_CHECKS
from rag_assets.planning import MIGRATION_JOB
from rag_assets.stages import OWNERS
from rag_core.migration import control
from rag_core.migration.measuring import measure_now
from rag_core.model.counting import in_english
from rag_core.runtime.engine import Engine
from rag_core.storage.migration_control import MigrationCounts

TAGS = {"brain/purpose": "migration"}
PROGRESS_NOTES = 1_000


class TenantConfig(dg.Config):
    """Tenant of the migration."""

    tenant: str | None = Field(default=None, description="The tenant; without it, the one that commands write to.")


class ReasonConfig(TenantConfig):
    """Tenant of the migration, and the reason of the action."""

    reason: str | None = Field(default=None, description="Why, for whoever looks at the migration's status later.")


migrate_notes = dg.define_asset_job(
    MIGRATION_JOB,
    selection=dg.AssetSelection.assets(*INDEX_ASSETS, migration_report).without_checks()
    | dg.AssetSelection.checks(*BATCH_CHECKS, *MIGRATION_CHECKS)
    | dg.AssetSelection.checks_for_assets(migration_report),
    owners=OWNERS,
    tags=TAGS,
    description=(
        "Chunk, embed and index the legacy notes of the batches you choose, verify them, and measure retrieval. Choose the "
        "partitions named `….legacy-…`; batches that are done already cost next to nothing."
    ),
)


@dg.op(description="Pending notes are left as they are from now on, and backfills of them are cancelled.")
def stop_migrating(context: dg.OpExecutionContext, config: ReasonConfig, engine: dg.ResourceParam[Engine]) -> None:
    """Stop; what is chunked stays so."""
    tenant = engine.writing_tenant(config.tenant)
    counts = control.stop(engine.database, tenant, reason=config.reason)
    cancelled = cancel_backfills(context.instance, engine.database, tenant)
    context.add_output_metadata({**_counts(counts), "tenant": tenant, "cancelled_backfills": ", ".join(cancelled)})


@dg.op(description="The migration goes on after a stop or a rollback; start `migrate_notes` over what is pending next.")
def resume_migrating(context: dg.OpExecutionContext, config: TenantConfig, engine: dg.ResourceParam[Engine]) -> None:
    """Resume; nothing is chunked by this alone."""
    tenant = engine.writing_tenant(config.tenant)
    context.add_output_metadata({**_counts(control.resume(engine.database, tenant)), "tenant": tenant})


@dg.op(
    description="Every note is one whole note again and is searched as such; no new one is chunked. No text is touched."
)
def roll_notes_back(context: dg.OpExecutionContext, config: ReasonConfig, engine: dg.ResourceParam[Engine]) -> None:
    """Roll back, after backfills that chunk are cancelled.

    Raises:
        dagster.Failure: some notes are still chunked; it says which and why.
    """
    tenant = engine.writing_tenant(config.tenant)
    cancelled = cancel_backfills(context.instance, engine.database, tenant)
    report = control.roll_back(
        engine.database, tenant, engine.pipeline, reason=config.reason, on_progress=_log_progress(context)
    )
    metadata: dict[str, Any] = {
        "tenant": tenant,
        "notes": report.notes,
        "chunks_removed": report.chunks,
        "notes_without_vector": report.without_vector,
        "failed": len(report.failed),
        "cancelled_backfills": ", ".join(cancelled),
    }
    if report.failed:
        first = next(iter(report.failed.items()))
        left = in_english(len(report.failed), "note is", "notes are")
        raise dg.Failure(
            description=f"{left} still chunked, the first {first[0]}: {first[1]}. Run it again.",
            metadata=metadata,
        )
    context.add_output_metadata(metadata)


@dg.op(
    description=(
        "Measure retrieval on the golden set, and end the migration if every note is migrated and the hit rate at 10 is "
        "high enough. What only a rollback needs is dropped."
    )
)
def finish_migrating(context: dg.OpExecutionContext, config: TenantConfig, engine: dg.ResourceParam[Engine]) -> None:
    """Evaluate in full, then finish."""
    tenant = engine.writing_tenant(config.tenant)
    evaluation = measure_now(engine, tenant)
    if evaluation is not None:
        context.log.info("hit rate at 10: %.3f, run %s", evaluation.metrics.hit_rate_at[10], evaluation.run_id)
    report = control.finish(engine.database, tenant, evaluation=None if evaluation is None else evaluation.run_id)
    context.add_output_metadata(
        {
            "tenant": tenant,
            "migrated": report.migrated,
            "hit_rate_at_10": report.hit_rate_at_10,
            "evaluation_run": str(report.run_id),
            "dropped_vectors": report.dropped_vectors,
        }
    )


@dg.job(
    owners=OWNERS,
    tags=TAGS,
    description="Partial rollback: stop the migration, keep what is chunked. `resume_migration` lets it go on.",
)
def stop_migration() -> None:
    """Stop the migration."""
    stop_migrating()


@dg.job(
    owners=OWNERS,
    tags=TAGS,
    description="Let a stopped or rolled back migration go on; then start `migrate_notes` or `brain migration run`.",
)
def resume_migration() -> None:
    """Resume the migration."""
    resume_migrating()


@dg.job(
    owners=OWNERS,
    tags=TAGS,
    description="Immediate rollback: search whole notes again, as before the migration. Notes, ids and dates stay.",
)
def roll_back_migration() -> None:
    """Roll the migration back."""
    roll_notes_back()


@dg.job(
    owners=OWNERS,
    tags=TAGS,
    description="The last phase: measure, require a hit rate at 10 of 85 %, and end the migration for good.",
)
def finish_migration() -> None:
    """Finish the migration."""
    finish_migrating()


OPERATOR_JOBS = [stop_migration, resume_migration, roll_back_migration, finish_migration]


def _counts(counts: MigrationCounts) -> Mapping[str, Any]:
    return {
        "state": counts.state,
        "pending": counts.pending,
        "migrated": counts.migrated,
        "failed": counts.failed,
    }


def _log_progress(context: dg.OpExecutionContext) -> Callable[[int], None]:
    """Say every so many notes how many are done; calls tell how many more."""
    done = 0

    def tell(notes: int) -> None:
        nonlocal done
        if (done + notes) // PROGRESS_NOTES > done // PROGRESS_NOTES:
            context.log.info("%d notes", done + notes)
        done += notes

    return tell

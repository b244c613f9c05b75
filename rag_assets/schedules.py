"""Schedules: indexing every hour, evaluation and verification every night."""

from collections.abc import Iterator, Sequence

import dagster as dg

from rag_assets.evaluation_report import evaluation_report
from rag_assets.fulltext_index import fulltext_index
from rag_assets.jobs import INDEX_KEYS, check_index, index_notes, update_index
from rag_assets.partitions import BatchRange
from rag_assets.planning import plan_index, unfinished_index_runs
from rag_core.runtime.engine import Engine

HOURLY = "0 * * * *"
NIGHTLY = "30 3 * * *"
VERIFICATION = "30 5 * * *"
"""Two hours after the nightly run began, so that the two seldom read the whole index at once."""

SOON = {"dagster/priority": "2"}
"""Priority of runs that keep the index up to date, before the runs of backfills, which have 0 and may be hundreds."""
AFTER_INDEXING = {"dagster/priority": "1"}
NIGHT = {"brain/night": "yes"}
"""One of these at a time, by dagster.yaml: the evaluation waits until the night's indexing is over, however it ended."""


def hourly_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that indexes what is stale at the full hour; it is also what tries again after an outage."""

    @dg.schedule(
        name="hourly_index",
        job=update_index,
        cron_schedule=HOURLY,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        tags={"brain/purpose": "indexing"},
        description=(
            "Every hour: index notes that are new, were changed or were made by another pipeline; a run for a range of "
            "batches. Skips when none is, and while another run does it. What failed for want of a server is tried again."
        ),
    )
    def hourly_index(
        context: dg.ScheduleEvaluationContext, engine: dg.ResourceParam[Engine]
    ) -> list[dg.RunRequest] | dg.SkipReason:
        runs = unfinished_index_runs(context.instance)
        if runs:
            return dg.SkipReason(f"Run {runs[0].run_id} is indexing or waits to.")
        ranges = plan_index(context.instance, engine.database, engine.pipeline, engine.chat)
        moment = context.scheduled_execution_time.isoformat()
        if not ranges:
            return dg.SkipReason("Every note is indexed as it stands.")
        return [dg.RunRequest(run_key=f"{moment}/{one.start}", tags=one.tags | SOON) for one in ranges]

    return hourly_index


def nightly_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that registers batches, indexes what is stale and evaluates, at 3:30 in that zone."""

    @dg.schedule(
        name="nightly_index_and_evaluation",
        job=index_notes,
        cron_schedule=NIGHTLY,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        tags={"brain/purpose": "evaluation"},
        description=(
            "Every night: index what is new or stale, and then, whatever the checks said of it, measure retrieval on every "
            "golden set. With nothing stale it says so on the index, which shows when it was last seen to be up to date."
        ),
    )
    def nightly_index_and_evaluation(
        context: dg.ScheduleEvaluationContext, engine: dg.ResourceParam[Engine]
    ) -> list[dg.RunRequest]:
        ranges = plan_index(context.instance, engine.database, engine.pipeline, engine.chat)
        if not ranges:
            _tell_up_to_date(context.instance)
        return list(run_requests(context.scheduled_execution_time.isoformat(), ranges))

    return nightly_index_and_evaluation


def verification_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that runs every check over everything, at 5:30 in that zone."""
    return dg.ScheduleDefinition(
        name="nightly_verification",
        job=check_index,
        cron_schedule=VERIFICATION,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        tags={"brain/purpose": "verification", **AFTER_INDEXING},
        description=(
            "Every night, after the evaluation: every check over all notes, all that is staged and the whole live index. "
            "It changes nothing, and lets runs that index or evaluate go first."
        ),
    )


def _tell_up_to_date(instance: dg.DagsterInstance) -> None:
    """The index was looked at and is as it should be, which is what its freshness means; no batch need be made for it."""
    seen = dg.AssetMaterialization(fulltext_index.key, description="Nothing was stale: the index is up to date.")
    instance.report_runless_asset_event(seen)


def run_requests(moment: str, ranges: Sequence[BatchRange]) -> Iterator[dg.RunRequest]:
    """A run a range, and one that evaluates: in a run of its own, for a failed check of the index ends that run."""
    for batch_range in ranges:
        yield dg.RunRequest(
            run_key=f"{moment}/{batch_range.start}",
            asset_selection=INDEX_KEYS,
            tags=batch_range.tags | SOON | NIGHT,
        )
    yield dg.RunRequest(
        run_key=f"{moment}/evaluation",
        asset_selection=[evaluation_report.key],
        asset_check_keys=list(evaluation_report.check_keys),
        tags=AFTER_INDEXING | NIGHT,
    )

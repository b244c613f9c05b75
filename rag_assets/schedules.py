"""What happens by the clock."""

from collections.abc import Iterator, Sequence

import dagster as dg

from rag_assets.checks import INDEX_CHECKS
from rag_assets.evaluation_report import evaluation_report
from rag_assets.jobs import INDEX_KEYS, index_notes
from rag_assets.partitions import PARTITIONS_NAME, BatchRange, add_missing_keys, merge_ranges
from rag_core.engine import Engine
from rag_core.graph.llm import causal_extractor
from rag_core.indexing.batches import list_tenants, register_batches
from rag_core.indexing.graph import stale_batches_with_graph

NIGHTLY = "30 3 * * *"
MAX_GAP = 200
"""A run of its own costs some 7 s, a batch that is passed over 30 ms."""
MAX_BATCHES = 500
"""50,000 notes: what a run that fails late has to do again stays bounded."""

LAST = {"dagster/priority": "-1"}


def nightly_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that registers batches, indexes what is stale and evaluates, at 3:30 in that zone."""

    @dg.schedule(
        name="nightly_index_and_evaluation",
        job=index_notes,
        cron_schedule=NIGHTLY,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Every night: index what is new or stale, check the whole index, evaluate.",
    )
    def nightly_index_and_evaluation(
        context: dg.ScheduleEvaluationContext, engine: dg.ResourceParam[Engine]
    ) -> list[dg.RunRequest]:
        moment = context.scheduled_execution_time.isoformat()
        return list(run_requests(moment, _stale_ranges(context.instance, engine)))

    return nightly_index_and_evaluation


def _stale_ranges(instance: dg.DagsterInstance, engine: Engine) -> list[BatchRange]:
    stale: list[str] = []
    for tenant in list_tenants(engine.database):
        register_batches(engine.database, tenant)
        stale += stale_batches_with_graph(
            engine.database, tenant, fingerprint=engine.pipeline.fingerprint, extractor=causal_extractor(engine.chat)
        )
    add_missing_keys(instance, engine.database)
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    return merge_ranges(order, stale, max_gap=MAX_GAP, max_wanted=MAX_BATCHES)


def run_requests(moment: str, ranges: Sequence[BatchRange]) -> Iterator[dg.RunRequest]:
    """A run a range; the last one evaluates too. Nothing stale gives one that only checks and evaluates."""
    for batch_range in ranges[:-1]:
        yield dg.RunRequest(run_key=f"{moment}/{batch_range.start}", asset_selection=INDEX_KEYS, tags=batch_range.tags)
    if ranges:
        yield dg.RunRequest(run_key=f"{moment}/last", tags={**ranges[-1].tags, **LAST})
    else:
        yield dg.RunRequest(
            run_key=f"{moment}/evaluation",
            asset_selection=[evaluation_report.key],
            asset_check_keys=[
                *evaluation_report.check_keys,
                *(key for check in INDEX_CHECKS for key in check.check_keys),
            ],
        )

"""What automatic runs take: ranges that cover the stale batches, and whether a run over some is under way already."""

import dagster as dg

from rag_assets.partitions import PARTITIONS_NAME, BatchRange, add_missing_keys, merge_ranges
from rag_core.engine import Engine
from rag_core.graph.llm import causal_extractor
from rag_core.indexing.automatic import find_work
from rag_core.indexing.batches import list_tenants

MAX_GAP = 200
"""A run of its own costs some 7 s, a batch that is passed over 30 ms."""
MAX_BATCHES = 500
"""50,000 notes: what a run that fails late has to do again stays bounded."""

INDEX_JOBS = ("update_index", "index_notes")
UNFINISHED = [dg.DagsterRunStatus[name] for name in ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")]


def stale_ranges(instance: dg.DagsterInstance, engine: Engine) -> list[BatchRange]:
    """Register what is new, and cover the stale batches of all tenants by ranges without what waits for a migration."""
    extractor = causal_extractor(engine.chat)
    work = [
        find_work(engine.database, tenant, fingerprint=engine.pipeline.fingerprint, extractor=extractor)
        for tenant in list_tenants(engine.database)
    ]
    add_missing_keys(instance, engine.database)
    return merge_ranges(
        instance.get_dynamic_partitions(PARTITIONS_NAME),
        [key for tenant_work in work for key in tenant_work.wanted],
        passable=[key for tenant_work in work for key in tenant_work.passable],
        max_gap=MAX_GAP,
        max_wanted=MAX_BATCHES,
    )


def unfinished_index_run(instance: dg.DagsterInstance) -> str | None:
    """The id of a run of the index's jobs that is queued or in progress, if there is one.

    Backfills are not looked for: they take partitions that somebody chose, and may take days.
    """
    for job in INDEX_JOBS:
        runs = instance.get_runs(dg.RunsFilter(job_name=job, statuses=UNFINISHED), limit=1)
        if runs:
            return str(runs[0].run_id)
    return None

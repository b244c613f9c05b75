"""Execution of ``brain models backfill``: the batches that lack a model's vectors, through the definitions, in this process."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag_assets.indexing import MAX_BATCHES, MAX_GAP, IndexEvent, OnEvent, execute_range, opened_job
from rag_core.model.embedding import ModelState
from rag_core.model_change.backfill import begin_backfill, finish_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.batches import list_tenants, register_batches
from rag_core.storage.model_vectors import list_batches_without_vectors
from rag_core.storage.models import count_vectors_by_tenant

if TYPE_CHECKING:
    import dagster as dg

JOB = "fill_in_models"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRunReport:
    """Vectors computed and known already, chunks that the model gives nothing for with the first of them, and what is missing."""

    name: str
    state: ModelState
    embedded: int
    reused: int
    failed: int
    failures: list[dict[str, str]]
    missing: int
    seconds: float


def run_backfill(engine: Engine, name: str, *, on_event: OnEvent = lambda _event: None) -> BackfillRunReport:
    """Make the vectors that a model lacks, of every tenant; a run that was broken off is gone on with.

    Raises:
        NotFoundError, ModelStateError: there is no such model, or it is active.
        IndexingError: a run failed, because the provider is down say; what earlier runs and pages wrote stays.
    """
    began = time.perf_counter()
    model = begin_backfill(engine.database, name)
    tenants = list_tenants(engine.database)
    for tenant in tenants:
        register_batches(engine.database, tenant)
    wanted = [key for tenant in tenants for key in list_batches_without_vectors(engine.database, tenant, model.id)]
    counts: dict[str, Any] = {}
    if wanted:
        with opened_job(engine, JOB, on_event) as (job, instance):
            counts = _materialise(job, instance, name, wanted, on_event)
    state = finish_model(engine.database, model, with_model(engine, model).embedder).state
    with engine.database.owner() as connection:
        missing = sum(count.missing for count in count_vectors_by_tenant(connection, model.id).values())
    return BackfillRunReport(
        name=name,
        state=state,
        embedded=counts.get("embedded", 0),
        reused=counts.get("reused", 0),
        failed=counts.get("failed", 0),
        failures=counts.get("failures", []),
        missing=missing,
        seconds=round(time.perf_counter() - began, 3),
    )


def _materialise(
    job: "dg.JobDefinition", instance: "dg.DagsterInstance", name: str, wanted: list[str], on_event: OnEvent
) -> dict[str, Any]:
    """Run the job over ranges that cover the wanted batches; the counts and failures of all runs."""
    from rag_assets.partitions import PARTITIONS_NAME, merge_ranges

    counts: dict[str, Any] = {}
    done = 0
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    on_event(IndexEvent(done=0, batches=len(wanted), message=""))
    for batch_range in merge_ranges(order, wanted, max_gap=MAX_GAP, max_wanted=MAX_BATCHES):
        config = {"model_vectors": {"config": {"model": name}}}
        metadata = _metadata(execute_range(job, instance, batch_range, ops=config))
        for key in ("embedded", "reused", "failed", "failures"):
            counts[key] = counts[key] + metadata[key].value if key in counts else metadata[key].value
        done += batch_range.wanted
        on_event(IndexEvent(done=done, batches=len(wanted), message=f"{done} of {len(wanted)} batches"))
    return counts


def _metadata(result: "dg.ExecuteInProcessResult") -> dict[str, Any]:
    """Metadata of the run; it is equal on every partition's materialization."""
    return dict(result.get_asset_materialization_events()[0].materialization.metadata)

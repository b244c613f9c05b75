"""Execution of ``brain index``: the stale batches through the pipeline's definitions, in this process.

Dagster is imported when there is something to do and not before: its import takes longer than finding out that there
is nothing.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag_assets.outages import outages_told
from rag_assets.worker_processes import PROCESS_TAG, is_gone, this_process
from rag_core.chat import ChatModel
from rag_core.embedding import provider_of
from rag_core.errors import IndexingError, RagError, TenantDeletedError
from rag_core.graph.llm import causal_extractor
from rag_core.indexing.automatic import IndexWork, find_work
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import maintain
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.operation.dagster_home import prepare_dagster_home
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.notes import is_tenant
from rag_core.storage.overviews import count_pending, count_totals

if TYPE_CHECKING:
    import dagster as dg

    from rag_assets.partitions import BatchRange

JOB = "update_index"
MAX_GAP = 20
"""In this process a run costs some 0.8 s, a batch that is passed over 30 ms."""
MAX_BATCHES = 10
"""1,000 notes a run: the newest are found by meaning before the oldest are embedded, and it is seen how far it has come."""
MAX_SLOW_BATCHES = 2
"""The same with a model of meaning, which takes some 15 s for 200 notes."""


COUNTED = {
    "embedded": ("embeddings",),
    "reused": ("embeddings",),
    "deleted": ("fulltext_index",),
    "failed": ("chunks", "embeddings", "fulltext_index"),
}
"""Counts over the runs, and the assets that report each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """Report of an index run.

    ``tenants`` are those whose notes were indexed, or all requested ones where nothing was stale; ``notes`` and ``chunks`` are their
    present numbers. ``embedded`` vectors were computed, ``reused`` ones kept or cached; ``deleted`` chunks were replaced or removed.
    ``failed`` counts notes; ``pending`` are legacy notes that were left to the migration.
    """

    tenants: tuple[TenantId, ...]
    notes: int
    chunks: int
    embedded: int
    reused: int
    deleted: int
    failed: int
    pending: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEvent:
    """Progress in stale batches, with a line for people; the first event has neither."""

    done: int
    batches: int
    message: str


OnEvent = Callable[[IndexEvent], None]


def run_index(
    engine: Engine,
    *,
    tenants: Sequence[TenantId],
    is_full: bool,
    on_event: OnEvent = lambda _event: None,
) -> IndexReport:
    """Bring the tenants' index up to date; with ``is_full`` every note is made anew, stale or not.

    Legacy notes that wait for their migration go on waiting, and so do the other notes of their batches.
    With nothing stale nothing is written but statistics that wait to be folded, and Dagster is not imported.

    Raises:
        IndexingError: a run failed. Batches of earlier runs are published, live chunks of this one are as they were.
        TenantDeletedError: a run failed, and a tenant was deleted meanwhile.
        DatabaseUnavailableError: the database does not answer.
    """
    began = time.perf_counter()
    work = [_find_work(engine.database, engine.pipeline, engine.chat, tenant, is_full=is_full) for tenant in tenants]
    indexed = [tenant for tenant, of_tenant in zip(tenants, work, strict=True) if of_tenant.wanted]
    counts: dict[str, int] = {}
    if indexed:
        with _deletions_told(engine.database, indexed), opened_job(engine, JOB, on_event) as (job, instance):
            counts = _materialise(job, instance, work, model=engine.model, is_full=is_full, on_event=on_event)
    if not counts:
        for tenant in tenants:
            maintain(engine.database, tenant, engine.pipeline)
    counted = indexed or tenants
    totals = [count_totals(engine.database, tenant) for tenant in counted]
    return IndexReport(
        tenants=tuple(counted),
        notes=sum(notes for notes, _ in totals),
        chunks=sum(chunks for _, chunks in totals),
        embedded=counts.get("embedded", 0),
        reused=counts.get("reused", 0),
        deleted=counts.get("deleted", 0),
        failed=counts.get("failed", 0),
        pending=sum(count_pending(engine.database, tenant) for tenant in tenants),
        seconds=round(time.perf_counter() - began, 3),
    )


@contextmanager
def _deletions_told(database: Database, tenants: Sequence[TenantId]) -> Iterator[None]:
    """Say of a failure that a tenant was deleted meanwhile, where that is why: its partitions and runs are gone with it."""
    try:
        yield
    except Exception as error:  # Dagster's own errors are of many classes
        gone = [tenant for tenant in tenants if not _is_there(database, tenant)]
        if not gone:
            raise
        raise TenantDeletedError(f"indexing stopped: the tenant {', '.join(gone)} was deleted meanwhile") from error


def _is_there(database: Database, tenant: TenantId) -> bool:
    with database.transaction(tenant) as connection:
        return is_tenant(connection, tenant)


def _find_work(
    database: Database, pipeline: Pipeline, chat: ChatModel | None, tenant: TenantId, *, is_full: bool
) -> IndexWork:
    return find_work(
        database,
        tenant,
        fingerprint=pipeline.fingerprint,
        extractor=causal_extractor(chat),
        is_full=is_full,
    )


def _materialise(
    job: "dg.JobDefinition",
    instance: "dg.DagsterInstance",
    work: Sequence[IndexWork],
    *,
    model: EmbeddingModel,
    is_full: bool,
    on_event: OnEvent,
) -> dict[str, int]:
    """Run the job over ranges that cover the wanted batches and touch no other tenant's; the counts of all runs."""
    from rag_assets.partitions import PARTITIONS_NAME, merge_ranges

    wanted = [key for tenant_work in work for key in tenant_work.wanted]
    passable = [key for tenant_work in work for key in tenant_work.passable]
    counts: dict[str, int] = {}
    done = 0
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    size = MAX_SLOW_BATCHES if provider_of(model).has_to_load else MAX_BATCHES
    on_event(IndexEvent(done=0, batches=len(wanted), message=""))
    for batch_range in merge_ranges(order, wanted, passable=passable, max_gap=MAX_GAP, max_wanted=size):
        result = run_range(job, instance, batch_range, is_full=is_full)
        for name in COUNTED:
            counts[name] = counts.get(name, 0) + _count(result, name)
        done += batch_range.wanted
        on_event(IndexEvent(done=done, batches=len(wanted), message=f"{done} of {len(wanted)} batches"))
    return counts


def run_range(
    job: "dg.JobDefinition", instance: "dg.DagsterInstance", batch_range: "BatchRange", *, is_full: bool
) -> "dg.ExecuteInProcessResult":
    """Run a job of the index over a range of batches in this process; see ``execute_range``."""
    return execute_range(job, instance, batch_range, ops={"chunks": {"config": {"is_full": is_full}}})


def execute_range(
    job: "dg.JobDefinition", instance: "dg.DagsterInstance", batch_range: "BatchRange", *, ops: Mapping[str, Any]
) -> "dg.ExecuteInProcessResult":
    """Run a job over a range of batches in this process, its steps configured by ``ops``.

    Raises:
        IndexingError: the run failed; the message has the cause.
        KeyboardInterrupt: it was interrupted.
    """
    result = job.execute_in_process(
        instance=instance,
        run_config={"ops": dict(ops), "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        tags={**batch_range.tags, PROCESS_TAG: this_process()},
        raise_on_error=False,
    )
    if not result.success:
        if _was_interrupted(result):
            raise KeyboardInterrupt
        raise IndexingError(f"indexing stopped in {batch_range.start}: {_cause(result)}")
    return result


def _count(result: "dg.ExecuteInProcessResult", name: str) -> int:
    """A count of the run over the assets that have it; on each it is the same for every partition."""
    values: dict[str, Any] = {}
    for event in result.get_asset_materialization_events():
        asset = event.asset_key.to_user_string() if event.asset_key else ""
        if asset in COUNTED[name]:
            values[asset] = event.materialization.metadata[name].value
    return sum(map(int, values.values()))


def _was_interrupted(result: "dg.ExecuteInProcessResult") -> bool:
    """True when Ctrl-C or SIGTERM came during a step, which Dagster takes for a failure of that step."""
    errors = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    return any(error is not None and error.cls_name == "DagsterExecutionInterruptedError" for error in errors)


def _cause(result: "dg.ExecuteInProcessResult") -> str:
    """Cause of the run's failure, for people: the failed checks, or the message of the first exception."""
    failed = [
        f"{evaluation.check_name}: {evaluation.description}"
        for evaluation in result.get_asset_check_evaluations()
        if not evaluation.passed and evaluation.severity.name == "ERROR"
    ]
    if failed:
        return "; ".join(failed)
    for event in result.all_events:
        if event.is_step_failure:
            return _step_failure(event.step_failure_data)
    return "the run failed; its events are in Dagster's UI"


def _step_failure(failure: Any) -> str:
    if failure.user_failure_data is not None and failure.user_failure_data.description:
        return str(failure.user_failure_data.description)
    error = failure.error
    while error.cause is not None:
        error = error.cause
    return str(error.message).strip().removeprefix(f"{error.cls_name}: ").partition(": ")[2] or str(error.message)


@contextmanager
def opened_job(
    engine: Engine, name: str, on_event: OnEvent
) -> Iterator[tuple["dg.JobDefinition", "dg.DagsterInstance"]]:
    """A job of the definitions over this engine, and the instance that records its runs and knows every batch."""
    from rag_assets.definitions import build_definitions
    from rag_assets.partitions import add_missing_keys

    job = build_definitions({"engine": engine}).resolve_job_def(name)
    with dagster_instance(engine.settings, engine.database, on_event) as instance:
        add_missing_keys(instance, engine.database)
        yield job, instance


@contextmanager
def dagster_instance(settings: Settings, database: Database, on_event: OnEvent) -> Iterator["dg.DagsterInstance"]:
    """The instance of this home, so that the runs are seen in Dagster's UI; one in memory where it cannot be reached.

    Raises:
        DatabaseUnavailableError: PostgreSQL went away in the block.
    """
    import dagster as dg

    from rag_assets.pools import set_default_limits

    try:
        variables = prepare_dagster_home(settings, database)
    except RagError as error:
        message = f"the run is not recorded in Dagster: {error}"
        on_event(IndexEvent(done=0, batches=0, message=message))
        with dg.DagsterInstance.ephemeral() as instance:
            yield instance
        return
    with outages_told(database), _environment(variables), dg.DagsterInstance.get() as instance:
        # Connections are kept, as the webserver keeps them: by default each of some 350 statements of a run opens its own.
        instance.optimize_for_webserver(statement_timeout=60_000, pool_recycle=3600, max_overflow=2)
        _give_up_runs_of_dead_processes(instance)
        set_default_limits(instance)
        yield instance


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables for the time of a block: Dagster reads its configuration by them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _give_up_runs_of_dead_processes(instance: "dg.DagsterInstance") -> None:
    """Mark runs as cancelled whose command was killed: else they fill the run queue's places for ever."""
    import dagster as dg

    statuses = [dg.DagsterRunStatus[name] for name in ("NOT_STARTED", "STARTING", "STARTED")]
    for run in instance.get_runs(dg.RunsFilter(statuses=statuses)):
        if is_gone(run.tags.get(PROCESS_TAG, "")):
            instance.report_run_canceled(run, "The process that executed this run is gone.")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)

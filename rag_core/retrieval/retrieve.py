"""The whole path from a query to hits: understand, search every leg at once, fuse, re-rank, read."""

from dataclasses import replace
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig, config_hash
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.errors import RagError, SearchCancelledError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Hit, Retrieval
from rag_core.reranking import is_calibrated
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline, StageClock
from rag_core.retrieval.figures import figures_of
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.ordering import fused_legs, reranked
from rag_core.retrieval.plan import interval_of
from rag_core.retrieval.ranking import final_candidates, in_order, parted
from rag_core.retrieval.reading import read_passages
from rag_core.retrieval.request import Asked, Request, checked_query, understood
from rag_core.retrieval.searching import search
from rag_core.runtime.cache import cached_retrieval, query_key
from rag_core.runtime.engine import Engine
from rag_core.storage.versions import corpus_version
from rag_core.telemetry.logs import log_degraded, log_failed
from rag_core.telemetry.metrics import Stage


def retrieve(
    engine: Engine,
    tenant: TenantId,
    text: str,
    *,
    config: RetrievalConfig,
    filters: Filters = NO_FILTERS,
    timeout_ms: int,
    use_cache: bool = True,
    now: datetime | None = None,
    depth: int | None = None,
    cancellation: Cancellation | None = None,
) -> Retrieval:
    """The passages of the tenant's notes that answer a query, best first.

    ``now`` is what "last week" counts from: the present by default. An answer is remembered until a note changes, unless
    it was degraded; with ``use_cache`` False it is looked for anew. With a ``depth`` what the search found beside is listed below
    what is served, which stays the same, to so many hits in all; for whoever measures, and never remembered.

    Where the stored configuration cannot be used, and defaults take its place, a warning says so.

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
        SearchCancelledError: it was cancelled, which ends models' calls and the waiting for them; the database's end by themselves.
    """
    query, deadline = checked_query(text), Deadline.after_ms(timeout_ms)
    digest, is_remembered = None, use_cache and depth is None
    try:
        with engine.metrics.measured("total"):
            reranker = engine.reranker_of(tenant, config)
            digest = config_hash(config, model_names=engine.names_beside(reranker))
            asked = Asked(
                tenant=tenant,
                text=text,
                query=query,
                config=config,
                config_hash=digest,
                filters=filters,
                now=now or datetime.now(engine.settings.zone),
                deadline=deadline,
                reranker=reranker,
                depth=depth,
                cancellation=cancellation or Cancellation(),
            )
            found = _remembered(engine, asked, timeout_ms=timeout_ms) if is_remembered else _retrieve(engine, asked)
            is_invalid = bool(engine.served(tenant).problems)
    except RagError as error:
        if not isinstance(error, SearchCancelledError):  # which is no failure of the search
            log_failed("retrieval", error, config_hash=digest, query=query, tenant=tenant)
        raise
    engine.metrics.count_answer(is_degraded=found.is_degraded)
    return replace(found, warnings=(INVALID_CONFIGURATION, *found.warnings)) if is_invalid else found


def _remembered(engine: Engine, asked: Asked, *, timeout_ms: int) -> Retrieval:
    version = corpus_version(engine.database, asked.tenant, timeout_ms=max(1, asked.deadline.remaining_ms))
    asked = replace(asked, version=version)
    key = query_key(
        tenant=asked.tenant,
        departments=engine.database.departments,
        query=asked.query,
        config_hash=asked.config_hash,
        filters=asked.filters,
        corpus_version=version,
        today=asked.now.date(),
        timeout_ms=timeout_ms,
    )
    return cached_retrieval(
        engine.caches.query,
        key,
        lambda: _retrieve(engine, asked),
        text=asked.text,
        timeout_ms=asked.deadline.remaining_ms,
        cancellation=asked.cancellation,
    )


def _retrieve(engine: Engine, asked: Asked) -> Retrieval:
    """What is found; looked for once more where a note was published anew between being found and being read.

    The legs know a chunk by its id, and publication replaces a note's chunks: without a second look the note would be in
    neither of its shapes.
    """
    found, is_current = _look(engine, asked)
    return found if is_current or asked.deadline.remaining_ms <= 0 else _look(engine, asked)[0]


def _look(engine: Engine, asked: Asked) -> tuple[Retrieval, bool]:
    """What is found, and whether all of it was still there to be read."""
    asked.require_wanted()
    clock = StageClock.start()
    with clock.stage("queryTransformation"):
        request = understood(asked)
    with clock.stage("retrieval"):
        legs = search(engine, request)
        request.require_wanted()
        fusing = StageClock.start()
        with engine.metrics.measured("hybridFusion"):
            fused = fused_legs(engine, request, legs)
        fusion_ms = fusing.total_ms
    failures = dict(legs.failures)
    pool, beyond = parted(fused, request.config)
    ordered = pool
    if request.reranker is not None and pool:
        with clock.stage("reranking"):
            ordered = reranked(engine, request, request.reranker, pool, legs=legs, failures=failures)
            request.require_wanted()
        if "reranking" not in failures and request.config.reranking.score_threshold is not None:
            beyond = []  # nothing has scored them
    with clock.stage("contextExpansion"):
        served = len(pool) if "reranking" in failures else final_candidates(request.config)
        expanded = read_passages(engine, request, in_order(ordered, beyond), failures, found=fused, served=served)
    _record(engine, clock, legs)
    for component, error in failures.items():
        log_degraded(component, error, config_hash=asked.config_hash, query=asked.query, tenant=asked.tenant)
    found = Retrieval(
        query=asked.text,
        strategy="hybrid" if "reranking" in failures else request.strategy,
        hits=tuple(_judged(hit, request, engine.settings.answer_rerank_score) for hit in expanded.hits),
        latency_ms=clock.total_ms,
        stages=clock.stages,
        warnings=tuple(legs.warnings),
        is_degraded=bool(failures),
        is_confident=legs.is_confident,
        transformed=replace(request.transformed, hyde_answer=legs.hyde_answer),
        interval=interval_of(request.transformed.times),
        candidates=len(fused),
        figures=figures_of(legs, fusion_ms=fusion_ms, rerank_ms=clock.stages.get("reranking")),
    )
    return found, expanded.is_current


def _judged(hit: Hit, request: Request, least_score: float) -> Hit:
    """The hit with whether a calibrated re-ranker's score reaches the least one; unknown of any other."""
    if hit.rerank_score is None or request.reranker is None or not is_calibrated(request.reranker.name):
        return hit
    return replace(hit, is_above_threshold=hit.rerank_score >= least_score)


def _record(engine: Engine, clock: StageClock, legs: LegResults) -> None:
    measured: dict[Stage, float | None] = {
        "queryTransformation": clock.stages["queryTransformation"],
        "semanticSearch": legs.timings.get("semantic"),
        "fullTextSearch": legs.timings.get("fulltext"),
        "reranking": clock.stages.get("reranking"),
        "contextExpansion": clock.stages["contextExpansion"],
    }
    for stage, milliseconds in measured.items():
        if milliseconds is not None:
            engine.metrics.record(stage, milliseconds)

"""The whole path from a query to hits: understand, search every leg at once, fuse, re-rank, read."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from rag_core.configuration.schema import RetrievalConfig, config_hash
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.errors import RagError, SearchCancelledError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Hit, Retrieval, RetrievalFigures
from rag_core.reranking import Reranker, is_calibrated
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import StageClock
from rag_core.retrieval.figures import figures_of
from rag_core.retrieval.legs import LegResults, failure_message
from rag_core.retrieval.linked import linked
from rag_core.retrieval.look import Look
from rag_core.retrieval.ordering import fused_legs, ranked
from rag_core.retrieval.plan import interval_of
from rag_core.retrieval.reading import read_passages
from rag_core.retrieval.request import PlannedSearch, SearchRequest, planned, search_request
from rag_core.retrieval.routed import search_routed
from rag_core.retrieval.searching import search
from rag_core.runtime.cache import Cache, QueryKey, cached_retrieval, query_key
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.versions import corpus_version
from rag_core.telemetry.logs import log_degraded, log_failed
from rag_core.telemetry.metrics import Metrics, Stage


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
    record: Callable[[Look], None] | None = None,
) -> Retrieval:
    """Search the tenant's notes: passages that answer the query, best first.

    Time expressions count from ``now``, by default the present. A result is cached until a note changes, unless it was degraded;
    ``use_cache`` False searches anew. With a ``depth``, for measuring, further candidates follow, to so many hits in all, uncached.
    ``record`` gets what every stage of a search gave; it is for one without the cache.
    A stored configuration that cannot be used is replaced by the defaults, with a warning. Strategy ``routed`` is the question's.

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: the search failed.
        SearchCancelledError: it was cancelled, which ends the models' calls; the database's end by themselves.
    """
    found = partial(
        _retrieved,
        engine,
        tenant,
        text,
        use_cache=use_cache,
        now=now,
        depth=depth,
        cancellation=cancellation,
        record=record,
    )
    if config.strategy == "routed":
        return search_routed(found, text, config=config, filters=filters, timeout_ms=timeout_ms)
    return found(config=config, filters=filters, timeout_ms=timeout_ms)


def _retrieved(
    engine: Engine,
    tenant: TenantId,
    text: str,
    *,
    config: RetrievalConfig,
    filters: Filters,
    timeout_ms: int,
    use_cache: bool,
    now: datetime | None,
    depth: int | None,
    cancellation: Cancellation | None,
    record: Callable[[Look], None] | None,
) -> Retrieval:
    request = search_request(
        tenant,
        text,
        config=config,
        timeout_ms=timeout_ms,
        now=now or datetime.now(engine.settings.zone),
        filters=filters,
        depth=depth,
        cancellation=cancellation,
    )
    try:
        with engine.metrics.measured("total"):
            reranker = engine.reranker_of(tenant, config)
            digest = config_hash(config, model_names=engine.names_beside(reranker))
            request = replace(request, reranker=reranker, config_hash=digest)
            search = partial(_complete, partial(_look, engine, record))
            if use_cache and depth is None:
                search = partial(_cached, search, engine.database, engine.caches.query, timeout_ms)
            found = search(request)
            is_invalid = bool(engine.served(tenant).problems)
    except RagError as error:
        if not isinstance(error, SearchCancelledError):  # which is no failure of the search
            log_failed("retrieval", error, config_hash=request.config_hash or None, query=request.query, tenant=tenant)
        raise
    engine.metrics.count_answer(is_degraded=found.is_degraded)
    return replace(found, warnings=(INVALID_CONFIGURATION, *found.warnings)) if is_invalid else found


def _cached(
    search: Callable[[SearchRequest], Retrieval],
    database: Database,
    cache: Cache[QueryKey, Retrieval],
    timeout_ms: int,
    request: SearchRequest,
) -> Retrieval:
    version = corpus_version(database, request.tenant, timeout_ms=max(1, request.deadline.remaining_ms))
    key = query_key(
        tenant=request.tenant,
        departments=database.departments,
        query=request.query,
        config_hash=request.config_hash,
        filters=request.filters,
        corpus_version=version,
        today=request.now.date(),
        timeout_ms=timeout_ms,
    )
    return cached_retrieval(
        cache,
        key,
        lambda: search(replace(request, version=version)),
        text=request.text,
        timeout_ms=request.deadline.remaining_ms,
        cancellation=request.cancellation,
    )


def _complete(look: Callable[[SearchRequest], tuple[Retrieval, bool]], request: SearchRequest) -> Retrieval:
    """The result of a search, repeated once if a note was published anew between being found and being read.

    The legs know a chunk by its id, and publication replaces a note's chunks: without the second search the note would be missing.
    """
    found, is_current = look(request)
    return found if is_current or request.deadline.remaining_ms <= 0 else look(request)[0]


def _look(engine: Engine, record: Callable[[Look], None] | None, request: SearchRequest) -> tuple[Retrieval, bool]:
    """The result of a search, and whether everything found was still there to be read."""
    request.require_wanted()
    clock, database = StageClock.start(), engine.database
    with clock.stage("queryTransformation"):
        plan = planned(request)
    with clock.stage("retrieval"):
        legs = search(
            plan,
            database=database,
            executors=engine.executors,
            model=engine.model,
            embedder=engine.query_embedder_of(request.tenant),
            chat=engine.chat,
        )
        request.require_wanted()
        fusing = StageClock.start()
        with engine.metrics.measured("hybridFusion"):
            fused = fused_legs(plan, legs, database=database, model=engine.model)
        fusion_ms = fusing.total_ms
    failures = dict(legs.failures)
    ordered, served = ranked(plan, fused, database=database, legs=legs, failures=failures, clock=clock)
    with clock.stage("contextExpansion"):
        candidates = linked(plan, ordered, database=database, failures=failures)
        expanded = read_passages(
            plan,
            candidates,
            failures,
            database=database,
            cache=engine.caches.context,
            found=list(dict.fromkeys(candidate.chunk_id for candidate in (*fused, *candidates))),
            served=served,
        )
    if record is not None:
        matches = expanded.matches
        record(
            Look(plan=plan, legs=legs, fused=fused, ordered=ordered, linked=candidates, served=served, matches=matches)
        )
    _record(engine.metrics, clock, legs)
    for component, error in failures.items():
        log_degraded(
            component,
            error,
            config_hash=request.config_hash,
            query=request.query,
            tenant=request.tenant,
            is_told=failure_message(component, error) is not None,
        )
    hits = tuple(_judged(hit, request.reranker, engine.settings.answer_rerank_score) for hit in expanded.hits)
    figures = figures_of(legs, fusion_ms=fusion_ms, rerank_ms=clock.stages.get("reranking"))
    found = _retrieval(plan, legs, hits, failures, clock=clock, candidates=len(fused), figures=figures)
    return found, expanded.is_current


def _retrieval(
    plan: PlannedSearch,
    legs: LegResults,
    hits: tuple[Hit, ...],
    failures: Mapping[str, RagError],
    *,
    clock: StageClock,
    candidates: int,
    figures: RetrievalFigures,
) -> Retrieval:
    return Retrieval(
        query=plan.text,
        strategy="hybrid" if "reranking" in failures else plan.strategy,
        hits=hits,
        latency_ms=clock.total_ms,
        stages=clock.stages,
        warnings=tuple(replace(legs, failures=dict(failures)).warnings),
        is_degraded=bool(failures),
        is_confident=legs.is_confident,
        transformed=replace(plan.transformed, hyde_answer=legs.hyde_answer),
        interval=interval_of(plan.transformed.times),
        candidates=candidates,
        figures=figures,
    )


def _judged(hit: Hit, reranker: Reranker | None, least_score: float) -> Hit:
    """The hit with whether a calibrated re-ranker's score reaches the least one; unknown of any other."""
    if hit.rerank_score is None or reranker is None or not is_calibrated(reranker.name):
        return hit
    return replace(hit, is_above_threshold=hit.rerank_score >= least_score)


def _record(metrics: Metrics, clock: StageClock, legs: LegResults) -> None:
    measured: dict[Stage, float | None] = {
        "queryTransformation": clock.stages["queryTransformation"],
        "semanticSearch": legs.timings.get("semantic"),
        "fullTextSearch": legs.timings.get("fulltext"),
        "reranking": clock.stages.get("reranking"),
        "contextExpansion": clock.stages["contextExpansion"],
    }
    for stage, milliseconds in measured.items():
        if milliseconds is not None:
            metrics.record(stage, milliseconds)

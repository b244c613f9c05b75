"""The whole path from a query to hits: transform, search every leg at once, fuse, re-rank, expand."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime

from rag_core.configuration import RetrievalConfig, config_hash
from rag_core.engine import Engine
from rag_core.errors import DeadlineExceededError, InvalidInputError, QueryFailedError, RagError, RerankingError
from rag_core.model import (
    NO_FILTERS,
    ChunkId,
    Filters,
    Language,
    Retrieval,
    Strategy,
    TenantId,
    TransformedQuery,
)
from rag_core.notes import is_storable
from rag_core.query.hyde import generate_hypothetical_answer, wants_hyde
from rag_core.query.transformation import query_language, transform
from rag_core.reranking import Reranker
from rag_core.retrieval.cache import Found, cached_retrieval, cached_windows, query_key
from rag_core.retrieval.candidates import prefer_time
from rag_core.retrieval.deadline import Deadline, Stopwatch
from rag_core.retrieval.expansion import Expanded, Fused, expand, reading_ms
from rag_core.retrieval.figures import figures_of
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.retrieval.legs import LegResults, VectorSearch, search_legs
from rag_core.retrieval.plan import Search, interval_of, plan_searches
from rag_core.retrieval.ranking import (
    down_to,
    final_candidates,
    fuse_legs,
    fusion_method,
    graph_depth,
    leg_depth,
    parted,
    recency_by_chunk,
    rerank_query,
    served_strategy,
    similarity_threshold,
    vector_kind,
)
from rag_core.retrieval.rerank import rerank
from rag_core.storage.recency import fetch_created_at
from rag_core.storage.search import WindowText, fetch_windows
from rag_core.storage.versions import corpus_version
from rag_core.telemetry.logs import log_degraded, log_failed
from rag_core.telemetry.metrics import Stage

MAX_QUERY_CHARACTERS = 2000
EMPTY_QUERY = "La consulta no puede estar vacía"
LEG_SHARE = 0.7
"""How much of a request's time the legs may take; the rest is for re-ranking and for reading what was found."""
RERANK_SHARE = 0.6
"""How much of what the legs left the re-ranker may take."""
LANGUAGES: tuple[Language, ...] = ("es", "de", "en")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What was asked, how, and until when; ``version`` is the corpus's, None when nothing is to be remembered.

    ``reranker`` is the one whose name is in ``config_hash``, whatever is promoted meanwhile; None where nothing is re-ranked.
    """

    tenant: TenantId
    text: str
    query: str
    config: RetrievalConfig
    config_hash: str
    filters: Filters
    now: datetime
    deadline: Deadline
    version: str | None
    reranker: Reranker | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request(_Asked):
    """The same with what was understood of it."""

    language: Language
    strategy: Strategy
    transformed: TransformedQuery
    searches: Sequence[Search]


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
) -> Retrieval:
    """The passages of the tenant's notes that answer a query, best first.

    ``now`` is what "last week" counts from: the present by default. An answer is remembered until a note changes, unless
    it was degraded; with ``use_cache`` False it is looked for anew. With a ``depth`` what the search found beside is listed below
    what is served, which stays the same, to so many hits in all; for whoever measures, and never remembered.

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
    """
    query, deadline = checked_query(text), Deadline.after_ms(timeout_ms)
    digest, is_remembered = None, use_cache and depth is None
    try:
        with engine.metrics.measured("total"):
            reranker = engine.reranker_of(tenant, config)
            digest = config_hash(config, model_names=engine.names_beside(reranker))
            asked = _Asked(
                tenant=tenant,
                text=text,
                query=query,
                config=config,
                config_hash=digest,
                filters=filters,
                now=now or datetime.now(engine.settings.zone),
                deadline=deadline,
                version=_version(engine, tenant, deadline) if is_remembered else None,
                reranker=reranker,
                depth=depth,
            )
            found = _remembered(engine, asked, timeout_ms=timeout_ms) if is_remembered else _retrieve(engine, asked)
    except RagError as error:
        log_failed("retrieval", error, config_hash=digest, query=query, tenant=tenant)
        raise
    engine.metrics.count_answer(is_degraded=found.is_degraded)
    return found


def _version(engine: Engine, tenant: TenantId, deadline: Deadline) -> str:
    return corpus_version(engine.database, tenant, timeout_ms=max(1, deadline.remaining_ms))


def _remembered(engine: Engine, asked: _Asked, *, timeout_ms: int) -> Retrieval:
    key = query_key(
        tenant=asked.tenant,
        departments=engine.database.departments,
        query=asked.query,
        config_hash=asked.config_hash,
        filters=asked.filters,
        corpus_version=asked.version or "",
        today=asked.now.date(),
        timeout_ms=timeout_ms,
    )
    return cached_retrieval(
        engine.caches.query,
        key,
        lambda: _retrieve(engine, asked),
        text=asked.text,
        timeout_ms=asked.deadline.remaining_ms,
    )


def _retrieve(engine: Engine, asked: _Asked) -> Retrieval:
    """What is found; looked for once more where a note was published anew between being found and being read.

    The legs know a chunk by its id, and publication replaces a note's chunks: without a second look the note would be in
    neither of its shapes.
    """
    found, is_current = _look(engine, asked)
    return found if is_current or asked.deadline.remaining_ms <= 0 else _look(engine, asked)[0]


def _look(engine: Engine, asked: _Asked) -> tuple[Retrieval, bool]:
    """What is found, and whether all of it was still there to be read."""
    clock = Stopwatch.start()
    with clock.stage("queryTransformation"):
        request = _understood(asked)
    with clock.stage("retrieval"):
        legs = _search(engine, request)
        fusing = Stopwatch.start()
        fusing = Stopwatch.start()
        with engine.metrics.measured("hybridFusion"):
            fused = _fuse(engine, request, legs)
        fusion_ms = fusing.total_ms
        fusion_ms = fusing.total_ms
    failures = dict(legs.failures)
    pool, beyond = parted(fused, request.config)
    ordered = pool
    if request.reranker is not None and pool:
        with clock.stage("reranking"):
            ordered = _reranked(engine, request, request.reranker, pool, legs=legs, failures=failures)
    with clock.stage("contextExpansion"):
        served = len(pool) if "reranking" in failures else final_candidates(request.config)
        ranked = down_to(ordered, beyond, served=served, depth=request.depth)
        expanded = _expand(engine, request, ranked, failures, pool=pool, served=served)
    _record(engine, clock, legs)
    for component, error in failures.items():
        log_degraded(component, error, config_hash=asked.config_hash, query=asked.query, tenant=asked.tenant)
    found = Retrieval(
        query=asked.text,
        strategy="hybrid" if "reranking" in failures else request.strategy,
        hits=tuple(expanded.hits),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LegsOnly:
    """What the legs found for a query, before any of it is ranked."""

    query: str
    transformed: TransformedQuery
    searches: Sequence[Search]
    legs: LegResults


def search_only(
    engine: Engine, tenant: TenantId, text: str, *, config: RetrievalConfig, timeout_ms: int, now: datetime
) -> LegsOnly:
    """The first half of ``retrieve``: what the legs find, with nothing remembered.

    Raises:
        InvalidInputError: see ``retrieve``.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
    """
    asked = _Asked(
        tenant=tenant,
        text=text,
        query=checked_query(text),
        config=config,
        config_hash="",
        filters=NO_FILTERS,
        now=now,
        deadline=Deadline.after_ms(timeout_ms),
        version=None,
    )
    request = _understood(asked)
    return LegsOnly(
        query=request.query,
        transformed=request.transformed,
        searches=request.searches,
        legs=_search(engine, request),
    )


def _record(engine: Engine, clock: Stopwatch, legs: LegResults) -> None:
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


def checked_query(text: str) -> str:
    """The query as it is searched: NFC, trimmed.

    Raises:
        InvalidInputError: empty, too long, or with a character PostgreSQL cannot take.
    """
    query = unicodedata.normalize("NFC", text).strip()
    if not query:
        raise InvalidInputError(EMPTY_QUERY)
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidInputError(f"La consulta supera el máximo de {MAX_QUERY_CHARACTERS} caracteres")
    if not is_storable(query):
        raise InvalidInputError("La consulta contiene un carácter no admitido")
    return query


def _understood(asked: _Asked) -> _Request:
    language = query_language(asked.query, known=LANGUAGES)
    transformed = transform(asked.query, language=language, now=asked.now, config=asked.config.query_transformation)
    return _Request(
        **{name.name: getattr(asked, name.name) for name in fields(asked)},
        language=language,
        strategy=served_strategy(asked.config),
        transformed=transformed,
        searches=plan_searches(transformed, asked.query, asked.filters),
    )


def _search(engine: Engine, request: _Request) -> LegResults:
    config, is_hybrid = request.config, request.strategy not in {"semantic", "fulltext"}
    return search_legs(
        engine.database,
        engine.executors,
        request.tenant,
        request.searches,
        strategy=request.strategy,
        vectors=VectorSearch(
            model=engine.model,
            embedder=engine.query_embedder,
            kind=vector_kind(config, engine.model),
            threshold=similarity_threshold(config, engine.model),
        ),
        limit=leg_depth(config),
        deadline=request.deadline.share(LEG_SHARE),
        search_graph=_graph_search(engine, request) if is_hybrid else None,
        write_hypothesis=_hypothesis(engine, request) if request.strategy != "fulltext" else None,
    )


def _graph_search(engine: Engine, request: _Request) -> Callable[[Deadline], Sequence[GraphHit]] | None:
    direction, graph = request.transformed.direction, request.config.graph_rag
    if direction is None or not graph.enabled or graph.weight == 0:
        return None
    return lambda deadline: search_graph(
        engine.database,
        request.tenant,
        request.query,
        language=request.language,
        direction=direction,
        config=graph,
        filters=request.filters,
        limit=graph_depth(request.config),
        timeout_ms=deadline.remaining_ms,
    )


def _hypothesis(engine: Engine, request: _Request) -> Callable[[Deadline], str] | None:
    chat = engine.chat
    if chat is None or not wants_hyde(request.transformed, request.config.query_transformation):
        return None
    return lambda deadline: generate_hypothetical_answer(
        request.query, chat=chat, language=request.language, timeout_seconds=deadline.share(0.8).remaining_ms / 1000
    )


def _fuse(engine: Engine, request: _Request, legs: LegResults) -> list[Fused]:
    return fuse_legs(
        legs,
        request.searches,
        times=request.transformed.times,
        config=request.config,
        model=engine.model,
        recency=_recency(engine, request, legs) if fusion_method(request.config, engine.model) == "weighted" else {},
    )


def _recency(engine: Engine, request: _Request, legs: LegResults) -> dict[ChunkId, float]:
    chunks = {chunk for ranking in legs.rankings.values() for chunk, _ in ranking}
    written = fetch_created_at(
        engine.database, request.tenant, sorted(chunks), timeout_ms=max(1, request.deadline.remaining_ms)
    )
    half_life = request.config.hybrid_search.recency_half_life_days
    return recency_by_chunk(written, now=request.now, half_life_days=half_life)


def _reranked(
    engine: Engine,
    request: _Request,
    reranker: Reranker,
    candidates: list[Fused],
    *,
    legs: LegResults,
    failures: dict[str, RagError],
) -> list[Fused]:
    """The candidates in the re-ranker's order, or as they were when it fails."""
    try:
        ranked = rerank(
            engine.database,
            request.tenant,
            rerank_query(request.transformed, request.query),
            candidates,
            leg_scores={leg: dict(ranking) for leg, ranking in legs.rankings.items()},
            reranker=reranker,
            top_k=len(candidates),
            deadline=request.deadline.share(RERANK_SHARE),
            timeout_ms=request.config.reranking.timeout,
        )
    except (RerankingError, DeadlineExceededError, QueryFailedError) as error:
        failures["reranking"] = error
        return candidates
    return prefer_time(ranked, request.transformed.times)


def _expand(
    engine: Engine,
    request: _Request,
    ranked: list[Fused],
    failures: dict[str, RagError],
    *,
    pool: Sequence[Fused],
    served: int,
) -> Expanded:
    """The hits in their windows; the bare chunks when the windows cannot be read."""
    found = list(dict.fromkeys(candidate.chunk_id for candidate in (*pool, *ranked)))

    def read(windows: Sequence[Found]) -> dict[int, WindowText]:
        return fetch_windows(engine.database, request.tenant, windows, timeout_ms=reading_ms(request.deadline))

    def read_cached(windows: Sequence[Found]) -> dict[int, WindowText]:
        return cached_windows(
            engine.caches.context,
            request.tenant,
            windows,
            read,
            corpus_version=request.version or "",
            departments=engine.database.departments,
        )

    def run(config: RetrievalConfig) -> Expanded:
        return expand(
            engine.database,
            request.tenant,
            request.query,
            ranked,
            found=found,
            served=served,
            depth=request.depth,
            config=config,
            deadline=request.deadline,
            read_windows=read if request.version is None else read_cached,
        )

    try:
        return run(request.config)
    except (QueryFailedError, DeadlineExceededError) as error:
        failures["contextExpansion"] = error
        bare = request.config.context_expansion.model_copy(update={"enabled": False})
        return run(request.config.model_copy(update={"context_expansion": bare}))

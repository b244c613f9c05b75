"""The whole path from a query to hits."""

import time
import unicodedata

from rag_core.configuration import RetrievalConfig
from rag_core.embedding import EmbeddingModel
from rag_core.engine import Engine
from rag_core.errors import InvalidInputError
from rag_core.model import ChunkId, EmbeddingKind, Retrieval, Strategy, TenantId
from rag_core.retrieval.deadline import Deadline, Stopwatch
from rag_core.retrieval.expansion import Fused, expand
from rag_core.retrieval.fusion import (
    highest_rrf_score,
    normalised,
    ranks_by_leg,
    reciprocal_rank_fusion,
    relative_score_fusion,
)
from rag_core.retrieval.legs import Ranking, search_legs

MAX_QUERY_CHARACTERS = 2000
EMPTY_QUERY = "La consulta no puede estar vacía"
WITHOUT_RERANKING = "Reordenación no disponible, se mantiene el orden de la búsqueda híbrida"


def retrieve(engine: Engine, tenant: TenantId, text: str, *, config: RetrievalConfig, timeout_ms: int) -> Retrieval:
    """Search, fuse and expand: the best passages of the tenant's notes for a query.

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
    """
    query = checked_query(text)
    strategy, warnings = _served_strategy(config)
    deadline, clock, began = Deadline.after_ms(timeout_ms), Stopwatch.start(), time.perf_counter()
    legs = search_legs(
        engine.database,
        engine.executors,
        tenant,
        query,
        strategy=strategy,
        model=engine.model,
        embedder=engine.query_embedder,
        kind=_kind(config, engine.model),
        threshold=_first(config.hybrid_search.threshold, engine.model.similarity_threshold, 0.0),
        limit=2 * config.top_k.retrieval,
        deadline=deadline,
    )
    fused = fuse(legs.rankings, config=config, model=engine.model)[: config.top_k.retrieval]
    clock.lap("retrieval", since=began)
    began = time.perf_counter()
    hits = expand(engine.database, tenant, query, fused, config=config, deadline=deadline)
    clock.lap("contextExpansion", since=began)
    return Retrieval(
        query=text,
        strategy=strategy,
        hits=tuple(hits),
        latency_ms=clock.total_ms,
        stages=clock.stages,
        warnings=(*warnings, *legs.warnings),
        is_degraded=bool(legs.warnings) or bool(warnings),
    )


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
    if "\0" in query or any("\ud800" <= c <= "\udfff" for c in query):
        raise InvalidInputError("La consulta contiene un carácter no admitido")
    return query


def fuse(rankings: dict[str, Ranking], *, config: RetrievalConfig, model: EmbeddingModel) -> list[Fused]:
    """The legs' rankings as one, best first, each with a public score in [0, 1] and the fusion's own."""
    ranks = ranks_by_leg(rankings)
    if len(rankings) == 1:
        (ranking,) = rankings.values()
        scored = list(zip(normalised(ranking), ranking, strict=True))
        return [_fused(chunk, public, own, ranks) for (chunk, public), (_, own) in scored]
    search = config.hybrid_search
    weights = [
        _first(search.semantic_weight, model.semantic_weight),
        _first(search.fulltext_weight, model.fulltext_weight),
    ]
    legs = [rankings.get("semantic", []), rankings.get("fulltext", [])]
    if (search.method or model.fusion_method) == "rrf":
        fused = reciprocal_rank_fusion([[chunk for chunk, _ in leg] for leg in legs], weights=weights, k=search.rrf_k)
        highest = highest_rrf_score(weights, k=search.rrf_k)
        return [_fused(chunk, min(1.0, score / highest), score, ranks) for chunk, score in fused]
    return [_fused(chunk, score, score, ranks) for chunk, score in relative_score_fusion(legs, weights=weights)]


def _fused(chunk: ChunkId, public: float, own: float, ranks: dict[ChunkId, dict[str, int]]) -> Fused:
    return Fused(chunk_id=chunk, score=public, fusion_score=own, ranks=ranks[chunk])


def _served_strategy(config: RetrievalConfig) -> tuple[Strategy, list[str]]:
    """The strategy that is run, and what to say when it is not the one asked for; flags can only switch off."""
    if config.strategy in {"hybrid", "hybrid+rerank"} and not config.hybrid_search.enabled:
        return "semantic", []
    if config.strategy == "hybrid+rerank":
        return "hybrid", [WITHOUT_RERANKING] if config.reranking.enabled else []
    return config.strategy, []


def _kind(config: RetrievalConfig, model: EmbeddingModel) -> EmbeddingKind:
    contextual = config.contextual_embeddings
    wanted = model.uses_contextual if contextual.use_for_retrieval is None else contextual.use_for_retrieval
    return "contextual" if contextual.enabled and wanted else "standard"


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)

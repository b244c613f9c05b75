"""From what the legs found to one ranked list, by configuration and model: thresholds, fusion, the cuts between stages. Pure.

All that a search does without asking anybody, so that it can be done again for other configurations (``evaluation.tuning``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from rag_core.configuration.schema import FusionMethod, RetrievalConfig, served_strategy
from rag_core.model.embedding import EmbeddingModel, SearchedVectors
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import TimeExpression, TransformedQuery
from rag_core.retrieval.candidates import fuse, prefer_time, weigh
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.fusion import recency_of
from rag_core.retrieval.graph_paths import GraphHit
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.plan import TextSearch, is_relative
from rag_core.retrieval.rerank import MAX_CANDIDATES, below

_WEIGHTED = {"semantic": 0.6, "fulltext": 0.25}
_SECONDS_PER_DAY = 86_400


def leg_depth(config: RetrievalConfig) -> int:
    """Number of chunks that each leg is asked for."""
    return 2 * config.top_k.retrieval


def graph_depth(config: RetrievalConfig) -> int:
    """Number of chunks that the causal graph is asked for."""
    return config.top_k.retrieval


def pool_size(config: RetrievalConfig) -> int:
    """Number of candidates for re-ranking; a deeper evaluation re-ranks as many, so that it measures what is served."""
    wanted = config.top_k.retrieval
    return max(wanted, MAX_CANDIDATES) if served_strategy(config) == "hybrid+rerank" else wanted


def parted(fused: Sequence[Fused], config: RetrievalConfig) -> tuple[list[Fused], list[Fused]]:
    """The candidates that go on, and those beyond them."""
    size = pool_size(config)
    return list(fused[:size]), list(fused[size:])


def similarity_threshold(config: RetrievalConfig, model: EmbeddingModel) -> float:
    """The least similarity of a semantic result: the configuration's, else the model's, else 0."""
    return _first(config.hybrid_search.threshold, model.similarity_threshold, 0.0)


def searched_vectors(config: RetrievalConfig, model: EmbeddingModel) -> SearchedVectors:
    """Vectors of a chunk that a query is compared with: by the configuration, else by the model."""
    contextual = config.contextual_embeddings
    if not contextual.enabled or contextual.use_for_retrieval is False:
        return "standard"
    return "contextual" if contextual.use_for_retrieval else model.searched_vectors


def fusion_method(config: RetrievalConfig, model: EmbeddingModel) -> FusionMethod:
    """The fusion method: the configuration's, else the model's."""
    return config.hybrid_search.method or model.fusion_method


def leg_weights(config: RetrievalConfig, model: EmbeddingModel) -> dict[str, float]:
    """The say of both legs: the configuration's, else what goes with ``weighted``, else the model's."""
    is_weighted = fusion_method(config, model) == "weighted"
    defaults = _WEIGHTED if is_weighted else {"semantic": model.semantic_weight, "fulltext": model.fulltext_weight}
    search = config.hybrid_search
    return {
        "semantic": _first(search.semantic_weight, defaults["semantic"]),
        "fulltext": _first(search.fulltext_weight, defaults["fulltext"]),
    }


def final_candidates(config: RetrievalConfig) -> int:
    """Number of candidates that results are made of: those left after the last cut before windows are joined."""
    return config.top_k.reranking if served_strategy(config) == "hybrid+rerank" else pool_size(config)


def fuse_legs(
    legs: LegResults,
    searches: Sequence[TextSearch],
    *,
    times: Sequence[TimeExpression],
    config: RetrievalConfig,
    model: EmbeddingModel,
    recency: Mapping[ChunkId, float],
) -> list[Fused]:
    """All candidates, best first: the legs' rankings in one. The first ``pool_size`` go on, in what is served.

    ``searches`` tell the weights of the legs' searches, ``times`` what the query says of a time; ``recency`` in [0, 1] is read by
    ``weighted`` fusion alone.
    """
    weighted = weigh(
        legs.rankings,
        {search.suffix: search.weight for search in searches},
        legs=leg_weights(config, model),
        graph=config.graph_rag.weight,
    )
    search, method = config.hybrid_search, fusion_method(config, model)
    fused = fuse(
        weighted,
        method=method,
        k=search.rrf_k,
        coverage=legs.coverage,
        recency=recency if method == "weighted" else None,
        recency_weight=search.recency_weight,
    )
    return [_with_path(candidate, legs.graph.get(candidate.chunk_id)) for candidate in prefer_time(fused, times)]


def recency_by_chunk(
    written: Mapping[ChunkId, datetime], *, now: datetime, half_life_days: float
) -> dict[ChunkId, float]:
    """The recency of each chunk's note, in [0, 1]."""
    return {
        chunk: recency_of((now - moment).total_seconds() / _SECONDS_PER_DAY, half_life_days=half_life_days)
        for chunk, moment in written.items()
    }


def rerank_query(transformed: TransformedQuery, query: str) -> str:
    """The query for re-ranking: without a time that is counted from now, which no text can share."""
    return (transformed.without_time or query) if is_relative(transformed.times) else query


def in_order(ordered: Sequence[Fused], beyond: Sequence[Fused]) -> list[Fused]:
    """All candidates, best first: those of the pool, ``ordered`` as they are, then those ``beyond`` it in the order of the fusion.

    Scores beyond are scaled down until none is above the pool's last.
    """
    is_above = bool(ordered and beyond) and beyond[0].score > ordered[-1].score
    return [*ordered, *(below(ordered[-1].score, beyond) if is_above else beyond)]


def _with_path(candidate: Fused, hit: GraphHit | None) -> Fused:
    if hit is None:
        return candidate
    return replace(
        candidate,
        path=tuple(str(entity) for entity in hit.path_ids),
        path_names=tuple(hit.path),
        relations=hit.relations,
    )


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)

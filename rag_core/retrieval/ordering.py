"""From the legs' results to the order that is served: fused, then re-ranked where a re-ranker is set up."""

from collections.abc import Sequence

from rag_core.errors import DeadlineExceededError, QueryFailedError, RagError, RerankingError
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import ChunkId
from rag_core.reranking import Reranker
from rag_core.retrieval.candidates import prefer_time
from rag_core.retrieval.deadline import StageClock
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.ranking import (
    final_candidates,
    fuse_legs,
    fusion_method,
    in_order,
    parted,
    recency_by_chunk,
    rerank_query,
)
from rag_core.retrieval.request import PlannedSearch
from rag_core.retrieval.rerank import rerank
from rag_core.storage.database import Database
from rag_core.storage.recency import fetch_created_at

RERANK_SHARE = 0.6
"""Share of the time left by the legs for the re-ranker."""


def fused_legs(request: PlannedSearch, legs: LegResults, *, database: Database, model: EmbeddingModel) -> list[Fused]:
    """Fuse the legs' rankings: all candidates, best first."""
    return fuse_legs(
        legs,
        request.searches,
        times=request.transformed.times,
        config=request.config,
        model=model,
        recency=_recency(database, request, legs) if fusion_method(request.config, model) == "weighted" else {},
    )


def _recency(database: Database, request: PlannedSearch, legs: LegResults) -> dict[ChunkId, float]:
    chunks = {chunk for ranking in legs.rankings.values() for chunk, _ in ranking}
    written = fetch_created_at(
        database, request.tenant, sorted(chunks), timeout_ms=max(1, request.deadline.remaining_ms)
    )
    half_life = request.config.hybrid_search.recency_half_life_days
    return recency_by_chunk(written, now=request.now, half_life_days=half_life)


def ranked(
    request: PlannedSearch,
    fused: Sequence[Fused],
    *,
    database: Database,
    legs: LegResults,
    failures: dict[str, RagError],
    clock: StageClock,
) -> tuple[list[Fused], int]:
    """All candidates, best first, and the number of those that results are made of.

    Where the re-ranker fails, ``failures`` holds its error and the order of the fusion is kept.

    Raises:
        SearchCancelledError: it was cancelled.
    """
    config, (pool, beyond) = request.config, parted(fused, request.config)
    if request.reranker is None or not pool:
        return in_order(pool, beyond), final_candidates(config)
    with clock.stage("reranking"):
        try:
            ordered = _reranked(request, request.reranker, pool, database=database, legs=legs)
        except (RerankingError, DeadlineExceededError, QueryFailedError) as error:
            failures["reranking"] = error
        request.require_wanted()
    if "reranking" in failures:
        return in_order(pool, beyond), len(pool)
    is_cut = config.reranking.score_threshold is not None  # nothing has scored those beyond
    return in_order(ordered, [] if is_cut else beyond), final_candidates(config)


def _reranked(
    request: PlannedSearch,
    reranker: Reranker,
    candidates: list[Fused],
    *,
    database: Database,
    legs: LegResults,
) -> list[Fused]:
    ranked_anew = rerank(
        database,
        request.tenant,
        rerank_query(request.transformed, request.query),
        candidates,
        leg_scores={leg: dict(ranking) for leg, ranking in legs.rankings.items()},
        reranker=reranker,
        top_k=len(candidates),
        deadline=request.deadline.share(RERANK_SHARE),
        timeout_ms=request.config.reranking.timeout,
        hybrid_weight=request.config.reranking.hybrid_weight,
        score_threshold=request.config.reranking.score_threshold,
        cancellation=request.cancellation,
    )
    return prefer_time(ranked_anew, request.transformed.times)

"""From what the legs found to the order it is served in: fused, then scored anew where a re-ranker is set up."""

from rag_core.errors import DeadlineExceededError, QueryFailedError, RagError, RerankingError
from rag_core.model.note import ChunkId
from rag_core.reranking import Reranker
from rag_core.retrieval.candidates import prefer_time
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.ranking import fuse_legs, fusion_method, recency_by_chunk, rerank_query
from rag_core.retrieval.request import Request
from rag_core.retrieval.rerank import rerank
from rag_core.runtime.engine import Engine
from rag_core.storage.recency import fetch_created_at

RERANK_SHARE = 0.6
"""How much of what the legs left the re-ranker may take."""


def fused_legs(engine: Engine, request: Request, legs: LegResults) -> list[Fused]:
    """All candidates in the legs' common order, best first."""
    return fuse_legs(
        legs,
        request.searches,
        times=request.transformed.times,
        config=request.config,
        model=engine.model,
        recency=_recency(engine, request, legs) if fusion_method(request.config, engine.model) == "weighted" else {},
    )


def _recency(engine: Engine, request: Request, legs: LegResults) -> dict[ChunkId, float]:
    chunks = {chunk for ranking in legs.rankings.values() for chunk, _ in ranking}
    written = fetch_created_at(
        engine.database, request.tenant, sorted(chunks), timeout_ms=max(1, request.deadline.remaining_ms)
    )
    half_life = request.config.hybrid_search.recency_half_life_days
    return recency_by_chunk(written, now=request.now, half_life_days=half_life)


def reranked(
    engine: Engine,
    request: Request,
    reranker: Reranker,
    candidates: list[Fused],
    *,
    legs: LegResults,
    failures: dict[str, RagError],
) -> list[Fused]:
    """The candidates in the re-ranker's order, or as they were when it fails; ``failures`` is told why."""
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
            hybrid_weight=request.config.reranking.hybrid_weight,
            score_threshold=request.config.reranking.score_threshold,
            cancellation=request.cancellation,
        )
    except (RerankingError, DeadlineExceededError, QueryFailedError) as error:
        failures["reranking"] = error
        return candidates
    return prefer_time(ranked, request.transformed.times)

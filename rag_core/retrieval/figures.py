"""Figures of the legs of a search. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rag_core.model.note import ChunkId
from rag_core.model.retrieval import RetrievalFigures
from rag_core.retrieval.legs import LegResults

MEAN_OF = 10


def figures_of(legs: LegResults, *, fusion_ms: float, rerank_ms: float | None) -> RetrievalFigures:
    """Count the results of the legs. The searches of one leg count together, a chunk by its best score in them."""
    found = {leg: best_scores(legs, leg) for leg in ("semantic", "fulltext", "graph")}
    leading = sorted((found["semantic"] or {}).values(), reverse=True)[:MEAN_OF]
    legs_with = Counter(chunk for scores in found.values() for chunk in scores or ())
    paths = list(legs.graph.values())
    return RetrievalFigures(
        semantic_hits=_count(found["semantic"]),
        semantic_ms=legs.timings.get("semantic"),
        semantic_best=leading[0] if leading else None,
        semantic_mean=sum(leading) / len(leading) if leading else None,
        fulltext_hits=_count(found["fulltext"]),
        graph_hits=_count(found["graph"]),
        graph_ms=legs.timings.get("graph"),
        graph_depth=max((hit.depth for hit in paths), default=None),
        concepts=len({entity for hit in paths for entity in hit.path_ids}) if found["graph"] is not None else None,
        fusion_ms=fusion_ms,
        overlap=sum(1 for times in legs_with.values() if times > 1),
        rerank_ms=rerank_ms,
    )


def best_scores(legs: LegResults, leg: str) -> Mapping[ChunkId, float] | None:
    """The chunks that a leg's searches found, each with its best score; None when the leg took no part or failed."""
    rankings: Sequence[Sequence[tuple[ChunkId, float]]] = [
        ranking for name, ranking in legs.rankings.items() if name == leg or name.startswith(f"{leg}:")
    ]
    if not rankings:
        return None
    best: dict[ChunkId, float] = {}
    for ranking in rankings:
        for chunk, score in ranking:
            best[chunk] = max(score, best.get(chunk, score))
    return best


def _count(scores: Mapping[ChunkId, float] | None) -> int | None:
    return None if scores is None else len(scores)

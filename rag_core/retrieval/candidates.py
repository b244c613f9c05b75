"""From the legs' rankings to one list of candidates. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag_core.configuration.schema import FusionMethod
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import TimeExpression
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.fusion import (
    Ranking,
    found_by_leg,
    highest_rrf_score,
    normalised,
    reciprocal_rank_fusion,
    relative_score_fusion,
    weighted_fusion,
)
from rag_core.retrieval.plan import IN_TIME, asks_for_time

FOR_THE_YEAR = 0.1
"""The share of a score that being of the year a query names makes up; 0.5 where it asks for a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRanking:
    """A leg's ranking and its say in the fusion, in [0, 1]."""

    leg: str
    ranking: Ranking
    weight: float


def weigh(
    rankings: Mapping[str, Ranking], searches: Mapping[str, float], *, legs: Mapping[str, float], graph: float
) -> list[WeightedRanking]:
    """The rankings that take part, with their weights.

    ``searches`` are weights by suffix ('' the query itself), ``legs`` by leg. A leg that failed is not in ``rankings`` and has
    no say. The query's own legs count though they found nothing, so that what only a weak leg found stays low. A
    hypothetical answer's vector shares the semantic weight with the query's.
    """
    shared = 0.5 if rankings.get("semantic:hyde") else 1.0
    suffixes = {**searches, ":hyde": searches[""]}
    weighted = [
        WeightedRanking(
            leg=leg + suffix,
            ranking=rankings[leg + suffix],
            weight=weight * share * (shared if leg == "semantic" and suffix in {"", ":hyde"} else 1.0),
        )
        for suffix, share in suffixes.items()
        for leg, weight in legs.items()
        if leg + suffix in rankings and (rankings[leg + suffix] or not suffix)
    ]
    if rankings.get("graph"):
        weighted.append(WeightedRanking(leg="graph", ranking=rankings["graph"], weight=graph))
    if weighted and not any(item.weight for item in weighted):
        return [WeightedRanking(leg=item.leg, ranking=item.ranking, weight=1.0) for item in weighted]
    return weighted


def by_spread(weighted: Sequence[WeightedRanking], coverage: Mapping[str, float]) -> list[WeightedRanking]:
    """The rankings with weights in proportion to how far their scores tell candidates apart, and similarities from the last one on.

    For one text that was searched the weights of both legs together stay, and are shared in the proportion weight · spread. The
    spread of full text is the square of its ``coverage``, the best BM25 score over the highest that the query allows: words that no
    note shares have hardly a say. That of vectors is the difference between the first and the last similarity, so that
    a model to which all notes look alike has none. The causal graph keeps its weight.
    Source: convex combination with theoretical bounds as in Bruch, Gai & Ingber, An Analysis of Fusion Functions for Hybrid Retrieval,
    2023, the maximum being the query's.
    """
    shared: list[WeightedRanking] = []
    for _, group in groupby(weighted, key=lambda item: item.leg.partition(":")[2]):
        pair = list(group)
        legs = [item for item in pair if item.leg != "graph"]
        spreads = {item.leg: item.weight * _spread(item, coverage) for item in legs}
        total, whole = sum(spreads.values()), sum(item.weight for item in legs)
        for item in pair:
            weight = whole * spreads[item.leg] / total if total > 0 and item.leg in spreads else item.weight
            shared.append(replace(item, ranking=_above_last(item), weight=min(1.0, weight)))
    return shared


def _spread(item: WeightedRanking, coverage: Mapping[str, float]) -> float:
    if item.leg.startswith("fulltext"):
        return coverage.get(item.leg, 0.0) ** 2
    return item.ranking[0][1] - item.ranking[-1][1] if item.ranking else 0.0


def _above_last(item: WeightedRanking) -> Ranking:
    """Similarities less the last one; as they are where all are equal, and for other legs."""
    if not item.leg.startswith("semantic") or not item.ranking or item.ranking[0][1] <= item.ranking[-1][1]:
        return item.ranking
    last = item.ranking[-1][1]
    return [(chunk, score - last) for chunk, score in item.ranking]


def fuse(
    weighted: Sequence[WeightedRanking],
    *,
    method: FusionMethod,
    k: int,
    coverage: Mapping[str, float] | None = None,
    recency: Mapping[ChunkId, float] | None = None,
    recency_weight: float = 0.0,
) -> list[Fused]:
    """The rankings as one, best first, each candidate with a public score in [0, 1] and the fusion's own.

    A single ranking keeps its own scores, divided by the best for the public. ``coverage`` by leg is read by ``convex`` alone,
    ``recency`` by ``weighted``, both in [0, 1].
    """
    if not weighted:
        return []
    found = found_by_leg({item.leg: item.ranking for item in weighted})
    rankings, weights = [item.ranking for item in weighted], [item.weight for item in weighted]
    if method == "weighted":
        fused = weighted_fusion(rankings, weights=weights, recency=recency or {}, recency_weight=recency_weight)
        return [_fused(chunk, score, score, found) for chunk, score in fused]
    if len(rankings) == 1:
        pairs = zip(normalised(rankings[0]), rankings[0], strict=True)
        return [_fused(chunk, public, own, found) for (chunk, public), (_, own) in pairs]
    if method == "convex":
        spread = by_spread(weighted, coverage or {})
        rankings, weights = [item.ranking for item in spread], [item.weight for item in spread]
    if method == "rrf":
        fused = reciprocal_rank_fusion([[chunk for chunk, _ in ranking] for ranking in rankings], weights=weights, k=k)
        highest = highest_rrf_score(weights, k=k)
        return [_fused(chunk, min(1.0, score / highest), score, found) for chunk, score in fused]
    return [_fused(chunk, score, score, found) for chunk, score in relative_score_fusion(rankings, weights=weights)]


def prefer_time(candidates: Sequence[Fused], times: Sequence[TimeExpression]) -> list[Fused]:
    """The candidates anew in order, with what was written in the time the query names before the rest, or lifted.

    score' = (1 - share) · score + share · [the search within that time found it]. With a share of a half, for a query that
    asks for a time, all of that time come before all others; a bare year only lifts. Without a find in that time nothing
    changes.
    """
    if not any(is_in_time(candidate) for candidate in candidates):
        return list(candidates)
    share = 0.5 if asks_for_time(times) else FOR_THE_YEAR
    weighed = [
        replace(candidate, score=(1 - share) * candidate.score + share * is_in_time(candidate))
        for candidate in candidates
    ]
    return sorted(weighed, key=lambda candidate: (-candidate.score, not is_in_time(candidate), candidate.chunk_id))


def is_in_time(candidate: Fused) -> bool:
    """Test whether the search within the time that the query names found it."""
    return any(leg.endswith(IN_TIME) for leg in candidate.ranks)


def _fused(
    chunk: ChunkId, public: float, own: float, found: Mapping[ChunkId, Mapping[str, tuple[int, float]]]
) -> Fused:
    return Fused(
        chunk_id=chunk,
        score=public,
        fusion_score=own,
        ranks={leg: rank for leg, (rank, _) in found[chunk].items()},
        leg_scores={leg: score for leg, (_, score) in found[chunk].items()},
    )

"""Fusion of rankings into one. Pure; every function breaks ties by chunk id, so results are reproducible."""

import math
from collections.abc import Mapping, Sequence

from rag_core.model.note import ChunkId

Ranking = Sequence[tuple[ChunkId, float]]
"""Chunks with their leg's own scores, best first."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[ChunkId]], *, weights: Sequence[float], k: int = 60
) -> list[tuple[ChunkId, float]]:
    """Fuse rankings: score(d) = Σ_i weights[i] / (k + rank_i(d)), ranks from 1, best first.

    A chunk absent from a ranking gets nothing from it. Ties break by ChunkId. No rankings gives [].

    Raises:
        ValueError: k < 1, a weight is outside [0, 1] or all are 0, or a ranking repeats a chunk.
    Source: Cormack, Clarke & Büttcher, SIGIR 2009.
    """
    if k < 1:
        raise ValueError(f"k is {k}, expected at least 1")
    _check(rankings, weights)
    scores: dict[ChunkId, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, chunk in enumerate(ranking, 1):
            scores[chunk] = scores.get(chunk, 0.0) + weight / (k + rank)
    return _best_first(scores)


def highest_rrf_score(weights: Sequence[float], *, k: int = 60) -> float:
    """The score of a chunk that leads every ranking: Σ_i weights[i] / (k + 1). Dividing by it maps RRF into [0, 1]."""
    return sum(weights) / (k + 1)


def relative_score_fusion(rankings: Sequence[Ranking], *, weights: Sequence[float]) -> list[tuple[ChunkId, float]]:
    """Fuse scores: score(d) = Σ_i weights[i] · s_i(d) / max_i, over the sum of the weights.

    s_i / max_i keeps the distances within a leg and, unlike min-max, does not throw its last candidate to 0. Negative
    scores count as 0; a leg whose best score is 0 counts every candidate as 0. A leg that found
    nothing counts too: what only a weak leg found stays low. The result is in [0, 1].

    Raises:
        ValueError: a weight is outside [0, 1] or all are 0, a ranking repeats a chunk, or a score is not finite.
    Source: relative score fusion as in Lee, SIGIR 1997 (CombSUM on normalised scores), without the minimum.
    """
    _check([[chunk for chunk, _ in ranking] for ranking in rankings], weights)
    total = sum(weights)
    scores: dict[ChunkId, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for chunk, share in normalised(ranking):
            scores[chunk] = scores.get(chunk, 0.0) + weight * share / total
    return _best_first(scores)


def weighted_fusion(
    rankings: Sequence[Ranking], *, weights: Sequence[float], recency: Mapping[ChunkId, float], recency_weight: float
) -> list[tuple[ChunkId, float]]:
    """Fuse scores and recency: score(d) = (Σ_i weights[i] · s_i(d) / max_i + recency_weight · recency(d)) / total.

    A leg that found nothing gives its weight to the others: total is the sum over the legs that found something, and
    recency's. A chunk without a recency has 0. The result is in [0, 1].

    Raises:
        ValueError: a weight is outside [0, 1] or all are 0, a ranking repeats a chunk, or a score is not finite.
    """
    _check([[chunk for chunk, _ in ranking] for ranking in rankings], weights)
    heard = [(ranking, weight) for ranking, weight in zip(rankings, weights, strict=True) if ranking]
    total = sum(weight for _, weight in heard) + recency_weight
    scores: dict[ChunkId, float] = {}
    for ranking, weight in heard:
        for chunk, share in normalised(ranking):
            scores[chunk] = scores.get(chunk, 0.0) + weight * share
    return _best_first(
        {chunk: (score + recency_weight * recency.get(chunk, 0.0)) / total for chunk, score in scores.items()}
        if total > 0
        else scores
    )


def recency_of(age_days: float, *, half_life_days: float) -> float:
    """Recency of a note: exp(-ln 2 · age / half life), 1 for now and for the future, in [0, 1]."""
    return math.exp(-math.log(2) * max(0.0, age_days) / half_life_days)


def normalised(ranking: Ranking) -> list[tuple[ChunkId, float]]:
    """Scores divided by the best one, clamped to [0, 1]; the order stays. Empty gives [].

    Raises:
        ValueError: a score is not finite.
    """
    if not all(math.isfinite(score) for _, score in ranking):
        raise ValueError("a score is not a finite number; vectors must not be zero or NaN")
    best = max((score for _, score in ranking), default=0.0)
    if best <= 0:
        return [(chunk, 0.0) for chunk, _ in ranking]
    return [(chunk, min(1.0, max(0.0, score / best))) for chunk, score in ranking]


def found_by_leg(legs: Mapping[str, Ranking]) -> dict[ChunkId, dict[str, tuple[int, float]]]:
    """For each chunk the legs that found it, with its rank there, from 1, and its score."""
    found: dict[ChunkId, dict[str, tuple[int, float]]] = {}
    for leg, ranking in legs.items():
        for rank, (chunk, score) in enumerate(ranking, 1):
            found.setdefault(chunk, {})[leg] = rank, score
    return found


def _check(rankings: Sequence[Sequence[ChunkId]], weights: Sequence[float]) -> None:
    if len(rankings) != len(weights):
        raise ValueError(f"{len(rankings)} rankings but {len(weights)} weights")
    if not all(0 <= weight <= 1 for weight in weights) or (weights and sum(weights) == 0):
        raise ValueError(f"weights are {list(weights)}; expected numbers in [0, 1], not all 0")
    if any(len(set(ranking)) != len(ranking) for ranking in rankings):
        raise ValueError("a ranking repeats a chunk; keep its best rank only")


def _best_first(scores: Mapping[ChunkId, float]) -> list[tuple[ChunkId, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

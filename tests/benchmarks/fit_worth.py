"""Worth of a fit of the embedded re-ranker: lists ordered out of fold, and their metrics before and after. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rag_core.model.ranking_metrics import ndcg_at, reciprocal_rank
from rag_core.reranking.fitting import FOLDS, JudgedList, Vector, folds_of
from rag_core.reranking.weights import Weights

NDCG_DEPTH = 10
RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Per list nDCG@10 and reciprocal rank of its notes."""

    ndcg_at_10: Vector
    reciprocal_rank: Vector


def quality(lists: Sequence[JudgedList], orders: Sequence[Sequence[int]]) -> Quality:
    """Metrics of the lists in the given orders of their candidates; shape (lists,) each."""
    ranked = [[item.notes[at] for at in order] for item, order in zip(lists, orders, strict=True)]
    pairs = list(zip(ranked, lists, strict=True))
    return Quality(
        ndcg_at_10=np.array([ndcg_at(notes, item.relevant, NDCG_DEPTH) or 0.0 for notes, item in pairs]),
        reciprocal_rank=np.array([reciprocal_rank(notes, item.relevant) or 0.0 for notes, item in pairs]),
    )


def order_by(weights: Weights, item: JudgedList) -> list[int]:
    """The candidates of a list by their score, best first; a tie keeps the order they came in."""
    return [int(at) for at in np.argsort(-weights.logits(item.features), kind="stable")]


def out_of_fold_orders(
    lists: Sequence[JudgedList],
    *,
    fit_fold: Callable[[Sequence[JudgedList]], Weights],
    folds: int = FOLDS,
    on_progress: Callable[[], None] = lambda: None,
) -> list[list[int]]:
    """Every list ordered by weights that saw no list of its unit; units go to folds by a fixed shuffle."""
    fold_of = folds_of([item.unit for item in lists], folds)
    orders: list[list[int]] = [[] for _ in lists]
    for fold in range(folds):
        held_out = [at for at, item in enumerate(lists) if fold_of[item.unit] == fold]
        seen = [item for item in lists if fold_of[item.unit] != fold]
        if held_out:
            weights = fit_fold(seen)
            for at in held_out:
                orders[at] = order_by(weights, lists[at])
        on_progress()
    return orders


def difference_interval(
    before: Vector, after: Vector, *, units: Sequence[str], confidence: float = 0.95
) -> tuple[float, float, float]:
    """Mean difference and its percentile bootstrap interval; whole units are drawn, so related queries stay together.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13.
    """
    gains = after - before
    numbers = np.unique(np.array(units), return_inverse=True)[1]
    totals, counts = np.bincount(numbers, weights=gains), np.bincount(numbers)
    drawn = np.random.default_rng(0).integers(0, len(totals), size=(RESAMPLES, len(totals)))
    means = totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(gains.mean()), float(low), float(high)

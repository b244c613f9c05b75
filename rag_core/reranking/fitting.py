"""Fitting of the embedded re-ranker's weights from judged candidate lists, and what a fit is worth out of fold. No I/O.

SciPy is loaded by the functions that need it: searching does not fit.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_core.model.ranking_metrics import ndcg_at, reciprocal_rank
from rag_core.reranking.features import FEATURES, FeatureMatrix
from rag_core.reranking.weights import Weights

SHIPPED_RIDGE = 0.03
"""Measured on folds of whole articles: 0.001 to 0.3 differ by less than 0.005 in nDCG@10, and strong ones carry best to other text."""
PRIOR_QUERIES = 50
"""A prior weighs as much as so many queries."""
NDCG_DEPTH = 10
FOLDS = 5
RESAMPLES = 2000

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedList:
    """The candidates of one query as re-ranking sees them: their notes and features in the order they came, and what is right.

    ``unit`` is what must not be torn apart between fitting and testing (the query, an article); ``family`` is the set the
    query is from: every family counts the same in a fit.
    """

    query: str
    notes: tuple[Hashable, ...]
    features: FeatureMatrix
    relevant: frozenset[Hashable]
    unit: str
    family: str = ""

    @property
    def labels(self) -> Vector:
        """1 for each candidate of a relevant note, shape (candidates,)."""
        return np.array([note in self.relevant for note in self.notes], dtype=float)

    @property
    def is_informative(self) -> bool:
        """Whether there is an order to learn from: something right and something wrong."""
        return 0 < float(self.labels.sum()) < len(self.notes)


def fit(
    lists: Sequence[JudgedList], *, prior: Weights | None = None, version: str, fitted_on: Mapping[str, object]
) -> Weights:
    """Weights that put relevant candidates first: a conditional logit over each list, then a logistic calibration.

    Minimises the mean of -log Σ_relevant softmax(features · w) over the lists, plus ridge / 2 · |w - prior|² in units of each
    feature's spread within a list. Weights are not negative: every feature speaks for a candidate, and a sign learnt
    from chance does not carry to other notes. Without a prior the ridge is ``SHIPPED_RIDGE`` towards 0.

    Raises:
        ValueError: no list has both a relevant and another candidate.
    Source: McFadden, Conditional logit analysis of qualitative choice behavior, 1974; Platt, Probabilistic outputs for
    support vector machines, 1999.
    """
    informative = [item for item in lists if item.is_informative]
    if not informative:
        raise ValueError("no query has both a relevant and another candidate; nothing can be learnt")
    coefficients = _conditional_logit(_stacked(informative), prior=prior)
    slope, intercept = _calibration(informative, coefficients)
    return Weights(
        version=version,
        features=FEATURES,
        coefficients=tuple(float(value) for value in coefficients),
        slope=slope,
        intercept=intercept,
        fitted_on=dict(fitted_on),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stacked:
    """Lists under one another: rows, shares of what is right, where each list starts, and its weight."""

    rows: FeatureMatrix
    shares: Vector
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    weights: Vector


def _stacked(lists: Sequence[JudgedList]) -> _Stacked:
    sizes = np.array([len(item.notes) for item in lists])
    families = Counter(item.family for item in lists)
    weights = np.array([1 / families[item.family] for item in lists])
    return _Stacked(
        rows=np.concatenate([item.features for item in lists]),
        shares=np.concatenate([item.labels / item.labels.sum() for item in lists]),
        starts=np.concatenate([[0], np.cumsum(sizes)[:-1]]),
        sizes=sizes,
        weights=weights / weights.sum(),
    )


def _conditional_logit(data: _Stacked, *, prior: Weights | None) -> Vector:
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    spread = _spread_within_lists(data)
    rows, repeats = data.rows / spread, np.repeat(np.arange(len(data.sizes)), data.sizes)
    centre = np.zeros(len(FEATURES)) if prior is None else np.array(prior.coefficients) * spread
    ridge = SHIPPED_RIDGE if prior is None else PRIOR_QUERIES / len(data.sizes) * SHIPPED_RIDGE

    def loss(point: Vector) -> tuple[float, Vector]:
        scores = rows @ point
        scores = scores - np.maximum.reduceat(scores, data.starts)[repeats]
        odds = np.exp(scores)
        totals = np.add.reduceat(odds, data.starts)
        weights = data.weights[repeats]
        value = -float((weights * data.shares * (scores - np.log(totals)[repeats])).sum())
        slope = rows.T @ (weights * (odds / totals[repeats] - data.shares))
        return value + ridge / 2 * float((point - centre) @ (point - centre)), slope + ridge * (point - centre)

    found = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(FEATURES))
    return np.asarray(found.x / spread, dtype=float)


def _spread_within_lists(data: _Stacked) -> Vector:
    """Standard deviation of each feature around its list's mean, every family counting the same; 1 where it never varies."""
    means = np.add.reduceat(data.rows, data.starts, axis=0) / data.sizes[:, None]
    squares = (data.rows - np.repeat(means, data.sizes, axis=0)) ** 2
    spread = np.sqrt(np.repeat(data.weights / data.sizes, data.sizes) @ squares)
    return np.where(spread > 1e-9, spread, 1.0)


def _calibration(lists: Sequence[JudgedList], coefficients: Vector) -> tuple[float, float]:
    """Slope and intercept so that sigmoid(slope · score + intercept) is the probability that a candidate is relevant."""
    from scipy.optimize import minimize

    scores = np.concatenate([item.features @ coefficients for item in lists])
    labels = np.concatenate([item.labels for item in lists])
    signs = 2 * labels - 1

    def loss(point: Vector) -> tuple[float, Vector]:
        margins = signs * (point[0] * scores + point[1])
        pull = -signs * np.exp(-np.logaddexp(0, margins)) / len(scores)
        return float(np.logaddexp(0, -margins).mean()), np.array([pull @ scores, pull.sum()])

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(1e-3, None), (None, None)])
    return float(found.x[0]), float(found.x[1])


# What a fit is worth ---------------------------------------------------------------------------------------------------


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


def folds_of(units: Sequence[str], folds: int) -> dict[str, int]:
    """The fold of each unit, from 0, by a fixed shuffle; folds differ by one unit at most."""
    distinct = sorted(set(units))
    shuffled = np.random.default_rng(0).permutation(len(distinct))
    return {distinct[unit]: place % folds for place, unit in enumerate(shuffled)}


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

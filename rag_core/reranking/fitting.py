"""Fitting of the embedded re-ranker's weights from judged candidate lists. No I/O.

SciPy is loaded by the functions that need it: searching does not fit.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_core.reranking.features import FEATURES, FeatureMatrix
from rag_core.reranking.weights import Weights

SHIPPED_RIDGE = 0.03
"""Measured on folds of whole articles: 0.001 to 0.3 differ by less than 0.005 in nDCG@10, and strong ones carry best to other text."""
PRIOR_QUERIES = 50
"""A prior weighs as much as so many queries."""
FOLDS = 5

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
        """True when there is an order to learn from: both relevant and irrelevant candidates."""
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


def folds_of(units: Sequence[str], folds: int) -> dict[str, int]:
    """The fold of each unit, from 0, by a fixed shuffle; folds differ by one unit at most."""
    distinct = sorted(set(units))
    shuffled = np.random.default_rng(0).permutation(len(distinct))
    return {distinct[unit]: place % folds for place, unit in enumerate(shuffled)}

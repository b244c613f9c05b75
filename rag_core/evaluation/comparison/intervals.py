"""Confidence of the means of one run: 95 % bootstrap intervals over its queries. No I/O."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_core.evaluation.comparison.significance import CONFIDENCE
from rag_core.model.evaluation import QueryResult
from rag_core.model.metrics.registry import metrics

RESAMPLES = 4_000
_SEED = 20_070_106
_BATCH_CELLS = 500_000  # figures drawn at a time: 4 MB, however many queries there are


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanInterval:
    """A mean over the queries that define it, with its 95 % interval; low <= mean <= high."""

    mean: float
    low: float
    high: float
    queries: int


def query_figures(result: QueryResult) -> dict[str, float | None]:
    """Every metric of one query by name, as its run has their means; None where it is undefined."""
    return {name: metric.figure(result) for name, metric in metrics().items()}


def metric_intervals(
    figures: Iterable[Mapping[str, float | None]], *, resamples: int = RESAMPLES
) -> dict[str, MeanInterval]:
    """The interval of each metric that at least one query defines, from the figures of queries; no queries give none."""
    columns: dict[str, list[float]] = {}
    for one in figures:
        for name, value in one.items():
            if value is not None:
                columns.setdefault(name, []).append(value)
    return mean_intervals(columns, resamples=resamples)


def mean_intervals(columns: Mapping[str, Collection[float]], *, resamples: int = RESAMPLES) -> dict[str, MeanInterval]:
    """The percentile bootstrap interval of each column's mean; an empty column has none.

    The interval holds the middle 95 % of the means of ``resamples`` samples drawn with replacement; the same values give
    the same interval. Columns of one length are drawn together, so that their metrics are of the same samples.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    by_length: dict[int, list[str]] = {}
    for name, values in columns.items():
        if values:
            by_length.setdefault(len(values), []).append(name)
    found: dict[str, MeanInterval] = {}
    for length, names in by_length.items():
        matrix = np.array([list(columns[name]) for name in names], dtype=np.float64)
        bounds = np.quantile(_resampled_means(matrix, resamples), ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2), axis=1)
        for name, values, low, high in zip(names, matrix, *bounds, strict=True):
            mean = float(values.mean())
            found[name] = MeanInterval(
                mean=mean, low=min(float(low), mean), high=max(float(high), mean), queries=length
            )
    return {name: found[name] for name in columns if name in found}


def _resampled_means(matrix: NDArray[np.float64], resamples: int) -> NDArray[np.float64]:
    """(columns, queries) to (columns, resamples): how often each query is drawn is multinomial, so no sample is written out."""
    count = matrix.shape[1]
    rng, shares = np.random.default_rng(_SEED), np.full(count, 1 / count)
    batch = max(1, _BATCH_CELLS // count)
    sizes = [min(batch, resamples - done) for done in range(0, resamples, batch)]
    return np.concatenate([matrix @ rng.multinomial(count, shares, size=size).T / count for size in sizes], axis=1)

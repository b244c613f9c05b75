"""Whether two runs over the same queries differ by more than chance would make them differ. No I/O."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 10_000
_SEED = 20_070_106
_BATCH_CELLS = 500_000  # numbers drawn at a time: 4 MB an array, however many queries there are
_STEPS = 2.0**40
"""Differences are counted in steps of the greatest one / 2⁴⁰, so that their sums are exact and equal sums tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult:
    """What a paired test found; ``difference`` is the mean of after - before, ``interval`` its 95 % bootstrap interval.

    ``p_value`` is two-sided, ``p_worse`` one-sided: how often chance alone gives a mean as low, or lower. Both in (0, 1].
    """

    difference: float
    p_value: float
    p_worse: float
    interval: tuple[float, float]
    pairs: int


def paired_test(
    before: Sequence[float], after: Sequence[float], *, resamples: int = RESAMPLES, seed: int = _SEED
) -> PairedResult:
    """Fisher's paired randomisation test of the mean difference: under the null every difference may as well have the other sign.

    p = P(|Σ ±dᵢ| >= |Σ dᵢ|) and p_worse = P(Σ ±dᵢ <= Σ dᵢ) with dᵢ = afterᵢ - beforeᵢ, over all sign patterns when these are
    no more than ``resamples`` (13 pairs that differ), else over so many random ones, the observed one counted among them.
    ``before[i]`` and ``after[i]`` are one query's; their order does not matter, and the same input gives the same result.
    Equal or empty input gives difference 0 and both p 1.

    Raises:
        ValueError: the sequences differ in length, a value is not finite, or ``resamples`` is below 1.
    Source: Smucker, Allan & Carterette, A Comparison of Statistical Significance Tests for Information Retrieval
        Evaluation, CIKM 2007.
    """
    _check(before, after, resamples)
    gains = np.sort(np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64))
    steps = _whole_steps(gains)
    observed = steps.sum()
    chance, added = _sums_by_chance(np.sort(np.abs(steps[steps != 0])), resamples, seed)
    return PairedResult(
        difference=math.fsum(gains) / len(gains) if observed else 0.0,
        p_value=_share(np.abs(chance) >= abs(observed), added),
        p_worse=_share(chance <= observed, added),
        interval=_bootstrap_interval(gains, resamples, seed),
        pairs=len(gains),
    )


def _check(before: Sequence[float], after: Sequence[float], resamples: int) -> None:
    if len(before) != len(after):
        raise ValueError(f"{len(before)} values before and {len(after)} after; expected one of each for every query")
    if not all(map(math.isfinite, (*before, *after))):
        raise ValueError("a value is not finite; expected a figure for every query")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; expected at least 1")


def _whole_steps(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    greatest = np.abs(gains).max(initial=0.0)
    return np.rint(gains / greatest * _STEPS) if greatest else gains


def _sums_by_chance(sizes: NDArray[np.float64], resamples: int, seed: int) -> tuple[NDArray[np.float64], int]:
    """Sums of the sizes with signs by chance, and 1 when the observed one is still to be counted among them."""
    if len(sizes) < 2:
        return np.unique((-sizes.sum(), sizes.sum())), 0
    from scipy import stats  # type: ignore[import-untyped]  # 1 s, needed only here

    def difference(first: Any, second: Any, axis: int) -> Any:
        return np.sum(first - second, axis=axis)

    drawn = stats.permutation_test(
        (sizes / 2, -sizes / 2),
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _BATCH_CELLS // len(sizes)),
        rng=np.random.default_rng(seed),
    )
    return np.asarray(drawn.null_distribution), int(2 ** len(sizes) > resamples)


def _share(is_as_extreme: NDArray[np.bool_], added: int) -> float:
    return (int(is_as_extreme.sum()) + added) / (len(is_as_extreme) + added)


def _bootstrap_interval(gains: NDArray[np.float64], resamples: int, seed: int) -> tuple[float, float]:
    """The percentile interval of the mean; where all values are one, that value.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if not len(gains) or gains[0] == gains[-1]:
        only = float(gains[0]) if len(gains) else 0.0
        return only, only
    from scipy import stats

    found = stats.bootstrap(
        (gains,),
        np.mean,
        n_resamples=resamples,
        confidence_level=CONFIDENCE,
        method="percentile",
        batch=max(1, _BATCH_CELLS // len(gains)),
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)

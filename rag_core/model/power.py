"""Power analysis: the least difference that a golden set can show, and the queries that a difference needs. No I/O.

Both rest on the spread of the differences query by query, as two runs showed it: the paired test's own noise.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, stdev

POWER = 0.8
ALPHA = 0.05
LEAST_QUERIES = 10
"""Least number of queries for a verdict, however great the difference."""
LEAST_DIFFERING = 6
"""Least number of queries that differ: with fewer no sign pattern has a two-sided p below 0.05: 2/2⁵ is 0.0625, 2/2⁶ is 0.031."""


def deviation_of(differences: Sequence[float]) -> float | None:
    """The standard deviation of paired differences; None of fewer than two."""
    return stdev(differences) if len(differences) > 1 else None


def detectable_difference(
    queries: int, *, deviation: float | None, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The least mean difference that a two-sided paired test on so many queries finds with the power wanted.

    difference = (z_a + z_power) · deviation / sqrt(n - z_a² / 2) with z_a = z_{1 - alpha/2}; the subtrahend is for the
    deviation being estimated. 0 where all differ alike. None where the deviation is not known, or with fewer than ten queries.

    Source: Guenther, Sample Size Formulas for Normal Theory T Tests, The American Statistician, 1981.
    """
    if deviation is None or queries < LEAST_QUERIES:
        return None
    return _reach(power, alpha) * deviation / math.sqrt(queries - _correction(alpha))


def queries_needed(
    difference: float,
    *,
    deviation: float | None,
    differing_share: float = 1.0,
    power: float = POWER,
    alpha: float = ALPHA,
) -> int | None:
    """Return the number of queries that a two-sided paired test needs to find a mean difference with the given power.

    n = ⌈((z_a + z_power) · deviation / difference)² + z_a² / 2⌉ with z_a = z_{1 - alpha/2}, ten at least, as where all
    differ alike, and ⌈6 / differing_share⌉ at least: where few queries differ at all, the test has no small p below that,
    whatever the spread. None where the deviation is not known.

    Raises:
        ValueError: the difference is not above 0, or the share not within (0, 1].
    Source: Guenther, 1981; Sakai, Topic Set Size Design, Information Retrieval Journal, 2016, for its use on golden sets.
    """
    if difference <= 0:
        raise ValueError(f"difference is {difference}; expected more than 0, such as 0.02")
    if not 0 < differing_share <= 1:
        raise ValueError(f"the share of queries that differ is {differing_share}; expected above 0, 1 at most")
    if deviation is None:
        return None
    needed = (_reach(power, alpha) * deviation / difference) ** 2 + _correction(alpha)
    return max(LEAST_QUERIES, math.ceil(LEAST_DIFFERING / differing_share), math.ceil(needed))


def _reach(power: float, alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)


def _correction(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2) ** 2 / 2

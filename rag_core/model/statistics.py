"""Statistics of plain numbers."""

import math
from collections.abc import Collection, Iterable


def mean(values: Iterable[float | None]) -> float | None:
    """The arithmetic mean of the values that are defined; None if none is."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def percentile(values: Collection[float], p: float) -> float | None:
    """The nearest-rank percentile, sorted[⌈p · n⌉ - 1], with p a fraction in (0, 1]; no values give None.

    It is always one of the values, and never less for a greater p.

    Raises:
        ValueError: p is outside (0, 1].
    """
    if not 0 < p <= 1:
        raise ValueError(f"p is {p}; expected a fraction in (0, 1], such as 0.95")
    if not values:
        return None
    rank = math.ceil(round(p * len(values), 9))  # 0.07 * 100 is 7.000000000000001
    return sorted(values)[max(rank, 1) - 1]

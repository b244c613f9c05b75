"""From values to places on an axis, and the round values that are written beside it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Values from ``low`` to ``high`` lie evenly from ``start`` to ``stop``; what lies outside is put at the edge."""

    low: float
    high: float
    start: float
    stop: float

    def place(self, value: float) -> float:
        """Position of a value; ``start`` for every value where the scale has no length."""
        if self.high <= self.low:
            return self.start
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)


def round_step(span: float, *, most: int) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that parts the span into no more than ``most``.

    Raises:
        ValueError: the span is not above 0, or ``most`` is below 1.
    """
    if span <= 0 or most < 1:
        raise ValueError(f"cannot part {span} into {most}; expected a span above 0 and at least one part")
    power: float = 10.0 ** math.floor(math.log10(span / most))
    return next(step for unit in _ROUND_STEPS if (step := unit * power) * most >= span * (1 - 1e-9))


def ticks(low: float, high: float, *, most: int) -> list[float]:
    """The multiples of a round step from low to high, both counted in; ``[low]`` where there is no span."""
    if high <= low:
        return [low]
    step = round_step(high - low, most=most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def round_bounds(values: Sequence[float], *, least: float, most_steps: int = 5) -> tuple[float, float]:
    """Round bounds around the values, at least ``least`` apart; no values give 0 and ``least``."""
    if not values:
        return 0.0, least
    low, high = min(values), max(values)
    lacking = max(0.0, least - (high - low)) / 2
    low, high = low - lacking, high + lacking
    step = round_step(high - low, most=most_steps)
    return round(_steps(low / step, math.floor) * step, 12), round(_steps(high / step, math.ceil) * step, 12)


def _steps(count: float, rounded: Callable[[float], int]) -> int:
    """The count in whole steps; the nearest where only the error of floating point lies between."""
    nearest = round(count)
    return nearest if math.isclose(count, nearest, rel_tol=1e-13, abs_tol=1e-12) else rounded(count)

"""The search for a good point: one knob after the other, then anew from points by chance. No I/O, and no time of its own."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from rag_core.evaluation.tuning.replay import Vector
from rag_core.evaluation.tuning.space import SERVED, Point, Space

RANDOM_POINTS = 40
_SEED = 20_100_601

Worth = Callable[[Point], Vector]
"""The quality of a point by query, higher is better."""


def explore(space: Space, worth: Worth, *, has_time: Callable[[], bool]) -> dict[Point, Vector]:
    """Every point that was tried with its worth; at least what is served.

    Coordinate ascent on the mean from what is served, then ``RANDOM_POINTS`` points by chance, and an ascent from the best of
    those. Stops where it is when the time is up. Without knobs only what is served is tried.
    """
    tried = {SERVED: worth(SERVED)}
    if not space.knobs:
        return tried
    _ascend(space, SERVED, tried, worth, has_time=has_time)
    rng = np.random.default_rng(_SEED)
    drawn = [space.random_point(rng) for _ in range(RANDOM_POINTS)]
    _try(drawn, tried, worth, has_time=has_time)
    known = [point for point in drawn if point in tried]
    if known:
        _ascend(space, _best(known, tried), tried, worth, has_time=has_time)
    return tried


def simplest_good(tried: Mapping[Point, Vector]) -> Point:
    """Of the points whose mean is within one standard error of the best's, the one nearest to what is served.

    The error is that of the mean of the paired differences, s / √n; of equally near points the better one. So a knob is turned
    only for what is more than the queries' own noise.

    Source: the one-standard-error rule of Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984,
    section 3.4.3, on paired differences.
    """
    best = tried[_best(tried, tried)]
    good = [point for point, worth in tried.items() if _is_within_error(best - worth)]
    return min(good, key=lambda point: (len(point), -float(tried[point].mean()), sorted(map(str, point))))


def _ascend(
    space: Space, start: Point, tried: dict[Point, Vector], worth: Worth, *, has_time: Callable[[], bool]
) -> None:
    """Turn one knob after the other to its best value, until a round changes nothing."""
    point, former = start, None
    while point != former and has_time():
        former = point
        for knob in space.knobs:
            around = list(space.neighbours(point, knob))
            _try(around, tried, worth, has_time=has_time)
            point = _best([point, *(other for other in around if other in tried)], tried)


def _try(points: Iterable[Point], tried: dict[Point, Vector], worth: Worth, *, has_time: Callable[[], bool]) -> None:
    for point in points:
        if point not in tried and has_time():
            tried[point] = worth(point)


def _best(points: Iterable[Point], tried: Mapping[Point, Vector]) -> Point:
    return max(points, key=lambda point: (float(tried[point].mean()), -len(point), sorted(map(str, point))))


def _is_within_error(losses: Vector) -> bool:
    error = float(losses.std(ddof=1)) / np.sqrt(len(losses)) if len(losses) > 1 else 0.0
    return float(losses.mean()) <= error

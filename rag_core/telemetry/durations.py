"""Durations of the last thousand calls and a histogram of all, on a monotonic clock."""

import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate

from rag_core.model.statistics import mean, percentile

KEPT_DURATIONS = 1_000
BUCKETS_MS = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
"""Upper bounds of a histogram's buckets, but for the last, which has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationStats:
    """Milliseconds. ``count`` is of all since the process began, the others are of the last thousand; zeros when empty."""

    count: int
    avg: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationHistogram:
    """Calls since the process began that took at most so long as each bucket's bound, and the milliseconds of all together."""

    cumulative: tuple[int, ...]
    sum_ms: float


class Durations:
    """A ring of durations; threads may share it."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._kept: deque[float] = deque(maxlen=KEPT_DURATIONS)
        self._count = 0
        self._buckets = [0] * (len(BUCKETS_MS) + 1)
        self._sum_ms = 0.0
        self._lock = threading.Lock()

    def record(self, milliseconds: float) -> None:
        """Take a duration; the oldest one makes room."""
        with self._lock:
            self._kept.append(milliseconds)
            self._count += 1
            self._buckets[bisect_left(BUCKETS_MS, milliseconds)] += 1
            self._sum_ms += milliseconds

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Take the duration of the block, also when it raises."""
        began = self._clock()
        try:
            yield
        finally:
            self.record((self._clock() - began) * 1000)

    def since(self, count: int) -> tuple[list[float], int]:
        """The durations taken after the first ``count``, of those that are kept, and how many were taken in all."""
        with self._lock:
            new = min(self._count - count, len(self._kept))
            return list(self._kept)[len(self._kept) - new :], self._count

    def histogram(self) -> DurationHistogram:
        """All durations by bucket."""
        with self._lock:
            return DurationHistogram(cumulative=tuple(accumulate(self._buckets)), sum_ms=self._sum_ms)

    def stats(self) -> DurationStats:
        """Count, average and nearest-rank percentiles."""
        with self._lock:
            kept, count = list(self._kept), self._count
        return DurationStats(
            count=count,
            avg=round(mean(kept) or 0.0, 3),
            p50=round(percentile(kept, 0.50) or 0.0, 3),
            p95=round(percentile(kept, 0.95) or 0.0, 3),
            p99=round(percentile(kept, 0.99) or 0.0, 3),
        )

"""Durations of the last thousand calls, on a monotonic clock."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rag_core.model.statistics import mean, percentile

KEPT_DURATIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationStats:
    """Milliseconds. ``count`` is of all since the process began, the others are of the last thousand; zeros when empty."""

    count: int
    avg: float
    p50: float
    p95: float
    p99: float


class Durations:
    """A ring of durations; threads may share it."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._kept: deque[float] = deque(maxlen=KEPT_DURATIONS)
        self._count = 0
        self._lock = threading.Lock()

    def record(self, milliseconds: float) -> None:
        """Take a duration; the oldest one makes room."""
        with self._lock:
            self._kept.append(milliseconds)
            self._count += 1

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

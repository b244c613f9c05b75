"""Times and what is made of them."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

import numpy as np

FSYNC_ROUNDS = 50


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage, on the performance counter."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def lap(self, stage: str) -> Iterator[None]:
        """Count the time of the block for a stage."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self.seconds.values())

    @property
    def rounded(self) -> dict[str, float]:
        """Seconds by stage, to the millisecond."""
        return {stage: round(seconds, 3) for stage, seconds in self.seconds.items()}


def seconds_of(work: Callable[[], object]) -> float:
    """Duration of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def median_rate(count: int, seconds: Sequence[float]) -> float:
    """Count by the median of the seconds."""
    return round(count / median(seconds), 1)


def percentile_ms(seconds: Sequence[float], percent: float) -> float:
    """A percentile of the times, linear between two of them, in milliseconds."""
    return round(float(np.percentile(seconds, percent)) * 1000, 3)


def fsync_ms() -> float:
    """Median time in which the disk of the temporary folder keeps a page: each commit waits that long."""
    with tempfile.TemporaryFile(buffering=0) as file:
        return percentile_ms([seconds_of(lambda: _write_page(file.fileno())) for _ in range(FSYNC_ROUNDS)], 50)


def _write_page(file: int) -> None:
    os.write(file, bytes(8192))
    os.fsync(file)

"""The time a request may take, counted once and asked by every stage."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rag_core.errors import DeadlineExceededError


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """A moment on the monotonic clock."""

    moment: float

    @classmethod
    def after_ms(cls, milliseconds: float) -> "Deadline":
        """The deadline this many milliseconds from now."""
        return cls(moment=time.monotonic() + milliseconds / 1000)

    @property
    def remaining_ms(self) -> int:
        """Milliseconds left, never negative."""
        return max(0, int((self.moment - time.monotonic()) * 1000))

    def check(self) -> None:
        """Go on while there is time.

        Raises:
            DeadlineExceededError: there is none left.
        """
        if time.monotonic() >= self.moment:
            raise DeadlineExceededError("the time for the request is over")

    def share(self, fraction: float) -> "Deadline":
        """An earlier moment: after this fraction of what is left."""
        now = time.monotonic()
        return Deadline(moment=now + max(0.0, self.moment - now) * fraction)


@dataclass(slots=True)
class StageClock:
    """Milliseconds by stage, on the monotonic clock."""

    stages: dict[str, float]
    _began: float

    @classmethod
    def start(cls) -> "StageClock":
        """Begin counting."""
        return cls(stages={}, _began=time.perf_counter())

    def lap(self, stage: str, since: float) -> None:
        """Record a stage that began at ``since`` of ``time.perf_counter``."""
        self.stages[stage] = round((time.perf_counter() - since) * 1000, 3)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Record how long the block takes, also when it raises."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.lap(name, since=began)

    @property
    def total_ms(self) -> float:
        """Milliseconds since the start."""
        return round((time.perf_counter() - self._began) * 1000, 3)

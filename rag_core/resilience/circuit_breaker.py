"""Circuit breaker: a dependency that failed too often within a window is left alone for a while.

``pybreaker`` and ``circuitbreaker`` count failures in a row, however long ago; libraries that count within a window are a release
or two old.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from rag_core.errors import CircuitOpenError

CircuitState = Literal["closed", "open", "half_open"]
Answer = TypeVar("Answer")


class CircuitBreaker:
    """Leaves a dependency alone for ``reset_seconds`` after so many failures within ``window_seconds``.

    Closed: calls go through. Open: they are refused at once. Half open, when the time is over: one call goes through to
    try, the others are still refused; its success closes the circuit, its failure opens it again. What calls from before
    a change of state come to is not counted. Threads may share it; it remembers ``failure_threshold`` moments.
    """

    def __init__(
        self,
        name: str,
        *,
        failure_threshold: int = 5,
        window_seconds: float = 10,
        reset_seconds: float = 60,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if failure_threshold < 1:
            raise ValueError(f"failure_threshold is {failure_threshold}; expected at least 1")
        self.name = name
        self._window_seconds = window_seconds
        self._reset_seconds = reset_seconds
        self._clock = clock
        self._failed_at: deque[float] = deque(maxlen=failure_threshold)
        self._opened_at: float | None = None
        self._is_probing = False
        self._generation = 0
        self._lock = threading.Lock()

    @property
    def state(self) -> CircuitState:
        """State that the next call meets."""
        with self._lock:
            if self._opened_at is None:
                return "closed"
            return "open" if self._remaining_seconds() > 0 else "half_open"

    @property
    def failures(self) -> int:
        """Failures within the last ``window_seconds``, at most ``failure_threshold``."""
        with self._lock:
            since = self._clock() - self._window_seconds
            return sum(moment >= since for moment in self._failed_at)

    def check(self) -> None:
        """Refuse as ``call`` would, without taking the place of the one that tries.

        Raises:
            CircuitOpenError: the dependency is left alone.
        """
        with self._lock:
            self._refuse_while_open()

    def call(self, run: Callable[[], Answer], *, counts: tuple[type[Exception], ...]) -> Answer:
        """Run it and remember how it went: ``counts`` are failures of the dependency, other errors say nothing of it.

        Raises:
            CircuitOpenError: the dependency is left alone; ``run`` was not called.
        """
        with self.watching(counts=counts):
            return run()

    @contextmanager
    def watching(self, *, counts: tuple[type[Exception], ...]) -> Iterator[None]:
        """Guard a block like a call; one left by another error, or before its end, says nothing of the dependency.

        Raises:
            CircuitOpenError: the dependency is left alone; the block was not entered.
        """
        generation = self._enter()
        has_failed: bool | None = None
        try:
            yield
            has_failed = False
        except counts:
            has_failed = True
            raise
        finally:
            self._leave(generation, has_failed)

    def _enter(self) -> int:
        with self._lock:
            self._refuse_while_open()
            self._is_probing = self._opened_at is not None
            return self._generation

    def _leave(self, generation: int, has_failed: bool | None) -> None:
        with self._lock:
            if generation != self._generation:
                return
            if self._opened_at is not None:
                self._end_probe(has_failed)
            elif has_failed:
                self._count_failure()

    def _end_probe(self, has_failed: bool | None) -> None:
        self._is_probing = False
        if has_failed:
            self._open()
        elif has_failed is False:
            self._close()

    def _count_failure(self) -> None:
        now = self._clock()
        self._failed_at.append(now)
        if len(self._failed_at) == self._failed_at.maxlen and now - self._failed_at[0] <= self._window_seconds:
            self._open()

    def _open(self) -> None:
        self._opened_at = self._clock()
        self._generation += 1

    def _close(self) -> None:
        self._opened_at = None
        self._failed_at.clear()
        self._generation += 1

    def _remaining_seconds(self) -> float:
        if self._opened_at is None:
            return 0
        return self._opened_at + self._reset_seconds - self._clock()

    def _refuse_while_open(self) -> None:
        if self._opened_at is None:
            return
        remaining = self._remaining_seconds()
        if remaining > 0:
            raise CircuitOpenError(
                f"{self.name} failed {self._failed_at.maxlen} times within {self._window_seconds:g} s and is left alone; "
                f"the next try is in {remaining:.0f} s"
            )
        if self._is_probing:
            raise CircuitOpenError(f"{self.name} failed of late and is being tried by one call; try again after it")

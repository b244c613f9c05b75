"""Bounded concurrency: at most so many calls at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rag_core.errors import (
    BusyError,
)
from rag_core.resilience.cancellation import Cancellation


class Bounded:
    """At most ``limit`` at a time; those who wait give up when their time is over."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"limit is {limit}; expected at least 1")
        self.limit = limit
        self._free = limit
        self._changed = threading.Condition()

    @contextmanager
    def place(self, *, timeout_seconds: float, cancellation: Cancellation | None = None) -> Iterator[None]:
        """Hold one of the places for the block; who is cancelled waits no longer.

        Raises:
            BusyError: none became free in time, or before the cancellation.
        """
        with (cancellation or Cancellation()).calling(self._wake):
            self._take(timeout_seconds, cancellation)
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _take(self, timeout_seconds: float, cancellation: Cancellation | None) -> None:
        def is_over() -> bool:
            return self._free > 0 or (cancellation is not None and cancellation.is_cancelled)

        with self._changed:
            self._changed.wait_for(is_over, max(0, timeout_seconds))
            if self._free > 0:
                self._free -= 1
                return
        raise BusyError(
            f"all {self.limit} places are taken, and none became free within {timeout_seconds:.1f} s; "
            "try again, or allow more at a time"
        )

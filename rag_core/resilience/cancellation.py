"""Giving up: a caller says that nobody waits for an answer any more, and whoever works on it stops.

Here: the word between the two threads. Not here: who says it (a client that went away, a deadline) and what stopping means.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any


class Cancellation:
    """Cooperative cancellation token, created by the caller and checked while the answer is made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._callbacks: dict[int, Callable[[], None]] = {}

    @property
    def is_cancelled(self) -> bool:
        """Tell whether the answer is no longer wanted."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Say that nobody waits any more; what was registered is called once, from this thread."""
        with self._lock:
            self._is_cancelled = True
            callbacks, self._callbacks = list(self._callbacks.values()), {}
        for callback in callbacks:
            callback()

    @contextmanager
    def awaited(self) -> Iterator[Future[Any]]:
        """During the block a future that a cancellation makes done, to be waited for beside the work's own."""
        gone: Future[Any] = Future()
        with self.calling(lambda: gone.set_result(None)):
            yield gone

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """During the block a cancellation calls ``callback``, which must not wait; at once when it was cancelled before."""
        with self._lock:
            is_late = self._is_cancelled
            if not is_late:
                self._callbacks[id(callback)] = callback
        if is_late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.pop(id(callback), None)

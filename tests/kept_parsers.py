"""Processes that parse, kept for the next parser of the tests: to start one takes half a second of processor time."""

from subprocess import Popen
from typing import Any, ClassVar

from rag_core.parsing import working


class KeptWorker(working._Worker):
    """A worker that takes an idle process of one before it, and leaves its own to one after it."""

    idle: ClassVar[list["Popen[bytes]"]] = []
    _is_asked = False

    def ask(self, *asked: Any) -> Any:
        """Answer as a worker does."""
        self._is_asked = True
        try:
            return super().ask(*asked)
        finally:
            self._is_asked = False

    def close(self) -> None:
        """End the process while it parses; else keep it."""
        with self._lock:
            if self._process is not None and not self._is_asked:
                self.idle.append(self._process)
                self._process = None
        super().close()

    def _started(self) -> "Popen[bytes]":
        with self._lock:
            while self._process is None and not self._is_closed and self.idle:
                process = self.idle.pop()
                self._process = process if process.poll() is None else None
        return super()._started()


def end_kept_parsers() -> None:
    """End the idle processes, before tests that look for processes."""
    while KeptWorker.idle:
        with KeptWorker.idle.pop() as process:
            process.kill()

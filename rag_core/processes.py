"""Child processes that are told to end, made to end, and end with their parent however it dies."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

STOP_SECONDS = 15.0
"""The API finishes requests for up to ten seconds."""
_PR_SET_PDEATHSIG = 1


@dataclass(slots=True, kw_only=True)
class Child:
    """A program in a process group of its own, so that Ctrl-C reaches only us and a signal reaches all that it starts.

    Its output goes to ``log``; the log of the start before is kept beside it.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        """Start the program, or start it again."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.starts == 0 and self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        self.starts += 1
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603  our own programs
                self.command,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent(),  # noqa: PLW1509  no other thread runs when children are started
            )

    @property
    def exit_status(self) -> int | None:
        """How the program ended; None while it runs or before it was started."""
        return None if self._process is None else self._process.poll()

    def send(self, number: signal.Signals) -> None:
        """Signal the program and everything it started that is still in its group."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def is_gone(self) -> bool:
        """Whether nothing of the group is left."""
        if self._process is None:
            return True
        self._process.poll()
        try:
            os.killpg(self._process.pid, 0)
        except (ProcessLookupError, PermissionError):
            return True
        return False

    def log_end(self, *, lines: int = 15) -> str:
        """The last lines of the log."""
        with suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return f"(no log at {self.log})"


def stop_all(children: Sequence[Child], *, seconds: float = STOP_SECONDS) -> None:
    """Tell every child to end, wait for all, and kill what is left; an interrupt meanwhile kills at once."""
    with suppress(KeyboardInterrupt):
        for child in children:
            child.send(signal.SIGTERM)
        _wait(children, seconds)
    for child in children:
        child.send(signal.SIGKILL)
    _wait(children, 5.0)


def _wait(children: Sequence[Child], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not all(child.is_gone() for child in children):
        time.sleep(0.05)


def end_with_parent() -> Callable[[], None] | None:
    """What a new process does before its program begins: ask the kernel for SIGTERM when its parent dies (Linux only)."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    return ask

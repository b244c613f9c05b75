"""Child processes of a supervisor: each a group of its own, told to end, made to end, and never left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rag_core.home.log_files import keep_last_log
from rag_core.home.private_files import private_folder
from rag_core.operation.guardian import signal_group

STOP_SECONDS = 15.0
"""The API finishes requests for up to ten seconds."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The pipe to the guardian, which ends our children when we die without doing it ourselves."""

    pipe: IO[str]

    def watch(self, group: int) -> None:
        """Have a process group ended with us."""
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        """The group is gone; its number may be given to others."""
        self._tell(f"-{group}")

    def _tell(self, line: str) -> None:
        with suppress(BrokenPipeError):  # the guardian was killed; we still end the children ourselves
            self.pipe.write(line + "\n")
            self.pipe.flush()


@contextmanager
def guarded() -> Iterator[Guard]:
    """A guardian for the children started in the block."""
    command = (
        sys.executable,
        "-P",
        "-m",
        "rag_core.operation.guardian",
    )  # -P: nothing is imported from the current folder
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True) as guardian:  # noqa: S603
        assert guardian.stdin is not None
        yield Guard(guardian.stdin)


@dataclass(slots=True, kw_only=True)
class Child:
    """A program in a process group of its own, so that Ctrl-C reaches only us and a signal all that it started.

    Its output goes to ``log``, and the logs of earlier starts are kept beside it; without a log its messages are ours and
    what it prints is dropped. What it writes is for its owner alone.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    guard: Guard
    log: Path | None
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        """Start the program, or start it again."""
        self.release()
        self.starts += 1
        if self.log is None:
            self._process = self._popen(stdout=subprocess.DEVNULL, stderr=None)
        else:
            with self._opened(self.log) as output:
                self._process = self._popen(stdout=output, stderr=subprocess.STDOUT)
        self.guard.watch(self._process.pid)

    def _popen(self, *, stdout: IO[bytes] | int, stderr: int | None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  our own programs
            self.command,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            umask=0o077,
        )

    def _opened(self, log: Path) -> IO[bytes]:
        private_folder(log.parent)
        if self.starts == 1:
            keep_last_log(log)
        return open(log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))

    @property
    def pid(self) -> int | None:
        """The number of the process; None before it was started."""
        return None if self._process is None else self._process.pid

    @property
    def exit_status(self) -> int | None:
        """Exit status of the program; None while it runs or before it was started."""
        return None if self._process is None else self._process.poll()

    def wait(self) -> int:
        """Wait for the program to end, and return its exit status."""
        assert self._process is not None
        return self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Signal the program and everything it started that is still in its group."""
        if self._process is not None:
            signal_group(self._process.pid, number)

    def is_gone(self) -> bool:
        """True when no process of the group is left."""
        if self._process is None:
            return True
        self._process.poll()
        return not signal_group(self._process.pid, 0)

    def release(self) -> None:
        """Have the guardian forget a group that is gone."""
        if self._process is not None and self.is_gone():
            self.guard.forget(self._process.pid)

    def log_end(self, *, lines: int = 15) -> str:
        """The last lines of the log."""
        with suppress(OSError):
            return "\n".join(Path(self.log or "").read_text(errors="replace").splitlines()[-lines:])
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
    for child in children:
        child.release()


def _wait(children: Sequence[Child], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not all(child.is_gone() for child in children):
        time.sleep(0.05)

"""Record of the parts that `brain up` runs in a home (``run/up.json``): commands show them, and end those a killed supervisor left.

A part and everything it started carry a mark in their environment, which is made anew at each start and written to the record
before the first part begins. The mark tells a left process from one that reuses its number, and from the parts of a copied home.
"""

import fcntl
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rag_core.errors import ConfigurationError
from rag_core.home.private_files import open_private, private_folder

if TYPE_CHECKING:
    import psutil

MARK_VARIABLE = "BRAIN_UP_MARK"
STOP_SECONDS = 15.0
END_ROUNDS = 3
"""Rounds of ending processes, because a process may start another before it ends."""
SUPERVISOR_STOP_SECONDS = 60.0
"""It waits for its parts and for PostgreSQL."""
CLOCK_SECONDS = 2.0
"""The start of a process is counted from the machine's, which is corrected when the clock is set."""
RECORD_SECONDS = 5.0
"""A `brain up` writes its record within moments of taking the lock."""


@dataclass(slots=True, kw_only=True)
class RunningParts:
    """The record of one supervisor; it alone writes it."""

    path: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(16))
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    ended: int = 0
    """Number of processes left by an earlier `brain up`, which were ended."""

    def note_started(self, name: str, pid: int) -> None:
        """Write down that a part was started."""
        self.parts[name] = {"pid": pid, "started_at": _started_at(pid)}
        with suppress(OSError):  # a full disk ends nothing
            self.write()

    def note_ended(self, name: str, *, exit_status: int, log: Path | None) -> None:
        """Write down how a part ended, and where its log is."""
        self.parts[name] = {"exit_status": exit_status, "ended_at": time.time(), "log": str(log)}
        with suppress(OSError):
            self.write()

    def write(self) -> None:
        """Write the record, whole or not at all."""
        supervisor = {"pid": os.getpid(), "started_at": _started_at(os.getpid())}
        fresh = self.path.with_suffix(".new")
        with open_private(fresh, "w") as file:
            json.dump({"mark": self.mark, "supervisor": supervisor, "parts": self.parts}, file)
        fresh.replace(self.path)

    def forget(self) -> None:
        """Remove the record, unless something that carries its mark still runs."""
        if not _marked(self.path.parent.parent, self.mark):
            self.path.unlink(missing_ok=True)


class _LockedError(ConfigurationError):
    """Somebody else holds the lock."""


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Two daemons on one database would take each other's work; the kernel drops the lock however we die.

    Raises:
        ConfigurationError: another process holds the lock, or we may not take it.
    """
    with _opened_lock(home) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _LockedError(
                f"`brain up` runs in {home} already; stop it, or set BRAIN_HOME to another folder"
            ) from error
        yield


def _opened_lock(home: Path) -> IO[str]:
    try:
        private_folder(home / "run")
        return open_private(_lock_path(home), "a")
    except OSError as error:
        raise ConfigurationError(
            f"cannot use the folder {home / 'run'} ({error.strerror}); set BRAIN_HOME to a folder you may write to"
        ) from error


def begin_record(home: Path) -> RunningParts:
    """Write down that we are the supervisor, and end what an earlier one left; the caller holds the lock.

    `brain down` finds us from the first moment on. The earlier mark stays in the record until its processes are gone.

    Raises:
        ConfigurationError: a process does not end.
    """
    record = RunningParts(path=_path(home))
    if earlier := _read(home).get("mark"):
        RunningParts(path=_path(home), mark=earlier).write()
        record.ended = end_left(home)
    record.write()
    return record


def read_parts(home: Path) -> dict[str, str] | None:
    """Of each part of the `brain up` that runs in the home, whether it runs; None when there is none."""
    record = _read(home)
    if _supervisor(home, record) is None:
        return None
    return {name: _state(part) for name, part in record.get("parts", {}).items()}


@contextmanager
def stopped(home: Path) -> Iterator[bool]:
    """End the `brain up` of a home with all that it started, and what an earlier one left; whether there was any.

    Within the block no other one starts.

    Raises:
        ConfigurationError: it does not end, or what holds the lock is no `brain up` that we may end.
    """
    if not (home / "run").exists():
        yield False
        return
    with ExitStack() as stack:
        was_running = _take_over(home, stack)
        yield end_left(home) > 0 or was_running


def _take_over(home: Path, stack: ExitStack) -> bool:
    """Take the lock, from a `brain up` by ending it; whether there was one."""
    was_running, deadline = False, time.monotonic() + RECORD_SECONDS
    while True:
        try:
            stack.enter_context(only_one(home))
        except _LockedError as error:
            supervisor = _supervisor(home, _read(home))
            if supervisor is not None:
                _end_supervisor(supervisor)
                was_running = True
            elif time.monotonic() > deadline:
                raise ConfigurationError(
                    f"another process works in {home} and is no `brain up` that can be stopped from here, such as `brain restore` "
                    "or a `brain up` of another container; stop it there, or wait for its end"
                ) from error
            time.sleep(0.05)
        else:
            return was_running


def end_left(home: Path) -> int:
    """End what a supervisor that died left running, once nobody else does; how many processes there were.

    The caller holds the lock.

    Raises:
        ConfigurationError: a process does not end.
    """
    mark, ended = _read(home).get("mark"), 0
    for _ in range(END_ROUNDS):
        found = _marked(home, mark) if mark else []
        if not found:
            return ended
        ended += len(found)
        _end(found)
    raise ConfigurationError(f"processes of an earlier `brain up` do not end: {', '.join(str(p.pid) for p in found)}")


def _end(processes: "list[psutil.Process]") -> None:
    _signal(processes, signal.SIGTERM, seconds=STOP_SECONDS)
    _signal([process for process in processes if _is_alive(process)], signal.SIGKILL, seconds=STOP_SECONDS)


def _end_supervisor(supervisor: "psutil.Process") -> None:
    import psutil

    try:
        _signal([supervisor], signal.SIGTERM, seconds=SUPERVISOR_STOP_SECONDS)
        if _is_alive(supervisor):
            _signal([supervisor], signal.SIGKILL, seconds=STOP_SECONDS)  # its guardian ends the rest
        if _is_alive(supervisor):
            raise ConfigurationError(f"`brain up` of this home, process {supervisor.pid}, does not end")
    except psutil.AccessDenied as error:
        raise ConfigurationError(
            f"`brain up` of this home, process {supervisor.pid}, belongs to another user, who must stop it"
        ) from error


def _signal(processes: "list[psutil.Process]", number: signal.Signals, *, seconds: float) -> None:
    """Signal processes and wait for their end; psutil's own waiting never ends for one that nobody reaps."""
    import psutil

    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(_is_alive(process) for process in processes):
        time.sleep(0.05)


def _is_alive(process: "psutil.Process") -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _marked(home: Path, mark: str) -> "list[psutil.Process]":
    """The live processes that carry a home's mark; PostgreSQL is not among them: it is stopped by whoever leaves it last."""
    import psutil

    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            is_candidate = process.pid != os.getpid() and not process.name().startswith("postgres")
            if is_candidate and _is_alive(process) and _carries(process.environ(), home, mark):
                found.append(process)
    return found


def _carries(environment: Mapping[str, str], home: Path, mark: str) -> bool:
    return environment.get(MARK_VARIABLE) == mark and environment.get("BRAIN_HOME") == str(home)


def _state(part: Mapping[str, Any]) -> str:
    if "pid" in part:
        return "runs" if _find(part) is not None else "down"
    ended = datetime.fromtimestamp(part["ended_at"]).astimezone()
    return f"down since {ended:%H:%M:%S}: it ended with {part['exit_status']}; its log is {part['log']}"


def _supervisor(home: Path, record: Mapping[str, Any]) -> "psutil.Process | None":
    """The process of the record, if it has the home's lock open: its number alone may be another process's by now."""
    found = _find(record.get("supervisor", {}))
    return None if found is None or found.pid == os.getpid() or not _has_lock_open(found, home) else found


def _has_lock_open(process: "psutil.Process", home: Path) -> bool:
    import psutil

    lock = str(_lock_path(home).resolve())
    try:
        return any(file.path == lock for file in process.open_files())
    except psutil.Error:
        return False


def _find(noted: Mapping[str, Any]) -> "psutil.Process | None":
    """The process that was noted, if it runs; another one with its number began at another time."""
    import psutil

    try:
        process = psutil.Process(noted["pid"])
        is_same = abs(process.create_time() - noted["started_at"]) < CLOCK_SECONDS
        return process if is_same and _is_alive(process) else None
    except (KeyError, TypeError, ValueError, psutil.Error):
        return None


def _started_at(pid: int) -> float | None:
    import psutil

    with suppress(psutil.Error):
        return psutil.Process(pid).create_time()
    return None


def _read(home: Path) -> dict[str, Any]:
    try:
        found = json.loads(_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(home: Path) -> Path:
    return home / "run" / "up.json"


def _lock_path(home: Path) -> Path:
    return home / "run" / "up.lock"

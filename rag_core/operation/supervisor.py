"""``brain up``: the database server, Dagster and the API as one program, started in order, watched, and stopped cleanly.

Dagster runs as three processes of ours: a code server that loads the definitions once for both, the web server behind our
guard (``rag_assets.web_server``) and the daemon. `dagster dev` would take twice the time and half as much memory again. This
process imports none of it.
"""

import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from rag_core.access.exposure import OPEN_WARNING
from rag_core.embedding.first import find_model_of_meaning, how_to_change
from rag_core.errors import ConfigurationError, RagError
from rag_core.home.log_files import rotate_full_log
from rag_core.home.notices import is_new_notice
from rag_core.home.remembered_ports import remember_ports
from rag_core.model.counting import in_english
from rag_core.operation.dagster_home import prepare_dagster_home, write_if_changed
from rag_core.operation.demo_corpus import is_demo_wanted, load_demo
from rag_core.operation.probes import HOST, accepts, fetch_object, is_dagster_healthy
from rag_core.operation.processes import Child, Guard, guarded, stop_all
from rag_core.operation.restarts import Say, watch
from rag_core.operation.running_parts import MARK_VARIABLE, RunningParts, begin_record, only_one
from rag_core.runtime.engine import DEMO_TENANT
from rag_core.settings import Settings
from rag_core.storage.dagster_database import shown_url
from rag_core.storage.database import Database, open_database
from rag_core.storage.embedded import embedded_server, rotate_server_log

READY_SECONDS = 180.0
LOCATION = "brain_sync"
MAX_SOCKET_PATH_BYTES = 100
"""Linux takes 107 bytes, macOS 103."""
DEFINITIONS = "rag_assets.definitions"
NO_FOLDER = "--empty-working-directory"
"""Otherwise Dagster puts the current folder first on the path of every process that loads the definitions."""
ESSENTIAL = ("api",)
"""Parts without which the rest is not worth running."""
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BRAIN = "from rag_core.cli import main; main()"


class StartFailedError(RagError):
    """A part did not start; the message holds the end of its log."""


def run_up(settings: Settings, *, say: Say, announce: Say, is_demo_loaded: bool = True) -> int:
    """Run everything until Ctrl-C; the exit status: 0 when stopped, 1 when a part kept dying.

    ``say`` gets each line of progress, ``announce`` the addresses once all is up.

    Raises:
        ConfigurationError: a port is taken, or another `brain up` runs in this home.
        DatabaseUnavailableError, DatabaseSetupError: see ``open_database``.
        StartFailedError: a part did not start.
    """
    with _interrupting():
        try:
            prepare = partial(_prepare, is_demo_loaded=is_demo_loaded, say=say)
            return _run(settings, prepare, say=say, announce=announce)
        except KeyboardInterrupt:
            say("Stopped.")
            return 0


def _run(settings: Settings, prepare: "_Prepare", *, say: Say, announce: Say) -> int:
    with only_one(settings.home):
        record = begin_record(settings.home)
        try:
            if record.ended:
                say(f"Ended {in_english(record.ended, 'process', 'processes')} that an earlier `brain up` left.")
            settings = settings.model_copy(update=_free_ports(settings))
            remember_ports(settings.home, api_port=settings.api_port, dagster_port=settings.dagster_port)
            with (
                _held_server(settings),
                _code_socket(settings.home) as code_socket,
                guarded() as guard,
            ):
                return _run_parts(settings, guard, code_socket, record, prepare, say=say, announce=announce)
        finally:
            record.forget()


def _run_parts(
    settings: Settings,
    guard: Guard,
    code_socket: Path,
    record: RunningParts,
    prepare: "_Prepare",
    *,
    say: Say,
    announce: Say,
) -> int:
    say(f"Starting in {settings.home} (logs in {settings.home / 'logs'})…")
    prepared = prepare(settings, record.mark)
    children = _children(settings, prepared.environment, guard, code_socket=code_socket)
    demo = [_demo_index(prepared.environment, guard)] if prepared.is_demo_new else []

    def each_round() -> None:
        start_waiting(children, code_socket, record)
        _rotate_logs(settings, children)
        _tell_end(demo, say)

    try:
        start_parts(children, settings, code_socket, record, say=say)
        announce(_addresses(settings, prepared.address))
        if settings.access == "open":  # the API's own warning goes to its log
            say(f"Brain Sync: {OPEN_WARNING}")
        for child in demo:  # its words are found already
            child.start()
        return watch(
            children,
            essential=ESSENTIAL,
            say=say,
            note=lambda child: _note(record, child),
            each_round=each_round,
        )
    finally:
        say("Stopping…")
        stop_all([*children, *demo])


def _free_ports(settings: Settings) -> dict[str, int]:
    """The ports to listen on, free and different."""
    if settings.api_port == settings.dagster_port != 0:
        raise ConfigurationError(
            f"BRAIN_API_PORT and BRAIN_DAGSTER_PORT are both {settings.api_port}, but the page and Dagster's UI each need a port "
            "of their own"
        )
    return {
        "api_port": free_port(settings.api_port, "BRAIN_API_PORT"),
        "dagster_port": free_port(settings.dagster_port, "BRAIN_DAGSTER_PORT"),
    }


def _note(record: RunningParts, child: Child) -> None:
    """Write down how a part does."""
    if child.exit_status is not None:
        record.note_ended(child.name, exit_status=child.exit_status, log=child.log)
    elif child.pid is not None:
        record.note_started(child.name, child.pid)


def _rotate_logs(settings: Settings, children: Sequence[Child]) -> None:
    for child in children:
        if child.log is not None:
            rotate_full_log(child.log)
    if settings.database_url is None:
        rotate_server_log(settings.home)


@contextmanager
def _interrupting() -> Iterator[None]:
    """Ctrl-C, a polite kill and a closed terminal all raise KeyboardInterrupt, even where the shell had them ignored."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def free_port(port: int, variable: str) -> int:
    """The port, if nobody listens there; any free one for 0."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ConfigurationError(
                f"port {port} on {HOST} is taken ({error.strerror}); stop the other program, or choose another port: "
                f"{variable}={port + 10 if port < 65_000 else port - 10} brain up"
            ) from error
        return int(probe.getsockname()[1])


@contextmanager
def _code_socket(home: Path) -> Iterator[Path]:
    """Socket of the code server: in the home, or in a folder of its own where that path is too long for a socket."""
    path = home / "run" / "code.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        path.unlink(missing_ok=True)
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="brain-") as folder:
        yield Path(folder) / path.name


@contextmanager
def _held_server(settings: Settings) -> Iterator[None]:
    """Keep the embedded server running, whoever else comes and goes; nothing with a server of one's own."""
    if settings.database_url is not None:
        yield
        return
    with embedded_server(settings.home, shared_buffers_mb=settings.shared_buffers_mb):
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """The children's environment, where the notes are, and whether the demo was put there just now."""

    environment: Mapping[str, str]
    address: str
    is_demo_new: bool


_Prepare = Callable[[Settings, str], _Prepared]


def _prepare(settings: Settings, mark: str, *, is_demo_loaded: bool, say: Say) -> _Prepared:
    """Migrate, make Dagster's home, and load the demo into a database nobody has used."""
    with open_database(settings) as database:
        environment = {
            **os.environ,
            **_variables(settings),
            MARK_VARIABLE: mark,
            **prepare_dagster_home(settings, database),
        }
        is_demo_new = is_demo_loaded and is_demo_wanted(database)
        if is_demo_new:
            report = load_demo(database, settings)
            say(f"Loaded {report.taken} demo notes as tenant `{DEMO_TENANT}`; they are indexed once all is up.")
        address = shown_url(database.owner_conninfo)
        _tell_of_model(database, settings, say)
    return _Prepared(environment=environment, address=address, is_demo_new=is_demo_new)


def _tell_of_model(database: Database, settings: Settings, say: Say) -> None:
    """Say once how a home of hashed vectors comes to a model of meaning."""
    with database.owner() as connection:
        better = find_model_of_meaning(connection, settings)
    if better is not None and is_new_notice(settings.home, "model-of-meaning"):
        say(f"Notes are searched by words and their parts alone. {better.name} knows meanings: {how_to_change(better)}")


def _variables(settings: Settings) -> dict[str, str]:
    variables = {
        "BRAIN_HOME": str(settings.home),
        "BRAIN_API_PORT": str(settings.api_port),
        "BRAIN_DAGSTER_PORT": str(settings.dagster_port),
        "PYTHONUNBUFFERED": "1",
        "PYTHONSAFEPATH": "1",  # nothing is imported from the folder that we were called in
    }
    return variables | ({"DATABASE_URL": settings.database_url} if settings.database_url else {})


def _demo_index(environment: Mapping[str, str], guard: Guard) -> Child:
    """`brain index` of the demo: a process that may import Dagster and shows its progress on our terminal."""
    command = (sys.executable, "-c", _BRAIN, "index", "--tenant", DEMO_TENANT)
    return Child(name="index", command=command, environment=environment, guard=guard, log=None)


def _tell_end(demo: list[Child], say: Say) -> None:
    """Say how indexing of the demo ended, once."""
    if not demo or demo[0].exit_status is None:
        return
    child = demo.pop()
    child.release()
    if child.exit_status:
        say("The demo notes are not indexed: they are found by their words only. `brain index` tries again.")
    else:
        say("The demo notes are indexed.")


def _children(settings: Settings, environment: Mapping[str, str], guard: Guard, *, code_socket: Path) -> list[Child]:
    """The parts in the order they are started."""
    workspace = settings.dagster_home / "workspace.yaml"
    write_if_changed(workspace, json.dumps({"load_from": [_location(code_socket)]}))
    python = (sys.executable, "-m")
    commands = {
        "dagster-code": (*python, "dagster", "api", "grpc", "-s", str(code_socket), "-m", DEFINITIONS, NO_FOLDER),
        "api": (sys.executable, "-c", _BRAIN, "serve"),
        "dagster-web": (*python, "rag_assets.web_server", "-w", str(workspace)),
        "dagster-daemon": (*python, "dagster._daemon", "run", "-w", str(workspace)),
        "folders": (sys.executable, "-c", _BRAIN, "folder", "watch"),
    }
    logs = settings.home / "logs"
    return [
        Child(name=name, command=command, environment=environment, guard=guard, log=logs / f"{name}.log")
        for name, command in commands.items()
    ]


def _location(code_socket: Path) -> dict[str, Any]:
    """A socket only we may write to, and no port, because whoever reaches it can run code as us. JSON is YAML."""
    return {"grpc_server": {"socket": str(code_socket), "location_name": LOCATION}}


def start_parts(
    children: Sequence[Child], settings: Settings, code_socket: Path, record: RunningParts, *, say: Say
) -> None:
    """Start all; web server and daemon once the code server answers, because a location that fails to load stays so.

    The API is waited for first. Of Dagster, what ends meanwhile is no reason to stop: it is said, and started again by the watch.
    """
    code, api, *dagster = children
    _start_noted((code, api), record)
    _wait_for("the API", (api,), lambda: fetch_object(settings.api_port, "/readyz") is not None)
    try:
        _wait_for("Dagster's code server", (code, api), lambda: accepts(code_socket))
        _start_noted(dagster, record)
        _wait_for("Dagster", children, lambda: is_dagster_healthy(settings))
    except StartFailedError as error:
        if api.exit_status is not None:
            raise
        say(str(error))


def start_waiting(children: Sequence[Child], code_socket: Path, record: RunningParts) -> None:
    """Start what was not started yet, once the code server answers."""
    waiting = [child for child in children if child.pid is None]
    if waiting and accepts(code_socket):
        _start_noted(waiting, record)


def _start_noted(children: Sequence[Child], record: RunningParts) -> None:
    for child in children:
        child.start()
        _note(record, child)


def _wait_for(what: str, children: Sequence[Child], is_ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not is_ready():
        for child in children:
            if child.exit_status is not None:
                raise StartFailedError(f"{child.name} ended with {child.exit_status}:\n{child.log_end()}")
        if time.monotonic() > deadline:
            raise StartFailedError(
                f"{what} did not answer within {READY_SECONDS:.0f} s; see the logs under logs/ in BRAIN_HOME"
            )
        time.sleep(0.1)


def _addresses(settings: Settings, database: str) -> str:
    return (
        f"Brain Sync is up. Ctrl-C stops it.\n"
        f"  page      http://{HOST}:{settings.api_port}/\n"
        f"  Dagster   http://{HOST}:{settings.dagster_port}/\n"
        f"  database  {database}"
    )

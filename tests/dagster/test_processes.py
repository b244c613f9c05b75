"""Child processes: started, watched, ended, and never left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_core.errors import ConfigurationError
from rag_core.operation.guardian import read_groups
from rag_core.operation.processes import Child, Guard, guarded, stop_all
from rag_core.operation.restarts import MAX_DEATHS, Deaths, watch
from rag_core.operation.running_parts import begin_record, only_one
from rag_core.operation.supervisor import free_port, start_parts, start_waiting
from rag_core.settings import read_settings

STUBBORN = "trap '' TERM; echo ready; while true; do sleep 0.05; done"
"""Ends for SIGKILL only."""


def say(text: str) -> None:
    print(text, file=sys.stderr)


@pytest.fixture
def guard() -> Iterator[Guard]:
    """A guardian of the test's own."""
    with guarded() as opened:
        yield opened


def child_of(guard: Guard, folder: Path, script: str) -> Child:
    """A shell script as child."""
    return Child(
        name="part",
        command=("/bin/sh", "-c", script),
        environment=os.environ,
        guard=guard,
        log=folder / "part.log",
    )


def wait_until(is_true: Callable[[], bool]) -> None:
    """Wait thirty seconds at most."""
    deadline = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_child_that_ignores_the_polite_signal_is_killed(guard: Guard, tmp_path: Path) -> None:
    child = child_of(guard, tmp_path, STUBBORN)
    child.start()
    wait_until(lambda: "ready" in child.log_end())

    stop_all([child], seconds=0.2)

    assert child.exit_status == -signal.SIGKILL
    assert child.is_gone()


def test_what_a_child_started_ends_with_it(guard: Guard, tmp_path: Path) -> None:
    child = child_of(guard, tmp_path, f"({STUBBORN}) & wait")
    child.start()
    wait_until(lambda: "ready" in child.log_end())

    stop_all([child], seconds=0.2)

    assert child.is_gone()


def test_the_log_of_the_start_before_is_kept(guard: Guard, tmp_path: Path) -> None:
    for text in ("first", "second"):
        child = child_of(guard, tmp_path, f"echo {text}")
        child.start()
        child.wait()

    assert (tmp_path / "part.log").read_text() == "second\n"
    assert (tmp_path / "part.log.1").read_text() == "first\n"


def test_an_essential_part_that_keeps_dying_is_started_again_a_few_times_and_then_ends_all(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_core.operation.restarts.LONGEST_PAUSE_SECONDS", 0.01)
    said: list[str] = []
    child = child_of(guard, tmp_path, "echo something broke; exit 3")
    child.start()

    status = watch([child], essential=["part"], say=said.append, poll_seconds=0.01)

    assert (status, child.starts) == (1, MAX_DEATHS)
    assert said[0].startswith("part is down: it ended with 3; it is started again in 0 s")
    assert said[0].endswith("something broke")
    assert said[-1] == f"part does not stay up; its whole log is {tmp_path / 'part.log'}"


class EnoughError(Exception):
    """Ends a watch."""


def test_another_part_may_die_as_often_as_it_likes(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_core.operation.restarts.LONGEST_PAUSE_SECONDS", 0.01)
    child = child_of(guard, tmp_path, "exit 3")
    child.start()

    def stop_after_ten() -> None:
        if child.starts > 10:
            raise EnoughError

    with pytest.raises(EnoughError):
        watch([child], essential=["api"], say=lambda _text: None, each_round=stop_after_ten, poll_seconds=0.01)


def test_a_part_that_cannot_be_started_is_tried_again(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_core.operation.restarts.LONGEST_PAUSE_SECONDS", 0.01)
    said: list[str] = []
    child = child_of(guard, tmp_path, "exit 3")
    child.start()
    child.wait()
    child.command = ("/no/such/program",)

    def stop_after_two() -> None:
        if len([text for text in said if "cannot be started" in text]) == 2:
            raise EnoughError

    with pytest.raises(EnoughError):
        watch([child], essential=["api"], say=said.append, each_round=stop_after_two, poll_seconds=0.01)


def test_pauses_grow_with_the_deaths_within_ten_minutes() -> None:
    deaths, pauses = Deaths(), []
    for moment in (0, 1, 2, 3, 4, 5, 6, 7, 8):
        deaths.add(moment)
        pauses.append(deaths.restart_at - moment)

    assert pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60]


def test_deaths_far_apart_do_not_add_up() -> None:
    deaths = Deaths()
    for moment in (0, 601, 1202, 1803, 2404, 3005, 3606):
        deaths.add(moment)

        assert deaths.moments == [moment]
        assert deaths.restart_at == moment


def test_what_a_child_writes_is_for_its_owner_alone(guard: Guard, tmp_path: Path) -> None:
    child = child_of(guard, tmp_path / "logs", f"touch {tmp_path / 'made'}")
    child.start()
    child.wait()

    modes = [oct((tmp_path / name).stat().st_mode & 0o777) for name in ("logs", "logs/part.log", "made")]
    assert modes == ["0o700", "0o600", "0o600"]


def test_dagster_that_does_not_start_leaves_the_api_running(
    guard: Guard, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    settings = read_settings(home=tmp_path, api_port=free_port(0, "BRAIN_API_PORT"))
    code, api, web = (
        Child(name=name, command=command, environment=os.environ, guard=guard, log=tmp_path / f"{name}.log")
        for name, command in {
            "code": (sys.executable, "-c", CODE_SERVER, str(tmp_path / "code.sock")),
            "api": (sys.executable, "-c", API, str(settings.api_port)),
            "web": ("/bin/sh", "-c", "echo no port; exit 3"),
        }.items()
    )
    try:
        start_parts((code, api, web), settings, tmp_path / "code.sock", begin_record(tmp_path), say=say)

        assert "web ended with 3:\nno port" in capsys.readouterr().err
        assert api.exit_status is None
    finally:
        stop_all([code, api, web])


def test_a_code_server_that_dies_while_it_starts_is_started_again_and_the_rest_of_dagster_after_it(
    guard: Guard, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    code_socket = tmp_path / "code.sock"
    settings = read_settings(home=tmp_path, api_port=free_port(0, "BRAIN_API_PORT"))
    dies_once = f"import os\nif not os.path.exists({str(tmp_path / 'died')!r}):\n  open({str(tmp_path / 'died')!r}, 'w')\n  exit(9)\n"
    code, api, web = children = [
        Child(name=name, command=command, environment=os.environ, guard=guard, log=tmp_path / f"{name}.log")
        for name, command in {
            "code": (sys.executable, "-c", dies_once + CODE_SERVER, str(code_socket)),
            "api": (sys.executable, "-c", API, str(settings.api_port)),
            "web": ("/bin/sh", "-c", "sleep 60"),
        }.items()
    ]
    record = begin_record(tmp_path)

    def stop_when_all_run() -> None:
        start_waiting(children, code_socket, record)
        if web.pid is not None:
            raise EnoughError

    try:
        start_parts(children, settings, code_socket, record, say=say)
        assert "code ended with 9" in capsys.readouterr().err
        assert (api.exit_status, web.pid) == (None, None)

        with pytest.raises(EnoughError):
            watch(children, essential=["api"], say=lambda _text: None, each_round=stop_when_all_run, poll_seconds=0.02)

        assert (code.starts, web.starts) == (2, 1)
        assert all(child.exit_status is None for child in children)
    finally:
        stop_all(children)


CODE_SERVER = """
import socket, sys, time
with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[1])
    server.listen()
    time.sleep(60)
"""
API = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_children_of_a_killed_supervisor_end(tmp_path: Path) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(tmp_path)])
    log = tmp_path / "part.log"
    wait_until(lambda: (tmp_path / "watched").exists() and log.read_text().startswith("pid "))
    group = int(log.read_text().split()[1])

    supervisor.kill()
    supervisor.wait()

    wait_until(lambda: not _runs(group))


def test_the_guardian_ends_only_what_is_left() -> None:
    assert read_groups(["+12\n", "+13\n", "-12\n"]) == {13}


def test_a_taken_port_is_an_error_with_its_remedy() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]

        with pytest.raises(ConfigurationError, match=rf"port {taken} .* is taken .*BRAIN_API_PORT="):
            free_port(taken, "BRAIN_API_PORT")


def test_a_second_supervisor_in_one_home_is_an_error_with_its_remedy(tmp_path: Path) -> None:
    with (
        only_one(tmp_path),
        pytest.raises(ConfigurationError, match=r"runs in .* already.*BRAIN_HOME"),
        only_one(tmp_path),
    ):
        pass


SUPERVISOR = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background lets its children ignore Ctrl-C
from rag_core.operation.processes import Child, guarded
with guarded() as guard:
    Child(name="part", command=("/bin/sh", "-c", "echo pid $$; sleep 60"), environment=os.environ, guard=guard,
          log=pathlib.Path(sys.argv[1]) / "part.log").start()
    (pathlib.Path(sys.argv[1]) / "watched").touch()  # the guardian knows of it
    time.sleep(60)
"""


def _runs(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return not _is_zombie(group)


def _is_zombie(pid: int) -> bool:
    """Where nobody reaps orphans, a dead one stays in the table."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"

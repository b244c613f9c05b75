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
from rag_core.guardian import read_groups
from rag_core.processes import Child, Guard, guarded, stop_all
from rag_core.supervisor import MAX_STARTS, free_port, only_one, watch

STUBBORN = "trap '' TERM; echo ready; while true; do sleep 0.05; done"
"""Ends for SIGKILL only."""


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


def test_a_child_that_keeps_dying_is_started_again_a_few_times_and_reported(
    guard: Guard, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    child = child_of(guard, tmp_path, "echo something broke; exit 3")
    child.start()

    status = watch([child], poll_seconds=0.01)

    said = capsys.readouterr().err
    assert (status, child.starts) == (1, MAX_STARTS)
    assert "part ended with 3:\nsomething broke" in said
    assert str(tmp_path / "part.log") in said


def test_children_of_a_killed_supervisor_end(tmp_path: Path) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(tmp_path)])
    log = tmp_path / "part.log"
    wait_until(lambda: log.exists() and log.read_text().startswith("pid "))
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
from rag_core.processes import Child, guarded
with guarded() as guard:
    Child(name="part", command=("/bin/sh", "-c", "echo pid $$; sleep 60"), environment=os.environ, guard=guard,
          log=pathlib.Path(sys.argv[1]) / "part.log").start()
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

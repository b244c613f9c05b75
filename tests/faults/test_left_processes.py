"""Processes left by a supervisor that died: found by their mark, and nothing else is ended."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from rag_core.errors import ConfigurationError
from rag_core.operation.running_parts import MARK_VARIABLE, begin_record, end_left, only_one, read_parts, stopped

RESTORED = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
"""
"""What runs first in each process: it inherits an ignored or blocked SIGTERM of whoever starts the tests."""
SLEEP = "import time; print('ready', flush=True); time.sleep(120)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
SUPERVISOR = """
import sys, time
from pathlib import Path
from rag_core.operation.running_parts import begin_record, only_one
with only_one(Path(sys.argv[1])):
    record = begin_record(Path(sys.argv[1]))
    record.note_started("api", __import__("os").getpid())
    record.note_ended("dagster-web", exit_status=-9, log=Path("/logs/dagster-web.log"))
    print("ready", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path


@contextmanager
def running(code: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has begun, killed after the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", RESTORED + code, *arguments],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def has_stopped(home: Path) -> bool:
    """Stop the home; True where anything of it was running."""
    with stopped(home) as was_running:
        return was_running


def test_a_process_that_carries_the_mark_of_the_home_is_ended(home: Path) -> None:
    mark = begin_record(home).mark
    with running(SLEEP, BRAIN_HOME=str(home), **{MARK_VARIABLE: mark}) as left:
        assert end_left(home) == 1
        assert left.wait(timeout=5) == -15


def test_one_that_ignores_the_polite_signal_is_killed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_core.operation.running_parts.STOP_SECONDS", 0.5)
    mark = begin_record(home).mark
    with running(STUBBORN, BRAIN_HOME=str(home), **{MARK_VARIABLE: mark}) as left:
        end_left(home)

        assert left.wait(timeout=5) == -9


def test_a_process_of_a_copy_of_the_home_is_left_alone(home: Path) -> None:
    mark = begin_record(home).mark
    with running(SLEEP, BRAIN_HOME="/another/home", **{MARK_VARIABLE: mark}) as other:
        assert end_left(home) == 0
        assert other.poll() is None


def test_a_process_that_was_given_the_number_of_a_part_is_left_alone(home: Path) -> None:
    record = begin_record(home)
    with running(SLEEP, BRAIN_HOME=str(home)) as other:
        record.note_started("api", other.pid)

        assert end_left(home) == 0
        assert other.poll() is None


def test_a_process_that_was_given_the_number_of_the_supervisor_is_left_alone(home: Path) -> None:
    begin_record(home)
    path = home / "run" / "up.json"
    with running(SLEEP, BRAIN_HOME=str(home)) as other:
        found = json.loads(path.read_text())
        path.write_text(json.dumps({**found, "supervisor": {**found["supervisor"], "pid": other.pid}}))

        assert has_stopped(home) is False
        assert other.poll() is None


def test_a_process_that_the_record_names_but_that_has_not_the_lock_of_the_home_is_left_alone(home: Path) -> None:
    begin_record(home)
    path = home / "run" / "up.json"
    with running(SLEEP) as other:
        noted = {"pid": other.pid, "started_at": psutil.Process(other.pid).create_time()}
        path.write_text(json.dumps({**json.loads(path.read_text()), "supervisor": noted}))

        assert (has_stopped(home), read_parts(home)) == (False, None)
        assert other.poll() is None


def test_parts_are_told_of_as_long_as_their_supervisor_runs(home: Path) -> None:
    with running(SUPERVISOR, str(home)) as supervisor:
        parts = read_parts(home)

        assert parts["api"] == "runs"
        assert parts["dagster-web"].startswith("down since ")
        assert parts["dagster-web"].endswith(": it ended with -9; its log is /logs/dagster-web.log")

        assert has_stopped(home) is True
        assert supervisor.wait(timeout=5) == -15
        assert read_parts(home) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"supervisor": 1}', '{"mark": null, "supervisor": {"pid": "x"}}'])
def test_a_damaged_record_ends_nothing(home: Path, text: str) -> None:
    (home / "run" / "up.json").write_text(text)

    assert (has_stopped(home), read_parts(home)) == (False, None)


LATE = """
import sys, time
from pathlib import Path
from rag_core.operation.running_parts import begin_record, only_one
with only_one(Path(sys.argv[1])):
    print("ready", flush=True)
    time.sleep(1)
    begin_record(Path(sys.argv[1]))
    time.sleep(120)
"""
WITHOUT_RECORD = LATE.replace("begin_record(Path(sys.argv[1]))", "")


def test_a_supervisor_that_has_not_written_its_record_yet_is_waited_for_and_ended(home: Path) -> None:
    with running(LATE, str(home)) as supervisor:
        assert has_stopped(home) is True
        assert supervisor.wait(timeout=5) == -15


def test_another_command_that_holds_the_lock_is_left_alone_and_told_of(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_core.operation.running_parts.RECORD_SECONDS", 0.3)
    with running(WITHOUT_RECORD, str(home)) as other:
        with pytest.raises(ConfigurationError, match="no `brain up` that can be stopped from here"):
            has_stopped(home)
        assert other.poll() is None


def test_none_starts_in_a_home_that_is_being_stopped(home: Path) -> None:
    with stopped(home), pytest.raises(ConfigurationError), only_one(home):
        pass


def test_a_home_that_is_not_there_is_not_made_by_stopping_it(tmp_path: Path) -> None:
    assert has_stopped(tmp_path / "none") is False
    assert not (tmp_path / "none").exists()


def test_a_start_ends_what_an_earlier_one_left_and_takes_another_mark(home: Path) -> None:
    mark = begin_record(home).mark
    with running(SLEEP, BRAIN_HOME=str(home), **{MARK_VARIABLE: mark}) as left:
        record = begin_record(home)

        assert (record.ended, left.wait(timeout=5)) == (1, -15)
        assert json.loads((home / "run" / "up.json").read_text())["mark"] == record.mark != mark


def test_a_start_that_is_given_up_while_it_ends_what_was_left_keeps_the_mark_of_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = begin_record(home).mark
    monkeypatch.setattr("rag_core.operation.running_parts._end", lambda _found: None)
    with running(SLEEP, BRAIN_HOME=str(home), **{MARK_VARIABLE: mark}):
        with pytest.raises(ConfigurationError, match="do not end"):
            begin_record(home)

        assert json.loads((home / "run" / "up.json").read_text())["mark"] == mark


def test_the_record_stays_while_something_that_carries_its_mark_runs(home: Path) -> None:
    record = begin_record(home)
    with running(SLEEP, BRAIN_HOME=str(home), **{MARK_VARIABLE: record.mark}):
        record.forget()
        assert record.path.exists()

    record.forget()
    assert not record.path.exists()

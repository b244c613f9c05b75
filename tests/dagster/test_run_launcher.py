"""A run whose process has died is told from one that works, whatever died with it."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator

import dagster as dg
import psutil
import pytest
from dagster._core.events import EngineEventData
from dagster._core.launcher.base import WorkerStatus
from dagster._daemon.monitoring.run_monitoring import check_run_timeout

from rag_assets.run_launcher import GRPC_TAG, LocalRunLauncher
from rag_assets.worker_processes import PROCESS_TAG, has_ended, is_gone, this_process

BY_SOCKET = json.dumps({"host": "localhost", "socket": "/tmp/code.sock"})
BY_PORT = json.dumps({"host": "code.example.org", "port": 4000})


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """An instance whose launcher is the one of dagster.yaml."""
    launcher = {"run_launcher": {"module": "rag_assets.run_launcher", "class": "LocalRunLauncher"}}
    with dg.instance_for_test(overrides=launcher) as opened:
        yield opened


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that does nothing."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as started:
        yield started
        started.kill()


def health(instance: dg.DagsterInstance, run: dg.DagsterRun) -> WorkerStatus:
    launcher = instance.run_launcher
    assert isinstance(launcher, LocalRunLauncher)
    assert launcher.supports_check_run_worker_health
    return launcher.check_run_worker_health(run).status


def started_run(instance: dg.DagsterInstance, tags: dict[str, str], *, pid: int | None = None) -> dg.DagsterRun:
    run = instance.create_run_for_job(_nothing, tags=tags, status=dg.DagsterRunStatus.STARTED)
    if pid is not None:
        instance.report_engine_event(f"Executing steps in process (pid: {pid})", run, EngineEventData.in_process(pid))
    return run


def test_a_run_whose_process_works_is_running(instance: dg.DagsterInstance, process: "subprocess.Popen[bytes]") -> None:
    run = started_run(instance, {GRPC_TAG: BY_SOCKET}, pid=process.pid)

    assert health(instance, run) is WorkerStatus.RUNNING


def test_a_run_whose_process_was_killed_has_failed_even_while_nobody_waited_for_it(
    instance: dg.DagsterInstance, process: "subprocess.Popen[bytes]"
) -> None:
    run = started_run(instance, {GRPC_TAG: BY_SOCKET}, pid=process.pid)

    process.kill()
    while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)

    assert health(instance, run) is WorkerStatus.FAILED


def test_a_run_that_has_not_told_its_process_yet_is_left_alone(instance: dg.DagsterInstance) -> None:
    run = started_run(instance, {GRPC_TAG: BY_SOCKET})

    assert health(instance, run) is WorkerStatus.RUNNING


def test_a_run_on_another_machine_is_left_alone(
    instance: dg.DagsterInstance, process: "subprocess.Popen[bytes]"
) -> None:
    process.kill()
    process.wait()
    run = started_run(instance, {GRPC_TAG: BY_PORT}, pid=process.pid)

    assert health(instance, run) is WorkerStatus.RUNNING


def test_a_run_of_a_machine_that_is_no_more_is_given_up_after_its_longest_time(instance: dg.DagsterInstance) -> None:
    run = started_run(instance, {PROCESS_TAG: "another-host/1/1.00"})
    record = instance.get_run_record_by_id(run.run_id)
    assert record is not None

    check_run_timeout(instance, record._replace(start_time=time.time() - 3700), logging.getLogger(), 3600)

    ended = instance.get_run_by_id(run.run_id)
    assert ended is not None
    assert ended.status is dg.DagsterRunStatus.FAILURE


def test_a_command_that_executes_a_run_itself_is_asked_after_too(instance: dg.DagsterInstance) -> None:
    ours = started_run(instance, {PROCESS_TAG: this_process()})
    dead = started_run(instance, {PROCESS_TAG: this_process().rpartition("/")[0] + "/1.00"})

    assert health(instance, ours) is WorkerStatus.RUNNING
    assert health(instance, dead) is WorkerStatus.FAILED


def test_a_number_that_was_given_to_another_process_is_not_the_one_that_died(
    process: "subprocess.Popen[bytes]",
) -> None:
    assert has_ended(process.pid, seen_at=time.time() - 3600)
    assert not has_ended(process.pid, seen_at=time.time())


@pytest.mark.parametrize("name", ["", "another-host/1/1.00"])
def test_what_is_not_of_this_machine_is_not_declared_dead(name: str) -> None:
    assert not is_gone(name)


@dg.job
def _nothing() -> None:
    """A run of something is all that is needed."""

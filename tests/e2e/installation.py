"""A whole installation under test: `brain up` with its daemon and web server, driven from outside and hurt on purpose."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from rag_core.storage.embedded import EmbeddedHome, stop

BRAIN = "from rag_core.cli import main; main()"
SERVER_PORTS = (12_000, 30_000)
COMMAND = Path(sys.executable).with_name("brain")
UP_SECONDS = 180
STOP_SECONDS = 60
ANSWER_SECONDS = 60

LAUNCH = """mutation($backfill: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $backfill) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
BACKFILL = """query($id: String!) { partitionBackfillOrError(backfillId: $id) { __typename
  ... on PartitionBackfill { status numPartitions runs(limit: 100) { id status tags { key value } } }
  ... on PythonError { message } } }"""
EVENTS = """query($id: ID!) { logsForRun(runId: $id, limit: 1000) { ... on EventConnection { events {
  ... on MessageEvent { message } } } } }"""
PARTITIONS = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) {
  ... on AssetNode { partitionKeys partitionStats { numMaterialized numFailed } } } }"""
LAUNCH_JOB = """mutation($params: ExecutionParams!) { launchRun(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { id } } ... on PythonError { message }
  ... on RunConfigValidationInvalid { errors { message } } } }"""
RUN = """query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"""
CHECKS = """query($id: ID!) { logsForRun(runId: $id, limit: 5000) { ... on EventConnection { events {
  ... on AssetCheckEvaluationEvent { evaluation { checkName success severity description } } } } } }"""
UNFINISHED = {"QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A running `brain up`: its home, its addresses, and the means to use it and to hurt it."""

    home: Path
    environment: Mapping[str, str]
    page: str
    dagster: str
    process: "subprocess.Popen[str]"

    def brain(self, *arguments: str) -> dict[str, Any]:
        """Run a command with ``--json`` and return what it prints; a failure is an error of the test."""
        done = subprocess.run(
            [sys.executable, "-c", BRAIN, *arguments, "--json"],
            env=dict(self.environment),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"brain {' '.join(arguments)}: {done.stdout}\n{done.stderr}"
        return dict(json.loads(done.stdout))

    def search(self, query: str, **more: Any) -> tuple[int, dict[str, Any]]:
        """Status and body of a search over HTTP."""
        return _ask(f"{self.page}/api/retrieve", {"query": query, **more})

    def graphql(self, text: str, **variables: Any) -> dict[str, Any]:
        """The data of a GraphQL request; the web server may be busy restarting its connections for a moment."""
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            status, body = _ask(f"{self.dagster}/graphql", {"query": text, "variables": variables})
            if status == 200 and not body.get("errors"):
                return dict(body["data"])
            assert time.monotonic() < end, body
            time.sleep(0.5)

    def partition_keys(self, asset: str = "chunks") -> list[str]:
        """The partitions Dagster knows of an asset."""
        return list(self.graphql(PARTITIONS, key={"path": [asset]})["assetNodeOrError"]["partitionKeys"])

    def launch_backfill(self, assets: Sequence[str], partitions: Sequence[str]) -> str:
        """Launch a backfill as the UI does; its id."""
        wanted = {"assetSelection": [{"path": [asset]} for asset in assets], "partitionNames": list(partitions)}
        launched = self.graphql(LAUNCH, backfill=wanted)["launchPartitionBackfill"]
        assert launched["__typename"] == "LaunchBackfillSuccess", launched
        return str(launched["backfillId"])

    def backfill(self, backfill_id: str) -> dict[str, Any]:
        """State of a backfill: its status and its runs."""
        return dict(self.graphql(BACKFILL, id=backfill_id)["partitionBackfillOrError"])

    def started_runs(self, backfill_id: str) -> list[str]:
        """The backfill's runs that execute now."""
        return [run["id"] for run in self.backfill(backfill_id).get("runs", []) if run["status"] == "STARTED"]

    def wait_for_backfill(self, backfill_id: str, *, seconds: float = 300) -> dict[str, Any]:
        """The backfill once it and all of its runs have ended."""

        def ended() -> bool:
            found = self.backfill(backfill_id)
            return found["status"] not in {"REQUESTED", "CANCELING", "FAILING"} and not any(
                run["status"] in UNFINISHED for run in found["runs"]
            )

        wait_until(ended, what=lambda: f"the backfill goes on: {self.backfill(backfill_id)}", seconds=seconds)
        return self.backfill(backfill_id)

    def run_job(
        self,
        name: str,
        *,
        assets: Sequence[str] | None = None,
        config: Mapping[str, Any] | None = None,
        tags: Mapping[str, str] | None = None,
        seconds: float = 300,
    ) -> str:
        """Launch a job, or some assets of it, and wait for its end; the run's id. Tags may name a range of partitions."""
        selector: dict[str, Any] = {
            "repositoryLocationName": "brain_sync",
            "repositoryName": "__repository__",
            "jobName": name,
        }
        if assets is not None:
            selector["assetSelection"] = [{"path": [asset]} for asset in assets]
        wanted = {
            "selector": selector,
            "runConfigData": config or {},
            "mode": "default",
            "executionMetadata": {"tags": [{"key": key, "value": value} for key, value in (tags or {}).items()]},
        }
        launched = self.graphql(LAUNCH_JOB, params=wanted)["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        run_id = str(launched["run"]["id"])
        wait_until(
            lambda: self.run_status(run_id) not in UNFINISHED, what=lambda: f"job {name} goes on", seconds=seconds
        )
        return run_id

    def run_status(self, run_id: str) -> str:
        """SUCCESS, FAILURE, CANCELED, or what it does now."""
        return str(self.graphql(RUN, id=run_id)["runOrError"]["status"])

    def failed_checks(self, run_id: str) -> list[dict[str, Any]]:
        """The run's asset checks that did not pass; there must be some that did."""
        events = self.graphql(CHECKS, id=run_id)["logsForRun"]["events"]
        checks = [event["evaluation"] for event in events if "evaluation" in event]
        assert checks, f"run {run_id} made no checks"
        return [check for check in checks if not check["success"]]

    def kill_run_worker(self, run_id: str) -> None:
        """SIGKILL the process that executes the run, as the kernel does when memory is short."""
        events = self.graphql(EVENTS, id=run_id)["logsForRun"]["events"]
        pids = [found[1] for event in events if (found := re.search(r"\(pid: (\d+)\)", event.get("message") or ""))]
        assert pids, f"run {run_id} has not told its process: {events}"
        process = psutil.Process(int(pids[-1]))
        assert any(parent.pid == self.process.pid for parent in process.parents()) or "dagster" in " ".join(
            process.cmdline()
        ), f"{process} is not ours"
        process.kill()

    def kill_database(self) -> int:
        """SIGKILL every process of the home's PostgreSQL; how many there were."""
        data, killed = EmbeddedHome(root=self.home).data, 0
        for process in psutil.process_iter():
            try:
                if process.name().startswith("postgres") and Path(process.cwd()) == data:
                    process.kill()
                    killed += 1
            except psutil.Error:
                continue
        return killed


@contextmanager
def home_in(folders: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home that the database server's own user may enter; its server is stopped when the block ends."""
    folder = folders.mktemp("installation") / "brain"
    folder.mkdir()
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    yield folder
    stop(folder)


def server_port() -> int:
    """A free port below those the kernel gives to clients, so that no connection takes it while a part is down."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(*SERVER_PORTS)))
            return int(probe.getsockname()[1])


def environment_of(home: Path, **variables: str) -> dict[str, str]:
    """The environment of a command in the home, on free ports."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BRAIN_", "DAGSTER_"))}
    environment |= {
        "BRAIN_HOME": str(home),
        "BRAIN_LANGUAGE": "en",
        "BRAIN_EMBEDDING_PROVIDER": "hashing",
        "BRAIN_API_PORT": str(server_port()),
        "BRAIN_DAGSTER_PORT": str(server_port()),
        "BRAIN_SHARED_BUFFERS_MB": "128",
        **variables,
    }
    environment.pop("DATABASE_URL", None)
    return environment


@contextmanager
def installed(
    home: Path, *, is_demo_loaded: bool = False, folder: Path | None = None, **variables: str
) -> Iterator[Installation]:
    """`brain up` in the home, called in the folder, on free ports, until the block ends."""
    environment = environment_of(home, **variables)
    log = home.parent / "up.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [COMMAND, "up", "--demo" if is_demo_loaded else "--no-demo"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:
            page, dagster = _addresses(process, log)
            environment |= {"BRAIN_API_PORT": page.rpartition(":")[2], "BRAIN_DAGSTER_PORT": dagster.rpartition(":")[2]}
            if is_demo_loaded:
                wait_until(
                    lambda: "The demo notes are indexed." in log.read_text(), what=log.read_text, seconds=UP_SECONDS
                )
            yield Installation(home=home, environment=environment, page=page, dagster=dagster, process=process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(timeout=STOP_SECONDS)


def wait_until(condition: Callable[[], bool], *, what: Callable[[], str], seconds: float, every: float = 0.25) -> None:
    """Wait for something to come true; ``what`` says what has not when it does not."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(every)


def _addresses(process: "subprocess.Popen[str]", log: Path) -> tuple[str, str]:
    assert process.stdout is not None
    end, printed = time.monotonic() + UP_SECONDS, ""
    while "database" not in printed:
        line = process.stdout.readline()
        assert line, log.read_text()
        assert time.monotonic() < end, log.read_text()
        printed += line
    page, dagster = re.findall(r"(http://127\.0\.0\.1:\d+)/", printed)
    return page, dagster


def _ask(url: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ANSWER_SECONDS) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read() or b"{}")
    except OSError as error:
        return 0, {"error": str(error)}

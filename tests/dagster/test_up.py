"""`brain up` as a person starts it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from rag_core.access.exposure import OPEN_WARNING

UP_SECONDS = 180
STOP_SECONDS = 30
UP = "from rag_core.cli import main; main()"
ASSETS = "{assetNodes {assetKey {path} partitionStats {numMaterialized}}}"
INSTIGATORS = """{
  workspaceOrError {... on Workspace {locationEntries {locationOrLoadError {... on RepositoryLocation {repositories {
    schedules {name scheduleState {status}} sensors {name sensorState {status}}
  }}}}}}
}"""


@dataclass(frozen=True)
class Running:
    """A running `brain up` and where its parts answer."""

    process: "subprocess.Popen[str]"
    home: Path
    page: str
    dagster: str
    log: Path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a space in its name, which the server's user may enter when we are root."""
    folder = tmp_path_factory.mktemp("my home")
    folder.chmod(0o755)
    return folder / "brain"


@pytest.fixture(scope="module")
def running(home: Path) -> Iterator[Running]:
    """Start it on free ports in an empty home; killed after the tests if they did not stop it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BRAIN_", "DAGSTER_"))}
    environment |= {
        "BRAIN_HOME": str(home),
        "BRAIN_LANGUAGE": "en",
        "BRAIN_EMBEDDING_PROVIDER": "hashing",
        "BRAIN_API_PORT": "0",
        "BRAIN_DAGSTER_PORT": "0",
        "BRAIN_SHARED_BUFFERS_MB": "64",
    }
    environment.pop("DATABASE_URL", None)
    log = home.parent / "up.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", UP, "up"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:
            page, dagster = _addresses(process, log)
            yield Running(process=process, home=home, page=page, dagster=dagster, log=log)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=STOP_SECONDS)


def _addresses(process: "subprocess.Popen[str]", log: Path) -> tuple[str, str]:
    assert process.stdout is not None
    deadline, printed = time.monotonic() + UP_SECONDS, ""
    while "database" not in printed:
        line = process.stdout.readline()
        assert line, log.read_text()
        assert time.monotonic() < deadline
        printed += line
    page, dagster = re.findall(r"(http://127\.0\.0\.1:\d+)/", printed)
    return page, dagster


@pytest.mark.slow
class TestUp:
    """One start, asked several things; stopping comes last."""

    def test_the_demo_is_found_by_its_words_as_soon_as_the_addresses_are_said(self, running: Running) -> None:
        found = _get(f"{running.page}/api/retrieve", {"query": "Año Nuevo en casa de mamá"})

        assert found["results"]

    def test_dagster_serves_the_assets_with_the_demo_materialised(self, running: Running) -> None:
        deadline = time.monotonic() + UP_SECONDS
        while "The demo notes are indexed." not in running.log.read_text():
            assert time.monotonic() < deadline, running.log.read_text()
            time.sleep(0.2)

        nodes = _ask(running, ASSETS)["assetNodes"]

        done = {node["assetKey"]["path"][0]: (node["partitionStats"] or {}).get("numMaterialized") for node in nodes}
        assert {name: count for name, count in done.items() if count} == {
            "notes": 2,
            "chunks": 2,
            "embeddings": 2,
            "fulltext_index": 2,
            "knowledge_graph": 2,
        }

    def test_schedules_and_sensors_are_running(self, running: Running) -> None:
        workspace = _ask(running, INSTIGATORS)["workspaceOrError"]

        (repository,) = workspace["locationEntries"][0]["locationOrLoadError"]["repositories"]
        schedules = {one["name"]: one["scheduleState"]["status"] for one in repository["schedules"]}
        sensors = {one["name"]: one["sensorState"]["status"] for one in repository["sensors"]}
        assert schedules == {
            "hourly_index": "RUNNING",
            "nightly_index_and_evaluation": "RUNNING",
            "nightly_forgetting": "RUNNING",
            "nightly_verification": "RUNNING",
            "weekly_tuning": "STOPPED",
        }
        assert sensors == dict.fromkeys(
            ("register_note_batches", "index_new_and_changed_notes", "import_changed_folders", "watch_and_alert"),
            "RUNNING",
        )

    def test_the_api_is_ready(self, running: Running) -> None:
        assert _get(f"{running.page}/readyz")

    def test_the_terminal_is_told_that_access_is_open(self, running: Running) -> None:
        assert OPEN_WARNING in running.log.read_text()

    def test_an_interrupt_ends_it_with_0_and_leaves_no_process(self, running: Running) -> None:
        group = [running.process.pid, *(p.pid for p in psutil.Process(running.process.pid).children(recursive=True))]
        group += [process.pid for process in _processes_of(running.home)]

        running.process.send_signal(signal.SIGINT)

        assert running.process.wait(timeout=STOP_SECONDS) == 0
        assert [pid for pid in group if psutil.pid_exists(pid) and _is_alive(pid)] == []
        assert _processes_of(running.home) == []


def _processes_of(home: Path) -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline"]) if str(home) in " ".join(p.info["cmdline"] or [])]


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _ask(running: Running, query: str) -> dict[str, Any]:
    answer = _get(f"{running.dagster}/graphql", {"query": query})
    assert "errors" not in answer
    data: dict[str, Any] = answer["data"]
    return data


def _get(url: str, body: object = None) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    return found

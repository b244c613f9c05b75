"""Parts of `brain up` killed on purpose, its supervisor and guardian too, and a folder that holds modules named like ours."""

import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from rag_core.home.log_files import MAX_LOG_BYTES

from .installation import COMMAND, EVENTS, Installation, environment_of, home_in, installed, wait_until

pytestmark = pytest.mark.e2e
HOSTILE = ("dagster", "gql", "json", "psutil", "rag_assets", "rag_core", "typer")
PLANTED = "import os, pathlib\npathlib.Path({mark!r}).touch()\nraise RuntimeError('imported from the current folder')\n"


def parts(up: Installation) -> dict[str, psutil.Process]:
    """The running children of `brain up` by what they are."""
    names = {
        "guardian": "rag_core.operation.guardian",
        "dagster-code": "rag_assets.definitions",
        "api": "main() serve",
        "daemon": "dagster._daemon",
    }
    found = {}
    for process in psutil.Process(up.process.pid).children():
        command = " ".join(process.cmdline())
        name = next((name for name, sign in names.items() if sign in command), "dagster-web")
        if process.status() != psutil.STATUS_ZOMBIE:
            found[name] = process
    return found


def answers(address: str) -> bool:
    """Test whether the API is ready."""
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def runs(process: psutil.Process) -> bool:
    """Test whether a process is there, and no zombie that nobody waited for."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def brain(up: Installation, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in another shell, which was given the home alone."""
    environment = {name: value for name, value in up.environment.items() if not name.endswith("_PORT")} | variables
    return subprocess.run(
        [COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def orphans(up: Installation) -> dict[str, psutil.Process]:
    """Kill supervisor and guardian; the parts, which nobody ends."""
    left = parts(up)
    left.pop("guardian").kill()
    up.process.kill()
    up.process.wait()
    assert all(runs(part) for part in left.values()), left
    return left


def ports(up: Installation) -> Mapping[str, str]:
    """The ports of a running `brain up`, as variables."""
    return {name: up.environment[name] for name in ("BRAIN_API_PORT", "BRAIN_DAGSTER_PORT")}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with modules that leave a mark when they are imported."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(PLANTED.format(mark=str(folder / f"{name}.imported")))
    yield folder
    assert marks(folder) == []


def marks(folder: Path) -> list[str]:
    """Modules of the folder that were imported."""
    return sorted(path.name for path in folder.glob("*.imported"))


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory, hostile: Path) -> Iterator[Installation]:
    """An installation with the demo, called in that folder; several tests use it, and the last one ends it."""
    with home_in(tmp_path_factory) as home, installed(home, is_demo_loaded=True, folder=hostile) as running:
        yield running


def test_nothing_is_imported_from_the_folder_that_up_is_called_in(up: Installation, hostile: Path) -> None:
    assert answers(up.page)
    run = up.run_job("update_index", tags=_whole_range(up))
    assert up.run_status(run) == "SUCCESS", up.graphql(EVENTS, id=run)
    assert marks(hostile) == []


def test_another_shell_is_told_the_live_addresses_and_that_every_part_runs(up: Installation) -> None:
    found = _json(brain(up, "status", "--json"))

    assert (found["page"], found["dagster"]) == (up.page, up.dagster)
    assert found["performance"] is not None
    assert set(found["parts"].values()) == {"runs"}
    assert f"runs; the page is {up.page}/" in brain(up, "doctor", "--verbose").stdout.replace("\n", " ")


def test_full_logs_are_emptied_while_everything_runs(up: Installation) -> None:
    full = (up.home / "logs" / "api.log", up.home / "postgres" / "log")
    for log in full:
        with log.open("a") as file:
            file.write("x" * (MAX_LOG_BYTES + 1))

    wait_until(
        lambda: all(log.stat().st_size < MAX_LOG_BYTES for log in full), what=lambda: "a log stays full", seconds=10
    )

    copies = [up.home / "logs" / name for name in ("api.log.1", "postgres.log.1")]
    assert [copy.stat().st_size for copy in copies] == [MAX_LOG_BYTES, MAX_LOG_BYTES]


def test_a_web_ui_killed_five_times_never_takes_the_api_down(up: Installation) -> None:
    api = parts(up)["api"]
    for _ in range(5):
        wait_until(lambda: "dagster-web" in parts(up), what=lambda: "the web UI stays away", seconds=60)
        parts(up)["dagster-web"].kill()
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert answers(up.page)
            time.sleep(0.1)

    wait_until(lambda: "dagster-web" in parts(up), what=lambda: "the web UI stays away", seconds=60)
    assert up.process.poll() is None
    assert parts(up)["api"] == api


def test_down_ends_a_running_up_with_all_of_its_parts_of_which_another_shell_is_told(up: Installation) -> None:
    running = parts(up)

    done = brain(up, "down")

    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
    assert up.process.wait(timeout=10) == 0
    assert [name for name, part in running.items() if runs(part)] == []
    found = _json(brain(up, "status", "--json"))
    assert (found["page"], found["parts"], found["performance"]) == (up.page, None, None)
    assert _json(brain(up, "status", "--json", BRAIN_API_PORT="8123"))["page"] == "http://127.0.0.1:8123"


def test_up_and_down_end_what_a_killed_supervisor_and_guardian_left(home: Path) -> None:
    with installed(home) as up:
        left = orphans(up)
        assert answers(up.page)

        with installed(home, **ports(up)) as again:
            assert again.page == up.page
            assert answers(again.page)
            assert [name for name, part in left.items() if runs(part)] == []

            left = orphans(again)
            done = brain(again, "down")

            assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
            assert [name for name, part in left.items() if runs(part)] == []
            assert brain(again, "down").stdout == "was not running\n"


@pytest.mark.parametrize("sign", ["run/up.lock", "postgres/postmaster.pid", "logs/api.log"])
def test_down_ends_an_up_that_is_still_starting(home: Path, sign: str) -> None:
    environment = environment_of(home)
    starting = subprocess.Popen([COMMAND, "up", "--no-demo"], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        wait_until((home / sign).exists, what=lambda: f"no {sign}", seconds=60, every=0.01)

        done = subprocess.run(
            [COMMAND, "down"], env=environment, capture_output=True, text=True, timeout=120, check=False
        )

        assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
        assert starting.wait(timeout=10) == 0
        assert not (home / "run" / "up.json").exists()
    finally:
        starting.terminate()
        _, said = starting.communicate(timeout=60)
    assert said.endswith("Stopped.\n")
    assert "Traceback" not in said


def _whole_range(up: Installation) -> dict[str, str]:
    keys = up.partition_keys()
    return {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}


def _json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))

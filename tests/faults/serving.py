"""A real ``brain serve`` on a home of its own, and clients that ask it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rag_core.storage.embedded import stop

SERVE = "from rag_core.cli import main; main()"
CLIENT_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Reply to a client, with its time."""

    status: int
    body: dict[str, Any]
    seconds: float
    ended_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """A running API."""

    port: int
    log: Path

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Ask, and time the answer; no answer within 30 s, or a broken connection, is an error of the test."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=CLIENT_SECONDS) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            status, content = refused.code, refused.read()
        ended = time.monotonic()
        return Reply(status=status, body=json.loads(content), seconds=ended - began, ended_at=ended)

    def get(self, path: str) -> dict[str, Any]:
        """The body of a page that must be there."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=CLIENT_SECONDS) as answer:
            return dict(json.loads(answer.read()))

    def search(self, query: str, **more: Any) -> Reply:
        """Ask for what answers a query."""
        return self.post("/api/retrieve", {"query": query, **more})


def open_to_all(folder: Path) -> None:
    """Let the server's own user in, which it has when we are root."""
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home; its server is stopped afterwards."""
    folder = tmp_path_factory.mktemp("home")
    open_to_all(folder)
    yield folder
    stop(folder)


@contextmanager
def serving(home: Path, **variables: str) -> Iterator[Api]:
    """Serve the home until the block ends; it is ready when the block begins."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    log = home / "serve.log"
    environment = {**os.environ, "BRAIN_HOME": str(home), "BRAIN_API_PORT": str(port), **variables}
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", SERVE, "serve"], env=environment, stderr=output)
        try:
            api = Api(port=port, log=log)
            _wait_ready(api, process)
            yield api
        finally:
            process.terminate()
            try:
                process.wait(30)
            finally:
                process.kill()


def _wait_ready(api: Api, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, api.log.read_text()
        try:
            api.get("/readyz")
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the API is not ready")


def wait_until(condition: Callable[[], bool], *, what: str, seconds: float = 30) -> None:
    """Wait for something to come true; ``what`` is said when it does not."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)

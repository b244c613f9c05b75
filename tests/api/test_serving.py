"""``serve`` as a process: where it listens, how it stops, what it leaves behind."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from rag_core.access.pseudonyms import pseudonyms
from rag_core.api.app import bound_socket, bound_sockets
from rag_core.errors import ConfigurationError
from rag_core.operation.running_api import fetch_performance
from rag_core.storage.database import Database

SERVE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background lets its children ignore Ctrl-C
from rag_core.api.app import serve
from rag_core.settings import read_settings
serve(read_settings())
"""


STALLING = {
    "nothing": b"",
    "half a head": b"GET /healthz HT",
    "half a body": (
        b"POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n1"
    ),
}
"""Parts of a request that were sent when the client stalls."""


class Closed(NamedTuple):
    """Words that a connection was told when it was closed, and after how long."""

    said: bytes
    seconds: float


@contextmanager
def served(database_url: str, port: int, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "DATABASE_URL": database_url, "BRAIN_API_PORT": str(port), **variables}
    process = subprocess.Popen([sys.executable, "-c", SERVE], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_ready(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30):
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server is not ready")


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 1)])
def test_a_signal_stops_it_cleanly(database_url: str, sent: signal.Signals, status: int) -> None:
    port = free_port()
    with served(database_url, port) as process:
        wait_ready(port)

        process.send_signal(sent)

        assert process.wait(20) in {status, -signal.SIGINT}
        said = process.stderr.read() if process.stderr else ""
    assert f"http://127.0.0.1:{port}/" in said
    assert "ERROR" not in said
    assert "access is open: whoever can reach this address reads and changes all notes" in said


def test_it_writes_its_figures_from_the_start_and_that_it_ended_as_it_should(
    database: Database, database_url: str
) -> None:
    port = free_port()
    with served(database_url, port) as process:
        wait_ready(port)

        process.send_signal(signal.SIGTERM)

        process.wait(20)
    with database.owner() as owner:
        rows = owner.execute("select process, is_last from brain.service_minutes order by minute").fetchall()
    assert rows[-1][1]
    assert {int(name.split("/")[1]) for name, _ in rows} == {process.pid}


def test_a_port_in_use_is_said_with_the_remedy() -> None:
    with bound_socket(0) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(ConfigurationError, match=f"127.0.0.1:{port}.*BRAIN_API_PORT"), bound_socket(port):
            pass


def test_it_listens_on_loopback_alone() -> None:
    with bound_sockets("127.0.0.1", 0) as listeners:
        assert [listener.getsockname()[0] for listener in listeners] == ["127.0.0.1"]


def test_another_address_is_listened_on_beside_loopback_at_the_same_port() -> None:
    with bound_sockets("127.0.0.2", 0) as listeners:
        (loopback, port), (other, same_port) = (listener.getsockname() for listener in listeners)

        assert (loopback, other) == ("127.0.0.1", "127.0.0.2")
        assert port == same_port


def test_an_address_of_another_machine_is_said_with_the_remedy() -> None:
    with pytest.raises(ConfigurationError, match=r"192\.0\.2\.1.*BRAIN_API_HOST"), bound_sockets("192.0.2.1", 0):
        pass


def test_open_access_from_elsewhere_is_no_start(database_url: str) -> None:
    with served(database_url, 0, BRAIN_API_HOST="0.0.0.0") as process:
        process.wait(60)
        said = process.stderr.read() if process.stderr else ""

    assert "BRAIN_API_HOST=0.0.0.0 can be reached from other machines" in said
    assert "http://" not in said


def test_with_keys_nothing_is_warned_of_and_brain_status_is_still_told_figures(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAIN_SECRET")  # both have the secret that the home's first process makes
    port = free_port()
    with served(database_url, port, BRAIN_ACCESS="keys", BRAIN_HOME=str(tmp_path)) as process:
        wait_ready(port)

        key = pseudonyms(tmp_path).process_key
        figures = fetch_performance(port=port, home=tmp_path, key=key)
        stranger = fetch_performance(port=port, home=tmp_path)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        said = process.stderr.read() if process.stderr else ""

    assert figures is not None
    assert stranger is None
    assert "access is open" not in said
    assert key not in said


@pytest.mark.slow
def test_a_connection_that_stalls_is_closed_after_twenty_seconds(database_url: str) -> None:
    port = free_port()
    with served(database_url, port), ThreadPoolExecutor(len(STALLING)) as threads:
        wait_ready(port)
        waited = threads.map(partial(until_closed, port), STALLING.values())
        found = dict(zip(STALLING, waited, strict=True))

    assert found["nothing"].said == b""
    assert found["half a head"].said.startswith(b"HTTP/1.1 408 ")
    assert found["half a body"].said.startswith(b"HTTP/1.1 408 ")
    assert {name: one.seconds for name, one in found.items() if not 19 < one.seconds < 26} == {}


def until_closed(port: int, sent: bytes) -> Closed:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(sent)
        began = time.monotonic()
        said = client.recv(1000)
        return Closed(said, time.monotonic() - began)


def test_a_large_body_is_answered_and_not_cut_off(database_url: str) -> None:
    port = free_port()
    with served(database_url, port):
        wait_ready(port)
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/notes", b" " * 30_000_000, {"Content-Type": "application/json"}
        )

        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        said = refused.value.read().decode()

    assert refused.value.code == 413
    assert "Petición demasiado grande" in said

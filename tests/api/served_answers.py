"""A real server over a language model's stand-in, and clients that read as it writes, or go away."""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from rag_core.api.app import bound_socket, build_server
from rag_core.indexing.one_note import store_and_index
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings

START_SECONDS = 10
READ_SECONDS = 20


@contextmanager
def running(app: FastAPI, *, host: str = "127.0.0.1") -> Iterator[int]:
    """Serve the application on a free port of loopback."""
    with bound_socket(0, host=host) as listener:
        server = build_server(app)
        server.config.timeout_graceful_shutdown = 1
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            wait_until(lambda: server.started, seconds=START_SECONDS)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(START_SECONDS)


def wait_until(is_so: Any, *, seconds: float) -> float:
    """Seconds until it is so; fails when it never is."""
    began = time.monotonic()
    while not is_so():
        waited = time.monotonic() - began
        assert waited < seconds, f"not so after {waited:.1f} s"
        time.sleep(0.01)
    return time.monotonic() - began


@contextmanager
def asking(port: int, path: str, body: Mapping[str, Any]) -> Iterator[http.client.HTTPResponse]:
    """Ask, and read the answer as it comes; the connection is closed when the block ends, whatever has come."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=READ_SECONDS)
    try:
        client.request("POST", path, json.dumps(body), {"Content-Type": "application/json", "Accept": "*/*"})
        yield client.getresponse()
    finally:
        client.close()


@contextmanager
def asked(port: int, path: str, body: Mapping[str, Any]) -> Iterator[None]:
    """Ask, and do not wait for an answer; the connection is closed when the block ends."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=READ_SECONDS)
    try:
        client.request("POST", path, json.dumps(body), {"Content-Type": "application/json", "Accept": "*/*"})
        yield
    finally:
        client.close()


def events_of(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    """The events as they come."""
    for line in answer:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


@contextmanager
def boiler_engine(settings: Settings) -> Iterator[Engine]:
    """An engine that four may use at a time, with one note, on a boiler."""
    note = parse_note(
        external_id="caldera",
        source="diario",
        title="Caldera",
        text="El martes se rompió la caldera de gas. El técnico Julio Marín cobró 180 euros por la bomba nueva.",
        created_at=None,
        language="es",
        metadata=None,
        zone=settings.zone,
        max_characters=10_000,
    )
    with open_engine(settings, pool_size=4) as engine:
        store_and_index(
            engine.database, engine.writing_tenant(), note, engine.pipeline, expected="new", lock_timeout_ms=5000
        )
        yield engine

"""A real HTTP server on loopback with a ``/rerank`` endpoint in either shape, which misbehaves when told to.

``running_rerank_server`` is the context manager, ``rerank_server`` the fixture; a test module imports either. A passage's
score is the share of the query's words that it has, so that a test can see which passage got which score.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

import pytest
from listening import listening

Fault = Literal[
    "stall",  # wait `seconds`, then go on as usual
    "drip",  # a byte of the body every 50 ms, for ever
    "drip_headers",  # a header every 50 ms, for ever
    "garbage",  # status 200 and a body that is not JSON
    "status",  # `status` with a message
    "drop",  # close the connection without an answer
    "truncate",  # promise the whole body, send half, close
    "huge",  # a body of two million bytes
]


@dataclass(slots=True, kw_only=True)
class RerankServer:
    """The handle a test holds; all of it may be changed while the server runs.

    ``answer`` replaces the whole body (bytes as they are), ``logits`` gives scores far outside [0, 1].
    """

    url: str = ""
    fault: Fault | None = None
    seconds: float = 1.0
    status: int = 500
    logits: bool = False
    answer: Any = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    given_up: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once a connection that the client closed while it was answered."""
    connections: set[tuple[str, int]] = field(default_factory=set)


@contextmanager
def running_rerank_server() -> Iterator[RerankServer]:
    """A server on a free port, gone when the block ends."""
    handle = RerankServer()
    with listening(_handler(handle), handle.stopping) as port:
        handle.url = f"http://127.0.0.1:{port}"
        yield handle


@pytest.fixture
def rerank_server() -> Iterator[RerankServer]:
    """A server that behaves until it is told otherwise."""
    with running_rerank_server() as handle:
        yield handle


def _handler(handle: RerankServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            handle.requests.append(body)
            handle.headers.append(dict(self.headers))
            handle.paths.append(self.path)
            handle.connections.add(self.client_address)
            try:
                self._answer(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
                handle.given_up.release()

        def _answer(self, body: dict[str, Any]) -> None:
            scores = _scores(handle, body)
            content = scores if isinstance(scores, bytes) else json.dumps(scores).encode()
            match handle.fault:
                case "stall":
                    handle.stopping.wait(handle.seconds)
                    self._send(200, content)
                case "drip":
                    self._drip()
                case "drip_headers":
                    self._drip_headers()
                case "garbage":
                    self._send(200, b"<html>not JSON</html>")
                case "status":
                    self._send(handle.status, b'{"message": "model not loaded"}')
                case "drop":
                    self.close_connection = True
                case "truncate":
                    self._send(200, content[: len(content) // 2], length=len(content))
                    self.close_connection = True
                case "huge":
                    self._send(200, b" " * 2_000_000)
                case None:
                    self._send(200, content)

        def _send(self, status: int, content: bytes, *, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content) if length is None else length))
            self.end_headers()
            self.wfile.write(content)

        def _drip(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            while not handle.stopping.is_set():
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)

        def _drip_headers(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not handle.stopping.is_set():
                self.wfile.write(b"X-More: to come\r\n")
                self.wfile.flush()
                time.sleep(0.05)

    return Handler


def _scores(handle: RerankServer, body: dict[str, Any]) -> Any:
    """The answer in the shape of the request, best first, as the real servers give it."""
    if handle.answer is not None:
        return handle.answer
    passages = body.get("texts") or body["documents"]
    scores = {at: _share(body["query"], text) for at, text in enumerate(passages)}
    if handle.logits:
        scores = {at: 12 * score - 6 for at, score in scores.items()}
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    if "texts" in body:
        return [{"index": at, "score": score} for at, score in ranked]
    return {"id": "r1", "results": [{"index": at, "relevance_score": score} for at, score in ranked], "meta": {}}


def _share(query: str, text: str) -> float:
    words = query.lower().split()
    return sum(word in text.lower() for word in words) / len(words)

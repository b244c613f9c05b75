"""A real HTTP server on loopback that takes what services such as Slack, PagerDuty or a webhook are sent.

``running_webhook_server`` is the context manager, ``webhook_server`` the fixture; a test module imports either.
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
    "status",  # `status` instead of 200
    "drop",  # close the connection without an answer
    "drip",  # a header every 50 ms until the server stops
]


@dataclass(slots=True, kw_only=True)
class WebhookServer:
    """The handle a test holds; all of it may be changed while the server runs."""

    port: int = 0
    fault: Fault | None = None
    status: int = 500
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    asked: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "hook") -> str:
        """The address in apprise's form."""
        return f"json://127.0.0.1:{self.port}/{path}"

    @property
    def titles(self) -> list[str]:
        """The titles of what was taken."""
        return [body["title"] for body in self.bodies]


@contextmanager
def running_webhook_server() -> Iterator[WebhookServer]:
    """A server on a free port, gone when the block ends."""
    handle = WebhookServer()
    with listening(_handler(handle), handle.stopping) as port:
        handle.port = port
        yield handle


@pytest.fixture
def webhook_server() -> Iterator[WebhookServer]:
    """A server that behaves until it is told otherwise."""
    with running_webhook_server() as handle:
        yield handle


def _handler(handle: WebhookServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_parts: object) -> None:
            pass

        def do_POST(self) -> None:
            handle.asked += 1
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            match handle.fault:
                case "drop":
                    self.close_connection = True
                case "drip":
                    self._drip()
                case "status":
                    self._answer(handle.status)
                case None:
                    handle.paths.append(self.path)
                    handle.bodies.append(body)
                    self._answer(200)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def _drip(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not handle.stopping.is_set():
                try:
                    self.wfile.write(b"X-More: to come\r\n")
                except OSError:
                    return
                time.sleep(0.05)

    return Handler

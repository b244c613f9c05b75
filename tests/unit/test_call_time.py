"""The time of a call over HTTP, against a server that drips its answer; the rest is in the tests of the providers."""

import socket
import threading
from collections.abc import Generator, Iterator

import httpx
import pytest

from rag_core.chat import Message
from rag_core.chat.guarded import GuardedChat
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.errors import ChatError
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.call_time import Connection, call_time, limit_request, timed_parts
from rag_core.resilience.circuit_breaker import CircuitBreaker


class DrippingServer:
    """Answers whatever is asked with ``beginning`` and then ``drop`` every 50 ms for 20 s, or until the client leaves."""

    def __init__(self) -> None:
        self.beginning, self.drop = b"HTTP/1.1 200 OK\r\n", b"X-More: to come\r\n"
        self.left_alone = threading.Semaphore(0)
        self.stopping = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.stopping.set()
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                connection.sendall(self.beginning)
                for _ in range(400):
                    self.stopping.wait(0.05)
                    connection.sendall(self.drop)
            except OSError:
                self.left_alone.release()


@pytest.fixture
def server() -> Iterator[DrippingServer]:
    dripping = DrippingServer()
    yield dripping
    dripping.close()


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    limits = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(event_hooks={"request": [limit_request]}, limits=limits) as opened:
        yield opened


@pytest.mark.parametrize(
    ("beginning", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-More: to come\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["headers", "body", "body without a length", "interim answers"],
)
def test_a_server_that_drips_has_no_more_than_the_time(server, client, beginning, drop) -> None:
    server.beginning, server.drop = beginning, drop

    with pytest.raises(httpx.TimeoutException), call_time(0.3):
        client.get(server.url).json()

    assert server.left_alone.acquire(timeout=10)


def test_a_chat_model_that_drips_gives_its_place_back(server) -> None:
    places = Bounded(1)
    chat = GuardedChat(OllamaChat("llama3.2", host=server.url), breaker=CircuitBreaker("chat"), places=places)

    with pytest.raises(ChatError, match="did not answer within"):
        chat.complete([Message(role="user", content="¿Llovió ayer?")], timeout_seconds=0.3)

    with places.place(timeout_seconds=0):
        pass
    assert server.left_alone.acquire(timeout=10)


def test_an_error_in_time_stays_what_it_was(client) -> None:
    with pytest.raises(httpx.ConnectError), call_time(30):
        client.get("http://127.0.0.1:9")


def test_an_answer_in_parts_is_closed_with_who_iterates() -> None:
    closed = []

    def ask() -> Generator[int]:
        try:
            yield from range(9)
        finally:
            closed.append(True)

    asked = ask()
    parts = timed_parts(5, lambda: asked)
    next(parts)
    parts.close()

    assert closed == [True]


def test_nothing_is_cut_between_calls() -> None:
    connection = Connection()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with connection.under_way():
            connection.follow("connection.connect_tcp.complete", {"return_value": Stream(ours)})
        connection.cut()
        ours.sendall(b"x")

        assert theirs.recv(1) == b"x"
        assert not connection.is_cut


def test_a_connection_opened_after_the_time_is_cut_at_once() -> None:
    connection = Connection()
    ours, theirs = socket.socketpair()
    with ours, theirs, connection.under_way():
        connection.cut()
        connection.follow("connection.start_tls.complete", {"return_value": Stream(ours)})

        assert theirs.recv(1) == b""
        assert connection.is_cut


class Stream:
    def __init__(self, opened: socket.socket) -> None:
        self.opened = opened

    def get_extra_info(self, info: str) -> socket.socket:
        assert info == "socket"
        return self.opened

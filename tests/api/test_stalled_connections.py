"""Clients that stop in the middle: what they hold is taken from them, and nobody else waits."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.sync.client import connect

from rag_core.api import server
from rag_core.api.app import bound_socket
from rag_core.api.server import build_server

STALL = 1.0
HOST = b"Host: 127.0.0.1\r\n"
LARGE = 50_000_000


async def _echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _slow(_request: Request) -> Response:
    import asyncio

    await asyncio.sleep(2.5 * STALL)
    return PlainTextResponse("done")


async def _large(_request: Request) -> Response:
    return Response(b"x" * LARGE)


async def _channel(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())


APP = Starlette(
    routes=[
        Route("/echo", _echo, methods=["POST", "GET"]),
        Route("/slow", _slow),
        Route("/large", _large),
        WebSocketRoute("/channel", _channel),
    ]
)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that waits a second for its clients."""
    monkeypatch.setattr(server, "STALL_SECONDS", STALL)
    with bound_socket(0) as listener:
        running = build_server(APP, has_websockets=True)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not running.started:
                time.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(20)


@contextmanager
def connection(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        yield client


def until_closed(client: socket.socket) -> tuple[bytes, float]:
    """Read what the server still says before it closes the connection, and the seconds until then."""
    began, said = time.monotonic(), b""
    client.settimeout(10 * STALL)
    try:
        while part := client.recv(65_536):
            said += part
    except ConnectionResetError:
        pass
    return said, time.monotonic() - began


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GET /echo HTTP/1.1\r\nHost: 127", b"HTTP/1.1 408 "),
        (b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\n12345", b"HTTP/1.1 408 "),
        (b"POST /echo HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n123", b"HTTP/1.1 408 "),
    ],
    ids=["nothing", "half a head", "half a body", "half a chunk"],
)
def test_half_a_request_is_waited_for_no_longer_than_the_limit(port: int, sent: bytes, answer: bytes) -> None:
    with connection(port) as client:
        client.sendall(sent)

        said, seconds = until_closed(client)

    assert said.startswith(answer)
    assert 0.8 * STALL < seconds < 4 * STALL


@pytest.mark.parametrize(
    "begun", [b"GET /echo HTTP/1.1\r\nX: ", b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n"]
)
def test_a_byte_now_and_then_gains_no_time(port: int, begun: bytes) -> None:
    began = time.monotonic()
    with connection(port) as client, pytest.raises(OSError):
        client.sendall(begun)
        while time.monotonic() < began + 10 * STALL:
            client.sendall(b"x")
            time.sleep(0.1 * STALL)

    assert time.monotonic() - began < 4 * STALL


def test_a_second_request_that_stops_in_the_middle_is_not_waited_for_either(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"GET /echo HTTP/1.1\r\n" + HOST + b"\r\n")
        assert client.recv(1000).endswith(b"\r\n\r\n0")
        client.sendall(b"GET /echo HTTP/1.1\r\nHo")

        said, seconds = until_closed(client)

    assert said.startswith(b"HTTP/1.1 408 ")
    assert seconds < 4 * STALL


def test_an_answer_may_take_longer_than_the_limit(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")

        said, _ = until_closed(client)

    assert said.startswith(b"HTTP/1.1 200 ")
    assert said.endswith(b"done")


def test_a_body_that_keeps_coming_may_take_longer_than_the_limit(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\n" + HOST + b"Connection: close\r\nContent-Length: 75000\r\n\r\n")
        for _ in range(25):
            client.sendall(b"x" * 3_000)
            time.sleep(0.1 * STALL)

        said, _ = until_closed(client)

    assert said.endswith(b"75000")


def test_a_client_that_reads_no_answer_is_cut_off(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\n" + HOST + b"\r\n")
        time.sleep(3 * STALL)

        said, _ = until_closed(client)

    assert 0 < len(said) < LARGE


def test_a_client_that_reads_slowly_is_not(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        said = 0
        while part := client.recv(2_000_000):
            said += len(part)
            time.sleep(0.1 * STALL)

    assert said > LARGE


def test_an_endless_head_is_refused(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"GET /echo HTTP/1.1\r\n")
        with pytest.raises(OSError):
            for _ in range(10_000):
                client.sendall(b"X-Filler: " + b"x" * 10_000 + b"\r\n")
                time.sleep(0.001)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /echo HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET /echo?" + b"x" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /echo HTTP/1.1\r\n" + HOST + b"X: 1\r\n" * 12_000 + b"\r\n",
        b"GET /echo HTTP/1.1\r\n"
        + HOST
        + b"Connection: Upgrade\r\nUpgrade: websocket\r\nX: "
        + b"x" * 70_000
        + b"\r\n\r\n",
    ],
    ids=["a long header", "a long address", "many headers", "an upgrade"],
)
def test_a_whole_head_that_is_too_large_is_refused(port: int, head: bytes) -> None:
    with connection(port) as client:
        client.sendall(head)

        said, _ = until_closed(client)

    assert said.startswith(b"HTTP/1.1 431 ")


def test_each_request_of_a_connection_has_the_whole_limit_for_its_head_and_more_for_its_body(port: int) -> None:
    head = b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\nX: " + b"x" * 40_000 + b"\r\n\r\n"
    with connection(port) as client:
        for _ in range(3):
            client.sendall(head + b"y" * 100_000)
            assert client.recv(1000).endswith(b"\r\n\r\n100000")


def test_what_is_no_http_is_still_a_bad_request(port: int) -> None:
    with connection(port) as client:
        client.sendall(b"nothing of the kind\r\n\r\n")

        assert until_closed(client)[0].startswith(b"HTTP/1.1 400 ")


def test_a_websocket_stays_open_without_a_word(port: int) -> None:
    with connect(f"ws://127.0.0.1:{port}/channel") as channel:
        time.sleep(2.5 * STALL)
        channel.send("still here")

        assert channel.recv(timeout=10) == "still here"

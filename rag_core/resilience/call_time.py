"""Time limit of a whole call over HTTP.

Here: the limit of a call, held by cutting its connection. Not here: the clients, and what a failure means
(``rag_core.chat.ollama_client``, ``rag_core.reranking.providers.http``).

httpx counts connecting, sending and each wait for an answer on its own: a server that sends a byte now and then keeps a
call for ever.
"""

import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from rag_core.resilience.cancellation import Cancellation

Part = TypeVar("Part")

OUTAGE_SECONDS = 1.0
"""A call with less time than this, which a request may ask for, says nothing of the server when the time is over."""
_CONNECT_SECONDS = 5.0
_OPENED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")
_BROKEN = (httpx.HTTPError, ConnectionError, ValueError)
"""Errors from reading a connection that was cut; ValueError is JSON that ends too early."""


class Connection:
    """The connection that a call uses, which another thread can cut.

    For one call, or for one call after the other of a client that has one connection at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_under_way = False
        self._is_cut = False

    @property
    def is_cut(self) -> bool:
        """Tell whether the connection was cut during the last call."""
        return self._is_cut

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """The block is a call; outside of one nothing is cut."""
        with self._lock:
            self._is_under_way, self._is_cut = True, False
        try:
            yield
        finally:
            with self._lock:
                self._is_under_way = False

    def follow(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of the socket when one is opened: httpcore's ``trace`` extension."""
        if not event.endswith(_OPENED):
            return
        with self._lock:
            self._socket = info["return_value"].get_extra_info("socket")
            if self._is_cut:
                self._shut_down()

    def cut(self) -> None:
        """End what is under way; whoever waits for the connection is woken."""
        with self._lock:
            if self._is_under_way:
                self._is_cut = True
                self._shut_down()

    def _shut_down(self) -> None:
        try:
            if self._socket is not None:
                # Not SSLSocket's own, which takes the encryption from under the thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass  # closed already


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    ends_at: float
    connect_seconds: float
    connection: Connection


_call: ContextVar[_Call] = ContextVar("http_call")


@contextmanager
def call_time(
    seconds: float,
    *,
    connect_seconds: float = _CONNECT_SECONDS,
    connection: Connection | None = None,
    cancellation: Cancellation | None = None,
) -> Iterator[None]:
    """Limit what this thread asks in the block of a client that has ``limit_request``, counted from now.

    A client that keeps connections from call to call has one at a time and gives its ``connection``; the others keep none. A
    cancellation ends what is asked like the time does.

    Raises:
        httpx.TimeoutException: the time was over, or the call cancelled, before the answer was there, whatever had come by then.
    """
    call = _Call(
        ends_at=time.monotonic() + seconds, connect_seconds=connect_seconds, connection=connection or Connection()
    )
    token = _call.set(call)
    try:
        with _watched(call, seconds), (cancellation or Cancellation()).calling(call.connection.cut):
            yield
    except _BROKEN as error:
        if call.connection.is_cut:
            raise _unfinished(seconds) from error
        raise
    finally:
        _call.reset(token)


def timed_parts(
    seconds: float, ask: Callable[[], Generator[Part]], *, cancellation: Cancellation | None = None
) -> Generator[Part]:
    """Yield the parts of an answer from ``ask`` within the same limit; for a client that keeps no connections.

    A cancellation ends it like the time does, at once and from any thread; ``close`` does so from this one. The limit is
    this call's alone: whoever iterates may make other calls between two parts.

    Raises:
        httpx.TimeoutException: the time was over, or the answer cancelled, before its last part.
    """
    call = _Call(ends_at=time.monotonic() + seconds, connect_seconds=_CONNECT_SECONDS, connection=Connection())
    context = copy_context()
    context.run(_call.set, call)
    parts = ask()
    try:
        with _watched(call, seconds), (cancellation or Cancellation()).calling(call.connection.cut):
            while (part := context.run(_next, parts)) is not None and not call.connection.is_cut:
                yield part
    except _BROKEN as error:
        if not call.connection.is_cut:
            raise
        raise _unfinished(seconds) from error
    finally:
        context.run(parts.close)
    if call.connection.is_cut:  # an answer without a length ends there as if it were whole
        raise _unfinished(seconds)


def _next(parts: Iterator[Part]) -> Part | None:
    return next(parts, None)


def _unfinished(seconds: float) -> httpx.ReadTimeout:
    return httpx.ReadTimeout(f"no whole answer within {seconds:g} s")


@contextmanager
def _watched(call: _Call, seconds: float) -> Iterator[None]:
    watch = threading.Timer(seconds, call.connection.cut)
    watch.daemon = True
    try:
        with call.connection.under_way():
            watch.start()
            yield
    finally:
        watch.cancel()


def limit_request(request: httpx.Request) -> None:
    """Give a request what is left of the call's time: an event hook of the client."""
    call = _call.get()
    left = call.ends_at - time.monotonic()
    if left <= 0:
        raise httpx.ReadTimeout("no time was left to ask", request=request)
    request.extensions["timeout"] = httpx.Timeout(left, connect=min(left, call.connect_seconds)).as_dict()
    request.extensions["trace"] = call.connection.follow

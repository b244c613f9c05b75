"""The HTTP server of the API and of Dagster's pages: uvicorn, which closes connections whose clients stall.

Uvicorn has a time limit for idle connections and none for half a request: whoever sends a head byte by byte, or a part of a body and
then nothing, or reads no answer, holds the connection for ever.
"""

import asyncio
from asyncio.events import TimerHandle
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE_SECONDS: Final = 10
STALL_SECONDS = 20.0
"""Seconds that a request may take to arrive, and a client to read an answer that fills the buffers."""
SLOWEST_BYTES_PER_SECOND: Final = 10_000
"""A request or an answer of more bytes may take longer, a second for each of these."""
MAX_HEAD_BYTES: Final = 65_536
_TIMED_OUT: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_LARGE: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def build_server(app: ASGIApp, *, port: int | None = None, has_websockets: bool = False) -> uvicorn.Server:
    """The server of an application, not yet running; without a port it is given its sockets when it runs."""
    config = uvicorn.Config(
        app,
        port=port or 0,
        http=StallingClientProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="auto" if has_websockets else "none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


class _HeadTooLargeError(Exception):
    """Ends the parsing of a head."""


class StallingClientProtocol(HttpToolsProtocol):
    """One connection, closed when its client sends half a request and stops, or reads no answer.

    Between requests uvicorn's own limit for idle connections holds, on a websocket that of its pings.
    """

    _request_timer: TimerHandle | None = None
    _answer_timer: TimerHandle | None = None
    _began = 0.0
    _received = 0
    _unread = 0
    _head_bytes = 0
    """Of the request that is being parsed; a head that comes in one read has no time to be counted otherwise."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request from now on."""
        super().connection_made(transport)
        self._expect_more(0)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the time for it is counted from its first part."""
        super().data_received(data)
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            self._stop_timers()
            return
        if not self.flow.write_paused:
            self._stop_answer_timer()
        if self._has_whole_request():
            self._stop_request_timer()
        else:
            self._expect_more(len(data))

    def on_message_begin(self) -> None:
        """Count the bytes of each head anew."""
        super().on_message_begin()
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._count_head(len(name) + len(value) + len(b": \r\n"))
        super().on_header(name, value)

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be parsed, with its own status where the head is too large."""
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(_TOO_LARGE)
        else:
            super().send_400_response(msg)

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise _HeadTooLargeError

    def on_response_complete(self) -> None:
        """Leave an idle connection to uvicorn's limit; one that has an answer to read or the next body to send to ours."""
        super().on_response_complete()
        self._stop_request_timer()
        if not self.cycle.response_complete and self.cycle.more_body:
            self._expect_more(0)
        if self.transport.get_write_buffer_size() and self._answer_timer is None:
            self._expect_reading()

    def pause_writing(self) -> None:
        """The buffers are full: the client has to read."""
        super().pause_writing()
        self._stop_answer_timer()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The client reads."""
        super().resume_writing()
        self._stop_answer_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is expected any more."""
        self._stop_timers()
        super().connection_lost(exc)

    def _has_whole_request(self) -> bool:
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def _expect_more(self, received: int) -> None:
        if self._request_timer is None:
            self._began, self._received = self.loop.time(), 0
            self._request_timer = self.loop.call_later(STALL_SECONDS, self._check_request)
        self._received += received
        is_head = self.cycle is None or (self.cycle.response_complete and not self.cycle.more_body)
        if is_head and self._received > MAX_HEAD_BYTES:
            self._refuse(_TOO_LARGE)

    def _check_request(self) -> None:
        self._request_timer = None
        if self.flow.read_paused:  # it is the application that does not go on
            self._expect_more(0)
            return
        seconds_left = self._began + STALL_SECONDS + self._received / SLOWEST_BYTES_PER_SECOND - self.loop.time()
        if seconds_left > 0:
            self._request_timer = self.loop.call_later(seconds_left, self._check_request)
        else:
            self._refuse(_TIMED_OUT if self._received else b"")

    def _refuse(self, answer: bytes) -> None:
        """Close the connection, with an answer unless another one has begun."""
        is_answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.transport.get_write_buffer_size() or is_answering:
            self.transport.abort()
            return
        self.transport.write(answer)
        self.transport.close()

    def _expect_reading(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._answer_timer = self.loop.call_later(STALL_SECONDS, self._check_reading)

    def _check_reading(self) -> None:
        self._answer_timer = None
        left = self.transport.get_write_buffer_size()
        if left and self._unread - left < STALL_SECONDS * SLOWEST_BYTES_PER_SECOND:
            self.transport.abort()
        elif left:
            self._expect_reading()

    def _stop_timers(self) -> None:
        self._stop_request_timer()
        self._stop_answer_timer()

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

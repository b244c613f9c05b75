"""A real HTTP server on loopback that speaks Ollama's protocol, and misbehaves when told to.

``running_ollama_server`` is the context manager, ``ollama_server`` the fixture; a test module imports either. ``openai_server``
speaks another protocol with the same misbehaviour.
Vectors come from the words of a text, so that texts which share words are near each other; chat answers come
from ``reply``, cut after ``num_predict`` bits. ``ollama_answers`` makes both.
"""

import functools
import itertools
import json
import math
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import pytest
from ollama_answers import Body, Refusal, ServedModel, answer_honestly

FaultKind = Literal[
    "stall",  # wait `seconds`, then go on as usual
    "stall_midway",  # send half of a streamed answer, wait `seconds`, then send the rest
    "garbage_midway",  # send half of a streamed answer, then a line that is not JSON
    "error_midway",  # send half of a streamed answer, then `message` as Ollama's error
    "end_midway",  # send half of a streamed answer and end it as if it were whole
    "garbage",  # status 200 and a body that is not JSON
    "not_an_object",  # status 200 and JSON of another shape
    "too_few_vectors",
    "too_many_vectors",
    "wrong_dimensions",  # one number less in every vector
    "nan",
    "null",
    "zero",
    "status",  # `status` with `message` as Ollama's error
    "drop",  # close the connection without an answer
    "truncate",  # promise the whole body, send half, close
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """Request of a client."""

    method: str
    path: str
    body: Body
    headers: dict[str, str] = field(default_factory=dict)
    """By their names in lower case."""


@dataclass(slots=True, kw_only=True)
class _Fault:
    kind: FaultKind
    path: str
    times: int | None
    seconds: float
    status: int
    message: str
    every: int = 1
    seen: int = 0


@dataclass(slots=True, kw_only=True)
class OllamaServer:
    """The handle a test holds; all of it may be changed while the server runs."""

    url: str = ""
    chat_path: str = "/api/chat"
    card_path: str = "/api/show"
    """Where a client asks for the size of a model's context."""
    models: dict[str, ServedModel] = field(default_factory=dict)
    reply: Callable[[Body], str] = lambda body: f"Respuesta: {body['messages'][-1]['content']}"
    requests: list[RecordedRequest] = field(default_factory=list)
    most_at_once: int = 0
    refuses: Callable[[str], bool] = lambda _text: False
    """Texts that an embedding model answers with status 400, whatever is asked with them."""
    bits_of: Callable[[str], list[str]] = lambda reply: [
        *(f"{word} " for word in reply.split(" ")[:-1]),
        reply.split(" ")[-1],
    ]
    """How a streamed answer falls into bits: by default into words."""
    seconds_between_bits: float = 0
    """How long a chat model thinks before each bit but the first of a streamed answer."""
    holds_before: tuple[str, ...] = ()
    """ASCII words before which a streamed answer stands still, each until ``go_on`` is called once."""
    cuts_prompts: bool = False
    """Whether a chat model does as before October 2025: a prompt that is too long is cut, whatever the request says."""
    left_alone: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once for each client that went away before its answer was there."""
    _faults: list[_Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closing: threading.Event = field(default_factory=threading.Event)
    _may_go_on: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _under_way: int = 0

    def serve(self, name: str, *, dimensions: int | None = None, context_tokens: int = 8192, **more: Any) -> None:
        """Have a model, an embedding one if it has dimensions."""
        self.models[name] = ServedModel(name=name, dimensions=dimensions, context_tokens=context_tokens, **more)

    def misbehave(
        self,
        kind: FaultKind,
        *,
        path: str = "/api/embed",
        times: int | None = None,
        seconds: float = 0,
        status: int = 500,
        message: str = "",
        every: int = 1,
    ) -> None:
        """Answer the next ``times`` requests to ``path`` wrongly (None: all to come); faults queue up.

        Of the requests to come only one in ``every`` is answered wrongly, the last of so many.
        """
        fault = _Fault(kind=kind, path=path, times=times, seconds=seconds, status=status, message=message, every=every)
        with self._lock:
            self._faults.append(fault)

    def behave(self) -> None:
        """Forget all faults, and neither pause nor stand still."""
        with self._lock:
            self._faults.clear()
        self.seconds_between_bits = 0
        self.holds_before = ()
        while self._may_go_on.acquire(blocking=False):
            pass

    def go_on(self) -> None:
        """Let a streamed answer that stands still, or the next that does, go on."""
        self._may_go_on.release()

    def bodies(self, path: str) -> list[Body]:
        """Bodies that were sent to a path, in order."""
        return [request.body for request in self.requests if request.path == path]

    def _record(self, request: RecordedRequest) -> _Fault | None:
        with self._lock:
            self.requests.append(request)
            fault = next((fault for fault in self._faults if fault.path == request.path), None)
            if fault is not None:
                fault.seen += 1
                if fault.seen % fault.every:
                    return None
            if fault is not None and fault.times is not None:
                fault.times -= 1
                if fault.times == 0:
                    self._faults.remove(fault)
            return fault

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1


@contextmanager
def running_ollama_server() -> Iterator[OllamaServer]:
    """Run a server on a free port of 127.0.0.1 with no models; stalled answers end with it."""
    handle = OllamaServer()
    with running(handle, ModelHandler):
        yield handle


@contextmanager
def running(handle: OllamaServer, handler: "type[ModelHandler]") -> Iterator[None]:
    """Run the server of a handle during the block."""
    http_server = _HTTPServer(("127.0.0.1", 0), functools.partial(handler, handle))
    handle.url = f"http://127.0.0.1:{http_server.server_address[1]}"
    thread = threading.Thread(target=http_server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        handle._closing.set()
        http_server.shutdown()
        http_server.server_close()
        thread.join()


@pytest.fixture
def ollama_server() -> Iterator[OllamaServer]:
    """A server for one test."""
    with running_ollama_server() as server:
        yield server


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that gives up while it is stalled is what the tests are about."""


class ModelHandler(BaseHTTPRequestHandler):
    """Answers in Ollama's protocol; what another protocol does otherwise is a method."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer, not one a header
    stream_type = "application/x-ndjson"

    def honest_answer(self, request: RecordedRequest) -> Body | list[Body] | str:
        """The answer of a server that behaves."""
        return answer_honestly(self.handle_of_test, request)

    def error_body(self, message: str) -> Body:
        """The JSON of an error."""
        return {"error": message}

    def encoded(self, part: Body | str) -> bytes:
        """A part of a streamed answer, or a text in its place."""
        return (part if isinstance(part, str) else json.dumps(part)).encode() + b"\n"

    def stream_ends(self) -> tuple[bytes, bytes]:
        """Bytes before the first part of a streamed answer, and after the last one."""
        return b"", b""

    def __init__(self, handle: OllamaServer, *args: Any) -> None:
        self.handle_of_test = handle
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(content)
        except ValueError:
            self._send_json(400, {"error": "invalid character in request body"})
            return
        self._answer(body)

    def _answer(self, body: Body) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = RecordedRequest(method=self.command, path=self.path, body=body, headers=headers)
        with self.handle_of_test._counted():
            fault = self.handle_of_test._record(request)
            try:
                if fault is not None and fault.kind == "stall":
                    self._pause(fault.seconds)
                    fault = None
                self._answer_with(request, fault)
            except OSError:
                self.close_connection = True
                self.handle_of_test.left_alone.release()

    def _pause(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        self._wait_for(lambda: time.monotonic() >= ends_at)

    def _wait_for(self, is_over: Callable[[], bool]) -> None:
        """Wait as a server does that looks whether its client is still there."""
        while not is_over() and not self.handle_of_test._closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.01)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError

    def _answer_with(self, request: RecordedRequest, fault: _Fault | None) -> None:
        kind = fault.kind if fault else None
        if kind == "drop":
            self.close_connection = True
        elif kind == "garbage":
            self._send(200, b"<html>this is not Ollama</html>")
        elif kind == "not_an_object":
            self._send_json(200, ["this", "is", "not", "Ollama"])
        elif fault is not None and kind == "status":
            self._send_json(fault.status, self.error_body(fault.message))
        else:
            self._answer_honestly(request, fault)

    def _answer_honestly(self, request: RecordedRequest, fault: _Fault | None) -> None:
        try:
            answer = self.honest_answer(request)
        except Refusal as refusal:
            self._send_json(refusal.status, refusal.body or self.error_body(refusal.message))
            return
        kind = fault.kind if fault else None
        is_truncated = kind == "truncate"
        if isinstance(answer, list):
            self._send_stream(answer, fault)
        elif isinstance(answer, str):
            self._send(200, answer.encode())
        else:
            self._send_json(200, _spoil(answer, kind) if kind else answer, is_truncated=is_truncated)

    def _send_json(self, status: int, answer: object, *, is_truncated: bool = False) -> None:
        self._send(status, json.dumps(answer).encode(), is_truncated=is_truncated)

    def _send(self, status: int, content: bytes, *, is_truncated: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if is_truncated else content)
        self.close_connection = self.close_connection or is_truncated

    def _send_stream(self, parts: list[Body], fault: _Fault | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", self.stream_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        before, after = self.stream_ends()
        self._send_chunk(before)
        for place, part in enumerate(parts):
            if place > 0:
                self._pause(self.handle_of_test.seconds_between_bits)
            if fault is not None and place == len(parts) // 2 and not self._goes_on(fault):
                return
            bit = self.encoded(part)
            if any(word.encode() in bit for word in self.handle_of_test.holds_before):
                self._wait_for(lambda: self.handle_of_test._may_go_on.acquire(blocking=False))
            self._send_chunk(bit)
        self._send_chunk(after)
        self._end_stream()

    def _goes_on(self, fault: _Fault) -> bool:
        """Do wrong in the middle of a streamed answer; whether the rest of it follows."""
        match fault.kind:
            case "stall_midway":
                self._pause(fault.seconds)
                return True
            case "garbage_midway":
                self._send_chunk(self.encoded("<html>"))
            case "error_midway":
                self._send_chunk(self.encoded(self.error_body(fault.message)))
            case "truncate":
                self.close_connection = True
                return False
        self._end_stream()
        return False

    def _send_chunk(self, content: bytes) -> None:
        if content:  # an empty chunk is the end
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
            self.wfile.flush()

    def _end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def _spoil(answer: Body, kind: FaultKind) -> Body:
    vectors = answer.get("embeddings")
    if vectors is None:
        return answer
    match kind:
        case "too_few_vectors":
            vectors = vectors[:-1]
        case "too_many_vectors":
            vectors = [*vectors, vectors[-1]]
        case "wrong_dimensions":
            vectors = [vector[:-1] for vector in vectors]
        case "nan":
            vectors = [*vectors[:-1], [math.nan, *vectors[-1][1:]]]
        case "null":
            vectors = [*vectors[:-1], [None, *vectors[-1][1:]]]
        case "zero":
            vectors = [*vectors[:-1], list(itertools.repeat(0.0, len(vectors[-1])))]
    return answer | {"embeddings": vectors}

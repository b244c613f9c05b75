"""A real HTTP server on loopback that speaks Ollama's protocol, and misbehaves when told to.

``running_ollama_server`` is the context manager, ``ollama_server`` the fixture; a test module imports either.
Vectors come from the words of a text, so that texts which share words are near each other; chat answers come
from ``reply``, cut after ``num_predict`` bits. Paths, shapes and error texts are those of Ollama 0.13 and later
(``server/routes.go`` of ollama/ollama).
"""

import functools
import itertools
import json
import math
import random
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

Body = dict[str, Any]
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

CREATED_AT = "2025-01-01T00:00:00Z"
LOADED_BYTES = 322_122_547
"""What the server says that a model takes up in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model the server has; a word has ``tokens_per_word``. ``dimensions`` is None for a chat model."""

    name: str
    dimensions: int | None = None
    context_tokens: int = 8192
    tokens_per_word: int = 1
    parameters: str = ""
    template: str = "{{ .Prompt }}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """What a client sent."""

    method: str
    path: str
    body: Body


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
    cuts_prompts: bool = False
    """Whether a chat model does as before October 2025: a prompt that is too long is cut, whatever the request says."""
    left_alone: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once for each client that went away before its answer was there."""
    _faults: list[_Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closing: threading.Event = field(default_factory=threading.Event)
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
        """Forget all faults."""
        with self._lock:
            self._faults.clear()

    def bodies(self, path: str) -> list[Body]:
        """What was sent to a path, in order."""
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
    http_server = _HTTPServer(("127.0.0.1", 0), functools.partial(_Handler, handle))
    handle.url = f"http://127.0.0.1:{http_server.server_address[1]}"
    thread = threading.Thread(target=http_server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield handle
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


class _Refusal(Exception):  # noqa: N818 - an answer, not an error of this program
    def __init__(self, status: int, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer, not one a header

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
        request = RecordedRequest(method=self.command, path=self.path, body=body)
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
        """Wait as a server does that looks whether its client is still there."""
        ends_at = time.monotonic() + seconds
        while (left := ends_at - time.monotonic()) > 0 and not self.handle_of_test._closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
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
            self._send_json(fault.status, {"error": fault.message})
        else:
            self._answer_honestly(request, fault)

    def _answer_honestly(self, request: RecordedRequest, fault: _Fault | None) -> None:
        try:
            answer = _route(self.handle_of_test, request)
        except _Refusal as refusal:
            self._send_json(refusal.status, {"error": refusal.message})
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
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for place, part in enumerate(parts):
            if place > 0:
                self._pause(self.handle_of_test.seconds_between_bits)
            if fault is not None and place == len(parts) // 2 and not self._goes_on(fault):
                return
            self._send_chunk(json.dumps(part).encode() + b"\n")
        self._send_chunk(b"")

    def _goes_on(self, fault: _Fault) -> bool:
        """Do wrong in the middle of a streamed answer; whether the rest of it follows."""
        match fault.kind:
            case "stall_midway":
                self._pause(fault.seconds)
                return True
            case "garbage_midway":
                self._send_chunk(b"<html>\n")
            case "error_midway":
                self._send_chunk(json.dumps({"error": fault.message}).encode() + b"\n")
            case "truncate":
                self.close_connection = True
                return False
        self._send_chunk(b"")
        return False

    def _send_chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()


def _route(handle: OllamaServer, request: RecordedRequest) -> Body | list[Body] | str:  # noqa: PLR0911  one a path
    match request.method, request.path:
        case "GET", "/":
            return "Ollama is running"
        case "GET", "/api/version":
            return {"version": "0.13.5"}
        case "GET", "/api/tags":
            return {"models": [_tag(model) for model in handle.models.values()]}
        case "GET", "/api/ps":
            loaded = {body.get("model") for body in handle.bodies("/api/embed")}
            return {"models": [_loaded(model) for model in handle.models.values() if model.name in loaded]}
        case "POST", "/api/show":
            return _show(_find(handle, request.body))
        case "POST", "/api/embed":
            return _embed(handle, _find(handle, request.body), request.body)
        case "POST", "/api/chat":
            return _chat(handle, _find(handle, request.body), request.body)
    raise _Refusal(404, "404 page not found")


def _find(handle: OllamaServer, body: Body) -> ServedModel:
    name = str(body.get("model") or body.get("name") or "")
    model = handle.models.get(name) or handle.models.get(name.removesuffix(":latest"))
    if model is None:
        raise _Refusal(404, f'model "{name}" not found, try pulling it first')
    return model


def _tag(model: ServedModel) -> Body:
    name = model.name if ":" in model.name else f"{model.name}:latest"
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED_AT,
        "size": 274_302_450,
        "digest": "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
        "details": _details(),
    }


def _loaded(model: ServedModel) -> Body:
    tag = _tag(model)
    held = {"expires_at": CREATED_AT, "size_vram": 0, "size": LOADED_BYTES}
    return {key: tag[key] for key in ("name", "model", "digest", "details")} | held


def _details() -> Body:
    return {"format": "gguf", "family": "stand-in", "parameter_size": "137M", "quantization_level": "F16"}


def _show(model: ServedModel) -> Body:
    info: Body = {"general.architecture": "stand-in", "stand-in.context_length": model.context_tokens}
    if model.dimensions is not None:
        info["stand-in.embedding_length"] = model.dimensions
    return {
        "details": _details(),
        "model_info": info,
        "capabilities": ["embedding"] if model.dimensions is not None else ["completion"],
        "parameters": model.parameters,
        "template": model.template,
        "modified_at": CREATED_AT,
    }


def _embed(handle: OllamaServer, model: ServedModel, body: Body) -> Body:
    if model.dimensions is None:
        raise _Refusal(501, "this model does not support embeddings")
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _Refusal(400, "invalid input type")
    if any(handle.refuses(text) for text in texts):
        raise _Refusal(400, "failed to encode input")
    limit = min(model.context_tokens, (body.get("options") or {}).get("num_ctx", 4096))
    kept = [_fit(text, limit, is_truncating=body.get("truncate", True)) for text in texts if text]
    return {
        "model": model.name,
        "embeddings": [embed_text(text, model=model.name, dimensions=model.dimensions) for text in kept],
        "total_duration": 14_143_917,
        "load_duration": 1_019_500,
        "prompt_eval_count": sum(len(text.split()) for text in kept),
    }


def _fit(text: str, limit: int, *, is_truncating: bool) -> str:
    words = text.split()
    if len(words) <= limit:
        return text
    if not is_truncating:
        raise _Refusal(400, "the input length exceeds the context length")
    return " ".join(words[:limit])


def embed_text(text: str, *, model: str, dimensions: int) -> list[float]:
    """Embed a text as the stand-in does: the sum of a random direction a word, scaled to length one."""
    sums = [0.0] * dimensions
    for word in text.casefold().split() or [text]:
        direction = _direction(word, model, dimensions)
        sums = [total + part for total, part in zip(sums, direction, strict=True)]
    norm = math.sqrt(math.fsum(part * part for part in sums))
    return [part / norm for part in sums]


@functools.lru_cache(maxsize=4096)
def _direction(word: str, model: str, dimensions: int) -> tuple[float, ...]:
    generator = random.Random(f"{model}\0{word}")
    return tuple(generator.gauss(0, 1) for _ in range(dimensions))


def _chat(handle: OllamaServer, model: ServedModel, body: Body) -> Body | list[Body]:
    if model.dimensions is not None:
        raise _Refusal(400, f'"{model.name}" does not support chat')
    read = _tokens_read(handle, model, body)
    pieces = handle.bits_of(handle.reply(body))
    limit = (body.get("options") or {}).get("num_predict", len(pieces))
    last = {"done_reason": "length" if limit < len(pieces) else "stop", "prompt_eval_count": read}
    if body.get("stream", True) is False:
        return _chat_part(model, "".join(pieces[:limit]), **last)
    return [*(_chat_part(model, piece) for piece in pieces[:limit]), _chat_part(model, "", **last)]


def _tokens_read(handle: OllamaServer, model: ServedModel, body: Body) -> int:
    """The prompt's tokens, all of them or, where the server cuts, as many as the context holds."""
    words = sum(len(message["content"].split()) for message in body["messages"])
    limit = min(model.context_tokens, (body.get("options") or {}).get("num_ctx", 4096))
    if words * model.tokens_per_word <= limit:
        return words * model.tokens_per_word
    if body.get("truncate", True) or handle.cuts_prompts:
        return int(limit)
    raise _Refusal(400, "the input length exceeds the context length")


def _chat_part(model: ServedModel, content: str, *, done_reason: str | None = None, prompt_eval_count: int = 0) -> Body:
    part: Body = {
        "model": model.name,
        "created_at": CREATED_AT,
        "message": {"role": "assistant", "content": content},
        "done": done_reason is not None,
    }
    if done_reason is not None:
        counted = {"prompt_eval_count": prompt_eval_count, "eval_count": len(content.split())}
        part |= {"done_reason": done_reason, "total_duration": 5_191_566_416} | counted
    return part


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

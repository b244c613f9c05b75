"""A real HTTP server on loopback that speaks OpenAI's protocol as llama.cpp does, and misbehaves like the stand-in for Ollama.

Shapes and error texts are those that llama.cpp's server gave to the same requests (xllamacpp 2026.10, gemma-3-270m), unless a field
of the handle names another server's. ``openai_server`` is the fixture; ``chat_server`` is one server of either protocol.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from ollama_answers import Body, Refusal, ServedModel
from ollama_server import ModelHandler, OllamaServer, RecordedRequest, running, running_ollama_server

from rag_core.chat import ChatModel
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.chat.providers.openai import OpenAIChat


@dataclass(slots=True, kw_only=True)
class OpenAIServer(OllamaServer):
    """The handle a test holds; all of it may be changed while the server runs."""

    chat_path: str = "/v1/chat/completions"
    card_path: str = "/v1/models"
    base_path: str = "/v1"
    """What stands before ``/models`` and ``/chat/completions``."""
    api_key: str | None = None
    owner: str = "llamacpp"
    names_context: bool = True
    """Whether the list of models says how large the context is."""
    refused_parameters: dict[str, str] = field(default_factory=dict)
    """Parameters that are answered with status 400, and the message that says so."""
    thoughts: str | None = None
    """What the model thinks, as ``reasoning_content``."""
    line_end: str = "\n"
    has_comments: bool = False
    is_ascii: bool = True
    """Whether JSON in a stream has escapes for what is not ASCII."""
    has_done: bool = True
    """Whether a stream ends with ``[DONE]``."""
    has_finish_reason: bool = True
    is_always_whole: bool = False
    """Whether the server gives one JSON answer though a stream was asked for."""
    too_long: Body | None = None
    """The answer to a prompt that is too long; None: llama.cpp's."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with every answer."""


@contextmanager
def running_openai_server() -> Iterator[OpenAIServer]:
    """Run a server on a free port of 127.0.0.1 with no models; stalled answers end with it."""
    handle = OpenAIServer()
    with running(handle, _Handler):
        yield handle


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A server for one test."""
    with running_openai_server() as server:
        yield server


@pytest.fixture(params=[running_ollama_server, running_openai_server], ids=["ollama", "openai"])
def chat_server(request: pytest.FixtureRequest) -> Iterator[OllamaServer]:
    """A server for one test, of each protocol in its turn."""
    with request.param() as server:
        yield server


def chat_on(server: OllamaServer, name: str, **given: Any) -> ChatModel:
    """A model of the server."""
    if isinstance(server, OpenAIServer):
        return OpenAIChat(name, url=server.url, **given)
    return OllamaChat(name, host=server.url, **given)


class _Handler(ModelHandler):
    handle_of_test: OpenAIServer
    stream_type = "text/event-stream"

    def honest_answer(self, request: RecordedRequest) -> Body | list[Body] | str:
        handle = self.handle_of_test
        if handle.api_key is not None and request.headers.get("authorization") != f"Bearer {handle.api_key}":
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            raise Refusal(401, f"Incorrect API key provided: {given}")
        match request.method, request.path.removeprefix(handle.base_path):
            case "GET", "/models":
                return {"object": "list", "data": [self._listed(model) for model in handle.models.values()]}
            case "POST", "/chat/completions":
                return self._completion(request.body)
        raise Refusal(404, "File Not Found", body=_error(404, "File Not Found", "not_found_error"))

    def error_body(self, message: str) -> Body:
        return _error(500, message, "server_error")

    def encoded(self, part: Body | str) -> bytes:
        content = part if isinstance(part, str) else json.dumps(part, ensure_ascii=self.handle_of_test.is_ascii)
        comment = f": keep-alive{self.handle_of_test.line_end * 2}" if self.handle_of_test.has_comments else ""
        return f"{comment}data: {content}{self.handle_of_test.line_end * 2}".encode()

    def stream_ends(self) -> tuple[bytes, bytes]:
        role = self.encoded(_part({"role": "assistant", "content": None}))
        return role, self.encoded("[DONE]") if self.handle_of_test.has_done else b""

    def end_headers(self) -> None:
        for name, value in self.handle_of_test.headers.items():
            self.send_header(name, value)
        super().end_headers()

    def _listed(self, model: ServedModel) -> Body:
        meta = (
            {"meta": {"n_ctx": model.context_tokens, "n_ctx_train": 32768}} if self.handle_of_test.names_context else {}
        )
        return {
            "id": model.name,
            "object": "model",
            "created": 1_795_448_157,
            "owned_by": self.handle_of_test.owner,
        } | meta

    def _completion(self, body: Body) -> Body | list[Body]:
        handle = self.handle_of_test
        model = handle.models.get(body["model"])
        if model is None:
            raise Refusal(404, f"The model `{body['model']}` does not exist.")
        if model.dimensions is not None:
            raise Refusal(400, f"{model.name} does not support chat")
        for name, message in handle.refused_parameters.items():
            if name in body:
                raise Refusal(400, message, body=_error(400, message, "invalid_request_error"))
        usage = {"prompt_tokens": self._tokens_read(model, body), "completion_tokens": 0}
        pieces = handle.bits_of(handle.reply(body))
        limit = body.get("max_tokens", body.get("max_completion_tokens", len(pieces)))
        usage["completion_tokens"] = min(limit, len(pieces))
        reason = ("length" if limit < len(pieces) else "stop") if handle.has_finish_reason else None
        thoughts = {} if handle.thoughts is None else {"reasoning_content": handle.thoughts}
        if not body["stream"] or handle.is_always_whole:
            said = {"role": "assistant", "content": "".join(pieces[:limit])} | thoughts
            return {
                "object": "chat.completion",
                "choices": [{"message": said, "finish_reason": reason}],
                "usage": usage,
            }
        return [
            *([_part(thoughts)] if thoughts else []),
            *(_part({"content": piece}) for piece in pieces[:limit]),
            _part({}, reason),
            {"object": "chat.completion.chunk", "choices": [], "usage": usage},
        ]

    def _tokens_read(self, model: ServedModel, body: Body) -> int:
        """The prompt's tokens, all of them or, where the server cuts as LM Studio may, as many as the context holds."""
        tokens = model.tokens_per_word * sum(len(message["content"].split()) for message in body["messages"])
        if tokens <= model.context_tokens:
            return tokens
        if self.handle_of_test.cuts_prompts:
            return model.context_tokens
        message = f"request ({tokens} tokens) exceeds the available context size ({model.context_tokens} tokens), try increasing it"
        raise Refusal(
            400, message, body=self.handle_of_test.too_long or _error(400, message, "exceed_context_size_error")
        )


def _error(code: int, message: str, kind: str) -> Body:
    return {"error": {"code": code, "message": message, "type": kind}}


def _part(delta: Body, reason: str | None = None) -> Body:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

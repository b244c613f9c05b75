"""Searches whose client goes away while a language model works for them, on every path that searches."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from ollama_server import OllamaServer, running_ollama_server
from served_answers import asked, boiler_engine, running, wait_until

from rag_core.api.app import create_app
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings

MODEL = "llama"
QUESTIONS = {"embedded": "la avería de la caldera", "llm": "¿Cuánto cobró el técnico por la bomba?"}
"""By re-ranker: one that a hypothetical answer is written for, and one whose passages the model scores."""
GONE_WITHIN_SECONDS = 1.0


@contextmanager
def looked_at(port: int, question: str) -> Iterator[None]:
    """The page of results asked for, and left when the block ends."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        client.request("GET", f"/?{urlencode({'q': question})}")
        yield
    finally:
        client.close()


def body_of(path: str, question: str) -> dict[str, Any]:
    """The question as the path takes it."""
    if path == "/api/v2/rag/chat":
        return {"messages": [{"role": "user", "content": question}]}
    return {"message" if path == "/chat" else "query": question}


@pytest.fixture
def model() -> Iterator[OllamaServer]:
    """A language model's stand-in that does not come to an answer."""
    with running_ollama_server() as server:
        server.serve(MODEL)
        server.misbehave("stall", path="/api/chat", seconds=20)
        yield server


@pytest.fixture(params=["embedded", "llm"])
def served(request: pytest.FixtureRequest, database_url: str, model: OllamaServer) -> Iterator[Engine]:
    """One note and the model, which also scores passages where that is set."""
    settings = read_settings(
        database_url=database_url,
        chat_model=MODEL,
        ollama_host=model.url,
        ollama_concurrency=1,
        reranker=request.param,
        request_timeout_ms=20_000,
    )
    with boiler_engine(settings) as engine:
        yield engine


class TestAClientThatGoesAway:
    @pytest.mark.parametrize(
        "path", ["/chat", "/api/query", "/api/v2/rag/chat", "/api/v2/rag/search", "/api/retrieve", "/"]
    )
    def test_ends_what_a_model_is_asked_for_its_search(self, served: Engine, model: OllamaServer, path: str) -> None:
        app, question = create_app(served), QUESTIONS[served.settings.reranker]
        with running(app) as port:
            with looked_at(port, question) if path == "/" else asked(port, path, body_of(path, question)):
                wait_until(lambda: model.bodies("/api/chat"), seconds=10)

            is_left = model.left_alone.acquire(timeout=GONE_WITHIN_SECONDS)

            assert is_left
            wait_until(lambda: served.database.figures.active == 0, seconds=GONE_WITHIN_SECONDS)
            wait_until(lambda: app.state.answering.borrowed_tokens == 0, seconds=GONE_WITHIN_SECONDS)
            with served.places.place(timeout_seconds=GONE_WITHIN_SECONDS):
                (call,) = model.bodies("/api/chat")
                assert ("format" in call) == (served.settings.reranker == "llm")

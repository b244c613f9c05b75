"""Answers that take a while: told as they are made, and given up within a second when nobody reads on."""

import dataclasses
import json
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

import anyio
import pytest
from fastapi import Request
from ollama_server import OllamaServer, running_ollama_server
from served_answers import asked, asking, boiler_engine, events_of, running, wait_until

from rag_core.api import streaming
from rag_core.api.app import create_app
from rag_core.errors import ChatCancelledError
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings

MODEL = "llama"
WORDS = "El técnico cobró 180 euros por la bomba nueva [1]. La caldera de gas se rompió el martes [1]."
QUESTION = "¿Cuánto cobró el técnico por la bomba de la caldera?"
CHAT = {"message": QUESTION}
QUERY = {"query": QUESTION, "stream": True}
OPENAI = {"model": "brain-sync", "messages": [{"role": "user", "content": QUESTION}]}
TOOL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "ask", "arguments": {"question": QUESTION}},
}
RAG = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}
GONE_WITHIN_SECONDS = 1.0


@pytest.fixture
def model() -> Iterator[OllamaServer]:
    """A language model's stand-in that answers about one note, word by word."""
    with running_ollama_server() as server:
        server.serve(MODEL)
        server.reply = lambda _body: WORDS
        yield server


@pytest.fixture
def served(database_url: str, model: OllamaServer) -> Iterator[Engine]:
    """One note, and the model."""
    settings = read_settings(
        database_url=database_url, chat_model=MODEL, ollama_host=model.url, request_timeout_ms=10_000
    )
    with boiler_engine(settings) as engine:
        yield engine


def answering(model: OllamaServer) -> bool:
    """Test whether the model was asked for an answer."""
    return any(body.get("stream") for body in model.bodies("/api/chat"))


class TestAClientThatGoesAway:
    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/chat", CHAT),
            ("/api/query", {"query": QUESTION}),
            ("/api/query", QUERY),
            ("/api/v2/rag/chat", RAG),
            ("/v1/chat/completions", {**OPENAI, "stream": True}),
            ("/mcp", TOOL),
        ],
    )
    def test_ends_the_models_call_within_a_second_and_holds_no_connection(
        self,
        served: Engine,
        model: OllamaServer,
        path: str,
        body: dict[str, Any],
    ) -> None:
        model.seconds_between_bits = 3
        with running(create_app(served)) as port:
            with asked(port, path, body):
                wait_until(lambda: answering(model), seconds=10)

            is_left = model.left_alone.acquire(timeout=GONE_WITHIN_SECONDS)

            assert is_left
            wait_until(lambda: served.database.figures.active == 0, seconds=GONE_WITHIN_SECONDS)

    def test_in_the_middle_of_a_stream_ends_it_too(self, served: Engine, model: OllamaServer) -> None:
        model.seconds_between_bits = 0.1
        model.reply = lambda _body: " ".join([WORDS] * 30)
        with running(create_app(served)) as port:
            with asking(port, "/api/query", QUERY) as answer:
                first = next(events_of(answer))

            is_left = model.left_alone.acquire(timeout=GONE_WITHIN_SECONDS)

        assert first["type"] == "token"
        assert is_left

    def test_leaves_the_place_to_the_next(self, served: Engine, model: OllamaServer) -> None:
        app = create_app(served)
        app.state.answering = anyio.CapacityLimiter(1)
        model.seconds_between_bits = 3
        with running(app) as port:
            with asked(port, "/chat", CHAT):
                wait_until(lambda: answering(model), seconds=10)
            assert model.left_alone.acquire(timeout=GONE_WITHIN_SECONDS)
            model.seconds_between_bits = 0

            with asking(port, "/chat", CHAT) as answer:
                body = json.load(answer)

        assert body["citations"][0]["cid"] == "N1"


class TestAFailureAfterTheClientHasGone:
    @pytest.fixture(params=["awaited", "searched", "streamed"])
    def traces(self, request: pytest.FixtureRequest, served: Engine, caplog: pytest.LogCaptureFixture) -> Any:
        """Failures that are logged when work raises once its client has gone."""
        app, begun, ended = create_app(served), threading.Event(), threading.Event()

        def fails(error: Exception) -> list[str]:
            def work(cancellation: Cancellation) -> Any:
                begun.set()
                wait_until(lambda: cancellation.is_cancelled, seconds=10)
                ended.set()
                raise error

            def stream(cancellation: Cancellation) -> Generator[dict[str, Any], None, None]:
                yield work(cancellation)

            async def answer(asked: Request) -> Any:
                if request.param == "searched":
                    return await streaming.searched(asked, work)
                if request.param == "awaited":
                    return await streaming.awaited(asked, work)
                return await streaming.streamed(asked, stream, on_failure=lambda _: {})

            app.add_api_route("/defect", answer, methods=["POST"], response_model=None)
            with running(app) as port:
                with asked(port, "/defect", {}):
                    assert begun.wait(10)
                assert ended.wait(10)
                wait_until(lambda: app.state.answering.borrowed_tokens == 0, seconds=10)
                time.sleep(0.1)  # from the end of the work to what is told of it
            return [vars(one)["error"] for one in caplog.records if one.getMessage() == "failed"]

        return fails

    def test_leaves_a_trace_where_it_is_a_defect_of_ours(self, traces: Any) -> None:
        assert traces(TypeError("no such thing")) == ["TypeError"]

    def test_leaves_none_where_it_may_have_come_of_that(self, traces: Any) -> None:
        assert traces(ChatCancelledError("gone")) == []


class TestAStream:
    def test_shows_a_sentence_before_the_model_has_said_the_next(
        self,
        served: Engine,
        model: OllamaServer,
    ) -> None:
        model.seconds_between_bits = 0.15
        with running(create_app(served)) as port, asking(port, "/api/query", QUERY) as answer:
            told = [(time.monotonic(), event) for event in events_of(answer)]

        tokens = [event["content"] for _, event in told if event["type"] == "token"]
        assert len(tokens) == 2
        assert told[1][0] - told[0][0] > 0.5
        assert "".join(tokens) == told[-1][1]["content"]

    def test_says_that_it_is_alive_while_nothing_comes(
        self,
        served: Engine,
        model: OllamaServer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.1)
        model.seconds_between_bits = 0.05
        with running(create_app(served)) as port, asking(port, "/api/v2/rag/chat", RAG) as answer:
            lines = answer.read().decode().split("\n")

        assert ": " in lines
        assert json.loads(next(line for line in reversed(lines) if line.startswith("data"))[6:])["type"] == "done"

    def test_is_kept_by_nobody_on_the_way(self, served: Engine) -> None:
        with running(create_app(served)) as port, asking(port, "/api/query", QUERY) as answer:
            headers = dict(answer.getheaders())

        assert headers["content-type"] == "text/event-stream; charset=utf-8"
        assert headers["cache-control"] == "no-store"
        assert headers["x-accel-buffering"] == "no"

    def test_that_breaks_off_ends_in_an_error_in_the_questions_language(
        self,
        served: Engine,
        model: OllamaServer,
    ) -> None:
        model.misbehave("error_midway", path="/api/chat", message="CUDA out of memory at 0xdeadbeef")
        model.reply = lambda _body: " ".join([WORDS] * 4)
        with running(create_app(served)) as port, asking(port, "/api/query", QUERY) as answer:
            events = list(events_of(answer))

        assert answer.status == 200
        assert [event["type"] for event in events][-1] == "error"
        assert "done" not in {event["type"] for event in events}
        assert (
            events[-1]["error"]
            == "El modelo de lenguaje se interrumpió en mitad de la respuesta. Por favor, intenta de nuevo."
        )

    def test_that_fails_before_its_first_event_has_a_status(self, served: Engine) -> None:
        with running(create_app(served)) as port, asking(port, "/api/query", {**QUERY, "query": " "}) as answer:
            body = json.load(answer)

        assert answer.status == 400
        assert set(body) == {"error", "details"}

    def test_of_rag_v2_that_breaks_off_says_success_false_in_german(
        self,
        served: Engine,
        model: OllamaServer,
    ) -> None:
        model.misbehave("error_midway", path="/api/chat", message="boom")
        model.reply = lambda _body: " ".join([WORDS] * 4)
        with running(create_app(served)) as port, asking(port, "/api/v2/rag/chat", RAG) as answer:
            last = list(events_of(answer))[-1]

        assert last["type"] == "error"
        assert last["data"]["success"] is False
        assert (
            last["data"]["details"]
            == "Das Sprachmodell brach mitten in seiner Antwort ab. Bitte noch einmal versuchen."
        )


class TestPlaces:
    def test_questions_wait_for_each_other_and_searches_for_none(
        self,
        served: Engine,
        model: OllamaServer,
    ) -> None:
        app = create_app(served)
        app.state.answering = anyio.CapacityLimiter(1)
        model.seconds_between_bits = 3
        with running(app) as port, asked(port, "/chat", CHAT):
            wait_until(lambda: answering(model), seconds=10)
            began = time.monotonic()
            with asking(port, "/api/retrieve", {"query": "caldera"}) as found:
                results = json.load(found)["results"]

            assert time.monotonic() - began < 2
            assert len(results) == 1

    def test_whoever_waited_too_long_for_a_place_is_told_to_come_back(
        self,
        served: Engine,
        model: OllamaServer,
    ) -> None:
        impatient = create_app(
            # the same resources, and requests that may take half a second
            dataclasses.replace(served, settings=served.settings.model_copy(update={"request_timeout_ms": 500}))
        )
        impatient.state.answering = anyio.CapacityLimiter(1)
        model.seconds_between_bits = 0.1
        with running(impatient) as port, asked(port, "/chat", CHAT):
            wait_until(lambda: answering(model), seconds=10)
            with asking(port, "/chat", CHAT) as answer:
                body = json.load(answer)

        assert answer.status == 503
        assert answer.getheader("retry-after") == "5"
        assert body == {
            "error": "Demasiadas preguntas a la vez",
            "details": "Se están contestando tantas preguntas como se puede a la vez. Inténtalo de nuevo en 5 segundos",
        }


def test_an_event_is_one_line_whatever_it_says() -> None:
    event = streaming.written({"type": "token", "content": "uno\r\ndos\n\ndata: tres \u2028 \ud800"})

    assert event.count(b"\n") == 2
    assert b"\r" not in event
    assert json.loads(event.decode().removeprefix("data: "))["content"] == "uno\r\ndos\n\ndata: tres \u2028 \ud800"

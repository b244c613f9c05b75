"""Chat model, embedder and re-ranker behind their breakers."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from breaking import Clock, fail_times
from breaking import breaker as breaker  # noqa: PLC0414  a fixture, re-exported to pytest
from breaking import clock as clock  # noqa: PLC0414  a fixture, re-exported to pytest
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat import Message
from rag_core.chat.guarded import GuardedChat
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.embedding.guarded import GuardedEmbedder
from rag_core.errors import (
    ChatBusyError,
    ChatError,
    CircuitOpenError,
    EmbeddingError,
    EmbeddingUnavailableError,
    RerankerUnavailableError,
    RerankingError,
)
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking.guarded import GuardedReranker
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.circuit_breaker import CircuitBreaker

QUESTION = [Message(role="user", content="¿Llovió ayer?")]


class FakeEmbedder:
    name, dimensions = "falso", 4

    def __init__(self) -> None:
        self.error: Exception | None = None

    def embed(self, texts, *, role):
        if self.error is not None:
            raise self.error
        return np.ones((len(texts), 4), dtype=np.float32)


class TestGuardedChat:
    @pytest.fixture
    def server(self, ollama_server: OllamaServer) -> OllamaServer:
        ollama_server.serve("llama3.2")
        return ollama_server

    def guarded(self, server: OllamaServer, breaker: CircuitBreaker, places: Bounded | None = None) -> GuardedChat:
        return GuardedChat(OllamaChat("llama3.2", host=server.url), breaker=breaker, places=places or Bounded(5))

    def test_it_answers_as_the_model_does(self, server: OllamaServer, breaker: CircuitBreaker) -> None:
        guarded = self.guarded(server, breaker)

        assert guarded.name == "llama3.2"
        assert guarded.complete(QUESTION, timeout_seconds=5) == "Respuesta: ¿Llovió ayer?"

    def test_after_five_failures_the_server_is_left_alone(self, server: OllamaServer, breaker: CircuitBreaker) -> None:
        guarded = self.guarded(server, breaker)
        server.misbehave("status", path="/api/chat", times=5)

        for _ in range(8):
            with pytest.raises(ChatError):
                guarded.complete(QUESTION, timeout_seconds=5)

        assert len(server.bodies("/api/chat")) == 5
        with pytest.raises(ChatError, match=r"llama3.2 was not asked: .* next try is in 60 s") as caught:
            guarded.complete(QUESTION, timeout_seconds=5)
        assert isinstance(caught.value.__cause__, CircuitOpenError)

    def test_refusals_never_open_the_circuit(self, server: OllamaServer, breaker: CircuitBreaker) -> None:
        guarded = self.guarded(server, breaker)
        server.misbehave("status", path="/api/chat", status=400)

        for _ in range(7):
            with pytest.raises(ChatError, match="status 400"):
                guarded.complete(QUESTION, timeout_seconds=5)

        assert len(server.bodies("/api/chat")) == 7

    def test_who_waits_for_a_place_leaves_half_of_the_time_for_the_call(
        self, server: OllamaServer, breaker: CircuitBreaker
    ) -> None:
        places = Bounded(1)
        guarded = self.guarded(server, breaker, places)

        with places.place(timeout_seconds=0), pytest.raises(ChatBusyError, match=r"none became free within 0\.2 s"):
            guarded.complete(QUESTION, timeout_seconds=0.4)

        assert (server.bodies("/api/chat"), breaker.failures) == ([], 0)

    def test_a_stream_without_a_place_in_time_is_busy_and_no_outage(
        self, server: OllamaServer, breaker: CircuitBreaker
    ) -> None:
        places = Bounded(1)
        guarded = self.guarded(server, breaker, places)

        with places.place(timeout_seconds=0), pytest.raises(ChatBusyError, match="all 1 places are taken"):
            list(guarded.stream(QUESTION, timeout_seconds=0.1))

        assert (server.bodies("/api/chat"), breaker.failures) == ([], 0)

    def test_a_stalled_call_gives_its_place_back_when_its_own_time_is_over(
        self, server: OllamaServer, breaker: CircuitBreaker
    ) -> None:
        guarded = self.guarded(server, breaker, Bounded(1))
        server.misbehave("stall", path="/api/chat", seconds=30, times=1)

        with pytest.raises(ChatError, match="did not answer"):
            guarded.complete(QUESTION, timeout_seconds=0.2)

        assert guarded.complete(QUESTION, timeout_seconds=5) == "Respuesta: ¿Llovió ayer?"


class TestGuardedEmbedder:
    def test_it_embeds_as_the_embedder_does(self, breaker: CircuitBreaker) -> None:
        guarded = GuardedEmbedder(FakeEmbedder(), breaker=breaker, places=Bounded(1), wait_seconds=1)

        assert (guarded.name, guarded.dimensions) == ("falso", 4)
        assert guarded.embed(["a", "b"], role="query").shape == (2, 4)

    def test_only_outages_open_the_circuit(self, breaker: CircuitBreaker) -> None:
        embedder = FakeEmbedder()
        guarded = GuardedEmbedder(embedder, breaker=breaker, places=Bounded(1), wait_seconds=1)

        embedder.error = EmbeddingError("un texto vacío")
        for _ in range(6):
            with pytest.raises(EmbeddingError, match="un texto vacío"):
                guarded.embed([""], role="query")
        embedder.error = EmbeddingUnavailableError("nadie contesta")
        for _ in range(5):
            with pytest.raises(EmbeddingError, match="nadie contesta"):
                guarded.embed(["a"], role="query")

        with pytest.raises(EmbeddingError, match=r"falso was not asked: .* next try is in 60 s"):
            guarded.embed(["a"], role="query")

    def test_no_place_in_time_is_an_error_of_embedding(self, breaker: CircuitBreaker) -> None:
        places = Bounded(1)
        guarded = GuardedEmbedder(FakeEmbedder(), breaker=breaker, places=places, wait_seconds=0)

        with places.place(timeout_seconds=0), pytest.raises(EmbeddingError, match="was not asked"):
            guarded.embed(["a"], role="query")


class FakeReranker:
    name = "falso"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def score(self, query, candidates, *, statistics, timeout_seconds, cancellation=None):
        if self.error is not None:
            raise self.error
        return [0.5] * len(candidates)


class TestGuardedReranker:
    def score(self, guarded: GuardedReranker) -> list[float]:
        nothing = QueryStatistics(documents={}, frequencies={})
        return guarded.score("riego", [], statistics=nothing, timeout_seconds=1)

    def test_after_five_outages_the_server_is_left_alone(self, breaker: CircuitBreaker) -> None:
        guarded = GuardedReranker(FakeReranker(RerankerUnavailableError("nadie contesta")), breaker=breaker)

        for _ in range(5):
            with pytest.raises(RerankingError, match="nadie contesta"):
                self.score(guarded)

        with pytest.raises(RerankingError, match=r"falso was not asked: .* next try is in 60 s"):
            self.score(guarded)

    def test_what_says_nothing_of_the_server_never_opens_the_circuit(self, breaker: CircuitBreaker) -> None:
        guarded = GuardedReranker(FakeReranker(RerankingError("en 1 ms no")), breaker=breaker)

        for _ in range(10):
            with pytest.raises(RerankingError, match="en 1 ms no"):
                self.score(guarded)

        assert (breaker.state, breaker.failures) == ("closed", 0)

    def test_a_call_that_says_nothing_of_the_server_does_not_close_the_circuit_either(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        fail_times(breaker, 5)
        clock.now += 60

        with pytest.raises(RerankingError, match="en 1 ms no"):
            self.score(GuardedReranker(FakeReranker(RerankingError("en 1 ms no")), breaker=breaker))

        assert breaker.state == "half_open"


def test_chat_and_embedding_together_stay_within_the_places_of_their_server(ollama_server: OllamaServer) -> None:
    from test_ollama_embedder import NOMIC

    from rag_core.embedding.providers.ollama import OllamaEmbedder

    ollama_server.serve("llama3.2")
    ollama_server.serve("nomic-embed-text", dimensions=16)
    for path in ("/api/chat", "/api/embed"):
        ollama_server.misbehave("stall", path=path, seconds=0.05)
    places = Bounded(3)
    chat = GuardedChat(OllamaChat("llama3.2", host=ollama_server.url), breaker=CircuitBreaker("chat"), places=places)
    embedder = GuardedEmbedder(
        OllamaEmbedder(NOMIC, host=ollama_server.url),
        breaker=CircuitBreaker("embedding"),
        places=places,
        wait_seconds=30,
    )

    with ThreadPoolExecutor(16) as threads:
        calls = [threads.submit(chat.complete, QUESTION, timeout_seconds=60) for _ in range(10)]
        calls += [threads.submit(embedder.embed, ["riego"], role="document") for _ in range(10)]
        for call in calls:
            call.result()

    assert len(ollama_server.bodies("/api/chat") + ollama_server.bodies("/api/embed")) == 20
    assert ollama_server.most_at_once == 3

"""Circuit breakers and bounded concurrency, and models behind them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat import Message
from rag_core.chat.guarded import GuardedChat
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.embedding.guarded import GuardedEmbedder
from rag_core.errors import (
    BusyError,
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


class OutageError(Exception):
    """What the breakers of these tests count."""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker("chat", clock=clock)


def fail() -> str:
    raise OutageError


def fail_times(breaker: CircuitBreaker, count: int) -> None:
    for _ in range(count):
        with pytest.raises(OutageError):
            breaker.call(fail, counts=(OutageError,))


def succeed(breaker: CircuitBreaker) -> str:
    return breaker.call(lambda: "bien", counts=(OutageError,))


class TestClosed:
    def test_it_hands_on_what_the_call_gives(self, breaker: CircuitBreaker) -> None:
        assert succeed(breaker) == "bien"

    def test_four_failures_leave_it_closed(self, breaker: CircuitBreaker) -> None:
        fail_times(breaker, 4)

        assert (breaker.state, breaker.failures) == ("closed", 4)

    def test_the_fifth_within_the_window_opens_it(self, breaker: CircuitBreaker, clock: Clock) -> None:
        fail_times(breaker, 4)
        clock.now += 10
        fail_times(breaker, 1)

        assert (breaker.state, breaker.failures) == ("open", 5)

    def test_failures_older_than_the_window_are_forgotten(self, breaker: CircuitBreaker, clock: Clock) -> None:
        fail_times(breaker, 4)
        clock.now += 10.1
        fail_times(breaker, 4)

        assert (breaker.state, breaker.failures) == ("closed", 4)

    def test_successes_between_failures_do_not_hide_them(self, breaker: CircuitBreaker) -> None:
        for _ in range(5):
            fail_times(breaker, 1)
            if breaker.state == "closed":
                succeed(breaker)

        assert breaker.state == "open"

    def test_errors_that_are_not_the_dependencys_are_not_counted(self, breaker: CircuitBreaker) -> None:
        for _ in range(20):
            with pytest.raises(ZeroDivisionError):
                breaker.call(lambda: 1 / 0, counts=(OutageError,))

        assert (breaker.state, breaker.failures) == ("closed", 0)

    @given(st.lists(st.floats(0, 20, allow_nan=False), max_size=30), st.integers(1, 6))
    def test_it_opens_when_so_many_failures_lie_within_one_window_and_not_before(
        self, gaps: list[float], threshold: int
    ) -> None:
        clock = Clock()
        breaker = CircuitBreaker("chat", failure_threshold=threshold, clock=clock)
        moments: list[float] = []

        for gap in gaps:
            clock.now += gap
            fail_times(breaker, 1)
            moments.append(clock.now)
            is_full = len([moment for moment in moments if clock.now - moment <= 10]) >= threshold
            assert breaker.state == ("open" if is_full else "closed")
            if is_full:
                break


class TestOpen:
    @pytest.fixture(autouse=True)
    def _opened(self, breaker: CircuitBreaker) -> None:
        fail_times(breaker, 5)

    def test_calls_are_refused_without_being_made_and_told_when_to_come_again(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 18
        made: list[int] = []

        with pytest.raises(
            CircuitOpenError, match=r"chat failed 5 times within 10 s and is left alone; the next try is in 42 s"
        ):
            breaker.call(lambda: made.append(1), counts=(OutageError,))

        assert made == []

    def test_it_is_half_open_after_its_time(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 59.9
        assert breaker.state == "open"

        clock.now += 0.1
        assert breaker.state == "half_open"

    def test_a_try_that_succeeds_closes_it_and_forgets_the_failures(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 60

        assert succeed(breaker) == "bien"
        assert (breaker.state, breaker.failures) == ("closed", 0)
        fail_times(breaker, 4)
        assert breaker.state == "closed"

    def test_what_was_before_a_success_is_forgotten_even_within_the_window(self, clock: Clock) -> None:
        breaker = CircuitBreaker("postgresql", reset_seconds=2, clock=clock)
        fail_times(breaker, 5)
        clock.now += 2
        succeed(breaker)

        fail_times(breaker, 1)

        assert breaker.state == "closed"

    def test_a_try_that_fails_opens_it_for_as_long_again(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 60
        fail_times(breaker, 1)

        clock.now += 59
        assert breaker.state == "open"
        clock.now += 1
        assert succeed(breaker) == "bien"

    def test_a_try_that_says_nothing_of_the_dependency_leaves_the_next_one_to_find_out(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 60
        with pytest.raises(ZeroDivisionError):
            breaker.call(lambda: 1 / 0, counts=(OutageError,))

        assert breaker.state == "half_open"
        assert succeed(breaker) == "bien"

    def test_of_twenty_at_once_exactly_one_tries(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 60
        everyone, refused, tried = threading.Barrier(20), threading.Semaphore(0), []

        def probe() -> str:
            tried.append(1)
            for _ in range(19):
                assert refused.acquire(timeout=30)
            return "bien"

        def come() -> bool:
            everyone.wait(timeout=30)
            try:
                return breaker.call(probe, counts=(OutageError,)) == "bien"
            except CircuitOpenError:
                refused.release()
                return False

        with ThreadPoolExecutor(20) as threads:
            came = [future.result() for future in [threads.submit(come) for _ in range(20)]]

        assert (sum(came), len(tried), breaker.state) == (1, 1, "closed")

    def test_to_look_takes_nobodys_turn(self, breaker: CircuitBreaker, clock: Clock) -> None:
        with pytest.raises(CircuitOpenError):
            breaker.check()
        clock.now += 60

        breaker.check()
        breaker.check()

        assert succeed(breaker) == "bien"

    def test_calls_from_before_it_opened_change_nothing(self, clock: Clock) -> None:
        breaker = CircuitBreaker("chat", clock=clock)

        def late(end: Callable[[], str]) -> str:
            fail_times(breaker, 5)
            clock.now += 59
            return end()

        breaker.call(lambda: late(lambda: "bien"), counts=(OutageError,))
        assert breaker.state == "open"

        clock.now += 1
        succeed(breaker)
        with pytest.raises(OutageError):
            breaker.call(lambda: late(fail), counts=(OutageError,))
        clock.now += 1
        assert breaker.state == "half_open"


def test_a_breaker_that_allows_no_failure_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least 1"):
        CircuitBreaker("chat", failure_threshold=0)


class TestBounded:
    def test_a_place_is_free_again_after_an_error(self) -> None:
        places = Bounded(1)

        with pytest.raises(ZeroDivisionError), places.place(timeout_seconds=0):
            raise ZeroDivisionError
        with places.place(timeout_seconds=0):
            pass

    def test_who_waits_in_vain_is_told_so(self) -> None:
        places = Bounded(1)

        with (
            places.place(timeout_seconds=0),
            pytest.raises(BusyError, match=r"all 1 places are taken, and none became free within 0\.1 s"),
            places.place(timeout_seconds=0.1),
        ):
            pass

    def test_no_place_at_all_is_refused(self) -> None:
        with pytest.raises(ValueError, match="expected at least 1"):
            Bounded(0)


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

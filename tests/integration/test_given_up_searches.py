"""A search that nobody waits for any more: what it asked of models ends, and whoever else asks the same is answered."""

import dataclasses
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rag_core.configuration.schema import configure
from rag_core.errors import ChatCancelledError, ChatError, SearchCancelledError
from rag_core.model.embedding import EmbeddingRole, FloatMatrix
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

STORM = "háblame de aquella tormenta"
"""Abstract, so that a hypothetical answer is written for it."""
GIVEN_UP_WITHIN_SECONDS = 1.0


class Stalling:
    """A chat model that answers nothing until it is cancelled, and says how often it was asked and left."""

    name = "stalling"

    def __init__(self) -> None:
        self.is_asked = threading.Event()
        self.asked = self.left = 0

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None) -> str:
        gone = threading.Event()
        self.asked += 1
        with cancellation.calling(gone.set):
            self.is_asked.set()
            if not gone.wait(timeout_seconds):
                raise ChatError("nobody gave up")
        self.left += 1
        raise ChatCancelledError("gone")


class Recovering(Stalling):
    """One that answers nothing the first time, and later when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = threading.Event()

    def complete(self, messages, **more) -> str:
        if self.asked == 0:
            return super().complete(messages, **more)
        self.asked += 1
        self.may_end.wait(10)
        return "Cayó una tormenta y el sótano se llenó de agua."


class Cut:
    """A chat model whose call ends as one over the network does: a cancelled one wakes in its own thread."""

    name = "cut"

    def __init__(self) -> None:
        self.is_asked = threading.Event()

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None) -> str:
        here, there = socket.socketpair()
        with here, there, cancellation.calling(lambda: here.shutdown(socket.SHUT_RDWR)):
            self.is_asked.set()
            here.recv(1)
        raise ChatCancelledError("gone")


class Slow(Cancellation):
    """Who is called first goes on long before the next is called."""

    def __init__(self) -> None:
        super().__init__()
        self.to_call = 0

    def calling(self, callback):
        def slowly() -> None:
            callback()
            time.sleep(0.1)

        self.to_call += 1
        return super().calling(slowly)


class Deaf:
    """An embedder that takes its time whatever happens."""

    name, dimensions = "deaf", 768

    def __init__(self) -> None:
        self.is_asked, self.may_end = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        self.is_asked.set()
        self.may_end.wait(20)
        return np.ones((len(texts), self.dimensions), dtype=np.float32)


def find(
    engine: Engine, tenant: TenantId, query: str, cancellation: Cancellation | None = None, **more: object
) -> Retrieval:
    config = configure(more, strategy=more.pop("strategy", "hybrid+rerank"))
    return retrieve(engine, tenant, query, config=config, timeout_ms=20_000, cancellation=cancellation)


@pytest.fixture
def notes(engine: Engine, make_note, index_notes) -> Engine:
    make_note("Ayer cayó una tormenta. El sótano se llenó de agua.", external_id="tormenta")
    make_note("El lunes hubo otra tormenta, sin daños.", external_id="otra")
    index_notes()
    return engine


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not come true within 10 s"
        time.sleep(0.01)


def seconds_to_give_up(future, cancellation: Cancellation) -> float:
    """From the cancellation to the end of the search, which must say that it was cancelled."""
    began = time.monotonic()
    cancellation.cancel()
    with pytest.raises(SearchCancelledError):
        future.result(10)
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("query", "more"),
    [
        pytest.param(STORM, {"strategy": "hybrid"}, id="a hypothetical answer is written"),
        pytest.param("¿Cuándo cayó la tormenta?", {"reranking": {"provider": "llm"}}, id="passages are scored"),
    ],
)
def test_what_a_model_is_asked_for_it_ends(
    notes, tenant, threads, caplog: pytest.LogCaptureFixture, query: str, more: dict[str, object]
) -> None:
    chat, cancellation = Stalling(), Cancellation()
    asking = dataclasses.replace(notes, chat=chat)
    caplog.set_level(logging.INFO)

    searching = threads.submit(find, asking, tenant, query, cancellation, **more)
    assert chat.is_asked.wait(10)

    assert seconds_to_give_up(searching, cancellation) < GIVEN_UP_WITHIN_SECONDS
    wait_until(lambda: chat.left == 1)  # in a thread of its own
    assert chat.asked == 1
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_leg_that_ends_by_being_cancelled_is_no_leg_that_failed(notes, tenant, threads, caplog) -> None:
    chat, cancellation = Cut(), Slow()
    asking = dataclasses.replace(notes, chat=chat)
    caplog.set_level(logging.INFO)

    searching = threads.submit(find, asking, tenant, STORM, cancellation, strategy="hybrid")
    assert chat.is_asked.wait(10)
    wait_until(lambda: cancellation.to_call == 2)  # the model's call, and whoever waits for the legs

    assert seconds_to_give_up(searching, cancellation) < GIVEN_UP_WITHIN_SECONDS
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_leg_that_cannot_be_ended_is_not_waited_for(notes, tenant, threads, monkeypatch) -> None:
    embedder, cancellation = Deaf(), Cancellation()
    monkeypatch.setattr(Engine, "query_embedder_of", lambda *_: embedder)

    searching = threads.submit(find, notes, tenant, "¿Cuándo cayó la tormenta?", cancellation)
    assert embedder.is_asked.wait(10)
    seconds = seconds_to_give_up(searching, cancellation)
    embedder.may_end.set()

    assert seconds < GIVEN_UP_WITHIN_SECONDS


def test_nothing_is_begun_for_somebody_who_has_gone(notes, tenant) -> None:
    chat, cancellation = Stalling(), Cancellation()
    cancellation.cancel()

    with pytest.raises(SearchCancelledError):
        find(dataclasses.replace(notes, chat=chat), tenant, STORM, cancellation)

    assert chat.asked == 0


def test_whoever_waits_for_the_same_answer_gets_one(notes, tenant, threads, monkeypatch) -> None:
    embedder, cancellation = Deaf(), Cancellation()
    with monkeypatch.context() as patched:
        patched.setattr(Engine, "query_embedder_of", lambda *_: embedder)
        first = threads.submit(find, notes, tenant, "¿Cuándo cayó la tormenta?", cancellation)
        assert embedder.is_asked.wait(10)
    second = threads.submit(find, notes, tenant, "¿Cuándo cayó la tormenta?")
    wait_until(lambda: notes.caches.query.figures.hits == 1)  # the second waits for the first

    seconds_to_give_up(first, cancellation)
    embedder.may_end.set()

    assert {hit.external_id for hit in second.result(10).hits} == {"tormenta", "otra"}


def test_those_who_wait_for_the_same_are_answered_by_one_further_search_which_is_kept(notes, tenant) -> None:
    chat, cancellation = Recovering(), Cancellation()
    asking = dataclasses.replace(notes, chat=chat)

    with ThreadPoolExecutor(9) as threads:
        first = threads.submit(find, asking, tenant, STORM, cancellation, strategy="hybrid")
        assert chat.is_asked.wait(10)
        waiting = [threads.submit(find, asking, tenant, STORM, strategy="hybrid") for _ in range(8)]
        wait_until(lambda: notes.caches.query.figures.hits == 8)
        seconds_to_give_up(first, cancellation)
        wait_until(lambda: notes.caches.query.figures.hits == 15)  # seven wait for the eighth
        chat.may_end.set()
        answers = [future.result(10) for future in waiting]

    assert [{hit.external_id for hit in answer.hits} for answer in answers] == 8 * [{"tormenta", "otra"}]
    assert not any(answer.is_degraded for answer in answers)
    assert find(asking, tenant, STORM, strategy="hybrid").stages.keys() == {"cache"}
    assert chat.asked == 2


def test_whoever_waits_for_the_same_answer_may_leave_before_it_is_there(notes, tenant, threads) -> None:
    chat, cancellation, first_left = Stalling(), Cancellation(), Cancellation()
    asking = dataclasses.replace(notes, chat=chat)
    first = threads.submit(find, asking, tenant, STORM, first_left, strategy="hybrid")
    assert chat.is_asked.wait(10)
    second = threads.submit(find, asking, tenant, STORM, cancellation, strategy="hybrid")
    wait_until(lambda: notes.caches.query.figures.hits == 1)

    assert seconds_to_give_up(second, cancellation) < GIVEN_UP_WITHIN_SECONDS
    assert not first.done()
    seconds_to_give_up(first, first_left)

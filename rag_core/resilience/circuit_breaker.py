"""What keeps a failing or slow dependency from taking the rest with it: circuit breakers and bounded concurrency.

Here: both, and a chat model, an embedder and a re-ranker wrapped in them. Not here: time-outs and retries of a single call, which are
the provider's, and what a caller does without the dependency.

The breaker is ours: ``pybreaker`` and ``circuitbreaker`` count failures in a row, however long ago, and the libraries
that count within a window are a release or two old.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal, TypeVar

from rag_core.chat import ChatModel, Message
from rag_core.embedding import Embedder
from rag_core.errors import (
    BusyError,
    ChatBusyError,
    ChatCancelledError,
    ChatError,
    ChatUnavailableError,
    CircuitOpenError,
    EmbeddingUnavailableError,
    RerankerUnavailableError,
    RerankingError,
)
from rag_core.model import EmbeddingRole, FloatMatrix
from rag_core.reranking import Candidate, QueryStatistics, Reranker
from rag_core.resilience.cancellation import Cancellation

CircuitState = Literal["closed", "open", "half_open"]
Answer = TypeVar("Answer")


class CircuitBreaker:
    """Leaves a dependency alone for ``reset_seconds`` after so many failures within ``window_seconds``.

    Closed: calls go through. Open: they are refused at once. Half open, when the time is over: one call goes through to
    try, the others are still refused; its success closes the circuit, its failure opens it again. What calls from before
    a change of state come to is not counted. Threads may share it; it remembers ``failure_threshold`` moments.
    """

    def __init__(
        self,
        name: str,
        *,
        failure_threshold: int = 5,
        window_seconds: float = 10,
        reset_seconds: float = 60,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if failure_threshold < 1:
            raise ValueError(f"failure_threshold is {failure_threshold}; expected at least 1")
        self.name = name
        self._window_seconds = window_seconds
        self._reset_seconds = reset_seconds
        self._clock = clock
        self._failed_at: deque[float] = deque(maxlen=failure_threshold)
        self._opened_at: float | None = None
        self._is_probing = False
        self._generation = 0
        self._lock = threading.Lock()

    @property
    def state(self) -> CircuitState:
        """What the next call meets."""
        with self._lock:
            if self._opened_at is None:
                return "closed"
            return "open" if self._remaining_seconds() > 0 else "half_open"

    @property
    def failures(self) -> int:
        """Failures within the last ``window_seconds``, at most ``failure_threshold``."""
        with self._lock:
            since = self._clock() - self._window_seconds
            return sum(moment >= since for moment in self._failed_at)

    def check(self) -> None:
        """Refuse as ``call`` would, without taking the place of the one that tries.

        Raises:
            CircuitOpenError: the dependency is left alone.
        """
        with self._lock:
            self._refuse_while_open()

    def call(self, run: Callable[[], Answer], *, counts: tuple[type[Exception], ...]) -> Answer:
        """Run it and remember how it went: ``counts`` are failures of the dependency, other errors say nothing of it.

        Raises:
            CircuitOpenError: the dependency is left alone; ``run`` was not called.
        """
        with self.watching(counts=counts):
            return run()

    @contextmanager
    def watching(self, *, counts: tuple[type[Exception], ...]) -> Iterator[None]:
        """The same for a block; one that is left by another error, or before its end, says nothing of the dependency.

        Raises:
            CircuitOpenError: the dependency is left alone; the block was not entered.
        """
        generation = self._enter()
        has_failed: bool | None = None
        try:
            yield
            has_failed = False
        except counts:
            has_failed = True
            raise
        finally:
            self._leave(generation, has_failed)

    def _enter(self) -> int:
        with self._lock:
            self._refuse_while_open()
            self._is_probing = self._opened_at is not None
            return self._generation

    def _leave(self, generation: int, has_failed: bool | None) -> None:
        with self._lock:
            if generation != self._generation:
                return
            if self._opened_at is not None:
                self._end_probe(has_failed)
            elif has_failed:
                self._count_failure()

    def _end_probe(self, has_failed: bool | None) -> None:
        self._is_probing = False
        if has_failed:
            self._open()
        elif has_failed is False:
            self._close()

    def _count_failure(self) -> None:
        now = self._clock()
        self._failed_at.append(now)
        if len(self._failed_at) == self._failed_at.maxlen and now - self._failed_at[0] <= self._window_seconds:
            self._open()

    def _open(self) -> None:
        self._opened_at = self._clock()
        self._generation += 1

    def _close(self) -> None:
        self._opened_at = None
        self._failed_at.clear()
        self._generation += 1

    def _remaining_seconds(self) -> float:
        if self._opened_at is None:
            return 0
        return self._opened_at + self._reset_seconds - self._clock()

    def _refuse_while_open(self) -> None:
        if self._opened_at is None:
            return
        remaining = self._remaining_seconds()
        if remaining > 0:
            raise CircuitOpenError(
                f"{self.name} failed {self._failed_at.maxlen} times within {self._window_seconds:g} s and is left alone; "
                f"the next try is in {remaining:.0f} s"
            )
        if self._is_probing:
            raise CircuitOpenError(f"{self.name} failed of late and is being tried by one call; try again after it")


class Bounded:
    """At most ``limit`` at a time; those who wait give up when their time is over."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"limit is {limit}; expected at least 1")
        self.limit = limit
        self._free = limit
        self._changed = threading.Condition()

    @contextmanager
    def place(self, *, timeout_seconds: float, cancellation: Cancellation | None = None) -> Iterator[None]:
        """Hold one of the places for the block; who is cancelled waits no longer.

        Raises:
            BusyError: none became free in time, or before the cancellation.
        """
        with (cancellation or Cancellation()).calling(self._wake):
            self._take(timeout_seconds, cancellation)
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _take(self, timeout_seconds: float, cancellation: Cancellation | None) -> None:
        def is_over() -> bool:
            return self._free > 0 or (cancellation is not None and cancellation.is_cancelled)

        with self._changed:
            self._changed.wait_for(is_over, max(0, timeout_seconds))
            if self._free > 0:
                self._free -= 1
                return
        raise BusyError(
            f"all {self.limit} places are taken, and none became free within {timeout_seconds:.1f} s; "
            "try again, or allow more at a time"
        )


class GuardedChat:
    """A chat model behind a breaker, and behind the places that all calls to its server share.

    It waits for a place at most half of the caller's time, so that what it begins has the other half.
    """

    def __init__(self, chat: ChatModel, *, breaker: CircuitBreaker, places: Bounded) -> None:
        self.name = chat.name
        self.breaker = breaker
        self._chat = chat
        self._places = places

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        cancellation: Cancellation | None = None,
    ) -> str:
        """Answer as the chat model does; an open circuit or no place in time is a ChatError like any other."""
        ends_at = time.monotonic() + timeout_seconds

        def ask() -> str:
            left = ends_at - time.monotonic()
            return self._chat.complete(
                messages, timeout_seconds=left, schema=schema, max_tokens=max_tokens, cancellation=cancellation
            )

        try:
            self.breaker.check()
            with self._places.place(timeout_seconds=timeout_seconds / 2, cancellation=cancellation):
                return self.breaker.call(ask, counts=(ChatUnavailableError,))
        except (CircuitOpenError, BusyError) as error:
            raise self._unasked(error, cancellation) from error

    def stream(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        cancellation: Cancellation | None = None,
    ) -> Generator[str]:
        """Answer as the chat model does; the place is held until the last bit, or until nobody iterates any more."""
        ends_at = time.monotonic() + timeout_seconds
        try:
            self.breaker.check()
            with (
                self._places.place(timeout_seconds=timeout_seconds / 2, cancellation=cancellation),
                self.breaker.watching(counts=(ChatUnavailableError,)),
                closing(
                    self._chat.stream(
                        messages,
                        timeout_seconds=ends_at - time.monotonic(),
                        max_tokens=max_tokens,
                        temperature=temperature,
                        cancellation=cancellation,
                    )
                ) as bits,
            ):
                yield from bits
        except (CircuitOpenError, BusyError) as error:
            raise self._unasked(error, cancellation) from error

    def _unasked(self, error: Exception, cancellation: Cancellation | None) -> ChatError:
        if cancellation is not None and cancellation.is_cancelled:
            return ChatCancelledError(f"chat model {self.name} was not asked: nobody waits any more")
        kind = ChatBusyError if isinstance(error, BusyError) else ChatError
        return kind(f"chat model {self.name} was not asked: {error}")

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        """Count as the chat model does, which asks its server once at most and takes no place for it."""
        return self._chat.fetch_free_tokens(messages, answer_tokens=answer_tokens)


class GuardedEmbedder:
    """An embedder behind a breaker, and behind the places that all calls to its server share.

    ``wait_seconds`` is for a place; the call itself has the embedder's own time.
    """

    def __init__(self, embedder: Embedder, *, breaker: CircuitBreaker, places: Bounded, wait_seconds: float) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.breaker = breaker
        self._embedder = embedder
        self._places = places
        self._wait_seconds = wait_seconds

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed as the embedder does; an open circuit or no place in time is no failure of the texts either."""
        try:
            self.breaker.check()
            with self._places.place(timeout_seconds=self._wait_seconds):
                return self.breaker.call(
                    lambda: self._embedder.embed(texts, role=role), counts=(EmbeddingUnavailableError,)
                )
        except (CircuitOpenError, BusyError) as error:
            raise EmbeddingUnavailableError(f"embedding model {self.name} was not asked: {error}") from error


class GuardedReranker:
    """A re-ranker on a server behind a breaker; an open circuit is a RerankingError like any other."""

    def __init__(self, reranker: Reranker, *, breaker: CircuitBreaker) -> None:
        self.name = reranker.name
        self.breaker = breaker
        self._reranker = reranker

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """Score as the re-ranker does."""
        try:
            with self.breaker.watching(counts=(RerankerUnavailableError,)):
                return self._reranker.score(
                    query,
                    candidates,
                    statistics=statistics,
                    timeout_seconds=timeout_seconds,
                    cancellation=cancellation,
                )
        except CircuitOpenError as error:
            raise RerankingError(f"re-ranker {self.name} was not asked: {error}") from error

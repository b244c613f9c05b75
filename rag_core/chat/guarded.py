"""A chat model behind a circuit breaker and bounded concurrency."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from rag_core.chat import ChatModel, Message
from rag_core.errors import (
    BusyError,
    ChatBusyError,
    ChatCancelledError,
    ChatError,
    ChatUnavailableError,
    CircuitOpenError,
)
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.cancellation import Cancellation
from rag_core.resilience.circuit_breaker import CircuitBreaker


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

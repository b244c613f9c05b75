"""Chat by an Ollama server (``/api/chat``): one try within the caller's time, and an answer that is one."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from ollama import ChatResponse, ResponseError

from rag_core.chat import CHAT_PROVIDERS, ChatProvider, Message
from rag_core.chat.context_window import ContextWindow
from rag_core.chat.control_tokens import messages_to_send
from rag_core.chat.ollama_client import (
    FAILURES,
    KEEP_ALIVE,
    explain,
    fetch_chat_model_card,
    find_fault,
    is_outage,
    is_too_long,
    open_client,
)
from rag_core.chat.replies import legible, require_whole
from rag_core.chat.thoughts import SpokenStream, spoken
from rag_core.errors import ChatCancelledError, ChatError, ChatUnavailableError, PromptTooLongError
from rag_core.resilience.call_time import call_time, timed_parts
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings


class OllamaChat:
    """A chat model on an Ollama server, without thinking aloud.

    ``context_tokens`` is what a question and its answer may have together at most, less where the model's context is; it
    is the same for every call: with another size the server loads the model anew. ``timeout_seconds`` bounds whatever time a
    caller gives.
    """

    def __init__(self, model: str, *, host: str, timeout_seconds: float = 60, context_tokens: int = 8192) -> None:
        self.name = model
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._client = open_client(host)
        self._window = ContextWindow(
            model, partial(fetch_chat_model_card, self._client, model), most_tokens=context_tokens
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        cancellation: Cancellation | None = None,
    ) -> str:
        """Answer the messages: the text without the model's thoughts, never ''; with ``schema`` most likely its JSON.

        A text that ends at ``max_tokens`` is given as far as it goes; JSON cut there is an error.

        Raises:
            PromptTooLongError: the messages do not fit the context, or the server cut them.
            ChatError: the server refused them or failed (ChatUnavailableError), or the answer is empty or a part only.
            ChatCancelledError: it was cancelled.
        """
        began, seconds = time.monotonic(), min(timeout_seconds, self._timeout_seconds)
        self._window.require_fit(messages, answer_tokens=max_tokens or 0)
        try:
            with call_time(began + seconds - time.monotonic(), cancellation=cancellation):
                answer = self._ask(messages, schema, max_tokens)
        except FAILURES as error:
            self._require_wanted(cancellation, error)
            raise self._failure(error, messages, seconds, silent_seconds=seconds) from error
        self._window.check_whole(messages, answer.prompt_eval_count)
        text = spoken(legible(answer.message.content or ""), is_json=schema is not None)
        self._require_whole(answer, has_text=bool(text), is_cut_wanted=max_tokens is not None and schema is None)
        return text

    def stream(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        cancellation: Cancellation | None = None,
    ) -> Generator[str]:
        """Answer the messages bit by bit; a server that stops in the middle is an error after the bits that came.

        So is a prompt that an old server cut, which it tells with its last word alone.

        Raises:
            ChatError: as for ``complete``; a server that went on writing until the time was over is no outage.
            ChatCancelledError: it was cancelled.
        """
        began, seconds = time.monotonic(), min(timeout_seconds, self._timeout_seconds)
        self._window.require_fit(messages, answer_tokens=max_tokens or 0)
        speech = SpokenStream(begins_in_thought=self._window.fetch_begins_in_thought())
        has_spoken = False
        asked = self._parts(messages, temperature, max_tokens, began=began, seconds=seconds, cancellation=cancellation)
        with closing(asked) as parts:
            for last in parts:
                if said := speech.feed(legible(last.message.content or "")):
                    has_spoken = True
                    yield said
        if rest := speech.end():
            has_spoken = True
            yield rest
        self._window.check_whole(messages, last.prompt_eval_count)
        self._require_whole(last, has_text=has_spoken, is_cut_wanted=max_tokens is not None)

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        """Return the tokens, by ``count_tokens``, left in the context, of the configured size if the server reports none."""
        return self._window.fetch_free_tokens(messages, answer_tokens=answer_tokens)

    def _parts(
        self,
        messages: Sequence[Message],
        temperature: float,
        max_tokens: int | None,
        *,
        began: float,
        seconds: float,
        cancellation: Cancellation | None,
    ) -> Generator[ChatResponse]:
        """The parts of a streamed answer up to the one that says that it is done, within ``seconds`` from ``began``."""

        def ask() -> Generator[ChatResponse]:
            yield from self._client.chat(
                self.name,
                messages_to_send(messages),
                stream=True,
                think=False,
                options=self._options(temperature, max_tokens),
                keep_alive=KEEP_ALIVE,
            )

        waiting_since = time.monotonic()
        try:
            with closing(timed_parts(began + seconds - waiting_since, ask, cancellation=cancellation)) as parts:
                for part in parts:
                    yield part
                    if part.done:
                        return
                    waiting_since = time.monotonic()
        except FAILURES as error:
            self._require_wanted(cancellation, error)
            raise self._failure(error, messages, seconds, silent_seconds=time.monotonic() - waiting_since) from error
        raise ChatUnavailableError(f"{self._source} broke off in the middle of its answer. See the server's log.")

    def _ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int | None
    ) -> ChatResponse:
        return self._client.chat(
            self.name,
            messages_to_send(messages),
            format=dict(schema) if schema is not None else None,
            think=False,
            options=self._options(0, max_tokens),
            keep_alive=KEEP_ALIVE,
        )

    def _options(self, temperature: float, max_tokens: int | None) -> dict[str, float]:
        options = {"temperature": temperature, "num_ctx": self._window.fetch_size()}
        return options if max_tokens is None else options | {"num_predict": max_tokens}

    @property
    def _source(self) -> str:
        return f"Ollama at {self._host}, model {self.name},"

    def _failure(
        self, error: Exception, messages: Sequence[Message], seconds: float, *, silent_seconds: float
    ) -> ChatError:
        if isinstance(error, ResponseError) and is_too_long(error):
            self._window.note_refusal(messages)
            return PromptTooLongError(f"{self._source} finds the messages too long: {error.error}. Send less text.")
        failure = explain(
            error,
            host=self._host,
            model=self.name,
            seconds=seconds,
            expected="chat answer",
            refusal=f"Check with `ollama show {self.name}` that it is a chat model.",
        )
        has_failed = is_outage(error, seconds=silent_seconds)
        return ChatUnavailableError(failure.text) if has_failed else ChatError(failure.text)

    def _require_wanted(self, cancellation: Cancellation | None, error: Exception) -> None:
        if cancellation is not None and cancellation.is_cancelled:
            raise ChatCancelledError(f"chat model {self.name} was stopped: nobody waits any more") from error

    def _require_whole(self, answer: ChatResponse, *, has_text: bool, is_cut_wanted: bool) -> None:
        require_whole(
            self._source,
            has_text=has_text,
            is_cut=answer.done_reason == "length",
            is_cut_wanted=is_cut_wanted,
            tokens=answer.eval_count,
        )


def _build(name: str, settings: Settings, timeout_seconds: float) -> OllamaChat:
    return OllamaChat(
        name,
        host=settings.ollama_host,
        timeout_seconds=timeout_seconds,
        context_tokens=settings.chat_context_tokens,
    )


def _find_fault(name: str, settings: Settings, timeout_seconds: float) -> str | None:
    return find_fault(settings.ollama_host, name, capability="completion", timeout_seconds=timeout_seconds)


CHAT_PROVIDERS.register("ollama")(
    ChatProvider(build=_build, find_fault=_find_fault, find_address=lambda settings: settings.ollama_host)
)

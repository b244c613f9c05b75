"""Chat by an Ollama server (``/api/chat``): one try within the caller's time, and an answer that is one."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from ollama import ChatResponse

from rag_core.call_time import call_time, timed_parts
from rag_core.cancellation import Cancellation
from rag_core.chat import Message
from rag_core.chat.thoughts import SpokenStream, spoken
from rag_core.chunking import count_tokens
from rag_core.errors import ChatCancelledError, ChatError, ChatUnavailableError, PromptTooLongError
from rag_core.ollama import FAILURES, KEEP_ALIVE, explain, is_outage, open_client


class OllamaChat:
    """A chat model on an Ollama server, without thinking aloud.

    ``context_tokens`` is what a question and its answer may have together, the same for every call: with another size
    the server loads the model anew. ``timeout_seconds`` bounds whatever time a caller gives.
    """

    def __init__(self, model: str, *, host: str, timeout_seconds: float = 60, context_tokens: int = 8192) -> None:
        self.name = model
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._context_tokens = context_tokens
        self._client = open_client(host)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> str:
        """Answer the messages: the text without the model's thoughts, never ''; with ``schema`` most likely its JSON.

        A text that ends at ``max_tokens`` is given as far as it goes; JSON cut there is an error.

        Raises:
            ChatError: the messages do not fit the context, the server refused them or failed
                (ChatUnavailableError), or the answer is empty or a part only.
        """
        self._require_fit(messages, max_tokens or 0)
        answer = self._ask(messages, min(timeout_seconds, self._timeout_seconds), schema, max_tokens)
        text = spoken(answer.message.content or "", is_json=schema is not None)
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

        Raises:
            ChatError: as for ``complete``; a server that went on writing until the time was over is no outage.
            ChatCancelledError: it was cancelled.
        """
        self._require_fit(messages, max_tokens or 0)
        seconds = min(timeout_seconds, self._timeout_seconds)
        speech, has_spoken, last = SpokenStream(), False, None
        with closing(self._parts(messages, seconds, temperature, max_tokens, cancellation)) as parts:
            for last in parts:
                if said := speech.feed(last.message.content or ""):
                    has_spoken = True
                    yield said
        if rest := speech.end():
            has_spoken = True
            yield rest
        self._require_whole(last, has_text=has_spoken, is_cut_wanted=max_tokens is not None)

    def _parts(
        self,
        messages: Sequence[Message],
        seconds: float,
        temperature: float,
        max_tokens: int | None,
        cancellation: Cancellation | None,
    ) -> Generator[ChatResponse]:
        """The parts of a streamed answer up to the one that says that it is done."""

        def ask() -> Generator[ChatResponse]:
            yield from self._client.chat(
                self.name,
                _as_sent(messages),
                stream=True,
                think=False,
                options=self._options(temperature, max_tokens),
                keep_alive=KEEP_ALIVE,
            )

        waiting_since = time.monotonic()
        try:
            with closing(timed_parts(seconds, ask, cancellation=cancellation)) as parts:
                for part in parts:
                    yield part
                    if part.done:
                        return
                    waiting_since = time.monotonic()
        except FAILURES as error:
            if cancellation is not None and cancellation.is_cancelled:
                raise ChatCancelledError(f"chat model {self.name} was stopped: nobody waits any more") from error
            raise self._failure(error, seconds, silent_seconds=time.monotonic() - waiting_since) from error
        raise ChatUnavailableError(f"{self._source} broke off in the middle of its answer. See the server's log.")

    def _ask(
        self, messages: Sequence[Message], seconds: float, schema: Mapping[str, Any] | None, max_tokens: int | None
    ) -> ChatResponse:
        try:
            with call_time(seconds):
                return self._client.chat(
                    self.name,
                    _as_sent(messages),
                    format=dict(schema) if schema is not None else None,
                    think=False,
                    options=self._options(0, max_tokens),
                    keep_alive=KEEP_ALIVE,
                )
        except FAILURES as error:
            raise self._failure(error, seconds, silent_seconds=seconds) from error

    def _options(self, temperature: float, max_tokens: int | None) -> dict[str, float]:
        options = {"temperature": temperature, "num_ctx": self._context_tokens}
        return options if max_tokens is None else options | {"num_predict": max_tokens}

    @property
    def _source(self) -> str:
        return f"Ollama at {self._host}, model {self.name},"

    def _failure(self, error: Exception, seconds: float, *, silent_seconds: float) -> ChatError:
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

    def _require_fit(self, messages: Sequence[Message], answer_tokens: int) -> None:
        tokens = sum(count_tokens(message.content) for message in messages)
        if tokens + answer_tokens > self._context_tokens:
            raise PromptTooLongError(
                f"the messages to {self.name} have by estimate {tokens} tokens, and {answer_tokens} are left for the "
                f"answer; expected at most {self._context_tokens} together. Send less text."
            )

    def _require_whole(self, answer: ChatResponse | None, *, has_text: bool, is_cut_wanted: bool) -> None:
        if not has_text:
            raise ChatError(f"{self._source} gave an empty answer; expected text. Try again, or another model.")
        if answer is not None and answer.done_reason == "length" and not is_cut_wanted:
            raise ChatError(
                f"{self._source} stopped in the middle of its answer, after {answer.eval_count or 0} tokens; expected "
                "all of it. Allow more tokens, or take a model that says less."
            )


def _as_sent(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]

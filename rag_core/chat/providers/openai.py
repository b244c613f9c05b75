"""Chat by any server that speaks OpenAI's protocol (``/v1/chat/completions``): llama.cpp, LM Studio, vLLM, hosted models."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import closing
from typing import Any, TypeVar

import httpx
import stamina
from pydantic import SecretStr

from rag_core.chat import CHAT_PROVIDERS, ChatProvider, Message
from rag_core.chat.context_window import SHOW_SECONDS, ChatModelCard, ContextWindow
from rag_core.chat.openai_client import (
    is_outage,
    is_passing,
    open_client,
    read_bounded,
    read_refusal,
    streamed_parts,
    usable_key,
)
from rag_core.chat.openai_protocol import (
    ListedModel,
    NoAnswerError,
    RefusedError,
    ReplyPart,
    base_address,
    listed_model,
    parse_models,
    parse_part,
    request_body,
    shown,
)
from rag_core.chat.replies import legible, require_whole
from rag_core.chat.thoughts import SpokenStream, spoken
from rag_core.errors import (
    ChatCancelledError,
    ChatError,
    ChatUnavailableError,
    ConfigurationError,
    PromptTooLongError,
)
from rag_core.resilience.call_time import call_time, timed_parts
from rag_core.resilience.cancellation import Cancellation
from rag_core.resilience.retries import keep_arguments_out_of_logs
from rag_core.settings import Settings

_FAILURES = (RefusedError, NoAnswerError, httpx.HTTPError, ConnectionError)
_PAUSES_SECONDS = (1.0, 2.0, 4.0)
"""Pauses before a busy server is asked again, where it does not say how long it wants."""

Result = TypeVar("Result")


class OpenAIChat:
    """A chat model on a server with OpenAI's protocol, whose context is at most ``context_tokens``.

    A server that is busy (429, 503) is asked again after the pause it names, within the caller's time; what fails otherwise is
    tried once. Parameters that the server does not take are left out from then on. ``timeout_seconds`` bounds whatever time a
    caller gives. The key is sent to ``url`` alone: redirects are not followed.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str,
        api_key: SecretStr | None = None,
        timeout_seconds: float = 60,
        context_tokens: int = 8192,
    ) -> None:
        self.name = model
        self._address = base_address(url)
        self._key = usable_key(api_key)
        self._timeout_seconds = timeout_seconds
        self._client = open_client(self._address, self._key)
        self._listed: ListedModel | None = None
        self._refused: frozenset[str] = frozenset()
        self._begins_in_thought = False
        self._window = ContextWindow(model, self._fetch_card, most_tokens=context_tokens)
        keep_arguments_out_of_logs()

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
        seconds = min(timeout_seconds, self._timeout_seconds)
        ends_at = time.monotonic() + seconds
        self._window.require_fit(messages, answer_tokens=max_tokens or 0)

        def ask() -> ReplyPart:
            with closing(self._opened(messages, schema, max_tokens)) as response:
                return parse_part(read_bounded(response))

        try:
            with call_time(ends_at - time.monotonic(), cancellation=cancellation):
                whole = self._asked_again(ask, ends_at, cancellation)
        except _FAILURES as error:
            raise self._failure(error, messages, seconds, seconds, cancellation) from error
        text = spoken(legible(whole.text), is_json=schema is not None)
        self._check(messages, whole, text, is_cut_wanted=max_tokens is not None and schema is None)
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
        began, seconds = time.monotonic(), min(timeout_seconds, self._timeout_seconds)
        self._window.require_fit(messages, answer_tokens=max_tokens or 0)
        speech, whole, said = SpokenStream(begins_in_thought=self._begins_in_thought), ReplyPart(), ""
        asked = self._parts(messages, temperature, max_tokens, began=began, seconds=seconds, cancellation=cancellation)
        with closing(asked) as parts:
            for part in parts:
                whole = whole.joined(part)
                if bit := speech.feed(legible(part.text)):
                    said += bit
                    yield bit
        if rest := speech.end():
            said += rest
            yield rest
        self._check(messages, whole, said, is_cut_wanted=max_tokens is not None)
        self._require_no_thought(said, spoken(legible(whole.text)))

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        """Return the tokens, by ``count_tokens``, left in the context, of the configured size if the server reports none."""
        return self._window.fetch_free_tokens(messages, answer_tokens=answer_tokens)

    def find_fault(self, *, timeout_seconds: float) -> str | None:
        """Why the model cannot be used, by the server's list of models; None when it can, or the server has no list."""
        try:
            with call_time(timeout_seconds):
                models = self._fetch_models()
        except _FAILURES as error:
            is_listless = isinstance(error, RefusedError) and error.status in (404, 405, 501)
            return None if is_listless else f"{self._source} {self._explain(error, timeout_seconds)}"
        if not models or listed_model(models, self.name) is not None:
            return None
        names = ", ".join(model.name for model in models[:5])
        return (
            f"{self.name} is not among the models of {self._address}: {names}. Set BRAIN_CHAT_MODEL to one of its list."
        )

    def _parts(
        self,
        messages: Sequence[Message],
        temperature: float,
        max_tokens: int | None,
        *,
        began: float,
        seconds: float,
        cancellation: Cancellation | None,
    ) -> Generator[ReplyPart]:
        """The parts of a streamed answer, within ``seconds`` from ``began``; what goes wrong after its last word is no failure."""
        ends_at, reason = began + seconds, None

        def ask() -> Generator[ReplyPart]:
            response = self._asked_again(
                lambda: self._opened(messages, None, max_tokens, temperature=temperature, is_streamed=True),
                ends_at,
                cancellation,
            )
            with closing(response):
                yield from streamed_parts(response)

        waiting_since = time.monotonic()
        try:
            with closing(timed_parts(ends_at - time.monotonic(), ask, cancellation=cancellation)) as parts:
                for part in parts:
                    reason = part.finish_reason or reason
                    yield part
                    waiting_since = time.monotonic()
        except _FAILURES as error:
            is_cancelled = cancellation is not None and cancellation.is_cancelled
            if reason is None or is_cancelled:
                silent_seconds = time.monotonic() - waiting_since
                raise self._failure(error, messages, seconds, silent_seconds, cancellation) from error
        if reason is None:
            raise ChatUnavailableError(f"{self._source} broke off in the middle of its answer. See the server's log.")

    def _opened(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        max_tokens: int | None,
        *,
        temperature: float = 0.0,
        is_streamed: bool = False,
    ) -> httpx.Response:
        """The server's answer of a good status, not yet read; asked again without each parameter that the server refuses.

        A refusal is remembered when the request without the parameter succeeds.
        """
        refused = self._refused
        while True:
            body = request_body(
                self.name,
                messages,
                is_streamed=is_streamed,
                temperature=temperature,
                max_tokens=max_tokens,
                schema=schema,
                takes_template_arguments=self._listed is not None and self._listed.takes_template_arguments,
                refused=refused,
            )
            request = self._client.build_request("POST", f"{self._address}/chat/completions", json=body)
            response = self._client.send(request, stream=True)
            if response.is_success:
                self._refused |= refused
                return response
            refusal = read_refusal(response)
            if (parameter := refusal.refused_parameter(body)) is None:
                raise refusal
            refused |= {parameter}

    def _asked_again(self, ask: Callable[[], Result], ends_at: float, cancellation: Cancellation | None) -> Result:
        """Result of ``ask``, repeated while the server is busy; the pause ends with a cancellation."""
        pauses = iter(_PAUSES_SECONDS)

        def has_paused(error: Exception) -> bool:
            if not isinstance(error, RefusedError) or not is_passing(error):
                return False
            pause = next(pauses, None)
            seconds = pause if error.retry_after_seconds is None else error.retry_after_seconds
            if pause is None or seconds is None or time.monotonic() + seconds >= ends_at:
                return False
            with (cancellation or Cancellation()).awaited() as gone:
                wait([gone], timeout=seconds)
            return not (cancellation and cancellation.is_cancelled)

        again = stamina.RetryingCaller(
            attempts=len(_PAUSES_SECONDS) + 1, timeout=None, wait_initial=0, wait_max=0, wait_jitter=0
        )
        return again(has_paused, ask)

    def _fetch_card(self) -> ChatModelCard | None:
        try:
            with call_time(SHOW_SECONDS):
                self._listed = listed_model(self._fetch_models(), self.name)
        except _FAILURES:  # whatever is asked of the model next fails too, and says why
            return None
        return ChatModelCard(context_tokens=self._listed.context_tokens if self._listed else None)

    def _fetch_models(self) -> list[ListedModel]:
        with self._client.stream("GET", f"{self._address}/models") as response:
            if not response.is_success:
                raise read_refusal(response)
            return parse_models(read_bounded(response))

    def _check(self, messages: Sequence[Message], whole: ReplyPart, text: str, *, is_cut_wanted: bool) -> None:
        self._window.check_whole(messages, whole.prompt_tokens)
        require_whole(
            self._source,
            has_text=bool(text),
            is_cut=whole.finish_reason == "length",
            is_cut_wanted=is_cut_wanted,
            tokens=whole.completion_tokens,
            has_thoughts=whole.has_thoughts,
        )
        if whole.finish_reason == "content_filter":
            raise ChatError(
                f"{self._source} was stopped by the server's content filter. Ask differently, or another model."
            )

    def _require_no_thought(self, said: str, answer: str) -> None:
        """Refuse a streamed answer that began with a thought whose opening tag stood in the prompt; the next one is held back."""
        if said != answer:
            self._begins_in_thought = True
            raise ChatError(
                f"{self._source} began its answer with its thoughts, unmarked; expected the answer. Ask again, or start the "
                "server with its reasoning parser."
            )

    @property
    def _source(self) -> str:
        return f"{self._address}, model {self.name},"

    def _failure(
        self,
        error: Exception,
        messages: Sequence[Message],
        seconds: float,
        silent_seconds: float,
        cancellation: Cancellation | None,
    ) -> ChatError:
        if cancellation is not None and cancellation.is_cancelled:
            return ChatCancelledError(f"chat model {self.name} was stopped: nobody waits any more")
        if isinstance(error, RefusedError) and error.is_too_long:
            self._window.note_refusal(messages)
            found = shown(error.message, secret=self._key)
            return PromptTooLongError(f"{self._source} finds the messages too long: {found}. Send less text.")
        kind = ChatUnavailableError if is_outage(error, silent_seconds) else ChatError
        return kind(f"{self._source} {self._explain(error, seconds)}")

    def _explain(self, error: Exception, seconds: float) -> str:
        if isinstance(error, RefusedError):
            return self._explain_refusal(error)
        if isinstance(error, httpx.TimeoutException):
            return f"did not answer within {round(seconds, 2):g} s. See what holds it, or raise BRAIN_CHAT_TIMEOUT_MS."
        if isinstance(error, NoAnswerError):
            return f"answered something that is no chat answer: {error}. Check that BRAIN_CHAT_URL is a server of OpenAI's protocol."
        return f"cannot be reached or broke off: {error}. Start it, or set BRAIN_CHAT_URL to where it runs."

    def _explain_refusal(self, refusal: RefusedError) -> str:
        found = shown(refusal.message, secret=self._key)
        status = refusal.status
        if status is None:
            return f"broke off: {found}. See the server's log."
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):  # what it says may hold a part of the key
            return self._explain_unaccepted_key(status)
        if httpx.codes.is_redirect(status):
            return (
                f"answered status {status}, a redirect, which is not followed. Set BRAIN_CHAT_URL to the final address."
            )
        return f"answered status {status}: {found}. {self._remedy(refusal)}"

    def _explain_unaccepted_key(self, status: int) -> str:
        if self._key is None:
            return f"answered status {status}: it wants a key. Set BRAIN_CHAT_API_KEY to a key of this server."
        return f"answered status {status}: it does not accept the key. Set BRAIN_CHAT_API_KEY to a key of this server."

    def _remedy(self, refusal: RefusedError) -> str:
        if refusal.is_unknown_model:
            return f"Set BRAIN_CHAT_MODEL to a model of the server; {self._address}/models lists them."
        if refusal.status == httpx.codes.NOT_FOUND:
            return "Check BRAIN_CHAT_URL."
        if refusal.status == httpx.codes.TOO_MANY_REQUESTS:
            return "Ask again later, or raise the limits of the key."
        if (refusal.status or 0) >= httpx.codes.INTERNAL_SERVER_ERROR:
            return "See the server's log."
        return f"Check that {self.name} is a chat model."


def _build(name: str, settings: Settings, timeout_seconds: float) -> OpenAIChat:
    return OpenAIChat(
        name,
        url=_url(settings),
        api_key=settings.chat_api_key,
        timeout_seconds=timeout_seconds,
        context_tokens=settings.chat_context_tokens,
    )


def _url(settings: Settings) -> str:
    if settings.chat_url is None:
        raise ConfigurationError(
            "BRAIN_CHAT_PROVIDER=openai needs BRAIN_CHAT_URL, the server's address, such as http://127.0.0.1:8080/v1."
        )
    return settings.chat_url


def _find_fault(name: str, settings: Settings, timeout_seconds: float) -> str | None:
    return _build(name, settings, timeout_seconds).find_fault(timeout_seconds=timeout_seconds)


CHAT_PROVIDERS.register("openai")(
    ChatProvider(build=_build, find_fault=_find_fault, find_address=lambda settings: base_address(_url(settings)))
)

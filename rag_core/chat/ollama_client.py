"""The connection to an Ollama server, shared by its embedder, its chat model and ``brain doctor``.

Here: the client, which of its failures are the server's, and how each is said. Not here: how long a call may take
(``rag_core.resilience.call_time``), what is asked and what must come back (the ``providers.ollama`` of
``rag_core.embedding`` and ``rag_core.chat``).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from ollama import Client, ResponseError

from rag_core.chat.context_window import SHOW_SECONDS, ChatModelCard
from rag_core.errors import ConfigurationError
from rag_core.resilience.call_time import OUTAGE_SECONDS, call_time, limit_request

_SHOWN_CHARACTERS = 300

KEEP_ALIVE = "30m"
"""Time that the server keeps an unused model in memory: loading one takes longer than a request has."""

FAILURES = (ConnectionError, ResponseError, httpx.HTTPError, ValueError, RecursionError, TypeError, AttributeError)
"""Exceptions of the client: its own two, httpx's, and those of json and pydantic (ValueError, RecursionError) and of its own
unpacking (TypeError, AttributeError) for a body that is not the JSON expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaFailure:
    """A failed call, for people; an outage is the server's fault whatever it was asked."""

    text: str
    is_outage: bool


class _Client(Client):
    """Ollama's client, which has no word for it, asking that a prompt be refused rather than cut to what the context holds.

    A server from before October 2025 does not know the words and cuts all the same.
    """

    def _request(self, cls: Any, *args: Any, **kwargs: Any) -> Any:
        if args[1:] == ("/api/chat",):
            kwargs["json"] |= {"truncate": False, "shift": False}
        return super()._request(cls, *args, **kwargs)


def fetch_chat_model_card(client: Client, model: str) -> ChatModelCard | None:
    """The context the model was made for or, where that is less, the one its Modelfile gives it; None when the server fails."""
    try:
        with call_time(SHOW_SECONDS):
            shown = client.show(model)
    except FAILURES:  # whatever is asked of the model next fails too, and says why
        return None
    sizes = [context_length(shown.modelinfo or {}), _context_parameter(shown.parameters or "")]
    template = re.sub(r"\{\{.*?\}\}", "", shown.template or "", flags=re.DOTALL)
    return ChatModelCard(
        context_tokens=min((size for size in sizes if size), default=None),
        begins_in_thought=template.rstrip().endswith("<think>"),
    )


def context_length(info: Mapping[str, Any]) -> int | None:
    """The context a model was made for, by its description in ``/api/show``; None where that does not say."""
    found = info.get(f"{info.get('general.architecture')}.context_length")
    return found if isinstance(found, int) and found > 0 else None


def _context_parameter(parameters: str) -> int | None:
    found = re.search(r"^num_ctx\s+\"?(\d+)", parameters, re.MULTILINE)
    return int(found[1]) if found else None


def open_client(host: str) -> Client:
    """A client whose calls are made within ``call_time``; contacts nobody.

    Raises:
        ConfigurationError: the host is no address.
    """
    try:
        keep_none = httpx.Limits(max_keepalive_connections=0)  # a call knows its connection when it has opened it
        return _Client(host=host, event_hooks={"request": [limit_request]}, limits=keep_none)
    except ValueError as error:
        raise ConfigurationError(
            f"OLLAMA_HOST={host!r} is no address ({error}); expected one such as http://127.0.0.1:11434."
        ) from error


def fetch_model_names(host: str, *, timeout_seconds: float) -> list[str] | None:
    """Return the names of the models on the server, in its order; None when no Ollama answers there."""
    try:
        with call_time(timeout_seconds):
            return [model.model for model in open_client(host).list().models if model.model]
    except FAILURES:
        return None


def list_embedding_models(host: str, names: Sequence[str], *, timeout_seconds: float) -> list[str]:
    """List the server's models that can embed, within the time for all; [] when it does not say or does not answer."""
    try:
        with call_time(timeout_seconds):
            client = open_client(host)
            return [name for name in names if "embedding" in (client.show(name).capabilities or ())]
    except FAILURES:
        return []


def fetch_loaded_bytes(host: str, model: str, *, timeout_seconds: float) -> int | None:
    """Return the memory that the server uses for a model, including graphics memory; None when it is not loaded or not reported."""
    names = {model, model.removesuffix(":latest")}
    try:
        with call_time(timeout_seconds):
            running = open_client(host).ps().models
        return next(
            (
                int(found.size)
                for found in running
                if found.size and (found.model or "").removesuffix(":latest") in names
            ),
            None,
        )
    except FAILURES:
        return None


def find_fault(host: str, model: str, *, capability: str, timeout_seconds: float) -> str | None:
    """Fault of a model for ``completion`` or ``embedding``, with the remedy; None when it can be used.

    A server too old to say what a model can do is believed.
    """
    try:
        with call_time(timeout_seconds):
            capabilities = open_client(host).show(model).capabilities
    except FAILURES as error:
        refusal = "Check the model's name."
        return explain(error, host=host, model=model, seconds=timeout_seconds, expected="model", refusal=refusal).text
    if capabilities and capability not in capabilities:
        return f"{model} can do {', '.join(capabilities)} and not {capability}; choose another model"
    return None


def is_outage(error: Exception, *, seconds: float) -> bool:
    """Test whether the server failed within the ``seconds`` it had, rather than refused or had too few of them."""
    if isinstance(error, httpx.TimeoutException):
        return seconds >= OUTAGE_SECONDS
    if isinstance(error, ResponseError):
        return (
            _is_broken_off(error)
            or error.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
            or error.status_code
            in (
                httpx.codes.REQUEST_TIMEOUT,
                httpx.codes.TOO_MANY_REQUESTS,
            )
        )
    return True


def is_too_long(error: ResponseError) -> bool:
    """Test whether the server refused a prompt because the model's context cannot hold it."""
    return error.status_code == httpx.codes.BAD_REQUEST and "context" in str(error.error)


def explain(error: Exception, *, host: str, model: str, seconds: float, expected: str, refusal: str) -> OllamaFailure:
    """Say what was found, what was expected and the remedy; ``refusal`` is the remedy of a status below 500."""
    source = f"Ollama at {host}, model {model},"
    return OllamaFailure(
        text=f"{source} {_explain(error, model, seconds, expected, refusal)}",
        is_outage=is_outage(error, seconds=seconds),
    )


def _explain(error: Exception, model: str, seconds: float, expected: str, refusal: str) -> str:
    if isinstance(error, ResponseError):
        return _explain_status(error, model, refusal)
    if isinstance(error, httpx.TimeoutException):
        return (
            f"did not answer within {round(seconds, 2):g} s. See what holds it with `ollama ps`, or start it anew with "
            "`ollama serve`."
        )
    if isinstance(error, (ConnectionError, httpx.HTTPError)):
        return f"cannot be reached or broke off: {error}. Start it with `ollama serve`, or set OLLAMA_HOST to where it runs."
    return (
        f"answered something that is no {expected}: {_short(str(error))}. Check that OLLAMA_HOST is an Ollama server, "
        "and update it."
    )


def _is_broken_off(error: ResponseError) -> bool:
    """Test whether the error came in the middle of an answer whose status had been good."""
    return error.status_code < 0


def _explain_status(error: ResponseError, model: str, refusal: str) -> str:
    if _is_broken_off(error):
        return f"broke off: {_short(str(error.error))}. See the server's log, and start it anew with `ollama serve`."
    found = f"answered status {error.status_code}: {_short(str(error.error))}. "
    if error.status_code == httpx.codes.NOT_FOUND:
        return found + f"Get the model with `ollama pull {model}`."
    if error.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
        return found + "See the server's log, and start it anew with `ollama serve`."
    return found + refusal


def _short(message: str) -> str:
    return " ".join(message.split())[:_SHOWN_CHARACTERS]

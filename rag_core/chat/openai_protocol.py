"""The protocol of ``/v1/chat/completions`` as OpenAI, llama.cpp, LM Studio and vLLM speak it. Pure.

Here: addresses, what is sent, how answers, server-sent events, model lists and refusals are read. Not here: the connection, its
time and retries (``providers.openai``).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, BeforeValidator, SecretStr, ValidationError

from rag_core.chat import Message
from rag_core.chat.control_tokens import messages_to_send
from rag_core.errors import ConfigurationError

MAX_EVENT_BYTES = 1_000_000
DONE = "[DONE]"
_END_OF_EVENT = "\n"
_ENDPOINT = "/chat/completions"
_SHOWN_CHARACTERS = 300
_TEMPLATE_OWNERS = frozenset({"llamacpp", "vllm", "sglang"})
"""Servers that take arguments of the model's chat template, by the ``owned_by`` of their models."""
_CONTEXT_NAMES = ("max_model_len", "context_length", "max_context_length")
"""Names of the context's size in lists of models: vLLM, OpenRouter, Mistral. llama.cpp's is ``meta.n_ctx``."""
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|(?:maximum|available|model'?s?) context (?:length|size|window)"
    r"|context (?:length|size|window|overflow)[^.]{0,80}(?:exceed|only|overflow|not enough|smaller|greater|longer)"
    r"|(?:exceed|greater than|longer than|larger than|overflow|not enough)[^.]{0,80}context|prompt is too long|too many tokens"
    r"|input token count|maximum number of tokens",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|model_not_available|invalid[ _]model|unknown model|no models? loaded"
    r"|model\b.{0,200}?(?:does ?n[o']t exist|not exist|not found|not available|is not loaded|not supported)",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONAL = {
    "response_format": re.compile(
        r"\bresponse_format\b|\bjson[_ ]schema\b|\bgrammar\b|\bguided_|\bstructured outputs?\b", re.IGNORECASE
    ),
    "stream_options": re.compile("stream_options|include_usage", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "max_completion_tokens": re.compile("max_completion_tokens", re.IGNORECASE),
    "max_tokens": re.compile("max_tokens", re.IGNORECASE),
    "chat_template_kwargs": re.compile("chat_template_kwargs|enable_thinking", re.IGNORECASE),
}
"""What a server may refuse of a request without refusing the request, and how it says so."""
_REFUSING_STATUSES = frozenset({400, 415, 422, 501})


class NoAnswerError(ValueError):
    """The server's answer is not of this protocol; the message says what it is, and nothing of its content."""


@dataclass(slots=True, eq=False)
class RefusedError(Exception):
    """An error object of the server; ``status`` is that of HTTP, or None in the middle of an answer that had begun well."""

    status: int | None
    message: str
    code: str = ""
    """Its code, type and parameter, by which servers tell what ``message`` tells people."""
    retry_after_seconds: float | None = None
    parameter: str = ""
    """The parameter it names, as ``response_format`` or ``messages[0].content``."""

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Test whether message or code match a pattern."""
        return pattern.search(f"{self.code} {self.message}") is not None

    @property
    def is_too_long(self) -> bool:
        """Test whether the model's context cannot hold the prompt."""
        return self.status in (None, 400, 413, 422, 500) and self.says(_TOO_LONG)

    @property
    def is_unknown_model(self) -> bool:
        """Test whether the server has no such model."""
        return self.status in (400, 404, 422) and self.says(_NO_MODEL)

    def refused_parameter(self, sent: Mapping[str, Any]) -> str | None:
        """Name the optional part of the request that the server may not take; None when it refuses something else.

        Where the error names no parameter, its text is the only evidence.
        """
        if self.status not in _REFUSING_STATUSES or self.is_too_long:
            return None
        evidence = self.parameter or f"{self.code} {self.message}"
        return next((name for name, said in _OPTIONAL.items() if name in sent and said.search(evidence)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPart:
    """A part of an answer, or all of it."""

    text: str = ""
    has_thoughts: bool = False
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def joined(self, other: "ReplyPart") -> "ReplyPart":
        """The answer with one more part."""
        return ReplyPart(
            text=self.text + other.text,
            has_thoughts=self.has_thoughts or other.has_thoughts,
            finish_reason=other.finish_reason or self.finish_reason,
            prompt_tokens=other.prompt_tokens or self.prompt_tokens,
            completion_tokens=other.completion_tokens or self.completion_tokens,
        )


def base_address(url: str) -> str:
    """The address that ``/chat/completions`` and ``/models`` follow: ``/v1`` is added where the path names no version.

    A whole address, with ``/chat/completions``, is taken as it is.

    Raises:
        ConfigurationError: it is no http address, or has a user, a query or a fragment.
    """
    try:
        parts = urlsplit(url.strip())
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        httpx.URL(url.strip()).raw_host.decode().encode("idna")  # what resolves the name refuses empty and long labels
    except (ValueError, httpx.InvalidURL):
        is_address = False
    if not is_address or "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigurationError(
            "BRAIN_CHAT_URL is no plain http or https address; expected one such as http://127.0.0.1:8080/v1. A key belongs into "
            "BRAIN_CHAT_API_KEY."
        )
    path = parts.path.rstrip("/")
    if path.endswith(_ENDPOINT):
        path = path.removesuffix(_ENDPOINT)
    elif not re.search(r"/v\d\w*(?:/|$)", path):
        path += "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def request_body(
    model: str,
    messages: Sequence[Message],
    *,
    is_streamed: bool,
    temperature: float,
    max_tokens: int | None,
    schema: Mapping[str, Any] | None,
    takes_template_arguments: bool,
    refused: frozenset[str],
) -> dict[str, Any]:
    """The body of a request without the parameters that the server refused before.

    Without ``response_format`` the schema follows the last message. It is not ``strict``: that allows few schemas, and replies are
    read strictly anyway.
    """
    sent = messages_to_send(messages)
    if schema is not None and "response_format" in refused:
        sent[-1]["content"] += f"\n\nAnswer with JSON of this JSON Schema and nothing else:\n{json.dumps(schema)}"
    limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    optional = {
        "temperature": temperature,
        limit: max_tokens,
        "response_format": _response_format(schema),
        "stream_options": {"include_usage": True} if is_streamed else None,
        "chat_template_kwargs": {"enable_thinking": False} if takes_template_arguments else None,
    }
    return {"model": model, "messages": sent, "stream": is_streamed} | {
        name: value for name, value in optional.items() if value is not None and name not in refused
    }


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}


def read_events(chunks: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    r"""The server-sent events as pairs of type and data; lines end in ``\n`` or ``\r\n``, comments are left out.

    Only these end a line: httpx's own ``iter_lines`` cuts JSON at U+2028 too. ``error`` instead of ``data`` is llama.cpp's.

    Raises:
        NoAnswerError: an event has more than ``MAX_EVENT_BYTES``, or is not UTF-8.
    """
    kind, data, waiting = "", [], b""
    for chunk in chunks:
        *lines, waiting = (waiting + chunk).split(b"\n")
        for line in lines:
            name, value = _field(line)
            if name in {"data", "error"}:
                data.append(value)
            kind = {"event": value, "error": "error"}.get(name, kind)
            if name == _END_OF_EVENT and data:
                yield kind, "\n".join(data)
                kind, data = "", []
        if len(waiting) + sum(map(len, data)) > MAX_EVENT_BYTES:
            raise NoAnswerError(f"an event of more than {MAX_EVENT_BYTES:,} bytes")
    if data:
        yield kind, "\n".join(data)


def _field(line: bytes) -> tuple[str, str]:
    """Name and value of a line; a comment has no name."""
    if line in {b"", b"\r"}:
        return _END_OF_EVENT, ""
    try:
        name, _, value = line.removesuffix(b"\r").decode().partition(":")
    except UnicodeDecodeError as error:
        raise NoAnswerError("text that is not UTF-8") from error
    return name, value.removeprefix(" ")


def _plain_text(content: Any) -> Any:
    """The text of a message's content; Mistral gives a list of texts and thoughts."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


class _Said(BaseModel):
    content: Annotated[str | None, BeforeValidator(_plain_text)] = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


def parse_part(text: str | bytes, *, kind: str = "") -> ReplyPart:
    """Read a completion, or the data of an event of ``kind``; what the model thought is told of, and left out.

    Raises:
        RefusedError: it is an error object.
        NoAnswerError: it is anything else.
    """
    given = _parse_json(text)
    if kind == "error" or (isinstance(given, dict) and given.get("error")):
        raise _refused(None, given)
    try:
        completion = _Completion.model_validate(given)
    except ValidationError as error:
        raise NoAnswerError("JSON of another shape") from error
    choice = completion.choices[0] if completion.choices else _Choice()
    said, usage = choice.message or choice.delta or _Said(), completion.usage or _Usage()
    return ReplyPart(
        text=said.content or "",
        has_thoughts=bool(said.reasoning_content or said.reasoning),
        finish_reason=choice.finish_reason,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )


def _parse_json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        beginning = text[:200].decode(errors="replace") if isinstance(text, bytes) else text[:200]
        raise NoAnswerError("an HTML page" if beginning.lstrip().startswith("<") else "no JSON") from error


def parse_refusal(status: int, content: bytes, *, retry_after: str | None) -> RefusedError:
    """Read an answer of a status that is no success; an HTML page is not shown."""
    try:
        return _refused(status, json.loads(content), _seconds(retry_after))
    except (ValueError, RecursionError):
        text = content[: 4 * _SHOWN_CHARACTERS].decode(errors="replace").strip()
        message = "an HTML page" if text.startswith("<") else text or "no message"
        return RefusedError(status, message, retry_after_seconds=_seconds(retry_after))


def _refused(status: int | None, given: Any, retry_after_seconds: float | None = None) -> RefusedError:
    error = given.get("error", given) if isinstance(given, dict) else given
    facts = error if isinstance(error, dict) else {"message": error}
    message = facts.get("message") or facts.get("detail") or json.dumps(facts)
    code = " ".join(str(facts[name]) for name in ("code", "type", "param") if facts.get(name))
    return RefusedError(status, str(message), code, retry_after_seconds, parameter=str(facts.get("param") or ""))


def shown(message: str, *, secret: SecretStr | None) -> str:
    """The beginning of a server's message on one line, without the key that some repeat."""
    text = message.replace(secret.get_secret_value().strip(), "…") if secret else message
    return " ".join(text.split())[:_SHOWN_CHARACTERS]


def _seconds(retry_after: str | None) -> float | None:
    """The seconds of a ``Retry-After``; None for its form with a date, which no model server uses."""
    return float(retry_after) if retry_after and re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", retry_after.strip()) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model in a server's list."""

    name: str
    context_tokens: int | None
    owner: str

    @property
    def takes_template_arguments(self) -> bool:
        """Test whether the server takes arguments of the model's chat template."""
        return self.owner in _TEMPLATE_OWNERS


def parse_models(content: bytes) -> list[ListedModel]:
    """Read the list of ``/models``.

    Raises:
        NoAnswerError: it is none.
    """
    given = _parse_json(content)
    entries = given.get("data") if isinstance(given, dict) else given
    if not isinstance(entries, list) or not all(isinstance(entry, dict) and entry.get("id") for entry in entries):
        raise NoAnswerError("no list of models")
    return [
        ListedModel(name=str(entry["id"]), context_tokens=_context_tokens(entry), owner=str(entry.get("owned_by", "")))
        for entry in entries
    ]


def _context_tokens(entry: Mapping[str, Any]) -> int | None:
    meta = entry.get("meta")
    sizes = [meta.get("n_ctx") if isinstance(meta, dict) else None, *(entry.get(name) for name in _CONTEXT_NAMES)]
    return next((size for size in sizes if type(size) is int and size > 0), None)


def listed_model(models: Sequence[ListedModel], name: str) -> ListedModel | None:
    """The model of that name, whatever variant of it (``:free``); llama.cpp serves its only model under any name."""
    exact = next((model for model in models if model.name == name), None)
    base = next((model for model in models if model.name == name.partition(":")[0]), None)
    only = models[0] if len(models) == 1 and models[0].owner == "llamacpp" else None
    return exact or base or only

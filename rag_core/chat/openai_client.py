"""HTTP under the provider of OpenAI's protocol: the client, bounded bodies, streamed parts, and kinds of failures."""

import re
from collections.abc import Generator
from contextlib import closing

import httpx
from pydantic import SecretStr

from rag_core.chat.openai_protocol import (
    DONE,
    NoAnswerError,
    RefusedError,
    ReplyPart,
    parse_part,
    parse_refusal,
    read_events,
)
from rag_core.errors import ConfigurationError
from rag_core.model.addresses import leaves_machine
from rag_core.resilience.call_time import OUTAGE_SECONDS, limit_request

_MAX_ANSWER_BYTES = 10_000_000
_BUSY = frozenset({httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE})
_SPENT = re.compile("insufficient_quota|billing")
"""Signs that a 429 will not pass."""


def open_client(address: str, api_key: SecretStr | None) -> httpx.Client:
    """A client whose calls are made within ``call_time``; a proxy of the environment is used for other machines only."""
    return httpx.Client(
        headers={"Authorization": f"Bearer {api_key.get_secret_value().strip()}"} if api_key else {},
        event_hooks={"request": [limit_request]},
        limits=httpx.Limits(max_keepalive_connections=0),  # a call knows its connection when it has opened it
        trust_env=leaves_machine(address),
    )


def usable_key(api_key: SecretStr | None) -> SecretStr | None:
    """The key; None for a blank one."""
    if api_key is None or not api_key.get_secret_value().strip():
        return None
    if not (api_key.get_secret_value().isascii() and api_key.get_secret_value().strip().isprintable()):
        raise ConfigurationError("BRAIN_CHAT_API_KEY has characters that cannot stand in a header; copy it again")
    return api_key


def read_bounded(response: httpx.Response) -> bytes:
    """The body of a response.

    Raises:
        NoAnswerError: it has more than ``_MAX_ANSWER_BYTES``.
    """
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > _MAX_ANSWER_BYTES:
            raise NoAnswerError(f"more than {_MAX_ANSWER_BYTES:,} bytes")
    return bytes(content)


def read_refusal(response: httpx.Response) -> RefusedError:
    """The refusal in a response of a bad status, which is closed."""
    with closing(response):
        return parse_refusal(
            response.status_code, read_bounded(response), retry_after=response.headers.get("retry-after")
        )


def streamed_parts(response: httpx.Response) -> Generator[ReplyPart]:
    """The parts up to the end; a server that answers at once whatever is asked gives one."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        yield parse_part(read_bounded(response))
        return
    reason = None
    for kind, data in read_events(response.iter_bytes()):
        if data == DONE:
            yield ReplyPart(finish_reason=reason or "stop")
            return
        part = parse_part(data, kind=kind)
        reason = part.finish_reason or reason
        yield part


def is_passing(refusal: RefusedError) -> bool:
    """Test whether the server is busy and may take the same request later."""
    return refusal.status in _BUSY and not refusal.says(_SPENT)


def is_outage(error: Exception, seconds: float) -> bool:
    """Test whether the server failed within the ``seconds`` it had, rather than refused or had too few of them."""
    if isinstance(error, httpx.TimeoutException):
        return seconds >= OUTAGE_SECONDS
    if isinstance(error, RefusedError) and error.status is not None:
        return error.status >= httpx.codes.INTERNAL_SERVER_ERROR or error.status in (
            httpx.codes.REQUEST_TIMEOUT,
            httpx.codes.TOO_MANY_REQUESTS,
        )
    return True

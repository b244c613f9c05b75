"""What is refused before a router runs, and what every answer carries.

A page of another site must neither read nor write: only loopback names are served (DNS rebinding), a body must
be JSON, which a form of another site cannot send, and no other origin is ever allowed in.
"""

import time
from dataclasses import replace

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_core.api import german
from rag_core.api.access import ASKED_METHOD, arrived_at
from rag_core.api.errors import MAX_BODY_MEGABYTES, Answer, Tongue, error_response, http_answer, tongue_of

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
MAX_BODY_BYTES = MAX_BODY_MEGABYTES * 1024 * 1024
WRONG_HOST = "La cabecera Host no es un nombre de esta máquina; usa 127.0.0.1 o localhost"
_MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on with its body counted; HEAD is GET without the body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        arrived_at.set(time.monotonic())
        is_head = scope["method"] == "HEAD"
        answering = _sender(send, is_head=is_head)
        refused = refusal(scope["method"], Headers(scope=scope), tongue=tongue_of(scope["path"]))
        if refused is not None:
            await error_response(refused)(scope, receive, answering)
            return
        passed = {**scope, "method": "GET", ASKED_METHOD: "HEAD"} if is_head else scope
        await self.app(passed, _counted(receive), answering)


def refusal(method: str, headers: Headers, *, tongue: Tongue = "es") -> Answer | None:
    """Why a request is not served, if so."""
    if _host_name(headers.get("host", "")) not in LOOPBACK_NAMES:
        return replace(http_answer(400, tongue), details=german.WRONG_HOST if tongue == "de" else WRONG_HOST)
    if method not in {"GET", "HEAD", "OPTIONS"} and _has_body(headers) and not _is_json(headers):
        return http_answer(415, tongue)
    return None


def _host_name(host: str) -> str:
    name = host.strip().lower()
    if name.startswith("["):
        return name[: name.find("]") + 1]
    return name.partition(":")[0].removesuffix(".")


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip() != "0"


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _counted(receive: Receive) -> Receive:
    taken = 0

    async def counting() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            await _discard(message, receive)
            raise HTTPException(413)
        return message

    return counting


async def _discard(message: Message, receive: Receive) -> None:
    """Read on for a while: a client that is still sending would see a broken connection, not the answer."""
    discarded = 0
    while message.get("more_body", False) and discarded < _MAX_DISCARDED_BYTES:
        message = await receive()
        discarded += len(message.get("body", b""))


def _sender(send: Send, *, is_head: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        elif is_head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return sending

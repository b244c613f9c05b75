"""The guard in front of Dagster's web server: ASGI middleware in the same process, so that Dagster itself listens nowhere.

Dagster's own server answers any page and any host name, and runs a mutation from a query string. Behind the guard only this machine's
names are served, what changes something comes from a page of this origin or from a program and is a POST of JSON, websockets are
held to the same origin, and with keys only an administrator is let in. Where access is open neither FastAPI nor the database is
loaded, so that the process starts as fast as Dagster's own.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_core.access.exposure import allowed_hosts
from rag_core.api.messages.english import FOREIGN_ORIGIN, WRONG_HOST
from rag_core.api.origins import (
    LOOPBACK_NAMES,
    PAGE_POLICY,
    SAFE_HEADERS,
    has_known_host,
    is_asked_in_passing,
    is_from_another_page,
    is_json,
    is_of_another_page,
)
from rag_core.settings import Settings

if TYPE_CHECKING:
    from rag_core.api.dagster_login import SignIn

FRAMES: Final = "frame-ancestors 'self'"
"""Added to the content security policy of Dagster's pages; it shows notebooks in frames of its own."""
NOT_JSON: Final = "The body is sent as JSON, with Content-Type: application/json"
NOT_BY_GET: Final = "GraphQL is asked by POST, with the query in a body of JSON"
_GRAPHQL: Final = "/graphql"
_POLICY_VIOLATION: Final = 1008
_LOG = logging.getLogger("brain.dagster")


@dataclass(frozen=True, slots=True, kw_only=True)
class DagsterRefusal:
    """Refusal of a request to Dagster, with the reason."""

    status: int
    details: str
    headers: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def guarded(app: ASGIApp, settings: Settings) -> Iterator[ASGIApp]:
    """Dagster's application behind the guard; with keys it looks them up in the database as long as the block lasts.

    Raises:
        DatabaseUnavailableError, DatabaseSetupError, ConfigurationError: keys cannot be looked up.
    """
    hosts = LOOPBACK_NAMES | allowed_hosts(settings)
    if settings.access == "open":
        yield DagsterGuard(app, hosts=hosts)
        return
    from rag_core.api.dagster_login import opened_sign_in  # half a second more, needed only with keys

    with opened_sign_in(settings) as sign_in:
        yield DagsterGuard(app, hosts=hosts, sign_in=sign_in)


class DagsterGuard:
    """The outermost layer of Dagster's application. ``hosts`` are the names served; without ``sign_in`` nobody is asked for a key."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], sign_in: "SignIn | None" = None) -> None:
        self._app = app
        self._hosts = hosts
        self._sign_in = sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on to Dagster or to the pages for signing in."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        is_sign_in = self._sign_in is not None and self._sign_in.has_page(scope)
        refused = header_refusal(scope, hosts=self._hosts, is_form_taken=is_sign_in)
        if self._sign_in is None or is_sign_in or refused is not None:
            await self._answer(refused, is_sign_in, scope, receive, send)
            return
        refused = await self._sign_in.refusal(scope)
        if refused is None and scope["type"] == "websocket":
            channel = _WatchedChannel(receive, send, is_allowed=lambda: self._is_still_allowed(scope))
            receive, send = channel.receive, channel.send
        await self._answer(refused, is_sign_in, scope, receive, send)

    async def _answer(
        self, refused: DagsterRefusal | None, is_sign_in: bool, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if refused is not None:
            _LOG.warning("refused %s: %s %s", scope.get("method", "a websocket"), refused.status, refused.details)
            await _refuse(refused, scope, receive, send)
        elif is_sign_in and self._sign_in is not None:
            await self._sign_in.pages(scope, receive, _with_headers(send, policy=PAGE_POLICY))
        else:
            await self._app(scope, receive, _with_headers(send, policy=FRAMES))

    async def _is_still_allowed(self, scope: Scope) -> bool:
        return self._sign_in is None or await self._sign_in.refusal(scope) is None


def header_refusal(scope: Scope, *, hosts: Collection[str], is_form_taken: bool = False) -> DagsterRefusal | None:
    """Refusal of a request for its headers, whoever sends it; None if there is none."""
    headers = Headers(scope=scope)
    if not has_known_host(headers, hosts):
        return DagsterRefusal(status=HTTPStatus.BAD_REQUEST, details=WRONG_HOST)
    is_reading = scope["type"] == "http" and scope["method"] in {"GET", "HEAD", "OPTIONS"}
    if is_asked_in_passing(headers) if is_reading else is_of_another_page(headers):
        return DagsterRefusal(status=HTTPStatus.FORBIDDEN, details=FOREIGN_ORIGIN)
    if is_reading:
        return _reading_refusal(scope, headers)
    if scope["type"] == "http" and not is_form_taken and not is_json(headers):
        return DagsterRefusal(status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, details=NOT_JSON)
    return None


def _reading_refusal(scope: Scope, headers: Headers) -> DagsterRefusal | None:
    """Dagster runs queries and mutations asked by GET, unless HTML is accepted: then it shows an editor with them in it."""
    is_editor = "text/html" in headers.get("accept", "")
    is_filled_in = scope["query_string"] and is_from_another_page(headers)
    if scope["path"] == _GRAPHQL and (not is_editor or is_filled_in):
        return DagsterRefusal(status=HTTPStatus.METHOD_NOT_ALLOWED, details=NOT_BY_GET, headers={"Allow": "POST"})
    return None


async def _refuse(refused: DagsterRefusal, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})  # before it was accepted: an answer of 403
        return
    await _response(refused, scope)(scope, receive, _with_headers(send, policy=PAGE_POLICY))


def _response(refused: DagsterRefusal, scope: Scope) -> Response:
    is_page = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
    if refused.status == HTTPStatus.UNAUTHORIZED and is_page:
        query = scope["query_string"].decode("latin-1")
        asked = scope["path"] + (f"?{query}" if query else "")
        return RedirectResponse(f"/entrar?{urlencode({'volver': asked})}", status_code=HTTPStatus.SEE_OTHER)
    body = {"error": HTTPStatus(refused.status).phrase, "details": refused.details}
    return JSONResponse(body, status_code=refused.status, headers=dict(refused.headers))


def _with_headers(send: Send, *, policy: str) -> Send:
    """Add our headers to an answer, and the policy to the one it has."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(SAFE_HEADERS)
            own = headers.get("content-security-policy", "").rstrip("; ")
            headers["Content-Security-Policy"] = f"{own}; {policy}" if own else policy
            if "etag" not in headers:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending


class _WatchedChannel:
    """A websocket that ends as soon as the key it was opened with opens nothing any more."""

    def __init__(self, receive: Receive, send: Send, *, is_allowed: Callable[[], Awaitable[bool]]) -> None:
        self._receive = receive
        self._send = send
        self._is_allowed = is_allowed
        self._is_closed = False

    async def receive(self) -> Message:
        """Return the client's next message, as long as the client may send one."""
        message = await self._receive()
        if message["type"] == "websocket.receive" and not await self._is_allowed():
            await self._close()
            return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}
        return message

    async def send(self, message: Message) -> None:
        """Tell the client something, as long as it may know."""
        if message["type"] == "websocket.send" and not await self._is_allowed():
            await self._close()
        if not self._is_closed:
            await self._send(message)

    async def _close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            await self._send({"type": "websocket.close", "code": _POLICY_VIOLATION})

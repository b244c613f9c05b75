"""Checks before any router runs, the admission of callers, and the headers of every response.

A page of another site must neither read nor write. Only this machine's names are served (DNS rebinding). A request that
changes something must come from a page of ours or from no page. A body must be JSON, which a form of another site cannot
send, except for two forms of our own. No other origin is ever allowed. A page of another site may link here, but what it
loads into itself is not computed, because the time that takes reveals something of the notes. A caller without the scope for
an address is refused before any of the body is read.
"""

import time
from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import replace
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_core.access import Caller
from rag_core.access.callers import Callers
from rag_core.api.access import ASKED_METHOD, CALLER, ROUTING, arrived_at, find_caller, shown_key
from rag_core.api.errors import (
    LOGIN_PAGE,
    MAX_BODY_MEGABYTES,
    ErrorReply,
    access_tongue_of,
    error_response,
    failed_response,
    http_reply,
    page_tongue_of,
    takes_files,
    texts_in,
    tongue_of,
)
from rag_core.api.origins import (
    LOOPBACK_NAMES,
    PAGE_POLICY,
    SAFE_HEADERS,
    content_type,
    has_known_host,
    is_asked_in_passing,
    is_json,
    is_of_another_page,
)
from rag_core.api.pages.texts import speak
from rag_core.api.pages.web import is_signed_in
from rag_core.api.places import RequestPlaces
from rag_core.api.scopes import may_enter, needed_scope
from rag_core.errors import AccessDeniedError, RagError, UnauthenticatedError
from rag_core.telemetry.logs import log_request

MAX_BODY_BYTES = MAX_BODY_MEGABYTES * 1024 * 1024
_FORMS = ("/preguntar/respuestas/", "/notas/")
_MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES

_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    **SAFE_HEADERS,
}
_PICTURE_POLICY = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"
"""For the styles that a browser itself lays around a picture opened alone."""


class RequestGuard:
    """The outermost layer of the application.

    ``hosts`` are the names that this machine may be called by; ``callers`` None is open mode, where everybody is let in.
    ``places`` are what requests of tenants and keys wait for; None lets all in at once.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        nobody: Caller,
        callers: Callers | None,
        hosts: Collection[str] = (),
        max_file_bytes: int = MAX_BODY_BYTES,
        places: RequestPlaces | None = None,
    ) -> None:
        self.app = app
        self._nobody = nobody
        self._callers = callers
        self._places = places
        self._max_file_bytes = max_file_bytes
        self._hosts = LOOPBACK_NAMES | frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on with its caller and its body counted; HEAD is GET without the body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        arrived_at.set(time.monotonic())
        is_head = scope["method"] == "HEAD"
        passed = {**scope, "method": "GET", ASKED_METHOD: "HEAD"} if is_head else scope
        answering = _Answering(send, is_head=is_head, is_private=self._callers is not None)
        request = Request(passed)
        speak(page_tongue_of(scope["path"], request.headers.get("accept-language", "")))
        refused = refusal(scope["method"], request.headers, path=scope["path"], hosts=self._hosts)
        if refused is not None:
            await error_response(refused, request, may_be_page=False)(passed, receive, answering)
            _log(request, answering.status)
            return
        async with AsyncExitStack() as held:
            try:
                await self._let_in(request)
                await self._take_place(request, held)
            except RagError as error:
                await failed_response(request, error)(passed, receive, answering)
            else:
                await self._pass_on(passed, receive, answering)
        _log_unless_open(request, answering.status)

    async def _take_place(self, request: Request, held: AsyncExitStack) -> None:
        """Wait until the caller may have another request under way, which lasts until the stack is closed.

        Raises:
            ShareTakenError: see ``RequestPlaces.place``.
        """
        caller: Caller | None = request.scope.get(CALLER)
        if self._places is not None and caller is not None:
            await held.enter_async_context(self._places.place(caller, request.scope["path"]))

    async def _pass_on(self, scope: Scope, receive: Receive, answering: "_Answering") -> None:
        try:
            limit = self._max_file_bytes + MAX_BODY_BYTES if takes_files(scope["path"]) else MAX_BODY_BYTES
            await self.app(scope, _counted(receive, limit), answering)
        except Exception:
            # Any defect is logged here and raised on: Starlette's outermost layer answers it with 500.
            _log_unless_open(Request(scope), HTTPStatus.INTERNAL_SERVER_ERROR)
            raise

    async def _let_in(self, request: Request) -> None:
        """Write down who calls, if they may be at this address.

        Raises:
            UnauthenticatedError: no key, or one that opens nothing.
            AccessDeniedError: a key that does not open this.
        """
        is_signed_in.set(False)
        path = request.scope["path"]  # what the router goes by; a request's URL is made of its Host header too
        needed = needed_scope(request.method, path)
        if needed is None:
            return
        if self._callers is None:
            request.scope[CALLER] = self._nobody
            return
        text = shown_key(request.headers)
        if text is None:
            raise UnauthenticatedError("an API key is needed; `brain key create` makes one", is_key_refused=False)
        request.scope[CALLER] = caller = await find_caller(self._callers, text)
        if not may_enter(caller, request.method, path):
            raise AccessDeniedError(f"the key {caller.key_id} has not the scope {needed}; make one that has")
        is_signed_in.set("cookie" in request.headers)


def refusal(method: str, headers: Headers, *, path: str, hosts: Collection[str]) -> ErrorReply | None:
    """Refusal of a request, with the reason; None if it is served."""
    accepted = headers.get("accept-language", "")
    tongue = access_tongue_of(path, accepted)
    if not has_known_host(headers, hosts):
        return replace(http_reply(400, tongue), details=texts_in(tongue).WRONG_HOST)
    is_reading = method in {"GET", "HEAD", "OPTIONS"}
    if is_asked_in_passing(headers) if is_reading else is_of_another_page(headers):
        return replace(http_reply(403, tongue), details=texts_in(tongue).FOREIGN_ORIGIN)
    if is_reading:
        return None
    is_taken = (
        is_json(headers) or (_takes_forms(path) and _is_form(headers)) or (takes_files(path) and _has_files(headers))
    )
    if _has_body(headers) and not is_taken:
        return http_reply(415, tongue_of(path, accepted))
    return None


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip() != "0"


def _is_form(headers: Headers) -> bool:
    return content_type(headers) == "application/x-www-form-urlencoded"


def _has_files(headers: Headers) -> bool:
    return content_type(headers) == "multipart/form-data"


def _takes_forms(path: str) -> bool:
    """True when a form of our own is sent there; it must come from this origin all the same."""
    return path == LOGIN_PAGE or path.startswith(_FORMS)


def _counted(receive: Receive, limit: int) -> Receive:
    taken = 0

    async def counting() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
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


class _Answering:
    """Sends an answer with our headers, to HEAD without its body, and remembers its status."""

    def __init__(self, send: Send, *, is_head: bool, is_private: bool) -> None:
        self.status: int | None = None
        self._send = send
        self._is_head = is_head
        self._is_private = is_private

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if headers.get("content-type") == "image/png":
                headers["Content-Security-Policy"] = _PICTURE_POLICY
            if self._is_private and "etag" not in headers:  # files have one; all else is somebody's
                headers["Cache-Control"] = "no-store"
        elif self._is_head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def _log_unless_open(request: Request, status: int | None) -> None:
    """One line for whatever is not open to everybody; what was refused has one in any case."""
    if needed_scope(request.method, request.scope["path"]) is not None:
        _log(request, status)


def _log(request: Request, status: int | None) -> None:
    """The route's own address, because the one asked for may hold words; "?" where no route was looked for."""
    caller: Caller | None = request.scope.get(CALLER)
    log_request(
        f"{request.method} {getattr(request.scope.get('route'), 'path', '?')}",
        status=status,
        milliseconds=1000 * (time.monotonic() - arrived_at.get()),
        tenant=caller.tenant if caller else None,
        user_hash=caller.user_hash if caller else None,
        routing=request.scope.get(ROUTING),
    )

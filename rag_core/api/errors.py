"""The one place that turns errors into HTTP: a status, and ``{error, details}`` in the route's language.

That is Spanish, under ``/api/v2`` German, on pages the reader's, and where a question is answered in its own language that one.
Who is turned away before anything is asked need not know German. The class of an error decides its status. Messages for the command
line are English, so an error is told here by its class and fields, or by the router that knows what it was about (``explained``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from types import ModuleType
from typing import Any, Final, cast
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from rag_core.api.contracts import language_of, rule_of
from rag_core.api.messages import english, german, spanish
from rag_core.api.pages.texts import spoken
from rag_core.api.pages.web import render
from rag_core.errors import (
    AccessDeniedError,
    AnswerFailedError,
    AnswerTimeoutError,
    BusyError,
    CircuitOpenError,
    ConflictError,
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    DiskFullError,
    DocumentRefusedError,
    DocumentTooLargeError,
    IncomparableRunsError,
    InvalidFieldError,
    InvalidInputError,
    NotFoundError,
    RagError,
    RateLimitedError,
    RetrievalFailedError,
    TenantFullError,
    TooManyJobsError,
    UnauthenticatedError,
)
from rag_core.model.counting import counted
from rag_core.model.note import Language
from rag_core.telemetry.logs import log_failed

MAX_BODY_MEGABYTES = 10
_LISTED_PROBLEMS = 5
RETRY_UNAVAILABLE_SECONDS = 2
RETRY_DISK_FULL_SECONDS = 60
RETRY_BUSY_SECONDS = 5
"""In how long a place among the answers may be free again, of which each takes some seconds."""

LOGIN_PAGE = "/entrar"

DEFAULT: Final[Language] = "es"
TELLING: Mapping[Language, ModuleType] = {"es": spanish, "de": german, "en": english}
"""The texts of each language: modules with the same names in them."""


def texts_in(language: Language) -> ModuleType:
    """The texts of a language; English ones for a language that has none here."""
    return TELLING.get(language, english)


_WANTED = re.compile(
    r"(?P<tongue>[a-z]{1,8})(?:-[a-z0-9]{1,8})*(?:\s*;\s*q=(?P<weight>0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?"
)
_TONGUE = "brain.tongue"
"""Key of the question's language in the scope of a request."""


def tongue_of(path: str, accepted: str = "") -> Language:
    """The language of messages at an address: the contract's own, or the one that ``accepted``, an Accept-Language, prefers.

    Where a question is answered in its own language, that holds as long as no question shows one.
    """
    language = language_of(path)
    return (accepted_tongue(accepted) if language.is_clients else None) or language.own


def access_tongue_of(path: str, accepted: str = "") -> Language:
    """The language in which somebody is turned away: the client's too where the contract's own is not Spanish."""
    language = language_of(path)
    is_fixed = language.own != DEFAULT and not language.is_clients
    return (accepted_tongue(accepted) or DEFAULT) if is_fixed else tongue_of(path, accepted)


def page_tongue_of(path: str, accepted: str) -> Language:
    """The language of a page: the one that ``accepted``, an Accept-Language, prefers; Spanish for what is no page."""
    return (accepted_tongue(accepted) if is_page(path) else None) or DEFAULT


def accepted_tongue(accepted: str) -> Language | None:
    """The language of ours with the greatest weight, of equal ones the first; None where none is wanted.

    A part that is no language with a weight says nothing, and neither does "*".
    Source: RFC 9110, sections 12.4.2 and 12.5.4.
    """
    weights: dict[Language, float] = {}
    for part in accepted.split(","):
        if (named := _WANTED.fullmatch(part.strip().lower())) and named["tongue"] in TELLING:
            tongue = cast("Language", named["tongue"])
            weights[tongue] = max(weights.get(tongue, 0.0), float(named["weight"] or 1))
    best = max(weights, key=weights.__getitem__, default=None)
    return best if best is not None and weights[best] > 0 else None


def tongue_for(request: Request, *, error: Exception | None = None) -> Language:
    """The language of a request's messages, or of that error of it; a page's is set by ``RequestGuard``."""
    if is_page(request.url.path):
        return spoken()
    chosen: Language | None = request.scope.get(_TONGUE)
    tongue = access_tongue_of if isinstance(error, UnauthenticatedError | AccessDeniedError) else tongue_of
    return chosen or tongue(request.url.path, request.headers.get("accept-language", ""))


def answer_in(request: Request, tongue: Language) -> None:
    """Let what fails from now on be told in the language of the question."""
    request.scope[_TONGUE] = tongue


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReply:
    """A failed request as its caller sees it."""

    status: int
    error: str
    details: str


class ExplainedError(RagError):
    """An error told in the route's language by whoever knows what it is about; its kind decides the status."""

    def __init__(self, details: str, *, kind: type[RagError]) -> None:
        super().__init__(details)
        self.kind = kind


@contextmanager
def explained(kind: type[RagError], details: str) -> Iterator[None]:
    """Tell errors of this kind with these details."""
    try:
        yield
    except kind as error:
        raise ExplainedError(details, kind=type(error)) from error


_STATUSES: Mapping[type[RagError], int] = {
    InvalidInputError: 400,
    DocumentRefusedError: 415,
    DocumentTooLargeError: 413,
    UnauthenticatedError: 401,
    AccessDeniedError: 403,
    NotFoundError: 404,
    ConflictError: 409,
    TenantFullError: 409,
    IncomparableRunsError: 409,
    RateLimitedError: 429,
    TooManyJobsError: 429,
    RetrievalFailedError: 500,
    AnswerFailedError: 502,
    DatabaseUnavailableError: 503,
    DatabaseSetupError: 503,
    CircuitOpenError: 503,
    BusyError: 503,
    DeadlineExceededError: 504,
    AnswerTimeoutError: 504,
    RagError: 500,
}
"""The status by the class of an error; the nearest class that is named here counts."""


def reply_to(error: RagError, *, timeout_ms: int, tongue: Language = "es") -> ErrorReply:
    """Return the reply to an error."""
    kind = error.kind if isinstance(error, ExplainedError) else type(error)
    status = next(_STATUSES[one] for one in kind.__mro__ if one in _STATUSES)
    kinds: Mapping[str, tuple[str, str]] = texts_in(tongue).KINDS
    title, details = next(kinds[one.__name__] for one in kind.__mro__ if one.__name__ in kinds)
    if isinstance(error, ExplainedError):
        return ErrorReply(status=status, error=title, details=str(error))
    if isinstance(error, InvalidFieldError):
        return ErrorReply(status=status, error=title, details=field_problem(error, tongue))
    if isinstance(error.__cause__, ValidationError):
        return ErrorReply(status=status, error=title, details=validation_problem(error.__cause__.errors(), tongue))
    if isinstance(error, UnauthenticatedError) and error.is_key_refused:
        details = texts_in(tongue).KEY_REFUSED
    wait = counted(_retry_after_seconds(error, status) or 0, *texts_in(tongue).SECONDS)
    details = details.format(timeout=timeout_ms, wait=wait)
    return ErrorReply(status=status, error=title, details=details or str(error))


def _retry_after_seconds(error: RagError, status: int) -> int | None:
    """Seconds until a retry makes sense; None where it never does."""
    if isinstance(error, RateLimitedError):
        return error.retry_after_seconds
    if isinstance(error, BusyError):
        return RETRY_BUSY_SECONDS
    if isinstance(error, DiskFullError):
        return RETRY_DISK_FULL_SECONDS
    return RETRY_UNAVAILABLE_SECONDS if status == HTTPStatus.SERVICE_UNAVAILABLE else None


def field_problem(error: InvalidFieldError, tongue: Language = "es") -> str:
    """Describe the problem of a field."""
    return str(texts_in(tongue).describe_field(error.field, error.problem, error.limit))


def http_reply(status: int, tongue: Language = "es") -> ErrorReply:
    """Return the reply to a refusal that has only a status."""
    unknown = (HTTPStatus(status).name.replace("_", " ").capitalize(), texts_in(tongue).OTHER_REFUSAL)
    error, details = texts_in(tongue).HTTP.get(status, unknown)
    return ErrorReply(status=status, error=error, details=details.format(megabytes=MAX_BODY_MEGABYTES))


def validation_problem(errors: Sequence[Any], tongue: Language = "es") -> str:
    """Describe the problems of a request, the first ones only."""
    texts = texts_in(tongue)
    told = list(dict.fromkeys(texts.describe_value(_of_a_text(item)) for item in errors))
    left = len(told) - _LISTED_PROBLEMS
    return "; ".join(told[:_LISTED_PROBLEMS] + ([texts.MORE.format(count=left)] if left > 0 else []))


def _of_a_text(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry under the name for texts: of one whose own validator ran first, pydantic says what it says of lists."""
    is_text = item["type"] in {"too_short", "too_long"} and isinstance(item.get("input"), str)
    return {**item, "type": f"string_{item['type']}"} if is_text else item


def printable(text: str) -> str:
    """The text with every half of a surrogate pair written out, as no answer can hold it."""
    return text.encode(errors="backslashreplace").decode()


def error_response(
    answer: ErrorReply, request: Request, *, may_be_page: bool = True, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer as JSON in the form of its contract, or as a page where a browser asked for one."""
    answer = replace(answer, details=printable(answer.details))
    if may_be_page and _wants_page(request):
        return render("error.html", status=answer.status, headers=headers, answer=answer)
    rule = rule_of(request.url.path)
    shape = None if rule is None else rule.error_body
    body = {"error": answer.error, "details": answer.details}
    shown = body if shape is None else shape(answer.status, answer.error, answer.details)
    return JSONResponse(shown, status_code=answer.status, headers=dict(headers or {}))


def is_page(path: str) -> bool:
    """True where a browser gets pages."""
    rule = rule_of(path)
    return not path.startswith("/api") if rule is None else rule.is_page


def takes_files(path: str) -> bool:
    """True where forms with files are taken."""
    rule = rule_of(path)
    return rule is not None and rule.takes_files


def _wants_page(request: Request) -> bool:
    path, accepted = request.url.path, request.headers.get("accept", "")
    if f"{path}/".startswith("/evaluation/"):  # pages only: JSON is for whoever asks for nothing else
        return "json" not in accepted or "text/html" in accepted
    return is_page(path) and "text/html" in accepted


def register_handlers(app: FastAPI) -> None:
    """Make every error that leaves a router an answer in the route's language."""
    app.add_exception_handler(RagError, _on_rag_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_defect)


def _on_rag_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RagError)
    return failed_response(request, error)


def failed_response(request: Request, error: RagError) -> Response:
    """Return the response to a failed request: a page in a browser, the sign-in page where nobody had signed in."""
    if isinstance(error, UnauthenticatedError) and request.method == "GET" and _wants_page(request):
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{LOGIN_PAGE}?{urlencode({'volver': asked})}", status_code=HTTPStatus.SEE_OTHER)
    timeout_ms = request.app.state.engine.settings.request_timeout_ms
    answer = reply_to(error, timeout_ms=timeout_ms, tongue=tongue_for(request, error=error))
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        tell(request, error, is_defect=answer.status == HTTPStatus.INTERNAL_SERVER_ERROR)
    return error_response(answer, request, headers=_headers_of(error, answer.status))


def _headers_of(error: RagError, status: int) -> dict[str, str]:
    if isinstance(error, UnauthenticatedError):
        refused = ', error="invalid_token"' if error.is_key_refused else ""
        return {"WWW-Authenticate": f'Bearer realm="Brain Sync"{refused}'}
    seconds = _retry_after_seconds(error, status)
    return {} if seconds is None else {"Retry-After": str(seconds)}


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    tongue = tongue_for(request)
    details = validation_problem([{**item, "loc": _place(item["loc"], tongue)} for item in error.errors()], tongue)
    return error_response(ErrorReply(status=400, error=texts_in(tongue).INVALID, details=details), request)


def _place(location: Sequence[Any], tongue: Language) -> tuple[Any, ...]:
    """Location of a problem, as the caller knows it: without "body" or "query"; a path has one variable part."""
    if location[0] == "path":
        return (texts_in(tongue).PATH_PART,)
    return tuple(location[1:])


def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    tongue = tongue_for(request)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed_methods(request)
        answer = replace(http_reply(405, tongue), details=texts_in(tongue).ALLOWED.format(methods=allowed))
        return error_response(answer, request, headers={"Allow": allowed})
    answer = http_reply(error.status_code, tongue)
    if error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and takes_files(request.url.path):
        limit = request.app.state.engine.settings.document_max_mb
        answer = replace(answer, details=texts_in(tongue).FILES_TOO_LARGE.format(megabytes=limit))
    return error_response(answer, request, headers=error.headers)


def _allowed_methods(request: Request) -> str:
    """The methods of every route at this address; the framework would name those of the first one only."""
    methods: set[str] = set()
    for route in request.app.state.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(methods))


def _on_defect(request: Request, error: Exception) -> Response:
    """A defect of ours: the log has its stack, the caller learns nothing of it."""
    tell(request, error, is_defect=True)
    answer = http_reply(500, tongue_for(request))
    return error_response(answer, request, headers={"X-Content-Type-Options": "nosniff"})


def tell(request: Request, error: Exception, *, is_defect: bool) -> None:
    """Count and log the failure under the route's own address: the one that was asked for may hold ids and words of the user's."""
    route = request.scope.get("route")
    request.app.state.engine.metrics.count_error(error)
    log_failed(
        f"api {request.method} {getattr(route, 'path', '?')}",
        error,
        has_stack=is_defect,
        is_expected=isinstance(error, BusyError),
    )

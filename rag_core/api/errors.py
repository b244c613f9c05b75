"""The one place that turns errors into HTTP: a status, and ``{error, details}`` in the route's language.

That is Spanish, under ``/api/v2`` German, and where a question is answered in its own language that one. The class of an
error decides its status. Messages for the command line are English, so an error is told here by its class and fields, or by
the router that knows what it was about (``explained``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from types import ModuleType
from typing import Any, Literal, cast
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from rag_core.api import english, german
from rag_core.api.web import render
from rag_core.configuration import describe_problem
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
from rag_core.telemetry.logs import log_failed

INVALID = "Parámetros inválidos"
NO_CONNECTION = "Error de conexión. Por favor, intenta de nuevo más tarde."
NOT_THERE = "No existe esta dirección"
MAX_BODY_MEGABYTES = 10
_LISTED_PROBLEMS = 5

LOGIN_PAGE = "/entrar"
KEY_NEEDED = "Se necesita una clave de acceso, en la cabecera Authorization: Bearer o X-API-Key"
KEY_REFUSED = "La clave de acceso no es válida"

Tongue = Literal["es", "de", "en"]
"""The language of a route's messages."""

PATH_PART: Mapping[Tongue, str] = {"es": "identificador", "de": german.PATH_PART, "en": english.PATH_PART}
"""What the variable part of a path is called."""

_FOREIGN: Mapping[Tongue, ModuleType] = {"de": german, "en": english}
_OF_THE_QUESTION = ("/chat/", "/api/query/")
_TONGUE = "brain.tongue"
"""Where the scope of a request keeps the language of its question."""


def tongue_of(path: str, accepted: str = "") -> Tongue:
    """German for the routes of RAG V2, Spanish for most others.

    Where a question is answered in its own language, what the client accepts first of ``accepted``, an Accept-Language, is used
    until the question was read; without such a wish Spanish.
    """
    if f"{path}/".startswith("/api/v2/"):
        return "de"
    return _accepted_tongue(accepted) if f"{path}/".startswith(_OF_THE_QUESTION) else "es"


def _accepted_tongue(accepted: str) -> Tongue:
    wanted = (part.partition(";")[0].strip().lower().partition("-")[0] for part in accepted.split(","))
    return cast("Tongue", next((name for name in wanted if name in {"es", "de", "en"}), "es"))


def tongue_for(request: Request) -> Tongue:
    """The language of a request's messages."""
    chosen: Tongue | None = request.scope.get(_TONGUE)
    return chosen or tongue_of(request.url.path, request.headers.get("accept-language", ""))


def answer_in(request: Request, tongue: Tongue) -> None:
    """Let what fails from now on be told in the language of the question."""
    request.scope[_TONGUE] = tongue


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
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


_ANSWERS: tuple[tuple[type[RagError], int, str, str], ...] = (
    (InvalidInputError, 400, INVALID, ""),
    (UnauthenticatedError, 401, "Sin identificar", KEY_NEEDED),
    (AccessDeniedError, 403, "Acceso denegado", "No tienes acceso a esto"),
    (
        RateLimitedError,
        429,
        "Demasiadas preguntas",
        "Has llegado al límite de preguntas. Inténtalo de nuevo en {seconds} segundos",
    ),
    (NotFoundError, 404, "No encontrado", "No existe lo que se pide"),
    (ConflictError, 409, "Conflicto", "Ya existe"),
    (
        TenantFullError,
        409,
        "No cabe ninguna nota más",
        "Ya están todas las notas que puede haber; borra alguna, o pide a quien administra esto que amplíe el límite",
    ),
    (IncomparableRunsError, 409, "Evaluaciones no comparables", "Las evaluaciones no preguntaron lo mismo"),
    (
        TooManyJobsError,
        429,
        "Demasiadas tareas",
        "Ya hay tantas tareas sin terminar como puede haber; espera a que acabe una o cancela una",
    ),
    (DatabaseUnavailableError, 503, "Servicio no disponible", NO_CONNECTION),
    (DatabaseSetupError, 503, "Servicio no disponible", NO_CONNECTION),
    (CircuitOpenError, 503, "Servicio no disponible", NO_CONNECTION),
    (BusyError, 503, "Servicio no disponible", NO_CONNECTION),
    (
        DeadlineExceededError,
        504,
        "Tiempo de espera agotado",
        "La búsqueda excedió el tiempo límite de {timeout}ms",
    ),
    (
        AnswerTimeoutError,
        504,
        "Tiempo de espera agotado",
        "La respuesta no llegó a tiempo. Por favor, intenta de nuevo.",
    ),
    (
        AnswerFailedError,
        502,
        "Sin respuesta",
        "El modelo de lenguaje no dio ninguna respuesta. Por favor, intenta de nuevo.",
    ),
    (
        RetrievalFailedError,
        500,
        "Error interno del servidor",
        "No se pudieron recuperar resultados. Por favor, intenta de nuevo.",
    ),
    (
        RagError,
        500,
        "Error interno del servidor",
        "Se produjo un error inesperado. Por favor, intenta de nuevo.",
    ),
)

_OTHER_REFUSAL = "La petición no se puede atender"
_HTTP_ANSWERS: Mapping[int, tuple[str, str]] = {
    400: (INVALID, "No se pudo leer el cuerpo de la petición; se espera JSON en UTF-8"),
    403: ("Acceso denegado", "No tienes acceso a esto"),
    404: ("No encontrado", NOT_THERE),
    405: ("Método no permitido", "Esta dirección no admite ese método"),
    413: (
        "Petición demasiado grande",
        "El cuerpo supera el máximo de {megabytes} MB; repártelo en varias peticiones",
    ),
    415: (
        "Tipo de contenido no admitido",
        "El cuerpo se envía como JSON, con la cabecera Content-Type: application/json",
    ),
    500: ("Error interno del servidor", "Se produjo un error inesperado. Por favor, intenta de nuevo."),
}

SUBJECTS: Mapping[str, tuple[str, str]] = {
    "text": ("El contenido", "vacío"),
    "title": ("El título", "vacío"),
    "id": ("El identificador externo", "vacío"),
    "source": ("La fuente", "vacía"),
    "created_at": ("La fecha (createdAt)", "vacía"),
    "updated_at": ("La fecha (updatedAt)", "vacía"),
    "verified_at": ("La fecha (verifiedAt)", "vacía"),
    "language": ("El idioma", "vacío"),
    "metadata": ("Los metadatos", "vacíos"),
    "query": ("La consulta", "vacía"),
    "answer": ("La respuesta esperada", "vacía"),
    "a tag": ("Cada etiqueta", "vacía"),
    "a name in relevant_ids": ("Cada nota de relevantIds", "vacía"),
    "a phrase of key_facts": ("Cada dato de keyFacts", "vacío"),
    "a phrase of forbidden_content": ("Cada frase de forbiddenContent", "vacía"),
    "a quote": ("La cita", "vacía"),
    "set": ("El nombre del conjunto", "vacío"),
    "created_by": ("El autor (createdBy)", "vacío"),
    "verified_by": ("El nombre en verifiedBy", "vacío"),
}

_PROBLEMS: Mapping[str, str] = {
    "type": "{subject}: el valor no es del tipo que se espera",
    "empty": "{subject} no puede estar {empty}",
    "nul": "{subject}: hay un carácter nulo (U+0000), que no se puede guardar; quítalo",
    "surrogate": "{subject}: hay medio par sustituto de Unicode, que no es ningún carácter",
    "too_long": "{subject} supera el máximo de {limit} caracteres",
    "date": "{subject} no es una fecha ISO 8601 válida, como 2025-03-01T09:00:00+01:00",
    "choice": "{subject} no es uno de los admitidos: es, de, en",
    "json": "{subject}: hay un número o carácter que JSON no admite",
    "visibility": "{subject} no es ninguna de las admitidas: tenant, department, private",
    "departments": "{subject}: con visibility «department» hay que decir cuáles, en department o departments",
}


def answer_to(error: RagError, *, timeout_ms: int, tongue: Tongue = "es") -> Answer:
    """How an error is told."""
    kind = error.kind if isinstance(error, ExplainedError) else type(error)
    status, title, details = next(row[1:] for row in _ANSWERS if issubclass(kind, row[0]))
    if tongue in _FOREIGN:
        kinds: Mapping[str, tuple[str, str]] = _FOREIGN[tongue].KINDS
        title, details = next(kinds[one.__name__] for one in kind.__mro__ if one.__name__ in kinds)
    if isinstance(error, ExplainedError):
        return Answer(status=status, error=title, details=str(error))
    if isinstance(error, InvalidFieldError):
        return Answer(status=status, error=title, details=field_problem(error, tongue))
    if isinstance(error.__cause__, ValidationError):
        return Answer(status=status, error=title, details=validation_problem(error.__cause__.errors(), tongue))
    if isinstance(error, UnauthenticatedError) and error.is_key_refused:
        details = _FOREIGN[tongue].KEY_REFUSED if tongue in _FOREIGN else KEY_REFUSED
    seconds = error.retry_after_seconds if isinstance(error, RateLimitedError) else 0
    return Answer(status=status, error=title, details=details.format(timeout=timeout_ms, seconds=seconds) or str(error))


def field_problem(error: InvalidFieldError, tongue: Tongue = "es") -> str:
    """What is wrong with a field."""
    if tongue in _FOREIGN:
        return str(_FOREIGN[tongue].describe_field(error.field, error.problem, error.limit))
    subject, empty = SUBJECTS.get(error.field, (error.field, "vacío"))
    limit = f"{error.limit or 0:,}".replace(",", ".")
    return _PROBLEMS[error.problem].format(subject=subject, empty=empty, limit=limit)


def http_answer(status: int, tongue: Tongue = "es") -> Answer:
    """How a refusal that has only a status is told."""
    answers, other = _HTTP_ANSWERS, _OTHER_REFUSAL
    if tongue in _FOREIGN:
        answers, other = _FOREIGN[tongue].HTTP, _FOREIGN[tongue].OTHER_REFUSAL
    error, details = answers.get(status, (HTTPStatus(status).name.replace("_", " ").capitalize(), other))
    return Answer(status=status, error=error, details=details.format(megabytes=MAX_BODY_MEGABYTES))


def validation_problem(errors: Sequence[Any], tongue: Tongue = "es") -> str:
    """What is wrong with a request, the first problems only."""
    tell, more = _told, "y {count} más"
    if tongue in _FOREIGN:
        tell, more = _FOREIGN[tongue].describe_value, _FOREIGN[tongue].MORE
    told = list(dict.fromkeys(tell(item) for item in errors))
    left = len(told) - _LISTED_PROBLEMS
    return "; ".join(told[:_LISTED_PROBLEMS] + ([more.format(count=left)] if left > 0 else []))


def _told(item: Any) -> str:
    place = item["loc"]
    context = item.get("ctx") or {}
    if "expected" in context:
        context = {**context, "expected": context["expected"].replace(" or ", " o ")}
    if item["type"] == "json_invalid":
        return f"El cuerpo no es JSON válido (posición {place[0] if place else 0})"
    if item["type"] == "missing" and not place:
        return "Falta el cuerpo de la petición, un objeto JSON"
    return describe_problem({**item, "loc": place, "ctx": context})


def printable(text: str) -> str:
    """The text with every half of a surrogate pair written out, as no answer can hold it."""
    return text.encode(errors="backslashreplace").decode()


def error_response(
    answer: Answer, *, request: Request | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer as JSON, or as a page where a browser asked for one."""
    answer = replace(answer, details=printable(answer.details))
    if request is not None and _wants_page(request):
        return render("error.html", status=answer.status, headers=headers, answer=answer)
    body = {"error": answer.error, "details": answer.details}
    return JSONResponse(body, status_code=answer.status, headers=dict(headers or {}))


def _wants_page(request: Request) -> bool:
    path, accepted = request.url.path, request.headers.get("accept", "")
    if f"{path}/".startswith("/evaluation/"):  # pages only: JSON is for whoever asks for nothing else
        return "json" not in accepted or "text/html" in accepted
    is_page = not path.startswith(("/api", "/chat", "/openapi.json", "/healthz", "/readyz", "/static"))
    return is_page and "text/html" in accepted


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
    """How a request that failed is answered: by a page where a browser asked, one to sign in on where nobody had."""
    if isinstance(error, UnauthenticatedError) and request.method == "GET" and _wants_page(request):
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{LOGIN_PAGE}?{urlencode({'volver': asked})}", status_code=HTTPStatus.SEE_OTHER)
    timeout_ms = request.app.state.engine.settings.request_timeout_ms
    answer = answer_to(error, timeout_ms=timeout_ms, tongue=tongue_for(request))
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _tell(request, error, is_defect=answer.status == HTTPStatus.INTERNAL_SERVER_ERROR)
    return error_response(answer, request=request, headers=_headers_of(error, answer.status))


def _headers_of(error: RagError, status: int) -> dict[str, str]:
    if isinstance(error, UnauthenticatedError):
        refused = ', error="invalid_token"' if error.is_key_refused else ""
        return {"WWW-Authenticate": f'Bearer realm="Brain Sync"{refused}'}
    if isinstance(error, RateLimitedError):
        return {"Retry-After": str(error.retry_after_seconds)}
    return {"Retry-After": "2"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    tongue = tongue_for(request)
    details = validation_problem([{**item, "loc": _place(item["loc"], tongue)} for item in error.errors()], tongue)
    title = _FOREIGN[tongue].INVALID if tongue in _FOREIGN else INVALID
    return error_response(Answer(status=400, error=title, details=details), request=request)


def _place(location: Sequence[Any], tongue: Tongue) -> tuple[Any, ...]:
    """Where a problem is, as the caller knows it: without "body" or "query"; a path has one variable part."""
    if location[0] == "path":
        return (PATH_PART[tongue],)
    return tuple(location[1:])


def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    tongue = tongue_for(request)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed_methods(request)
        told = _FOREIGN[tongue].ALLOWED if tongue in _FOREIGN else "Esta dirección admite: {methods}"
        answer = replace(http_answer(405, tongue), details=told.format(methods=allowed))
        return error_response(answer, request=request, headers={"Allow": allowed})
    return error_response(http_answer(error.status_code, tongue), request=request, headers=error.headers)


def _allowed_methods(request: Request) -> str:
    """The methods of every route at this address; the framework would name those of the first one only."""
    methods: set[str] = set()
    for route in request.app.state.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(methods))


def _on_defect(request: Request, error: Exception) -> Response:
    """A defect of ours: the log has its stack, the caller learns nothing of it."""
    _tell(request, error, is_defect=True)
    answer = http_answer(500, tongue_for(request))
    return error_response(answer, request=request, headers={"X-Content-Type-Options": "nosniff"})


def _tell(request: Request, error: Exception, *, is_defect: bool) -> None:
    """Log the failure under the route's own address: the one that was asked for may hold ids and words of the user's."""
    route = request.scope.get("route")
    request.app.state.engine.metrics.count_error(error)
    log_failed(f"api {request.method} {getattr(route, 'path', '?')}", error, has_stack=is_defect)

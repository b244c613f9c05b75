"""The one place that turns errors into HTTP: a status, and ``{error, details}`` in Spanish, under ``/api/v2`` in German.

The class of an error decides its status. Messages for the command line are English, so an error is told here by
its class and fields, or by the router that knows what it was about (``explained``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from rag_core.api import german
from rag_core.api.web import render
from rag_core.configuration import describe_problem
from rag_core.errors import (
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
    RetrievalFailedError,
    TooManyJobsError,
)
from rag_core.telemetry.logs import log_failed

INVALID = "Parámetros inválidos"
NO_CONNECTION = "Error de conexión. Por favor, intenta de nuevo más tarde."
NOT_THERE = "No existe esta dirección"
MAX_BODY_MEGABYTES = 10
_LISTED_PROBLEMS = 5

Tongue = Literal["es", "de"]
"""The language of a route's messages."""

PATH_PART: Mapping[Tongue, str] = {"es": "identificador", "de": german.PATH_PART}
"""What the variable part of a path is called."""


def tongue_of(path: str) -> Tongue:
    """German for the routes of RAG V2, Spanish for all others."""
    return "de" if f"{path}/".startswith("/api/v2/") else "es"


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
    (NotFoundError, 404, "No encontrado", "No existe lo que se pide"),
    (ConflictError, 409, "Conflicto", "Ya existe"),
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
}


def answer_to(error: RagError, *, timeout_ms: int, tongue: Tongue = "es") -> Answer:
    """How an error is told."""
    kind = error.kind if isinstance(error, ExplainedError) else type(error)
    status, title, details = next(row[1:] for row in _ANSWERS if issubclass(kind, row[0]))
    if tongue == "de":
        title, details = next(german.KINDS[one.__name__] for one in kind.__mro__ if one.__name__ in german.KINDS)
    if isinstance(error, ExplainedError):
        return Answer(status=status, error=title, details=str(error))
    if isinstance(error, InvalidFieldError):
        return Answer(status=status, error=title, details=field_problem(error, tongue))
    if isinstance(error.__cause__, ValidationError):
        return Answer(status=status, error=title, details=validation_problem(error.__cause__.errors(), tongue))
    return Answer(status=status, error=title, details=details.format(timeout=timeout_ms) or str(error))


def field_problem(error: InvalidFieldError, tongue: Tongue = "es") -> str:
    """What is wrong with a field."""
    if tongue == "de":
        return german.describe_field(error.field, error.problem, error.limit)
    subject, empty = SUBJECTS.get(error.field, (error.field, "vacío"))
    limit = f"{error.limit or 0:,}".replace(",", ".")
    return _PROBLEMS[error.problem].format(subject=subject, empty=empty, limit=limit)


def http_answer(status: int, tongue: Tongue = "es") -> Answer:
    """How a refusal that has only a status is told."""
    answers, other = (german.HTTP, german.OTHER_REFUSAL) if tongue == "de" else (_HTTP_ANSWERS, _OTHER_REFUSAL)
    error, details = answers.get(status, (HTTPStatus(status).name.replace("_", " ").capitalize(), other))
    return Answer(status=status, error=error, details=details.format(megabytes=MAX_BODY_MEGABYTES))


def validation_problem(errors: Sequence[Any], tongue: Tongue = "es") -> str:
    """What is wrong with a request, the first problems only."""
    tell, more = (german.describe_value, german.MORE) if tongue == "de" else (_told, "y {count} más")
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
    is_page = not path.startswith(("/api", "/openapi.json", "/healthz", "/readyz", "/static"))
    return is_page and "text/html" in accepted


def register_handlers(app: FastAPI) -> None:
    """Make every error that leaves a router an answer in the route's language."""
    app.add_exception_handler(RagError, _on_rag_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_defect)


def _on_rag_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RagError)
    timeout_ms = request.app.state.engine.settings.request_timeout_ms
    answer = answer_to(error, timeout_ms=timeout_ms, tongue=tongue_of(request.url.path))
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _tell(request, error, is_defect=answer.status == HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": "2"} if answer.status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return error_response(answer, request=request, headers=headers)


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    tongue = tongue_of(request.url.path)
    details = validation_problem([{**item, "loc": _place(item["loc"], tongue)} for item in error.errors()], tongue)
    title = german.INVALID if tongue == "de" else INVALID
    return error_response(Answer(status=400, error=title, details=details), request=request)


def _place(location: Sequence[Any], tongue: Tongue) -> tuple[Any, ...]:
    """Where a problem is, as the caller knows it: without "body" or "query"; a path has one variable part."""
    if location[0] == "path":
        return (PATH_PART[tongue],)
    return tuple(location[1:])


def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    tongue = tongue_of(request.url.path)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed_methods(request)
        told = german.ALLOWED if tongue == "de" else "Esta dirección admite: {methods}"
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
    answer = http_answer(500, tongue_of(request.url.path))
    return error_response(answer, request=request, headers={"X-Content-Type-Options": "nosniff"})


def _tell(request: Request, error: Exception, *, is_defect: bool) -> None:
    """Log the failure under the route's own address: the one that was asked for may hold ids and words of the user's."""
    route = request.scope.get("route")
    request.app.state.engine.metrics.count_error(error)
    log_failed(f"api {request.method} {getattr(route, 'path', '?')}", error, has_stack=is_defect)

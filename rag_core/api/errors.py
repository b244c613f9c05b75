"""The one place that turns errors into HTTP: a status, and ``{error, details}`` in Spanish.

The class of an error decides its status. Messages for the command line are English, so an error is told here by
its class and fields, or by the router that knows what it was about (``explained``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from rag_core.api.web import render
from rag_core.configuration import describe_problem
from rag_core.errors import (
    BusyError,
    CircuitOpenError,
    ConflictError,
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    InvalidFieldError,
    InvalidInputError,
    NotFoundError,
    RagError,
    RetrievalFailedError,
)
from rag_core.telemetry.logs import log_failed

INVALID = "Parámetros inválidos"
NO_CONNECTION = "Error de conexión. Por favor, intenta de nuevo más tarde."
NOT_THERE = "No existe esta dirección"
MAX_BODY_MEGABYTES = 10
_LISTED_PROBLEMS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A failed request as its caller sees it."""

    status: int
    error: str
    details: str


class ExplainedError(RagError):
    """An error told in Spanish by whoever knows what it is about; its kind decides the status."""

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

_HTTP_ANSWERS: Mapping[int, tuple[str, str]] = {
    400: (INVALID, "No se pudo leer el cuerpo de la petición; se espera JSON en UTF-8"),
    403: ("Acceso denegado", "No tienes acceso a esto"),
    404: ("No encontrado", NOT_THERE),
    405: ("Método no permitido", "Esta dirección no admite ese método"),
    413: (
        "Petición demasiado grande",
        f"El cuerpo supera el máximo de {MAX_BODY_MEGABYTES} MB; repártelo en varias peticiones",
    ),
    415: (
        "Tipo de contenido no admitido",
        "El cuerpo se envía como JSON, con la cabecera Content-Type: application/json",
    ),
    500: ("Error interno del servidor", "Se produjo un error inesperado. Por favor, intenta de nuevo."),
}

_SUBJECTS: Mapping[str, tuple[str, str]] = {
    "text": ("El contenido", "vacío"),
    "title": ("El título", "vacío"),
    "id": ("El identificador externo", "vacío"),
    "source": ("La fuente", "vacía"),
    "created_at": ("La fecha", "vacía"),
    "language": ("El idioma", "vacío"),
    "metadata": ("Los metadatos", "vacíos"),
    "query": ("La consulta", "vacía"),
    "answer": ("La respuesta esperada", "vacía"),
    "a tag": ("Cada etiqueta", "vacía"),
    "a name in relevant_ids": ("Cada nota de relevantIds", "vacía"),
}

_PROBLEMS: Mapping[str, str] = {
    "type": "{subject}: el valor no es del tipo que se espera",
    "empty": "{subject} no puede estar {empty}",
    "nul": "{subject}: hay un carácter nulo (U+0000), que no se puede guardar; quítalo",
    "surrogate": "{subject}: hay medio par sustituto de Unicode, que no es ningún carácter",
    "too_long": "{subject} supera el máximo de {limit} caracteres",
    "date": "{subject} (createdAt) no es una fecha ISO 8601 válida, como 2025-03-01T09:00:00+01:00",
    "choice": "{subject} no es uno de los admitidos: es, de, en",
    "json": "{subject}: hay un número o carácter que JSON no admite",
}


def answer_to(error: RagError, *, timeout_ms: int) -> Answer:
    """How an error is told."""
    kind = error.kind if isinstance(error, ExplainedError) else type(error)
    status, title, details = next(row[1:] for row in _ANSWERS if issubclass(kind, row[0]))
    if isinstance(error, ExplainedError):
        return Answer(status=status, error=title, details=str(error))
    if isinstance(error, InvalidFieldError):
        return Answer(status=status, error=title, details=field_problem(error))
    if isinstance(error.__cause__, ValidationError):
        return Answer(status=status, error=title, details=validation_problem(error.__cause__.errors()))
    return Answer(status=status, error=title, details=details.format(timeout=timeout_ms) or str(error))


def field_problem(error: InvalidFieldError) -> str:
    """What is wrong with a field, in Spanish."""
    subject, empty = _SUBJECTS.get(error.field, (error.field, "vacío"))
    limit = f"{error.limit or 0:,}".replace(",", ".")
    return _PROBLEMS[error.problem].format(subject=subject, empty=empty, limit=limit)


def http_answer(status: int) -> Answer:
    """How a refusal that has only a status is told."""
    error, details = _HTTP_ANSWERS.get(status, (HTTPStatus(status).name.replace("_", " ").capitalize(), ""))
    return Answer(status=status, error=error, details=details or "La petición no se puede atender")


def validation_problem(errors: Sequence[Any]) -> str:
    """What is wrong with a request, in Spanish, the first problems only."""
    told = list(dict.fromkeys(_told(item) for item in errors))
    more = [f"y {len(told) - _LISTED_PROBLEMS} más"] if len(told) > _LISTED_PROBLEMS else []
    return "; ".join(told[:_LISTED_PROBLEMS] + more)


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


def error_response(
    answer: Answer, *, request: Request | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer as JSON, or as a page where a browser asked for one."""
    if request is not None and _wants_page(request):
        return render("error.html", status=answer.status, headers=headers, answer=answer)
    body = {"error": answer.error, "details": answer.details}
    return JSONResponse(body, status_code=answer.status, headers=dict(headers or {}))


def _wants_page(request: Request) -> bool:
    is_page = not request.url.path.startswith(("/api", "/openapi.json", "/healthz", "/readyz", "/static"))
    return is_page and "text/html" in request.headers.get("accept", "")


def register_handlers(app: FastAPI) -> None:
    """Make every error that leaves a router an answer in Spanish."""
    app.add_exception_handler(RagError, _on_rag_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_defect)


def _on_rag_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RagError)
    answer = answer_to(error, timeout_ms=request.app.state.engine.settings.request_timeout_ms)
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _tell(request, error, is_defect=answer.status == HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": "2"} if answer.status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return error_response(answer, request=request, headers=headers)


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    details = validation_problem([{**item, "loc": _place(item["loc"])} for item in error.errors()])
    return error_response(Answer(status=400, error=INVALID, details=details), request=request)


def _place(location: Sequence[Any]) -> tuple[Any, ...]:
    """Where a problem is, as the caller knows it: without "body" or "query"; a path has one variable part."""
    return ("identificador",) if location[0] == "path" else tuple(location[1:])


def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed_methods(request)
        details = f"Esta dirección admite: {allowed}"
        answer = Answer(status=405, error=_HTTP_ANSWERS[405][0], details=details)
        return error_response(answer, request=request, headers={"Allow": allowed})
    return error_response(http_answer(error.status_code), request=request, headers=error.headers)


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
    return error_response(http_answer(500), request=request, headers={"X-Content-Type-Options": "nosniff"})


def _tell(request: Request, error: Exception, *, is_defect: bool) -> None:
    """Log the failure under the route's own address: the one that was asked for may hold ids and words of the user's."""
    route = request.scope.get("route")
    request.app.state.engine.metrics.count_error(error)
    log_failed(f"api {request.method} {getattr(route, 'path', '?')}", error, has_stack=is_defect)

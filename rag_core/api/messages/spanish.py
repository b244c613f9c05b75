"""Error messages in Spanish, the language of most routes; by the same kinds as ``german`` and ``english``."""

from collections.abc import Mapping
from typing import Any

from rag_core.configuration.schema import describe_problem
from rag_core.language import LANGUAGES

INVALID = "Parámetros inválidos"
NO_CONNECTION = "Error de conexión. Por favor, intenta de nuevo más tarde."
KEY_REFUSED = "La clave de acceso no es válida"
WRONG_HOST = "La cabecera Host no es un nombre de esta máquina; usa 127.0.0.1 o localhost, o añade el nombre a BRAIN_ALLOWED_HOSTS"
FOREIGN_ORIGIN = "La petición viene de una página de otro sitio"
_UNAVAILABLE = "Servicio no disponible"
_TIMED_OUT = "Tiempo de espera agotado"
_INTERNAL = "Error interno del servidor"
_UNEXPECTED = "Se produjo un error inesperado. Por favor, intenta de nuevo."

SECONDS = ("segundo", "segundos")
"""One, and any other number, of what is waited for."""

KINDS: Mapping[str, tuple[str, str]] = {
    "IndexTimeSettingError": (
        INVALID,
        "chunking se decide al indexar las notas, así que una configuración no puede cambiarlo; quítalo de ella",
    ),
    "InvalidInputError": (INVALID, ""),
    "DocumentRefusedError": ("Archivo no aceptado", "El archivo no tiene un formato que se acepte o está dañado"),
    "DocumentTooLargeError": ("Archivo demasiado grande", "El archivo es más grande de lo que se acepta"),
    "UnauthenticatedError": (
        "Sin identificar",
        "Se necesita una clave de acceso, en la cabecera Authorization: Bearer o X-API-Key",
    ),
    "AccessDeniedError": ("Acceso denegado", "No tienes acceso a esto"),
    "RateLimitedError": (
        "Demasiadas preguntas",
        "Has llegado al límite de preguntas. Inténtalo de nuevo en {wait}",
    ),
    "ShareTakenError": (
        "Demasiadas peticiones a la vez",
        "Ya hay tantas peticiones tuyas en curso como puede haber a la vez. Inténtalo de nuevo en {wait}",
    ),
    "NotFoundError": ("No encontrado", "No existe lo que se pide"),
    "ConflictError": ("Conflicto", "Ya existe"),
    "TenantFullError": (
        "No cabe ninguna nota más",
        "Ya están todas las notas que puede haber; borra alguna, o pide a quien administra esto que amplíe el límite",
    ),
    "IncomparableRunsError": ("Evaluaciones no comparables", "Las evaluaciones no preguntaron lo mismo"),
    "TooManyJobsError": (
        "Demasiadas tareas",
        "Ya hay tantas tareas sin terminar como puede haber; espera a que acabe una o cancela una",
    ),
    "DatabaseUnavailableError": (_UNAVAILABLE, NO_CONNECTION),
    "DiskFullError": (
        "Sin espacio en el disco",
        "No queda espacio en el disco, así que no se guarda nada. Lo guardado se puede buscar; avisa a quien administra esto",
    ),
    "DatabaseSetupError": (_UNAVAILABLE, NO_CONNECTION),
    "CircuitOpenError": (_UNAVAILABLE, NO_CONNECTION),
    "BusyError": (
        "Demasiadas preguntas a la vez",
        "Se están contestando tantas preguntas como se puede a la vez. Inténtalo de nuevo en {wait}",
    ),
    "DeadlineExceededError": (_TIMED_OUT, "La búsqueda excedió el tiempo límite de {timeout}ms"),
    "AnswerTimeoutError": (_TIMED_OUT, "La respuesta no llegó a tiempo. Por favor, intenta de nuevo."),
    "AnswerFailedError": (
        "Respuesta interrumpida",
        "El modelo de lenguaje se interrumpió en mitad de la respuesta. Por favor, intenta de nuevo.",
    ),
    "RetrievalFailedError": (_INTERNAL, "No se pudieron recuperar resultados. Por favor, intenta de nuevo."),
    "RagError": (_INTERNAL, _UNEXPECTED),
}
"""Title and details by the class of an error; the nearest class that is named here counts. "" is the error's own text."""

HTTP: Mapping[int, tuple[str, str]] = {
    400: (INVALID, "No se pudo leer el cuerpo de la petición; se espera JSON en UTF-8"),
    403: ("Acceso denegado", "No tienes acceso a esto"),
    404: ("No encontrado", "No existe esta dirección"),
    405: ("Método no permitido", "Esta dirección no admite ese método"),
    413: (
        "Petición demasiado grande",
        "El cuerpo supera el máximo de {megabytes} MB; repártelo en varias peticiones",
    ),
    415: (
        "Tipo de contenido no admitido",
        "El cuerpo se envía como JSON, con la cabecera Content-Type: application/json",
    ),
    500: (_INTERNAL, _UNEXPECTED),
}
FILES_TOO_LARGE = (
    "Los archivos superan juntos el máximo de {megabytes} MB; "
    "envíalos de uno en uno, divídelos o aumenta BRAIN_DOCUMENT_MAX_MB"
)
OTHER_REFUSAL = "La petición no se puede atender"
ALLOWED = "Esta dirección admite: {methods}"
MORE = "y {count} más"
PATH_PART = "identificador"

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

_FIELD_PROBLEMS: Mapping[str, str] = {
    "type": "{subject}: el valor no es del tipo que se espera",
    "empty": "{subject} no puede estar {empty}",
    "nul": "{subject}: hay un carácter nulo (U+0000), que no se puede guardar; quítalo",
    "surrogate": "{subject}: hay medio par sustituto de Unicode, que no es ningún carácter",
    "too_long": "{subject} supera el máximo de {limit} caracteres",
    "date": "{subject} no es una fecha ISO 8601 válida, como 2025-03-01T09:00:00+01:00",
    "choice": f"{{subject}} no es uno de los admitidos: {', '.join(LANGUAGES)}",
    "json": "{subject}: hay un número o carácter que JSON no admite",
    "visibility": "{subject} no es ninguna de las admitidas: tenant, department, private",
    "departments": "{subject}: con visibility «department» hay que decir cuáles, en department o departments",
    "audience_key": "{subject}: una clave se parece a visibility, department o departments sin serlo; corrígela o llámala de otro modo",
}


def describe_field(field: str, problem: str, limit: int | None) -> str:
    """Describe the problem of a field of a note or of a question."""
    subject, empty = SUBJECTS.get(field, (field, "vacío"))
    grouped = f"{limit or 0:,}".replace(",", ".")
    return _FIELD_PROBLEMS[problem].format(subject=subject, empty=empty, limit=grouped)


def describe_value(item: Mapping[str, Any]) -> str:
    """One of pydantic's error entries with its place: ``hybridSearch.rrfK: debe ser mayor o igual que 1``."""
    place, context = item["loc"], item.get("ctx") or {}
    if item["type"] == "json_invalid":
        return f"El cuerpo no es JSON válido (posición {place[0] if place else 0})"
    if item["type"] == "missing" and not place:
        return "Falta el cuerpo de la petición, un objeto JSON"
    if "expected" in context:
        context = {**context, "expected": context["expected"].replace(" or ", " o ")}
    return describe_problem({**item, "loc": place, "ctx": context})

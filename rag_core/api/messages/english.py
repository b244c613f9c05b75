"""Error messages in English, on routes that answer in the question's language; by the same kinds as ``german``."""

from collections.abc import Mapping, Sequence
from typing import Any

from rag_core.language import LANGUAGES

INVALID = "Invalid parameters"
NO_CONNECTION = "Connection error. Please try again later."
KEY_REFUSED = "The API key is not valid"
NOT_TAKEN = "The request cannot be taken as it is"
_UNAVAILABLE = "Service unavailable"
_INTERNAL = "Internal server error"
_UNEXPECTED = "An unexpected error occurred. Please try again."

SECONDS = ("second", "seconds")
"""One, and any other number, of what is waited for."""

KINDS: Mapping[str, tuple[str, str]] = {
    "IndexTimeSettingError": (
        INVALID,
        "chunking is decided when notes are indexed, so a configuration cannot change it; leave it out",
    ),
    "InvalidInputError": (INVALID, NOT_TAKEN),
    "DocumentRefusedError": ("File not accepted", "The file has no format that is accepted, or is damaged"),
    "DocumentTooLargeError": ("File too large", "The file is larger than is accepted"),
    "UnauthenticatedError": ("Not signed in", "An API key is needed, in the header Authorization: Bearer or X-API-Key"),
    "AccessDeniedError": ("Access denied", "You have no access to this"),
    "RateLimitedError": ("Too many questions", "Rate limit exceeded. Try again in {wait}"),
    "ShareTakenError": (
        "Too many requests at once",
        "Too many of your requests are in progress. Try again in {wait}",
    ),
    "NotFoundError": ("Not found", "The requested item does not exist"),
    "ConflictError": ("Conflict", "It exists already"),
    "TenantFullError": (
        "No room for another note",
        "The limit of notes is reached. Delete some, or have the limit raised",
    ),
    "IncomparableRunsError": ("Not comparable", "These runs did not ask the same"),
    "TooManyJobsError": ("Too many jobs", "The limit of unfinished jobs is reached. Wait, or cancel one"),
    "AnswerTimeoutError": ("Timed out", "The answer was not written in time. Please try again."),
    "AnswerFailedError": (
        "Answer broken off",
        "The language model broke off in the middle of its answer. Please try again.",
    ),
    "DatabaseUnavailableError": (_UNAVAILABLE, NO_CONNECTION),
    "DiskFullError": (
        "Disk full",
        "Nothing can be stored. What is stored can be searched; tell whoever runs this",
    ),
    "DatabaseSetupError": (_UNAVAILABLE, NO_CONNECTION),
    "CircuitOpenError": (_UNAVAILABLE, NO_CONNECTION),
    "BusyError": (
        "Too many questions at once",
        "Too many questions are being answered. Try again in {wait}",
    ),
    "DeadlineExceededError": ("Timed out", "The search took longer than {timeout} ms"),
    "RetrievalFailedError": (_INTERNAL, "No results could be retrieved. Please try again."),
    "RagError": (_INTERNAL, _UNEXPECTED),
}
"""Title and details by the class of an error; the nearest class that is named here counts."""

HTTP: Mapping[int, tuple[str, str]] = {
    400: (INVALID, "The body of the request cannot be read; JSON in UTF-8 is expected"),
    403: ("Access denied", "You have no access to this"),
    404: ("Not found", "This address does not exist"),
    405: ("Method not allowed", "This address does not take that method"),
    413: ("Request too large", "The body is larger than {megabytes} MB; send it in parts"),
    415: ("Unsupported content type", "The body is sent as JSON, with Content-Type: application/json"),
    500: (_INTERNAL, _UNEXPECTED),
}
FILES_TOO_LARGE = (
    "The files are larger than {megabytes} MB together; "
    "send them one by one, split them, or raise BRAIN_DOCUMENT_MAX_MB"
)
OTHER_REFUSAL = "The request cannot be answered"
WRONG_HOST = (
    "The Host header is no name of this machine; use 127.0.0.1 or localhost, or add the name to BRAIN_ALLOWED_HOSTS"
)
FOREIGN_ORIGIN = "The request comes from a page of another site"
ALLOWED = "This address takes: {methods}"
MORE = "and {count} more"
PATH_PART = "identifier"

_FIELD_PROBLEMS: Mapping[str, str] = {
    "type": "{subject}: the value is not of the type expected",
    "empty": "{subject} cannot be empty",
    "nul": "{subject}: has a NUL character (U+0000), which cannot be stored",
    "surrogate": "{subject}: has half of a Unicode surrogate pair, which is no character",
    "too_long": "{subject} exceeds the maximum of {limit} characters",
    "date": "{subject} is no ISO 8601 date such as 2025-03-01T09:00:00+01:00",
    "choice": f"{{subject}} is none of those allowed: {', '.join(LANGUAGES)}",
    "json": "{subject}: has a number or a character that JSON does not allow",
    "visibility": "{subject}: expected is tenant, department or private",
    "departments": "{subject}: visibility department needs department or departments that say which",
    "audience_key": "{subject}: a key is nearly visibility, department or departments; correct it or give it another name",
}
_SUBJECTS: Mapping[str, str] = {"query": "Query", "text": "Content", "id": "External id", "language": "Language"}

_VALUES: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "unknown field",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "not allowed; expected {expected}",
    "enum": "not allowed; expected {expected}",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a string",
    "string_too_short": "too short; at least {min_length} characters",
    "string_too_long": "too long; at most {max_length} characters",
    "too_short": "too few; at least {min_length}",
    "too_long": "too many; at most {max_length}",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "uuid_parsing": "is no UUID",
    "uuid_type": "is no UUID",
    "datetime_from_date_parsing": "is no ISO 8601 date",
    "datetime_parsing": "is no ISO 8601 date",
    "datetime_type": "is no ISO 8601 date",
    "timezone_aware": "the date needs a time zone",
}

_RULES: Mapping[str, str] = {
    "no puede estar en blanco": "cannot be blank",
    "contiene un carácter no admitido": "has a character that is not allowed",
}
"""Messages of our own validators, by their Spanish text."""


def describe_field(field: str, problem: str, limit: int | None) -> str:
    """Describe the problem of a field of a note or of a question."""
    return _FIELD_PROBLEMS[problem].format(subject=_SUBJECTS.get(field, field), limit=f"{limit or 0:,}")


def describe_value(item: Mapping[str, Any]) -> str:
    """One of pydantic's error entries with its place: ``topK: must be at least 1``."""
    place: Sequence[Any] = item["loc"]
    if item["type"] == "json_invalid":
        return f"The body is no valid JSON (position {place[0] if place else 0})"
    if item["type"] == "missing" and not place:
        return "The body of the request is missing, a JSON object"
    limits = {name: str(value) for name, value in (item.get("ctx") or {}).items()}
    said = _RULES.get(limits.get("error", ""), _VALUES.get(item["type"], "not allowed")).format_map(_Limits(limits))
    where = ".".join(str(part) for part in place if part != "body")
    return f"{where}: {said}" if where else said


class _Limits(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"

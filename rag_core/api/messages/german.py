"""Error messages under ``/api/v2``: in German, by the same statuses and kinds as the Spanish of ``errors``."""

from collections.abc import Mapping, Sequence
from typing import Any

from rag_core.language import LANGUAGES

INVALID = "Ungültige Parameter"
NO_CONNECTION = "Verbindungsfehler. Bitte später noch einmal versuchen."
KEY_REFUSED = "Der Zugangsschlüssel ist nicht gültig"
NOT_TAKEN = "So lässt sich die Anfrage nicht annehmen"
_UNAVAILABLE = "Dienst nicht verfügbar"
_INTERNAL = "Interner Serverfehler"
_UNEXPECTED = "Ein unerwarteter Fehler ist aufgetreten. Bitte noch einmal versuchen."

SECONDS = ("Sekunde", "Sekunden")
"""One, and any other number, of what is waited for."""

KINDS: Mapping[str, tuple[str, str]] = {
    "IndexTimeSettingError": (
        INVALID,
        "chunking wird beim Indexieren entschieden, daher kann eine Konfiguration es nicht ändern; bitte weglassen",
    ),
    "InvalidInputError": (INVALID, NOT_TAKEN),
    "DocumentRefusedError": (
        "Datei nicht angenommen",
        "Die Datei hat kein Format, das angenommen wird, oder ist beschädigt",
    ),
    "DocumentTooLargeError": ("Datei zu groß", "Die Datei ist größer, als angenommen wird"),
    "UnauthenticatedError": (
        "Nicht angemeldet",
        "Ein Zugangsschlüssel wird gebraucht, im Header Authorization: Bearer oder X-API-Key",
    ),
    "AccessDeniedError": ("Zugriff verweigert", "Darauf besteht kein Zugriff"),
    "RateLimitedError": (
        "Zu viele Anfragen",
        "Das Limit der Anfragen ist erreicht. Bitte in {wait} noch einmal versuchen",
    ),
    "ShareTakenError": (
        "Zu viele Anfragen auf einmal",
        "Es laufen schon so viele Anfragen, wie gleichzeitig gehen. Bitte in {wait} noch einmal versuchen",
    ),
    "AnswerTimeoutError": ("Zeit abgelaufen", "Die Antwort kam nicht rechtzeitig. Bitte noch einmal versuchen."),
    "AnswerFailedError": (
        "Antwort abgebrochen",
        "Das Sprachmodell brach mitten in seiner Antwort ab. Bitte noch einmal versuchen.",
    ),
    "NotFoundError": ("Nicht gefunden", "Das Angefragte gibt es nicht"),
    "ConflictError": ("Konflikt", "Das gibt es schon"),
    "TenantFullError": (
        "Kein Platz für weitere Notizen",
        "Es gibt schon so viele Notizen, wie es geben darf; bitte welche löschen oder die Grenze anheben lassen",
    ),
    "IncomparableRunsError": ("Nicht vergleichbar", "Diese Läufe haben nicht dasselbe gefragt"),
    "TooManyJobsError": (
        "Zu viele Aufträge",
        "Es gibt schon so viele unerledigte Aufträge, wie es geben darf; bitte warten, bis einer fertig ist, oder einen abbrechen",
    ),
    "DatabaseUnavailableError": (_UNAVAILABLE, NO_CONNECTION),
    "DiskFullError": (
        "Kein Platz auf der Festplatte",
        "Es lässt sich nichts speichern. Gespeichertes lässt sich suchen; bitte der Verwaltung Bescheid geben",
    ),
    "DatabaseSetupError": (_UNAVAILABLE, NO_CONNECTION),
    "CircuitOpenError": (_UNAVAILABLE, NO_CONNECTION),
    "BusyError": (
        "Zu viele Fragen auf einmal",
        "Es werden schon so viele Fragen beantwortet, wie gleichzeitig gehen. Bitte in {wait} noch einmal versuchen",
    ),
    "DeadlineExceededError": ("Zeit abgelaufen", "Die Anfrage dauerte länger als {timeout} ms"),
    "RetrievalFailedError": (_INTERNAL, "Es ließen sich keine Ergebnisse holen. Bitte noch einmal versuchen."),
    "RagError": (_INTERNAL, _UNEXPECTED),
}
"""Title and details by the class of an error; the nearest class that is named here counts."""

HTTP: Mapping[int, tuple[str, str]] = {
    400: (INVALID, "Der Inhalt der Anfrage ist nicht lesbar; erwartet wird JSON in UTF-8"),
    403: ("Zugriff verweigert", "Darauf besteht kein Zugriff"),
    404: ("Nicht gefunden", "Diese Adresse gibt es nicht"),
    405: ("Methode nicht erlaubt", "Diese Adresse kennt die Methode nicht"),
    413: ("Anfrage zu groß", "Der Inhalt ist größer als {megabytes} MB; auf mehrere Anfragen verteilen"),
    415: ("Falscher Inhaltstyp", "Der Inhalt wird als JSON geschickt, mit Content-Type: application/json"),
    500: (_INTERNAL, _UNEXPECTED),
}
FOREIGN_ORIGIN = "Die Anfrage kommt von einer Seite, die nicht hierher gehört"
FILES_TOO_LARGE = (
    "Die Dateien sind zusammen größer als {megabytes} MB; einzeln senden, aufteilen oder BRAIN_DOCUMENT_MAX_MB erhöhen"
)
OTHER_REFUSAL = "Die Anfrage lässt sich nicht beantworten"
WRONG_HOST = (
    "Der Header Host nennt diesen Rechner nicht; 127.0.0.1 oder localhost verwenden, "
    "oder den Namen in BRAIN_ALLOWED_HOSTS aufnehmen"
)
ALLOWED = "Diese Adresse erlaubt: {methods}"
MORE = "und {count} weitere"
PATH_PART = "Kennung"

SUBJECTS: Mapping[str, str] = {
    "text": "Der Inhalt",
    "title": "Der Titel",
    "id": "Die externe Kennung",
    "source": "Die Quelle",
    "created_at": "Das Datum (createdAt)",
    "updated_at": "Das Datum (lastUpdated)",
    "verified_at": "Das Datum (verifiedAt)",
    "language": "Die Sprache",
    "metadata": "Die Metadaten",
    "query": "Die Frage",
    "answer": "Die erwartete Antwort",
    "a tag": "Ein Schlagwort",
    "a name in relevant_ids": "Ein Dokument in relevantDocumentIds",
    "a phrase of key_facts": "Eine Angabe in keyFacts",
    "a phrase of forbidden_content": "Ein Satz in forbiddenContent",
    "a quote": "Das Zitat",
    "set": "Der Name des Datensatzes",
    "created_by": "Der Name in createdBy",
    "verified_by": "Der Name in verifiedBy",
}

_FIELD_PROBLEMS: Mapping[str, str] = {
    "type": "{subject}: nicht vom erwarteten Typ",
    "empty": "{subject}: darf nicht leer sein",
    "nul": "{subject}: enthält ein Nullzeichen (U+0000), das sich nicht speichern lässt",
    "surrogate": "{subject}: enthält ein halbes Unicode-Ersatzpaar, das kein Zeichen ist",
    "too_long": "{subject}: höchstens {limit} Zeichen",
    "date": "{subject}: kein Datum nach ISO 8601 wie 2025-03-01T09:00:00+01:00",
    "choice": f"{{subject}}: erwartet wird eine von {', '.join(LANGUAGES)}",
    "json": "{subject}: enthält eine Zahl oder ein Zeichen, das JSON nicht erlaubt",
    "visibility": "{subject}: erwartet wird tenant, department oder private",
    "departments": "{subject}: zu visibility «department» gehört in department oder departments, welche",
    "audience_key": "{subject}: ein Schlüssel ähnelt visibility, department oder departments; berichtigen oder anders nennen",
}

_VALUES: Mapping[str, str] = {
    "missing": "fehlt",
    "extra_forbidden": "unbekanntes Feld",
    "greater_than_equal": "muss mindestens {ge} sein",
    "greater_than": "muss größer als {gt} sein",
    "less_than_equal": "darf höchstens {le} sein",
    "less_than": "muss kleiner als {lt} sein",
    "literal_error": "nicht zulässig; erwartet wird {expected}",
    "enum": "nicht zulässig; erwartet wird {expected}",
    "int_type": "muss eine ganze Zahl sein",
    "int_parsing": "muss eine ganze Zahl sein",
    "int_from_float": "muss eine ganze Zahl sein",
    "float_type": "muss eine Zahl sein",
    "float_parsing": "muss eine Zahl sein",
    "finite_number": "muss eine endliche Zahl sein",
    "bool_type": "muss wahr oder falsch sein",
    "bool_parsing": "muss wahr oder falsch sein",
    "string_type": "muss ein Text sein",
    "string_too_short": "zu kurz; mindestens {min_length} Zeichen",
    "string_too_long": "zu lang; höchstens {max_length} Zeichen",
    "too_short": "zu wenige; mindestens {min_length}",
    "too_long": "zu viele; höchstens {max_length}",
    "model_type": "muss ein Objekt sein",
    "model_attributes_type": "muss ein Objekt sein",
    "dict_type": "muss ein Objekt sein",
    "list_type": "muss eine Liste sein",
    "tuple_type": "muss eine Liste sein",
    "uuid_parsing": "ist keine UUID",
    "uuid_type": "ist keine UUID",
    "datetime_from_date_parsing": "ist kein Datum nach ISO 8601",
    "datetime_parsing": "ist kein Datum nach ISO 8601",
    "datetime_type": "ist kein Datum nach ISO 8601",
    "timezone_aware": "das Datum braucht eine Zeitzone",
}

_RULES: Mapping[str, str] = {
    "overlapSize debe ser menor que maxChunkSize": "overlapSize muss kleiner als maxChunkSize sein",
    "minChunkSize no puede superar maxChunkSize": "minChunkSize darf maxChunkSize nicht übersteigen",
    "semanticWeight y fulltextWeight no pueden ser cero a la vez": "semanticWeight und fulltextWeight dürfen nicht beide 0 sein",
    "topK debe cumplir retrieval >= reranking >= final": "topK muss retrieval >= reranking >= final erfüllen",
    "no puede estar en blanco": "darf nicht leer sein",
    "contiene un carácter no admitido": "enthält ein unzulässiges Zeichen",
    "debe ser un entero de 1 a 5, o easy, medium o hard": "muss eine ganze Zahl von 1 bis 5 sein, oder easy, medium oder hard",
}
"""Messages of our own validators, by their Spanish text."""


def describe_field(field: str, problem: str, limit: int | None) -> str:
    """Describe the problem of a field of a note or of a question."""
    subject = SUBJECTS.get(field, field)
    return _FIELD_PROBLEMS[problem].format(subject=subject, limit=f"{limit or 0:,}".replace(",", "."))


def describe_value(item: Mapping[str, Any]) -> str:
    """One of pydantic's error entries with its place: ``hybridSearch.rrfK: muss mindestens 1 sein``."""
    place: Sequence[Any] = item["loc"]
    if item["type"] == "json_invalid":
        return f"Der Inhalt ist kein gültiges JSON (Stelle {place[0] if place else 0})"
    if item["type"] == "missing" and not place:
        return "Der Inhalt der Anfrage fehlt, ein JSON-Objekt"
    limits = {name: str(value).replace("' or '", "' oder '") for name, value in (item.get("ctx") or {}).items()}
    said = _RULES.get(limits.get("error", ""), _VALUES.get(item["type"], "nicht zulässig")).format_map(_Limits(limits))
    where = ".".join(str(part) for part in place if part != "body")
    return f"{where}: {said}" if where else said


class _Limits(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"

"""Error messages for golden queries, in the language of the route."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rag_core.api.errors import ExplainedError, field_problem
from rag_core.errors import AmbiguousNoteError, InvalidFieldError, InvalidGoldenError, InvalidInputError
from rag_core.model.note import Language

_NOT_TAKEN: Mapping[Language, str] = {
    "es": "No se puede guardar esta consulta; revisa sus fechas y sus notas",
    "de": "Diese Frage lässt sich nicht speichern; Felder und Notizen prüfen",
}
_AMBIGUOUS: Mapping[Language, str] = {
    "es": "«{name}» está en varias fuentes; escribe fuente:identificador",
    "de": "„{name}“ steht in mehreren Quellen; Quelle:Kennung angeben",
}
PROBLEMS: Mapping[str, Mapping[Language, str]] = {
    "unknown_note": {
        "es": "No existe ninguna nota llamada «{note}»",
        "de": "Es gibt keine Notiz „{note}“",
    },
    "no_notes": {
        "es": "relevantIds: hace falta al menos una nota que responda",
        "de": "relevantDocumentIds: mindestens eine Notiz, die antwortet, wird gebraucht",
    },
    "unanswerable_notes": {
        "es": "Una consulta sin respuesta (answerable: false) no tiene notas que la respondan",
        "de": "Eine unbeantwortbare Frage (answerable: false) hat keine Notizen, die antworten",
    },
    "unanswerable_answer": {
        "es": "Una consulta sin respuesta (answerable: false) no tiene respuesta esperada; indica las notas que la responden",
        "de": "Eine unbeantwortbare Frage (answerable: false) hat keine erwartete Antwort; Notizen angeben, die antworten",
    },
    "unknown_chunk": {
        "es": "No existe el fragmento {chunk}; los fragmentos cambian al indexar: indica la nota y una cita",
        "de": "Es gibt keinen Abschnitt {chunk}; Abschnitte ändern sich mit jeder Indexierung: Notiz und Zitat angeben",
    },
    "repeated": {
        "es": "La consulta está ya en el lugar {line} de este documento",
        "de": "Die Frage steht schon an Stelle {line} dieses Dokuments",
    },
    "mixed": {
        "es": "La categoría {category} y la dificultad {difficulty} son de vocabularios distintos: brain_sync tiene "
        "dificultades de 1 a 5; rag_v2, easy, medium y hard",
        "de": "Kategorie {category} und Schwierigkeit {difficulty} gehören zu verschiedenen Vokabularen: brain_sync hat "
        "1 bis 5, rag_v2 easy, medium und hard",
    },
    "vocabulary": {
        "es": "El conjunto «{set}» usa el vocabulario {vocabulary}; guarda esta consulta en otro conjunto",
        "de": "Der Datensatz „{set}“ hat das Vokabular {vocabulary}; die Frage gehört in einen anderen",
    },
    "set_vocabulary": {
        "es": "El conjunto «{set}» tiene consultas de otro vocabulario, {vocabulary}; usa otro conjunto",
        "de": "Der Datensatz „{set}“ hat Fragen eines anderen Vokabulars, {vocabulary}; einen anderen verwenden",
    },
    "category": {
        "es": "category: valor no admitido en este conjunto; se espera {expected}",
        "de": "category: hier nicht zulässig; erwartet wird {expected}",
    },
    "difficulty_number": {
        "es": "difficulty: valor no admitido en este conjunto; se espera un entero de 1 a 5",
        "de": "difficulty: hier nicht zulässig; erwartet wird eine ganze Zahl von 1 bis 5",
    },
    "difficulty_word": {
        "es": "difficulty: valor no admitido en este conjunto; se espera easy, medium o hard",
        "de": "difficulty: hier nicht zulässig; erwartet wird easy, medium oder hard",
    },
    "grade": {
        "es": "grade: debe ser 1 (responde en parte), 2 (responde) o 3 (es la mejor respuesta)",
        "de": "grade: 1 (antwortet teilweise), 2 (antwortet) oder 3 (antwortet am besten)",
    },
    "half_span": {
        "es": "Un pasaje de la nota {note} está incompleto; da start y end, o la cita, o los tres",
        "de": "Eine Stelle in Notiz {note} ist unvollständig; start und end angeben, oder das Zitat, oder alle drei",
    },
    "span_outside": {
        "es": "Un pasaje de {start} a {end} no cabe en la nota {note}, que tiene {length} caracteres",
        "de": "Eine Stelle von {start} bis {end} passt nicht in Notiz {note}, die {length} Zeichen hat",
    },
    "absent_quote": {
        "es": "La cita «{quote}» no está en la nota {note}; cítala letra por letra u omite el pasaje",
        "de": "Das Zitat „{quote}“ steht nicht in Notiz {note}; wörtlich zitieren oder weglassen",
    },
    "ambiguous_quote": {
        "es": "La cita «{quote}» está varias veces en la nota {note}; da también start y end",
        "de": "Das Zitat „{quote}“ steht mehrmals in Notiz {note}; auch start und end angeben",
    },
    "unnamed": {
        "es": "verifiedAt no va sin verifiedBy; di quién la verificó",
        "de": "verifiedAt steht nicht ohne verifiedBy; angeben, wer geprüft hat",
    },
}


def told(error: InvalidInputError, tongue: Language) -> str:
    """Describe the problem of a golden query."""
    if isinstance(error, InvalidGoldenError) and error.problem in PROBLEMS:
        return PROBLEMS[error.problem][tongue].format_map(error.facts)
    if isinstance(error, AmbiguousNoteError):
        return _AMBIGUOUS[tongue].format(name=error.choices[0].partition(":")[2])
    if isinstance(error, InvalidFieldError):
        return field_problem(error, tongue)
    return _NOT_TAKEN[tongue]


@contextmanager
def explained_golden(tongue: Language) -> Iterator[None]:
    """Tell why a golden query is not taken."""
    try:
        yield
    except InvalidInputError as error:
        raise ExplainedError(told(error, tongue), kind=InvalidInputError) from error

"""The words put before a chunk when it is embedded with its context, in each language."""

from dataclasses import dataclass

from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWording:
    """``part`` has the fields number, total and summary; the others say where in the note a chunk stands."""

    part: str
    first: str
    middle: str
    last: str
    only: str


CONTEXT_WORDINGS: dict[Language, ContextWording] = {
    "es": ContextWording(
        part="Parte {number} de {total} de una nota sobre: {summary}",
        first="Esta es la sección inicial.",
        middle="Esta es una sección intermedia.",
        last="Esta es la sección final.",
        only="Esta es la nota completa.",
    ),
    "de": ContextWording(
        part="Teil {number} von {total} einer Notiz über: {summary}",
        first="Dies ist der erste Abschnitt.",
        middle="Dies ist ein mittlerer Abschnitt.",
        last="Dies ist der letzte Abschnitt.",
        only="Dies ist die ganze Notiz.",
    ),
    "en": ContextWording(
        part="Part {number} of {total} of a note about: {summary}",
        first="This is the first section.",
        middle="This is a middle section.",
        last="This is the last section.",
        only="This is the whole note.",
    ),
}

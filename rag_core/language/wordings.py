"""What the answering path says in its own words: of somebody's notes, or of a company's documents."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rag_core.language.answer_warnings import PATH_WARNINGS, PathWarning
from rag_core.language.answering import ANSWER_INSTRUCTIONS, DOCUMENT_INSTRUCTIONS, NO_ANSWER, NO_ANSWER_IN_DOCUMENTS
from rag_core.language.fixed_answers import NO_NOTE_OF, NO_NOTES, NOT_ENOUGH
from rag_core.language.guardrails import ANSWER_WARNINGS, AnswerWarning
from rag_core.language.quoting import NOTE_DATED, QUOTING_WARNINGS, QuotingWarning
from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The texts of one language; ``instructions`` are a chat model's, with ``{no_answer}`` as a place holder.

    ``dated`` is how a note is named by its date, with ``{day}``, ``{month}`` and ``{year}``; ``no_note_of`` says that there is no
    such ``{note}``.
    """

    no_answer: str
    no_notes: str
    not_enough: str
    not_grounded: str
    no_note_of: str
    dated: str
    instructions: str
    path_warnings: Mapping[PathWarning, str]
    answer_warnings: Mapping[AnswerWarning, str]
    quoting_warnings: Mapping[QuotingWarning, str]


def _of_notes(language: Language) -> Wording:
    return Wording(
        no_answer=NO_ANSWER[language],
        no_notes=NO_NOTES[language],
        not_enough=NOT_ENOUGH[language],
        not_grounded=NOT_ENOUGH[language],
        no_note_of=NO_NOTE_OF[language],
        dated=NOTE_DATED[language],
        instructions=ANSWER_INSTRUCTIONS[language],
        path_warnings=PATH_WARNINGS[language],
        answer_warnings=ANSWER_WARNINGS[language],
        quoting_warnings=QUOTING_WARNINGS[language],
    )


Wordings = Mapping[Language, Wording]
NOTES: Wordings = MappingProxyType({"es": _of_notes("es"), "de": _of_notes("de"), "en": _of_notes("en")})
_GERMAN = NOTES["de"]
_GERMAN_DOCUMENTS = replace(
    _GERMAN,
    no_answer=NO_ANSWER_IN_DOCUMENTS,
    no_notes="Es gibt keine Dokumente, in denen gesucht werden könnte.",
    not_enough="Die verfügbaren Unternehmensdokumente enthalten nicht genügend Informationen, um diese Frage zu beantworten.",
    not_grounded="Die Antwort ließ sich durch die Quellen nicht ausreichend belegen.",
    no_note_of="Es gibt kein {note}.",
    dated="Dokument vom {day}. {month} {year}",
    instructions=DOCUMENT_INSTRUCTIONS,
    path_warnings={
        **_GERMAN.path_warnings,
        "recent_notes": "Kein Dokument handelt von der Frage; gelesen wurden die neuesten.",
        "degraded_search": "Die Suche war unvollständig: Manche Dokumente wurden vielleicht nicht berücksichtigt.",
        "model_failed": "Das Sprachmodell hat nicht geantwortet; zitiert werden Sätze aus den Dokumenten, wie sie dastehen.",
        "model_busy": "Das Sprachmodell ist mit anderen Fragen beschäftigt; zitiert werden Sätze aus den Dokumenten, wie sie dastehen.",
    },
    answer_warnings={
        **_GERMAN.answer_warnings,
        "instructions": "Ein Dokument unter den Quellen enthält Anweisungen an den Assistenten; sie wurden nicht befolgt.",
    },
    quoting_warnings={
        **_GERMAN.quoting_warnings,
        "not_of_the_time": "Keines der gefundenen Dokumente ist aus der Zeit, nach der Sie fragen.",
        "more_of_the_time": "Aus dieser Zeit gibt es mehr Dokumente als die zitierten.",
    },
)
DOCUMENTS: Wordings = MappingProxyType({**NOTES, "de": _GERMAN_DOCUMENTS})
"""RAG V2 answers in German alone; the other languages are there as for notes."""


def wordings_of(contract: str) -> Wordings:
    """How a contract speaks."""
    return DOCUMENTS if contract == "rag_v2" else NOTES

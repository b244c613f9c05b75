"""Enrichment of notes: type, topics, key phrases, summary, reading ease, counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from rag_core.model.note import NoteKind, Span

DocumentType = Literal[
    "contract",
    "invoice",
    "report",
    "manual",
    "presentation",
    "correspondence",
    "policy",
    "specification",
    "meeting_notes",
    "other",
]
KindOrType = Literal[NoteKind, DocumentType]
"""Value of a filter on types of documents."""
DOCUMENT_TYPES: tuple[DocumentType, ...] = get_args(DocumentType)
MAX_TOPICS = 5
MAX_TOPIC_CHARACTERS = 40
BY_RULES = "rules"
"""Maker of an enrichment without a chat model; compared with in queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """Enrichment of a text by the rules.

    ``type_confidence`` is the probability of the type, 0 to 1. ``summary`` are spans of the text, in its order. ``reading_ease`` is
    0 to 100, the higher the easier, by the formula of the text's language; None for a text that is too short to tell.
    """

    document_type: DocumentType
    type_confidence: float
    topics: tuple[str, ...]
    key_phrases: tuple[str, ...]
    summary: tuple[Span, ...]
    reading_ease: float | None
    words: int
    sections: int
    tables: int
    images: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReading:
    """Summary, type and topics of a note by a chat model; ``document_type`` None where it named none of the ten."""

    summary: str
    document_type: DocumentType | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEnrichment:
    """Enrichment as it is kept: the rules' ``Enrichment``, with type, topics and summary of a chat model where one told them.

    ``made_by`` is ``BY_RULES`` or the model's name; ``type_confidence`` is None where the model told the type. ``summary`` is None
    for a text as short as its summary would be.
    """

    made_by: str
    document_type: DocumentType
    type_confidence: float | None
    topics: Sequence[str]
    key_phrases: Sequence[str]
    summary: str | None
    reading_ease: float | None
    words: int
    sections: int
    tables: int
    images: int

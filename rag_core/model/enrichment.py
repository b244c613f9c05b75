"""What is told of a note beside its text: type, topics, key phrases, summary, how hard it reads, counts."""

from dataclasses import dataclass
from typing import Literal, get_args

from rag_core.model.note import Span

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
DOCUMENT_TYPES: tuple[DocumentType, ...] = get_args(DocumentType)
MAX_TOPICS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """What the rules tell of a text.

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

"""Proposed golden queries, and what they were read from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from rag_core.model.golden import Category, Vocabulary
from rag_core.model.note import Language, NoteId, Span

ProposalKind = Literal[
    "who",
    "what",
    "when",
    "how-many",
    "cause",
    "definition",
    "label",
    "list",
    "day",
    "comparison",
    "two-facts",
    "two-notes",
]
CATEGORY_OF: Mapping[Vocabulary, Mapping[ProposalKind, Category]] = {
    "brain_sync": {
        "who": "factual",
        "what": "factual",
        "when": "temporal",
        "how-many": "factual",
        "cause": "causal",
        "definition": "factual",
        "label": "factual",
        "list": "multi-part",
        "day": "temporal",
        "comparison": "comparative",
        "two-facts": "multi-part",
        "two-notes": "comparative",
    },
    "rag_v2": {
        "who": "relational",
        "what": "factual",
        "when": "factual",
        "how-many": "factual",
        "cause": "relational",
        "definition": "factual",
        "label": "procedural",
        "list": "aggregative",
        "day": "aggregative",
        "comparison": "comparative",
        "two-facts": "multi_hop",
        "two-notes": "comparative",
    },
}
DIFFICULTY_OF: Mapping[ProposalKind, int] = {
    "who": 1,
    "what": 3,
    "when": 3,
    "how-many": 1,
    "cause": 3,
    "definition": 1,
    "label": 1,
    "list": 3,
    "day": 3,
    "comparison": 5,
    "two-facts": 5,
    "two-notes": 5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalNote:
    """Parts of a note from which questions are proposed; ``created_at`` is in the user's zone."""

    note_id: NoteId
    title: str | None
    content: str
    language: Language
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a note: ``note.content[span[0]:span[1]]`` is ``quote``."""

    note_id: NoteId
    span: Span
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalCandidate:
    """A question and where its answer stands: ``note.content[span[0]:span[1]]`` holds ``expected_answer``, or its first part.

    ``further`` are places in other notes, which hold the other parts.
    """

    note_id: NoteId
    span: Span
    quote: str
    query: str
    expected_answer: str
    kind: ProposalKind
    method: str
    month: str
    further: tuple[Place, ...] = ()

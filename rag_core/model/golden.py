"""Golden queries: a question and the notes that answer it."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from rag_core.model.note import NoteId

Vocabulary = Literal["brain_sync", "rag_v2"]
VOCABULARIES: tuple[Vocabulary, ...] = get_args(Vocabulary)
Category = Literal[
    "factual",
    "causal",
    "temporal",
    "comparative",
    "multi-part",
    "procedural",
    "relational",
    "aggregative",
    "multi_hop",
]
ALL_CATEGORIES: tuple[Category, ...] = get_args(Category)
CATEGORIES: Mapping[Vocabulary, tuple[Category, ...]] = {
    "brain_sync": ("factual", "causal", "temporal", "comparative", "multi-part"),
    "rag_v2": ("factual", "comparative", "procedural", "relational", "aggregative", "multi_hop"),
}
DIFFICULTIES = range(1, 6)
DifficultyWord = Literal["easy", "medium", "hard"]
DIFFICULTY_WORDS: Mapping[DifficultyWord, int] = {"easy": 1, "medium": 3, "hard": 5}
GRADES = range(1, 4)
DEFAULT_SET = "default"
_JOINT_GROUPS_OF: Mapping[Category, str] = {
    "factual": "factual",
    "comparative": "comparative",
    "multi-part": "multi-step",
    "multi_hop": "multi-step",
    "causal": "relations",
    "relational": "relations",
    "temporal": "temporal",
    "procedural": "procedural",
    "aggregative": "aggregative",
}
JOINT_GROUPS: tuple[str, ...] = tuple(dict.fromkeys(_JOINT_GROUPS_OF.values()))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class GoldenSpan:
    """Span of the answer in a note, in code points; ``quote`` is its text, by which the place is found again."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """A note that answers: in part or beside other things (1), well (2), best of all (3), and the places where.

    ``spans`` ascend and are distinct.
    """

    note_id: NoteId
    grade: int = 1
    spans: tuple[GoldenSpan, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuery:
    """A golden query as stored; without relevant notes every one of them was deleted, unless it is not answerable.

    One that is not ``is_answerable`` has neither notes nor an expected answer: it is right when it is refused.
    ``relevance`` ascends by note. An empty ``expected_answer`` makes it retrieval-only: no answer is judged. An answer
    must say every one of ``key_facts`` and nothing of ``forbidden_content``. ``difficulty`` is 1 to 5 in both vocabularies:
    easy, medium and hard are 1, 3 and 5.
    """

    id: UUID
    external_id: str | None
    query: str
    relevance: tuple[Relevance, ...]
    expected_answer: str
    category: Category
    difficulty: int
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    vocabulary: Vocabulary = "brain_sync"
    key_facts: tuple[str, ...] = ()
    forbidden_content: tuple[str, ...] = ()
    created_by: str | None = None
    verified_by: str | None = None
    verified_at: datetime | None = None
    is_answerable: bool = True

    @property
    def relevant_note_ids(self) -> tuple[NoteId, ...]:
        """The relevant notes of any grade, ascending."""
        return tuple(one.note_id for one in self.relevance)

    @property
    def is_retrieval_only(self) -> bool:
        """Tell whether the metrics of answers leave it out."""
        return not self.expected_answer


def joint_group(category: Category) -> str:
    """The group of ``JOINT_GROUPS`` under which categories of both vocabularies are reported together."""
    return _JOINT_GROUPS_OF[category]


def joint_difficulty(difficulty: int) -> DifficultyWord:
    """One word for difficulties of both vocabularies: 1 and 2 are easy, 3 is medium, 4 and 5 are hard."""
    if difficulty == 3:
        return "medium"
    return "easy" if difficulty < 3 else "hard"


def difficulty_word(difficulty: int) -> DifficultyWord:
    """The word that a rag_v2 set writes for 1, 3 or 5.

    Raises:
        KeyError: any other difficulty.
    """
    return {number: word for word, number in DIFFICULTY_WORDS.items()}[difficulty]


def normalise_query(query: str) -> str:
    """Normalise a query, so that equal ones compare equal: NFC, case folded, runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", query).casefold().split())


def query_hash(query: str) -> bytes:
    """SHA-256 of the normalised query: 32 bytes, however long the query."""
    return hashlib.sha256(normalise_query(query).encode()).digest()

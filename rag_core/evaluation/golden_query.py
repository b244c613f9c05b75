"""A golden query: a question, the notes that answer it, and what makes two questions the same. No I/O."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.errors import InvalidInputError
from rag_core.model import NoteId
from rag_core.notes import checked_identifier, checked_name, checked_text, parse_time, shown

Category = Literal["factual", "causal", "temporal", "comparative", "multi-part"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
DIFFICULTIES = range(1, 6)
DEFAULT_SET = "default"

MAX_QUERY_CHARACTERS = 10_000
MAX_ANSWER_CHARACTERS = 100_000
_LINE_KEYS = (
    "id",
    "query",
    "relevant_ids",
    "answer",
    "category",
    "difficulty",
    "tags",
    "created_at",
    "updated_at",
)
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuery:
    """A golden query as stored; without relevant notes every one of them was deleted.

    ``relevant_note_ids`` ascend. An empty ``expected_answer`` makes it retrieval-only: no answer is judged.
    """

    id: UUID
    external_id: str | None
    query: str
    relevant_note_ids: tuple[NoteId, ...]
    expected_answer: str
    category: Category
    difficulty: int
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def is_retrieval_only(self) -> bool:
        """Whether the metrics of answers leave it out."""
        return not self.expected_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenLine:
    """One line of an import file, checked; its notes are still names."""

    external_id: str | None
    query: str
    relevant_names: tuple[str, ...]
    expected_answer: str
    category: Category
    difficulty: int
    tags: tuple[str, ...]
    created_at: datetime | None
    updated_at: datetime | None


def normalise_query(query: str) -> str:
    """What makes two queries the same: NFC, case folded, runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", query).casefold().split())


def query_hash(query: str) -> bytes:
    """SHA-256 of the normalised query: 32 bytes, however long the query."""
    return hashlib.sha256(normalise_query(query).encode()).digest()


def parse_golden_line(line: str) -> GoldenLine:
    """One line of an import file; without category, difficulty or answer it is factual, 3 and retrieval-only.

    Times without a zone are UTC, as an export writes them.

    Raises:
        InvalidInputError: the line is not a JSON object, or a field is unknown, missing or out of bounds.
    """
    item = _parse_object(line)
    answer = item.get("answer")
    return GoldenLine(
        external_id=None if item.get("id") is None else checked_name(checked_identifier(item["id"]), "id"),
        query=parse_query(item.get("query")),
        relevant_names=_parse_names(item.get("relevant_ids")),
        expected_answer="" if answer is None else parse_answer(answer),
        category=parse_category(item.get("category", "factual")),
        difficulty=parse_difficulty(item.get("difficulty", 3)),
        tags=parse_tags(item.get("tags", [])),
        created_at=_parse_moment(item.get("created_at"), "created_at"),
        updated_at=_parse_moment(item.get("updated_at"), "updated_at"),
    )


def parse_query(value: Any) -> str:
    """The text of a query, NFC, without white space around it.

    Raises:
        InvalidInputError: not a text, empty or too long.
    """
    query = checked_text(value, "query", max_characters=MAX_QUERY_CHARACTERS).strip()
    if not query:
        raise InvalidInputError("query is empty; expected the question to ask")
    return query


def parse_answer(value: Any) -> str:
    """The expected answer, NFC, without white space around it; it may be empty.

    Raises:
        InvalidInputError: not a text, or too long.
    """
    return checked_text(value, "answer", max_characters=MAX_ANSWER_CHARACTERS).strip()


def parse_category(value: Any) -> Category:
    """The category of a query.

    Raises:
        InvalidInputError: not one of the five.
    """
    if value not in CATEGORIES:
        raise InvalidInputError(f"category is {shown(value)}; expected one of {', '.join(CATEGORIES)}")
    return cast("Category", value)


def parse_difficulty(value: Any) -> int:
    """The difficulty, an integer from 1 to 5.

    Raises:
        InvalidInputError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value not in DIFFICULTIES:
        raise InvalidInputError(f"difficulty is {shown(value)}; expected an integer from 1 to 5")
    return value


def parse_tags(value: Any) -> tuple[str, ...]:
    """Tags in their order, each once.

    Raises:
        InvalidInputError: not a list of texts that are not empty.
    """
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"tags is {shown(value)}; expected a list of texts")
    return tuple(dict.fromkeys(checked_name(tag, "a tag") for tag in value))


def _parse_object(line: str) -> Mapping[str, Any]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise InvalidInputError(f"not valid JSON: {error}") from error
    if not isinstance(item, dict):
        raise InvalidInputError(f"expected a JSON object, found {type(item).__name__}")
    unknown = sorted(set(item) - set(_LINE_KEYS))
    if unknown:
        raise InvalidInputError(f"unknown field {unknown[0]!r}; a line has {', '.join(_LINE_KEYS)}")
    return {key: value for key, value in item.items() if value is not None}


def _parse_names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidInputError(f"relevant_ids is {shown(value)}; expected a list of external ids of notes")
    if not value:
        raise InvalidInputError("relevant_ids is empty; a golden query needs at least one note that answers it")
    return tuple(dict.fromkeys(_parse_name(name) for name in value))


def _parse_name(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInputError(f"relevant_ids has {shown(value)}; expected texts, each naming a note")
    return checked_name(str(value), "a name in relevant_ids")


def _parse_moment(value: Any, field: str) -> datetime | None:
    try:
        moment = parse_time(value, zone=_UTC)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{field} is {shown(value)}; expected an ISO date-time such as 2025-03-01T09:00:00+01:00"
        ) from error
    return None if moment is None else moment.astimezone(UTC)

"""One golden query as an import file writes it, in the names of either vocabulary; its notes are still names. No I/O."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.errors import InvalidGoldenError, InvalidInputError
from rag_core.evaluation.golden.query import (
    MAX_ANSWER_CHARACTERS,
    GivenRelevance,
    GivenSpan,
    parse_answer,
    parse_category,
    parse_difficulty,
    parse_grade,
    parse_phrases,
    parse_query,
    parse_tags,
    unanswerable_with_answer,
    vocabulary_of,
)
from rag_core.model.golden import Category, Vocabulary
from rag_core.notes.validation import checked_identifier, checked_name, checked_text, parse_time, shown

_LINE_KEYS = (
    "id",
    "query",
    "relevant_ids",
    "relevance",
    "relevant_chunk_ids",
    "answerable",
    "answer",
    "category",
    "difficulty",
    "tags",
    "key_facts",
    "forbidden_content",
    "created_by",
    "verified_by",
    "verified_at",
    "created_at",
    "updated_at",
)
_OTHER_NAMES: Mapping[str, str] = {
    "relevantIds": "relevant_ids",
    "relevantNoteIds": "relevant_ids",
    "relevantDocumentIds": "relevant_ids",
    "relevantChunkIds": "relevant_chunk_ids",
    "isAnswerable": "answerable",
    "is_answerable": "answerable",
    "expectedAnswer": "answer",
    "expected_answer": "answer",
    "keyFacts": "key_facts",
    "forbiddenContent": "forbidden_content",
    "createdBy": "created_by",
    "verifiedBy": "verified_by",
    "verifiedAt": "verified_at",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "lastUpdated": "updated_at",
}
"""Names of the fields in the HTTP APIs, so that their exports are files to import."""
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenLine:
    """One line of an import file, checked; its notes are still names.

    ``vocabulary`` is None when category and difficulty could be of either. ``given`` names the fields that the line has; null
    is given too.
    """

    external_id: str | None
    query: str
    relevance: tuple[GivenRelevance, ...]
    chunk_ids: tuple[UUID, ...]
    expected_answer: str
    category: Category
    difficulty: int
    vocabulary: Vocabulary | None
    tags: tuple[str, ...]
    key_facts: tuple[str, ...]
    forbidden_content: tuple[str, ...]
    created_by: str | None
    verified_by: str | None
    verified_at: datetime | None
    created_at: datetime | None
    updated_at: datetime | None
    given: frozenset[str] = frozenset()
    is_answerable: bool = True


def parse_golden_line(line: str) -> GoldenLine:
    """One line of an import file; a new query without category, difficulty or answer is factual, 3 and retrieval-only.

    Times without a zone are UTC, as an export writes them.

    Raises:
        InvalidInputError: the line is not a JSON object, or a field is unknown, missing or out of bounds.
    """
    item, given = _parse_object(line)
    if not _parse_answerable(item) and (item.get("answer") or item.get("key_facts")):
        raise unanswerable_with_answer()
    vocabulary = vocabulary_of(item.get("category"), item.get("difficulty"))
    return GoldenLine(
        external_id=None if item.get("id") is None else checked_name(checked_identifier(item["id"]), "id"),
        query=parse_query(item.get("query")),
        relevance=_parse_all_relevance(item),
        chunk_ids=parse_chunk_ids(item.get("relevant_chunk_ids", [])),
        expected_answer=parse_answer(item.get("answer", "")),
        category=parse_category(item.get("category", "factual"), vocabulary),
        difficulty=parse_difficulty(item.get("difficulty", 3), vocabulary),
        vocabulary=vocabulary,
        tags=parse_tags(item.get("tags", [])),
        key_facts=parse_phrases(item.get("key_facts", []), "key_facts"),
        forbidden_content=parse_phrases(item.get("forbidden_content", []), "forbidden_content"),
        created_by=_parse_person(item, "created_by"),
        verified_by=_parse_person(item, "verified_by"),
        verified_at=_parse_verified_at(item),
        created_at=_parse_moment(item.get("created_at"), "created_at"),
        updated_at=_parse_moment(item.get("updated_at"), "updated_at"),
        given=given,
        is_answerable=_parse_answerable(item),
    )


def _parse_answerable(item: Mapping[str, Any]) -> bool:
    value = item.get("answerable", True)
    if not isinstance(value, bool):
        raise InvalidInputError(f"answerable is {shown(value)}; expected true or false")
    return value


def parse_relevance(value: Any) -> tuple[GivenRelevance, ...]:
    """Relevant notes with grade and spans: a list of ``{"id", "grade"?, "spans"?: [{"start", "end", "quote"}]}``.

    Raises:
        InvalidInputError: anything else.
    """
    return tuple(_parse_relevant(entry) for entry in _parse_list(value, "relevance"))


def parse_chunk_ids(value: Any) -> tuple[UUID, ...]:
    """Ids of chunks that answer.

    Raises:
        InvalidInputError: not a list of UUIDs.
    """
    return tuple(dict.fromkeys(_parse_chunk_id(one) for one in _parse_list(value, "relevant_chunk_ids")))


def _parse_object(line: str) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The fields that are not null, and the names of all."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise InvalidInputError(f"not valid JSON: {error}") from error
    if not isinstance(item, dict):
        raise InvalidInputError(f"expected a JSON object, found {type(item).__name__}")
    fields: dict[str, Any] = {}
    for key, value in item.items():
        name = _OTHER_NAMES.get(key, key)
        if name not in _LINE_KEYS:
            raise InvalidInputError(f"unknown field {key!r}; a line has {', '.join(_LINE_KEYS)}")
        if value is not None and name in fields:
            raise InvalidInputError(f"{name} is given twice, as {key!r} too; give it once")
        if value is not None:
            fields[name] = value
    return fields, frozenset(_OTHER_NAMES.get(key, key) for key in item)


def _parse_all_relevance(item: Mapping[str, Any]) -> tuple[GivenRelevance, ...]:
    if not _parse_answerable(item):
        if item.get("relevant_ids") or item.get("relevance") or item.get("relevant_chunk_ids"):
            raise InvalidGoldenError(
                'an unanswerable query has no relevant notes; remove them, or its "answerable": false',
                problem="unanswerable_notes",
            )
        return ()
    has_others = "relevance" in item or "relevant_chunk_ids" in item
    names = _parse_names([] if has_others and "relevant_ids" not in item else item.get("relevant_ids"))
    plain = tuple(GivenRelevance(note=name, spans=None) for name in names)
    found = plain + parse_relevance(item.get("relevance", []))
    if not found and not item.get("relevant_chunk_ids"):
        raise InvalidGoldenError(
            'relevant_ids is empty; a golden query needs at least one note that answers it, or "answerable": false',
            problem="no_notes",
        )
    return found


def _parse_names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidInputError(f"relevant_ids is {shown(value)}; expected a list of external ids of notes")
    return tuple(dict.fromkeys(_parse_name(name) for name in value))


def _parse_name(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInputError(f"relevant_ids has {shown(value)}; expected texts, each naming a note")
    return checked_name(str(value), "a name in relevant_ids")


def _parse_relevant(value: Any) -> GivenRelevance:
    item = _parse_entry(value, "relevance", ("id", "grade", "spans"))
    spans = _parse_list(item["spans"], "spans") if "spans" in item else None
    return GivenRelevance(
        note=_parse_name(item.get("id")),
        grade=parse_grade(item["grade"]) if "grade" in item else None,
        spans=None if spans is None else tuple(_parse_span(span) for span in spans),
    )


def _parse_span(value: Any) -> GivenSpan:
    item = _parse_entry(value, "spans", ("start", "end", "quote"))
    start, end = (_parse_offset(item.get(name), name) for name in ("start", "end"))
    quote = item.get("quote")
    if quote is not None:
        quote = checked_text(quote, "a quote", max_characters=MAX_ANSWER_CHARACTERS)
    return GivenSpan(start=start, end=end, quote=quote)


def _parse_offset(value: Any, field: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InvalidInputError(f"{field} of a span is {shown(value)}; expected a number of code points")
    return value


def _parse_entry(value: Any, field: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInputError(f"{field} has {shown(value)}; expected objects with {', '.join(keys)}")
    entry = {"id" if key == "noteId" else key: one for key, one in value.items() if one is not None}
    unknown = sorted(set(entry) - set(keys))
    if unknown:
        raise InvalidInputError(f"unknown field {unknown[0]!r} in {field}; an entry has {', '.join(keys)}")
    return entry


def _parse_list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInputError(f"{field} is {shown(value)}; expected a list")
    return value


def _parse_chunk_id(value: Any) -> UUID:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidGoldenError(
            f"relevant_chunk_ids has {shown(value)}; expected ids of chunks",
            problem="unknown_chunk",
            chunk=shown(value),
        ) from error


def _parse_person(item: Mapping[str, Any], field: str) -> str | None:
    return None if item.get(field) is None else checked_name(item[field], field)


def _parse_verified_at(item: Mapping[str, Any]) -> datetime | None:
    moment = _parse_moment(item.get("verified_at"), "verified_at")
    if moment is not None and item.get("verified_by") is None:
        raise InvalidGoldenError("verified_at stands without verified_by; say who verified it", problem="unnamed")
    return moment


def _parse_moment(value: Any, field: str) -> datetime | None:
    moment = parse_time(value, zone=_UTC, field=field)
    return None if moment is None else moment.astimezone(UTC)

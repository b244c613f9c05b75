"""A golden query: a question, the notes that answer it, and what makes two questions the same. No I/O."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from rag_core.errors import InvalidFieldError, InvalidGoldenError, InvalidInputError
from rag_core.model.golden import (
    ALL_CATEGORIES,
    CATEGORIES,
    DIFFICULTIES,
    DIFFICULTY_WORDS,
    GRADES,
    VOCABULARIES,
    Category,
    DifficultyWord,
    GoldenQuery,
    Vocabulary,
)
from rag_core.model.note import NoteId
from rag_core.notes.validation import checked_name, checked_text, shown

MAX_QUERY_CHARACTERS = 10_000
MAX_ANSWER_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSpan:
    """A place in a note as somebody names it: by its quote, by start and end, or by all three."""

    start: int | None = None
    end: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRelevance:
    """A relevant note as somebody names it, by id or by name.

    Without a grade, or without spans, it keeps those it has for the query, and has 1 and none at first.
    """

    note: NoteId | str
    grade: int | None = None
    spans: tuple[GivenSpan, ...] | None = None


def parse_query(value: Any) -> str:
    """The text of a query, NFC, without white space around it.

    Raises:
        InvalidInputError: not a text, empty or too long.
    """
    query = checked_text(value, "query", max_characters=MAX_QUERY_CHARACTERS).strip()
    if not query:
        raise InvalidFieldError("query is empty; expected the question to ask", field="query", problem="empty")
    return query


def parse_answer(value: Any) -> str:
    """The expected answer, NFC, without white space around it; it may be empty.

    Raises:
        InvalidInputError: not a text, or too long.
    """
    return checked_text(value, "answer", max_characters=MAX_ANSWER_CHARACTERS).strip()


def parse_category(value: Any, vocabulary: Vocabulary | None = None) -> Category:
    """The category of a query; without a vocabulary one of either.

    Raises:
        InvalidInputError: not one of the vocabulary's categories.
    """
    categories = ALL_CATEGORIES if vocabulary is None else CATEGORIES[vocabulary]
    if value not in categories:
        expected = ", ".join(categories)
        raise InvalidGoldenError(
            f"category is {shown(value)}; expected one of {expected}", problem="category", expected=expected
        )
    return cast("Category", value)


def parse_difficulty(value: Any, vocabulary: Vocabulary | None = None) -> int:
    """The difficulty from 1 to 5, or as a word; in rag_v2 it is easy, medium or hard, which are 1, 3 and 5.

    Raises:
        InvalidInputError: anything else.
    """
    if vocabulary != "brain_sync" and isinstance(value, str) and value in DIFFICULTY_WORDS:
        return DIFFICULTY_WORDS[cast("DifficultyWord", value)]
    expected = "easy, medium or hard" if vocabulary == "rag_v2" else "an integer from 1 to 5"
    problem = "difficulty_word" if vocabulary == "rag_v2" else "difficulty_number"
    if isinstance(value, bool) or not isinstance(value, int) or value not in DIFFICULTIES:
        raise InvalidGoldenError(f"difficulty is {shown(value)}; expected {expected}", problem=problem)
    if vocabulary == "rag_v2" and value not in DIFFICULTY_WORDS.values():
        raise InvalidGoldenError(
            f"difficulty is {value}; a rag_v2 set has easy, medium and hard, which are 1, 3 and 5",
            problem=problem,
        )
    return value


def vocabulary_of(category: Any, difficulty: Any) -> Vocabulary | None:
    """The vocabulary that has this category and this kind of difficulty, or None when both have.

    Raises:
        InvalidInputError: neither has them.
    """
    if category is not None:
        parse_category(category)
    of_category = {name for name in VOCABULARIES if category is None or category in CATEGORIES[name]}
    of_difficulty = set(VOCABULARIES)
    if difficulty is not None:
        is_word = isinstance(difficulty, str) and difficulty in DIFFICULTY_WORDS
        of_difficulty = {"rag_v2" if is_word else "brain_sync"}
    fitting = of_category & of_difficulty
    if not fitting and difficulty is not None:
        if of_difficulty == {"brain_sync"}:
            parse_difficulty(difficulty, "brain_sync")
        raise InvalidGoldenError(
            f"category {category} is of {min(of_category)} and difficulty {shown(difficulty)} is of {min(of_difficulty)}; "
            "use the words of one vocabulary: brain_sync has difficulties from 1 to 5, rag_v2 easy, medium and hard",
            problem="mixed",
            category=category,
            difficulty=difficulty,
        )
    return fitting.pop() if len(fitting) == 1 else None


def parse_grade(value: Any) -> int:
    """The grade of a relevant note, an integer from 1 to 3.

    Raises:
        InvalidInputError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value not in GRADES:
        raise InvalidGoldenError(
            f"grade is {shown(value)}; expected 1 (it answers in part), 2 (it answers) or 3 (it answers best)",
            problem="grade",
        )
    return value


def parse_tags(value: Any) -> tuple[str, ...]:
    """Tags in their order, each once.

    Raises:
        InvalidInputError: not a list of texts that are not empty.
    """
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"tags is {shown(value)}; expected a list of texts")
    return tuple(dict.fromkeys(checked_name(tag, "a tag") for tag in value))


def parse_phrases(value: Any, field: str) -> tuple[str, ...]:
    """Parse the phrases that an answer must, or must not, contain, in the order given, each once.

    Raises:
        InvalidInputError: not a list of texts that are not empty.
    """
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"{field} is {shown(value)}; expected a list of texts")
    return tuple(dict.fromkeys(checked_name(phrase, f"a phrase of {field}") for phrase in value))


def with_verification(
    new: GoldenQuery, old: GoldenQuery | None, *, by: str | None, at: datetime | None, now: datetime
) -> GoldenQuery:
    """The new version with whoever verified it: the person named, else whoever verified the same question and answer.

    What is asked, what is relevant and what is to be answered cannot change under a verification: it is taken away.
    """
    is_same = old is not None and _verifiable(old) == _verifiable(new)
    if by is None:
        kept = old if is_same else None
        return replace(
            new, verified_by=kept.verified_by if kept else None, verified_at=kept.verified_at if kept else None
        )
    if at is None and old is not None and is_same and old.verified_by == by:
        at = old.verified_at
    return replace(new, verified_by=by, verified_at=at or now)


def _verifiable(query: GoldenQuery) -> tuple[Any, ...]:
    return (
        *(query.query, query.relevance, query.expected_answer, query.key_facts, query.forbidden_content),
        query.is_answerable,
    )


def unanswerable_with_answer() -> InvalidGoldenError:
    """Error for an answer to a query that the notes do not answer."""
    return InvalidGoldenError(
        "an unanswerable query has no expected answer and no key facts; leave them out, or give the notes that answer it",
        problem="unanswerable_answer",
    )

"""Type of the answer that a question asks for, and the tokens of a passage that are of that type. Pure.

A question beginning "¿cuántos puntos…?" is answered where a number stands near the words it shares with the passage. Only
the kinds that a token shows by itself are told apart; every other question has none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from rag_core.language.answer_types import AnswerType
from rag_core.language.languages import language_of
from rag_core.model.note import Language

_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}|\d{1,2}[.:]\d{2}(?:[.]\d{2,4})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The kind of answer a question expects, and where in the query its cue ends."""

    kind: AnswerType
    cue_end: int


def expected_answer(query: str, language: Language) -> Expected | None:
    """Type of answer that the first cue of the query asks for; None for every other question and for what is no question."""
    lowered = query.lower()
    found = [
        (match.start(), Expected(kind=kind, cue_end=match.end()))
        for kind in language_of(language).answer_types.questions
        if (match := _cue(language, kind).search(lowered))
    ]
    return min(found, key=lambda item: item[0])[1] if found else None


@cache
def _cue(language: Language, kind: AnswerType) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{language_of(language).answer_types.questions[kind]})\b")


def answer_test(kind: AnswerType, language: Language) -> Callable[[str], bool]:
    """A test of one token as written; in German every noun has a capital, so a name is not told by it."""
    if kind == "number":
        words = language_of(language).answer_types.number_words
        return lambda token: token[0].isdigit() or token.lower() in words
    if kind == "date":
        dates = language_of(language).answer_types.date_words
        return lambda token: _YEAR.fullmatch(token) is not None or token.lower() in dates
    if language_of(language).traits.has_capitalised_nouns:
        return lambda _token: False
    return lambda token: token[0].isupper()

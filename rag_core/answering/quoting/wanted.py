"""The kind of thing that a question wants to know (an amount of money, a place, a cause), and a test of sentences for it. Pure."""

import re
from collections.abc import Callable
from functools import cache

from rag_core.language.answer_types import AnswerType
from rag_core.language.languages import language_of
from rag_core.language.quoting import (
    Wanted,
)
from rag_core.language.stemming import stem
from rag_core.model.note import Language
from rag_core.reranking.answer_types import answer_test, expected_answer

SHOWN_BY_ITSELF: frozenset[Wanted] = frozenset(
    {"money", "duration", "clock", "temperature", "weight", "length", "cause"}
)
"""Kinds that hardly any sentence has by chance; a number, a name or a place may be any."""
MAY_LACK: frozenset[Wanted] = frozenset({"polarity", "speech"})
"""Kinds that an answer need not show: "La caldera se ha roto." answers "¿Se ha roto la caldera?" without a yes."""
MOST_WORDS_BETWEEN = 2
"""Greatest number of words between a number and the thing it counts ("99 nuevos sensores")."""
_TYPES: dict[Wanted, AnswerType] = {"number": "number", "date": "date", "person": "name", "name": "name"}
_WORD = re.compile(r"\w+")


def wanted_kind(query: str, language: Language) -> Wanted | None:
    """The kind of thing the question asks for; None for keywords and for kinds that cannot be seen in a sentence."""
    for kind, cue in _cues(language):
        if cue.search(query):
            return kind
    expected = expected_answer(query, language)
    if expected is not None:
        return expected.kind
    return "polarity" if _pattern(language_of(language).quoting.yes_or_no).search(query) else None


def is_of_a_person(query: str, language: Language) -> bool:
    """Test whether it asks for a thing that a diary says of its writer and of others in the same words: a name, a home, a birthday."""
    return _question(rf"(?:{language_of(language).quoting.of_a_person})\b").search(query) is not None


def without_cue(query: str, language: Language) -> str:
    """The question without the words that only tell what it wants ("a qué temperatura"); all of it where no letter is left."""
    rest = language_of(language).quoting.naming.sub(" ", query)
    for kind, cue in _cues(language):
        if kind in SHOWN_BY_ITSELF:
            rest = cue.sub(" ", rest)
    return rest if re.search(r"[^\W_]", rest) else query


def kind_test(query: str, kind: Wanted, language: Language) -> Callable[[str], bool]:
    """Test whether a sentence in ``language`` holds a thing of the kind that the question does not name itself."""
    asked = frozenset(_WORD.findall(query.lower()))
    shown = language_of(language).quoting.shown.get(kind)
    if shown is not None:
        return lambda sentence: _pattern(shown).search(sentence) is not None
    if kind == "place":
        return lambda sentence: _names_a_place(sentence, asked, language)
    counted = _counted(query, language) if kind == "number" else None
    if counted is not None:
        return lambda sentence: _counts(sentence, counted, language)
    return lambda sentence: _has_token(sentence, asked, _TYPES.get(kind, "name"), language)


def _counted(query: str, language: Language) -> str | None:
    """The stem of what the question wants counted."""
    found = _question(language_of(language).quoting.counting).search(query)
    return None if found is None else stem(found[1].lower(), language)


def _counts(sentence: str, counted: str, language: Language) -> bool:
    is_number = answer_test("number", language)
    tokens = _WORD.findall(sentence)
    places = [at for at, token in enumerate(tokens) if stem(token.lower(), language) == counted]
    return any(is_number(token) for at in places for token in tokens[max(0, at - 1 - MOST_WORDS_BETWEEN) : at])


def _has_token(sentence: str, asked: frozenset[str], kind: AnswerType, language: Language) -> bool:
    is_kind = answer_test(kind, language)
    tokens = _WORD.findall(sentence)[kind == "name" :]
    return any(is_kind(token) and token.lower() not in asked for token in tokens)


def _names_a_place(sentence: str, asked: frozenset[str], language: Language) -> bool:
    if _pattern(language_of(language).quoting.beside_places).search(sentence):
        return True
    places = (
        sentence[match.end() :]
        for match in _exactly(language_of(language).quoting.place_prepositions).finditer(sentence)
    )
    return any((word := _WORD.match(place)) is not None and word[0].lower() not in asked for place in places)


@cache
def _cues(language: Language) -> tuple[tuple[Wanted, re.Pattern[str]], ...]:
    return tuple(
        (kind, _question(rf"(?:{cue})\b")) for kind, cue in language_of(language).quoting.question_cues.items()
    )


@cache
def _question(cue: str) -> re.Pattern[str]:
    """The cue as people write it in haste too: "cuanto" for "cuánto"."""
    for accented, plain in zip("áéíóú", "aeiou", strict=True):
        cue = cue.replace(accented, f"[{accented}{plain}]")
    return re.compile(rf"\b{cue}", re.IGNORECASE)


@cache
def _pattern(shown: str) -> re.Pattern[str]:
    return re.compile(shown, re.IGNORECASE)


@cache
def _exactly(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

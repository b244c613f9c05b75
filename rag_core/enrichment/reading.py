"""A text cut into words, with their stems and places: what everything else here is told from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from rag_core.language.languages import language_of
from rag_core.language.stemming import stems_of
from rag_core.model.note import Language

MAX_CHARACTERS = 40_000
"""Length of a text's beginning that is read closely: a longer one says what it is there, and costs no more."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """A text, and of each of its words the start, the lower case and the stem, in their order."""

    text: str
    language: Language
    starts: Sequence[int]
    words: Sequence[str]
    stems: Sequence[str]


def read(text: str, language: Language) -> ReadText:
    """Cut the first ``MAX_CHARACTERS`` of a text into words; figures are none."""
    beginning = text[:MAX_CHARACTERS]
    found = [(match.start(), match[0].lower()) for match in _WORD.finditer(beginning)]
    words = [word for _, word in found]
    return ReadText(
        text=beginning,
        language=language,
        starts=[start for start, _ in found],
        words=words,
        stems=stems_of(words, language),
    )


def pairs(stems: Sequence[str]) -> list[str]:
    """Each two words that stand side by side, joined by "_"."""
    return [f"{left}_{right}" for left, right in pairwise(stems)]


@cache
def function_words(language: Language) -> frozenset[str]:
    """Words of a language that mean nothing by themselves."""
    words = language_of(language).stop_words
    return words.function_words | words.negations | words.prepositions | words.determiners | words.conjunctions

"""Other forms of a query's words that stemming misses: irregular forms, numbers with a hyphen, parts of German compounds.

All here speaks of lexemes, as PostgreSQL's text search makes them: the index stays as it is, the query asks for more. What
was measured is in ``docs/decisions/0013-search-variants.md``.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.note import Language

_IRREGULAR = 0.3
_VOWEL_CHANGE = 0.3
_HYPHENED_NUMBER = 0.6
_PLURAL_OF_Z = 0.3
_UMLAUT = 0.9
_COMPOUND = 0.4

COMPOUNDING = tuple(code for code in LANGUAGES if language_of(code).word_forms.compound_links)
"""Languages that put words together."""
LEAST_COMPOUND_LETTERS = 5
"""A shorter part of a compound stands at the beginning of too many words that have nothing to do with it."""
_LEAST_REST_LETTERS = 4

_QUESTION_WORDS = re.compile(
    rf"\b(?:{'|'.join(filter(None, (language_of(language).word_forms.question_words for language in LANGUAGES)))})\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")

_NUMBER = re.compile(r"\d[\d.,]*")
_LAST_VOWEL = re.compile(r"(.*?)(ie|ue|[eo])([^aeiou]+)")
_OTHER_VOWELS = {"e": ("ie", "i"), "o": ("ue", "u"), "ie": ("e",), "ue": ("o",)}
_UMLAUTS = re.compile(r"(?<![aeq])(ae|oe|ue)")
_PLAIN = re.compile("[aou]")


def lexeme_variants(lexeme: str, language: Language) -> dict[str, float]:
    """Further lexemes of the same word and what a match of each is worth beside the lexeme's own 1, in (0, 1).

    The lexeme itself is not among them; a word without irregular forms gives {}.
    """
    found: dict[str, float] = {}
    for variant, weight in _candidates(lexeme, language):
        if variant != lexeme:
            found[variant] = max(weight, found.get(variant, 0.0))
    return found


def without_question_words(query: str) -> str:
    """The query without the words that only ask ("cuándo", "wer"), which texts use for other things; all of it if no word is left."""
    rest = _QUESTION_WORDS.sub(" ", query)
    return rest if _LETTER.search(rest) else query


def compound_relatives(lexeme: str, longer: Iterable[str]) -> dict[str, float]:
    """German words of which one is the beginning of the other: of the ``longer`` ones those that add a word, and beginnings.

    What follows the shorter one, without a linking s, n, en, es, er or e, has at least four letters: less is an ending
    ("Urlauber"). Beginnings are not known to be words; those that no note has are not found and cost a look-up.
    """
    longest = len(lexeme) - _LEAST_REST_LETTERS
    beginnings = [lexeme[:end] for end in range(LEAST_COMPOUND_LETTERS, longest + 1)]
    return dict.fromkeys([word for word in longer if _adds_a_word(lexeme, word)] + beginnings, _COMPOUND)


def _adds_a_word(beginning: str, word: str) -> bool:
    rest = word.removeprefix(beginning)
    link = next(link for link in _links() if rest.startswith(link))
    return word.startswith(beginning) and len(rest) - len(link) >= _LEAST_REST_LETTERS


@cache
def _links() -> tuple[str, ...]:
    return tuple(link for language in LANGUAGES for link in language_of(language).word_forms.compound_links)


def _candidates(lexeme: str, language: Language) -> Iterator[tuple[str, float]]:
    forms = language_of(language).word_forms
    yield from ((other, _HYPHENED_NUMBER) for other in _hyphened(lexeme))
    yield from ((other, _IRREGULAR) for other in _families(language).get(lexeme, ()))
    if forms.has_vowel_changes:
        yield from ((other, _VOWEL_CHANGE) for other in _vowel_changes(lexeme))
        yield from ((other, _PLURAL_OF_Z) for other in _plurals_of_z(lexeme))
    if forms.has_umlauts:
        yield from ((other, _UMLAUT) for other in _umlauts(lexeme))


@cache
def _families(language: Language) -> dict[str, frozenset[str]]:
    families: dict[str, frozenset[str]] = {}
    for stems in language_of(language).word_forms.irregular_stems:
        families |= {stem: stems | families.get(stem, frozenset()) for stem in stems}
    return families


def _hyphened(lexeme: str) -> Iterator[str]:
    """PostgreSQL reads the 19 of "COVID-19" and the 2020 of "2019-2020" as negative numbers."""
    if _NUMBER.fullmatch(lexeme):
        yield f"-{lexeme}"
    elif _NUMBER.fullmatch(lexeme[1:]) and lexeme[0] == "-":
        yield lexeme[1:]


def _vowel_changes(lexeme: str) -> Iterator[str]:
    if parts := _LAST_VOWEL.fullmatch(lexeme):
        before, vowel, after = parts.groups()
        yield from (before + other + after for other in _OTHER_VOWELS[vowel])


def _plurals_of_z(lexeme: str) -> Iterator[str]:
    if lexeme.endswith(("z", "c")):
        yield lexeme[:-1] + ("c" if lexeme.endswith("z") else "z")


def _umlauts(lexeme: str) -> Iterator[str]:
    """The stemmer drops the dots of an umlaut, and before PostgreSQL 18 it leaves its spelling with an e ("Maedchen")."""
    if _UMLAUTS.search(lexeme):
        yield _UMLAUTS.sub(lambda spelled: spelled[0][0], lexeme)
    for vowel in _PLAIN.finditer(lexeme):
        yield f"{lexeme[: vowel.end()]}e{lexeme[vowel.end() :]}"

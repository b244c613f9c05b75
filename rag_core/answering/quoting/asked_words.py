"""The words of a question and where they stand in a sentence: as written, by their stem, or in another form. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from rag_core.language import LANGUAGES
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.language.stemming import stem
from rag_core.language.variants import lexeme_variants
from rag_core.model.note import Language
from rag_core.query.time_points import ISO_MONTH
from rag_core.query.transformation import query_language

SAME_STEM = 0.85
OTHER_FORM = 0.75
"""Weights of a match by the stem and by an irregular form, beside 1 for the word itself."""
LEAST_FORM_LETTERS = 4
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word of a question: ``forms`` are keys of sentences that are it, with what such a match is worth in (0, 1]."""

    key: str
    forms: Mapping[str, float]


def own_language(question: str, answered_in: Language) -> Language:
    """The language of the question itself; that of its answer where its words are of none."""
    return query_language(question, known=(answered_in, *LANGUAGES))


@lru_cache(maxsize=4096)
def keys_of(text: str, language: Language) -> frozenset[str]:
    """The keys of a text: its folded words and names of months in ISO 8601, and "~stem" of each."""
    keys, names = set[str](), language_of(language).times.month_names
    months = (names[int(month) - 1] for _, month in ISO_MONTH.findall(text))
    for word in (*_TOKEN.findall(text), *months):
        plain = fold(word).text
        if plain not in _function_words(language):
            keys |= {plain, f"~{_stem(word, language)}"}
    return frozenset(keys)


def terms_of(question: str, language: Language, *, spoken: Language) -> tuple[Term, ...]:
    """The question's words that say something, as notes in ``spoken`` write them. "pasó" and the like are none beside others."""
    found: dict[str, Term] = {}
    for word in _TOKEN.findall(question):
        plain = fold(word).text
        if plain not in _function_words(language) and plain not in found:
            found[plain] = _term(word, spoken)
    telling = tuple(term for term in found.values() if term.key not in _happening_words(language))
    return telling or tuple(found.values())


def worth(term: Term, keys: frozenset[str]) -> float:
    """The best match of the term among the keys of a text, in [0, 1]."""
    return max((value for form, value in term.forms.items() if form in keys), default=0.0)


def _term(word: str, spoken: Language) -> Term:
    plain = fold(word).text
    forms = {f"~{fold(other).text}": OTHER_FORM for other in lexeme_variants(_unfolded(word, spoken), spoken)}
    return Term(key=plain, forms=forms | {f"~{_stem(word, spoken)}": SAME_STEM, plain: 1.0})


def _stem(word: str, language: Language) -> str:
    folded = fold(_unfolded(word, language)).text
    return folded.removesuffix("s") if language == "es" and len(folded) >= LEAST_FORM_LETTERS else folded


def _unfolded(word: str, language: Language) -> str:
    return stem(word.lower(), language)


@cache
def _function_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word).text for word in language_of(language).stop_words.function_words)


@cache
def _happening_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word).text for word in language_of(language).questions.happening)

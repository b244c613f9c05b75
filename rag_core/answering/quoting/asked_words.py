"""The words of a question and where they stand in a sentence: as written, in another form, or as people say it too. Pure.

Stems alone take "casé" for a house and Madrid for a mother: a name is known by its letters, and a word that shares nothing but
its stem counts for less than the word itself.
"""

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
from rag_core.query.transformation import query_language

SAME_STEM = 0.85
OTHER_FORM = 0.75
"""Weights of a match by the stem and by an irregular form, beside 1 for the word itself."""
LIGHT_WEIGHT = 0.3
"""Weight of a word that most sentences could hold ("dijo", "vez"), beside 1 for others."""
NAME_WEIGHT = 1.2
"""A name says more of what is asked than another word as rare."""
LEAST_FORM_LETTERS = 4
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_OPENING = re.compile(r"(?:^|[.!?…:;\n¿¡«“\"(—])[\s«“\"'(—¿¡*_-]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word of a question: ``forms`` are keys of sentences that are it, with what such a match is worth in (0, 1]."""

    key: str
    forms: Mapping[str, float]
    weight: float
    is_name: bool = False


def own_language(question: str, answered_in: Language) -> Language:
    """The language of the question itself; that of its answer where its words are of none."""
    return query_language(question, known=(answered_in, *LANGUAGES))


@lru_cache(maxsize=4096)
def keys_of(text: str, language: Language) -> frozenset[str]:
    """The keys of a text: its folded words, "^word" of those with a capital, and "~stem" of those that are no names."""
    keys = set[str]()
    for match in _TOKEN.finditer(text):
        word = match[0]
        plain = fold(word).text
        if plain in _function_words(language):
            continue
        keys.add(plain)
        if word[0].isupper():
            keys.add(f"^{plain}")
        if plain not in _alike(language) and not _is_name(text, match, language):
            keys.add(f"~{_stem(word, language)}")
    return frozenset(keys)


def terms_of(question: str, language: Language, *, spoken: Language) -> tuple[Term, ...]:
    """The question's words that say something, as notes in ``spoken`` write them; '' gives ().

    Light ones count for less, and such as "pasó" are none beside others.
    """
    found: dict[str, Term] = {}
    for match in _TOKEN.finditer(question):
        plain = fold(match[0]).text
        if plain not in _function_words(language) and plain not in found:
            found[plain] = _term(match, question, language, spoken)
    telling = tuple(term for term in found.values() if term.key not in _happening_words(language))
    return telling or tuple(found.values())


def worth(term: Term, keys: frozenset[str]) -> float:
    """The best match of the term among the keys of a text, in [0, 1]."""
    return max((value for form, value in term.forms.items() if form in keys), default=0.0)


def _term(match: re.Match[str], question: str, language: Language, spoken: Language) -> Term:
    word, plain = match[0], fold(match[0]).text
    if _is_name(question, match, language):
        return Term(key=plain, forms={f"^{plain}": 1.0}, weight=NAME_WEIGHT, is_name=True)
    weight = LIGHT_WEIGHT if plain in _light_words(language) else 1.0
    alike = _alike(spoken).get(plain)
    if alike is not None:
        return Term(key=plain, forms=dict.fromkeys(alike, SAME_STEM) | {plain: 1.0}, weight=weight)
    stemmed = _stem(word, spoken)
    forms = {f"~{fold(other).text}": OTHER_FORM for other in lexeme_variants(_unfolded(word, spoken), spoken)}
    return Term(key=plain, forms=forms | {f"~{stemmed}": SAME_STEM, plain: 1.0}, weight=weight)


def _is_name(text: str, match: re.Match[str], language: Language) -> bool:
    """Test whether a word has a capital that its place does not ask for; in German every noun has one."""
    if language_of(language).traits.has_capitalised_nouns or not match[0][0].isupper():
        return False
    return _OPENING.search(text, 0, match.start()) is None


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
    return frozenset(fold(word).text for word in language_of(language).quoting.happening_words)


@cache
def _light_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word).text for word in language_of(language).quoting.light_words)


@cache
def _alike(language: Language) -> Mapping[str, frozenset[str]]:
    """By every word, what people say for it."""
    sets = [
        frozenset(fold(word).text + ending for word in words for ending in ("", "s", "es"))
        for words in language_of(language).quoting.synonyms
    ]
    return {word: words for words in sets for word in words}

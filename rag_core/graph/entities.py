"""Entities: what a phrase is about, whether two phrases are about the same, and which a question asks for. Pure.

A phrase is reduced to its content stems: words in NFC and case-folded, without function words and words that only say
when or how much, stemmed by Snowball, each once. A word of negation stays as one mark, numbers stay as they are.
Two phrases of one language are the same entity when these sets are equal, or when one contains the other and

- both are negated or neither is, and their numbers are the same,
- the smaller has at least two stems that are neither number nor negation,
- it carries at least ``LINK_COVERAGE`` of the larger one's weight, the sum of its stems' inverse document frequencies,
- and they are headed alike: "el fallo del sensor" is not "el sensor" (left to three shared stems and more).

A phrase joins the first entity that has such a set, compared with the phrase the entity was made from only, so
that entities do not drift from phrase to phrase.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import Stemmer

from rag_core.language.languages import language_of
from rag_core.model.note import Language

NEGATED = "¬"
LINK_COVERAGE = 0.55
QUERY_COVERAGE = 0.3
PARTIAL_COVERAGE = 0.5
MAX_ASKED_ENTITIES = 5

_WORD = re.compile(r"\w+(?:[-']\w+)*")
_MAX_STEM_CHARACTERS = 40
MAX_STEMS = 24
MAX_KEY_BYTES = 1_000
"""A phrase is looked up by its key, and a B-tree holds no more than 2,704 bytes together with tenant and stem."""

Weights = Mapping[str, float]
"""Inverse document frequency by stem; a stem that is absent is in no note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase by what it is about: its language and content stems in order, each once."""

    language: Language
    stems: tuple[str, ...]

    @property
    def key(self) -> str:
        """Key of the entity, equal for every phrase with these stems."""
        return f"{self.language}:{' '.join(sorted(self.stems))}"

    @property
    def content(self) -> frozenset[str]:
        """Its stems that are neither number nor negation."""
        return frozenset(stem for stem in self.stems if stem != NEGATED and not stem[0].isdigit())

    @property
    def marks(self) -> frozenset[str]:
        """Its numbers and its negation: what must not differ."""
        return frozenset(self.stems) - self.content


def phrase(text: str, language: Language) -> Phrase:
    """Reduce a text to its content stems; without content words the phrase has no stems.

    Nor has a text of more than ``MAX_STEMS`` stems, or with a key beyond ``MAX_KEY_BYTES``: it is no name for anything.
    """
    whole = _reduced(text, language)
    is_short = len(whole.stems) <= MAX_STEMS and len(whole.key.encode()) <= MAX_KEY_BYTES
    return whole if is_short else Phrase(language=language, stems=())


def _reduced(text: str, language: Language) -> Phrase:
    stems: dict[str, None] = {}
    polarity, dropped = language_of(language).causality.polarity, _dropped_words(language)
    for word in _WORD.findall(unicodedata.normalize("NFC", text).casefold()):
        if word in polarity:
            stems[NEGATED] = None
        elif word not in dropped:
            stems[_stemmer(language).stemWord(word)[:_MAX_STEM_CHARACTERS]] = None
    if set(stems) == {NEGATED}:
        stems.clear()
    return Phrase(language=language, stems=tuple(stems))


def question_phrase(text: str, language: Language) -> Phrase:
    """Reduce a causal question to what it asks about: its content stems without words such as "motivo" or "consecuencias".

    Of whatever length: a question is no name, it is asked which names it holds.
    """
    asking = language_of(language).causality.asking
    return _reduced(_WORD.sub(lambda word: " " if word[0].casefold() in asking else word[0], text), language)


@cache
def _dropped_words(language: Language) -> frozenset[str]:
    return language_of(language).stop_words.function_words | language_of(language).causality.circumstance


@cache
def _stemmer(language: Language) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language_of(language).traits.stemmer)


def are_same(a: Phrase, b: Phrase, weights: Weights) -> bool:
    """Tell whether two phrases are the same entity, by the rule above."""
    if a.key == b.key:
        return True
    small, large = sorted((a, b), key=lambda one: len(one.stems))
    return (
        a.language == b.language
        and a.marks == b.marks
        and small.content < large.content
        and len(small.content) >= 2
        and (len(small.content) >= 3 or _head(small) == _head(large))
        and _weight(small.stems, weights) >= LINK_COVERAGE * _weight(large.stems, weights)
    )


def _head(one: Phrase) -> str:
    """The stem that says what the phrase is: the first in Spanish, the last in German and English."""
    ordered = [stem for stem in one.stems if stem in one.content]
    return ordered[0 if language_of(one.language).traits.has_head_first else -1]


def _weight(stems: Iterable[str], weights: Weights) -> float:
    unseen = max(weights.values(), default=1.0)
    return sum(weights.get(stem, unseen) for stem in stems if stem != NEGATED)


def link(phrases: Iterable[Phrase], known: Iterable[Phrase], weights: Weights) -> dict[str, str]:
    """The entity of each phrase: the key of a known phrase or of an earlier one that is the same, or its own.

    ``known`` are the phrases that entities were made from. Of several that are the same, an equal one wins, then the one
    with most weight in common, then the lowest key. No phrases give {}.
    """
    entities = {one.key: one for one in known}
    by_stem: dict[str, list[Phrase]] = {}
    for one in entities.values():
        _post(one, by_stem)
    found: dict[str, str] = {}
    for one in phrases:
        if one.key not in found:
            found[one.key] = _entity_of(one, entities, by_stem, weights)
            if found[one.key] == one.key and one.key not in entities:
                entities[one.key] = one
                _post(one, by_stem)
    return found


def _post(one: Phrase, by_stem: dict[str, list[Phrase]]) -> None:
    for stem in one.content:
        by_stem.setdefault(stem, []).append(one)


def _entity_of(
    one: Phrase, entities: Mapping[str, Phrase], by_stem: Mapping[str, list[Phrase]], weights: Weights
) -> str:
    if one.key in entities:
        return one.key
    sharing = {other.key: other for stem in one.content for other in by_stem.get(stem, [])}
    same = [other for other in sharing.values() if are_same(one, other, weights)]
    if not same:
        return one.key
    return min(same, key=lambda other: (-_weight(one.content & other.content, weights), other.key)).key


def asked_keys(question: Phrase, known: Sequence[Phrase], weights: Weights) -> list[str]:
    """The keys of the known phrases that a question speaks of, the weightiest first, at most ``MAX_ASKED_ENTITIES``.

    First those whose stems are all in the question, unless another such one contains them; without any, those of which the
    question has at least ``PARTIAL_COVERAGE`` of the weight. Either must be at least ``QUERY_COVERAGE`` of the question's
    own weight, of which words in no note have none, and a number in it must be one of the question's. A question without
    content words asks for none.
    """
    asked = frozenset(question.stems)
    floor = QUERY_COVERAGE * sum(weights.get(stem, 0.0) for stem in asked)
    usable = [one for one in known if one.language == question.language and _has_numbers_of(one, question)]
    whole = [one for one in usable if frozenset(one.stems) <= asked]
    chosen = [one for one in whole if not any(frozenset(one.stems) < frozenset(other.stems) for other in whole)]
    if not any(_shared(one, asked, weights) >= floor for one in chosen):
        chosen = [one for one in usable if _is_covered(one, asked, weights)]
    ranked = sorted((-_shared(one, asked, weights), one.key) for one in chosen)
    return [key for weight, key in ranked if -weight >= floor][:MAX_ASKED_ENTITIES]


def _has_numbers_of(one: Phrase, question: Phrase) -> bool:
    return one.marks - {NEGATED} <= question.marks


def _is_covered(one: Phrase, asked: frozenset[str], weights: Weights) -> bool:
    if NEGATED in one.stems and NEGATED not in asked:
        return False
    return _shared(one, asked, weights) >= PARTIAL_COVERAGE * _weight(one.stems, weights)


def _shared(one: Phrase, asked: frozenset[str], weights: Weights) -> float:
    return _weight(one.content & asked, weights)

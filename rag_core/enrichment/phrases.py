"""Key phrases of a text and the topics among them, by how often, how early and how prominently they stand in it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, log1p

from rag_core.enrichment.reading import ReadText, function_words
from rag_core.language.languages import language_of
from rag_core.model.enrichment import MAX_TOPICS
from rag_core.model.note import Language

MAX_PHRASES = 8
MAX_PHRASE_WORDS = 3
_LEAST_LETTERS = 3
_EARLY_WORDS = 60
"""Words after which a word counts less by half than the first one."""
_NAME, _NO_NOUN = 1.6, 0.5
_BEFORE_VERBS = frozenset({"a", "to", "por", "para", "sin", "zu"})
"""Prepositions that stand before verbs as well."""
_JOINTS = frozenset({" ", "-", "\u00a0"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrase:
    """A stretch of words, from the first to behind the last."""

    first: int
    end: int
    key: tuple[str, ...]


def key_phrases(read: ReadText) -> tuple[str, ...]:
    """The best phrases of one to three words, best first, as they stand in the text; phrases within better ones are left out.

    The score of a phrase is the mean weight of its words · log(1 + its count) · (1 + log(its words)); a word weighs its count in
    the text, more if it stands early or has a capital within a sentence.
    """
    weights = _weights(read)
    found: dict[tuple[str, ...], list[_Phrase]] = {}
    for phrase in _candidates(read, weights):
        found.setdefault(phrase.key, []).append(phrase)
    scored = sorted(
        found.items(), key=lambda item: (-_score(item[0], len(item[1]), weights), item[1][0].first, item[1][0].end)
    )
    chosen: list[_Phrase] = []
    for key, places in scored:
        if len(chosen) == MAX_PHRASES:
            break
        if not any(set(key) <= set(other.key) or set(other.key) <= set(key) for other in chosen):
            chosen.append(places[0])
    return tuple(_written(read, phrase) for phrase in chosen)


def topics(read: ReadText) -> tuple[str, ...]:
    """The words that weigh most and stand in the text more than once or as a name, best first, in lower case; at most five."""
    counts, weights, names = Counter(read.stems), _weights(read), _names(read)
    forms: dict[str, str] = {}
    for word, stem in zip(read.words, read.stems, strict=True):
        forms.setdefault(stem, word)
    ordered = sorted(weights, key=lambda stem: -weights[stem])
    return tuple(forms[stem] for stem in ordered if counts[stem] > 1 or stem in names)[:MAX_TOPICS]


def _weights(read: ReadText) -> dict[str, float]:
    """Weight of each stem with a meaning: log(1 + count) · nearness to the beginning · log(letters) · name or noun.

    Words for numbers, times and measures have none.
    """
    empty, counts, weights = _empty_words(read.language), Counter(read.stems), {}
    names, nouns = _names(read), _nouns(read)
    for place, (word, stem) in enumerate(zip(read.words, read.stems, strict=True)):
        if stem not in weights and len(word) >= _LEAST_LETTERS and word not in empty:
            early = 1 + _EARLY_WORDS / (_EARLY_WORDS + place)
            kind = _NAME if stem in names else 1 if stem in nouns else _NO_NOUN
            weights[stem] = log1p(counts[stem]) * early * kind * log(len(word))
    return weights


def _names(read: ReadText) -> frozenset[str]:
    """Stems with a capital behind a word in lower case or a comma; none where every noun has a capital."""
    if language_of(read.language).traits.has_capitalised_nouns:
        return frozenset()
    text = read.text
    return frozenset(
        stem
        for start, stem in zip(read.starts, read.stems, strict=True)
        if start > 1 and text[start].isupper() and text[start - 1] == " " and _goes_on(text[start - 2])
    )


def _goes_on(character: str) -> bool:
    return character.islower() or character == ","


def _nouns(read: ReadText) -> frozenset[str]:
    """Stems that stand as nouns do: with a capital where all nouns have one, else behind an article or a preposition."""
    if language_of(read.language).traits.has_capitalised_nouns:
        places = zip(read.starts, read.stems, strict=True)
        return frozenset(stem for start, stem in places if read.text[start].isupper())
    before = _before_nouns(read.language)
    return frozenset(stem for left, stem in zip(read.words, read.stems[1:], strict=False) if left in before)


@cache
def _before_nouns(language: Language) -> frozenset[str]:
    words = language_of(language).stop_words
    return words.determiners | words.contractions.keys() | (words.prepositions - _BEFORE_VERBS)


@cache
def _empty_words(language: Language) -> frozenset[str]:
    words = language_of(language)
    times = (*words.times.month_names, *words.times.weekday_names, *words.times.numbers, *words.times.units)
    measures = (*words.quantities.numbers, *words.quantities.scales, *words.quantities.units)
    return function_words(language) | {word.lower() for word in (*times, *measures)}


def _candidates(read: ReadText, weights: dict[str, float]) -> Iterator[_Phrase]:
    """Every run of one to ``MAX_PHRASE_WORDS`` words with a meaning; function words between two of them do not count."""
    for run in _runs(read, weights):
        for at, first in enumerate(run):
            for size in range(1, min(MAX_PHRASE_WORDS, len(run) - at) + 1):
                places = run[at : at + size]
                yield _Phrase(first=first, end=places[-1] + 1, key=tuple(read.stems[place] for place in places))


def _runs(read: ReadText, weights: dict[str, float]) -> Iterator[Sequence[int]]:
    """Places of words with a meaning, nothing but a space or a joining preposition between two neighbours."""
    joining, run, last = _joining(read.language), list[int](), -2
    for place, stem in enumerate(read.stems):
        is_bound = place > 0 and read.text[read.starts[place - 1] + len(read.words[place - 1]) : read.starts[place]] in _JOINTS
        if run and not (is_bound and place - last <= 2):
            yield run
            run = []
        if stem in weights and read.words[place] not in function_words(read.language):
            run.append(place)
            last = place
        elif run and not (read.words[place] in joining and is_bound):
            yield run
            run = []
    if run:
        yield run


@cache
def _joining(language: Language) -> frozenset[str]:
    """Prepositions within a name of a thing: "contrato de arrendamiento"."""
    words = language_of(language)
    if not words.traits.has_head_first:
        return frozenset()
    return frozenset({"de", *(short for short, whole in words.stop_words.contractions.items() if whole == "de")})


def _score(key: Sequence[str], count: int, weights: dict[str, float]) -> float:
    return sum(weights[stem] for stem in key) / len(key) * log1p(count) * (1 + log(len(key)))


def _written(read: ReadText, phrase: _Phrase) -> str:
    return " ".join(read.text[read.starts[phrase.first] : read.starts[phrase.end - 1] + len(read.words[phrase.end - 1])].split())

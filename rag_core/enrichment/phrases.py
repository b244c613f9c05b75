"""Key phrases of a text and the topics among them, by how often, how early and how prominently they stand in it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, log1p

from rag_core.enrichment.reading import ReadText, function_words
from rag_core.language.languages import language_of
from rag_core.model.enrichment import MAX_TOPIC_CHARACTERS, MAX_TOPICS
from rag_core.model.note import Language

MAX_PHRASES = 8
MAX_PHRASE_WORDS = 3
_LEAST_LETTERS = 3
_EARLY_WORDS = 60
"""Words after which a word counts less by half than the first one."""
_NAME, _NO_NOUN = 1.6, 0.5
_BEFORE_VERBS = frozenset({"a", "to", "por", "para", "sin", "zu"})
"""Prepositions that stand before verbs as well."""
_GAIN = tuple(1 + log(size) if size else 0 for size in range(MAX_PHRASE_WORDS + 1))
_JOINTS = frozenset({" ", "-", "\u00a0"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedWords:
    """Weight of each stem with a meaning, the counts of all stems, and those that are names."""

    weights: Mapping[str, float]
    counts: Mapping[str, int]
    names: frozenset[str]


def weigh(read: ReadText) -> WeighedWords:
    """Weight of a stem: log(1 + count) · nearness to the beginning · log(letters) · 1.6 for a name, 0.5 for what is no noun.

    Words for numbers, times and measures have none.
    """
    empty, counts, weights = _empty_words(read.language), Counter(read.stems), dict[str, float]()
    names, nouns = _names(read), _nouns(read)
    for place, (word, stem) in enumerate(zip(read.words, read.stems, strict=True)):
        if stem not in weights and _LEAST_LETTERS <= len(word) <= MAX_TOPIC_CHARACTERS and word not in empty:
            early = 1 + _EARLY_WORDS / (_EARLY_WORDS + place)
            kind = _NAME if stem in names else 1 if stem in nouns else _NO_NOUN
            weights[stem] = log1p(counts[stem]) * early * kind * log(len(word))
    return WeighedWords(weights=weights, counts=counts, names=names)


def topics(read: ReadText, weighed: WeighedWords) -> tuple[str, ...]:
    """The words that weigh most and stand in the text more than once or as a name, best first, in lower case; at most five."""
    ordered = sorted(weighed.weights, key=lambda stem: -weighed.weights[stem])
    best = [stem for stem in ordered if weighed.counts[stem] > 1 or stem in weighed.names][:MAX_TOPICS]
    return tuple(read.words[read.stems.index(stem)] for stem in best)


def key_phrases(read: ReadText, weighed: WeighedWords) -> tuple[str, ...]:
    """The best phrases of one to three words, best first, as they stand in the text; none within another.

    The score of a phrase is the mean weight of its words · log(1 + its count) · (1 + log(its words)).
    """
    weights = weighed.weights
    places: dict[tuple[str, ...], tuple[int, int]] = {}
    counts = Counter[tuple[str, ...]]()
    for key, first, last in _candidates(read, weights):
        counts[key] += 1
        places.setdefault(key, (first, last))
    scores = {
        key: sum([weights[stem] for stem in key]) / len(key) * log1p(count) * _GAIN[len(key)]
        for key, count in counts.items()
    }
    chosen: list[set[str]] = []
    phrases: list[str] = []
    for key in sorted(scores, key=lambda key: -scores[key]):
        stems = set(key)
        if not any(stems <= other or other <= stems for other in chosen):
            chosen.append(stems)
            phrases.append(_written(read, *places[key]))
        if len(phrases) == MAX_PHRASES:
            break
    return tuple(phrases)


def _names(read: ReadText) -> frozenset[str]:
    """Stems with a capital behind a word in lower case or a comma; none where every noun has a capital."""
    if language_of(read.language).traits.has_capitalised_nouns:
        return frozenset()
    text, capitals = read.text, _capitals(read)
    return frozenset(
        read.stems[place]
        for place in capitals
        if (start := read.starts[place]) > 1 and text[start - 1] == " " and _goes_on(text[start - 2])
    )


def _capitals(read: ReadText) -> list[int]:
    """Places of the words with a capital."""
    return [place for place, start in enumerate(read.starts) if read.text[start].isupper()]


def _goes_on(character: str) -> bool:
    return character.islower() or character == ","


def _nouns(read: ReadText) -> frozenset[str]:
    """Stems that stand as nouns do: with a capital where all nouns have one, else behind an article or a preposition."""
    if language_of(read.language).traits.has_capitalised_nouns:
        return frozenset(read.stems[place] for place in _capitals(read))
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


def _candidates(read: ReadText, weights: Mapping[str, float]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Each run of one to ``MAX_PHRASE_WORDS`` words with a meaning: their stems, and the places of the first and the last."""
    for run in _runs(read, weights):
        stems = [read.stems[place] for place in run]
        for at, first in enumerate(run):
            for end in range(at + 1, min(at + MAX_PHRASE_WORDS, len(run)) + 1):
                yield tuple(stems[at:end]), first, run[end - 1]


def _runs(read: ReadText, weights: Mapping[str, float]) -> Iterator[Sequence[int]]:
    """Places of words with a meaning, nothing but a space or a joining preposition between two neighbours."""
    joining, empty = _joining(read.language), _empty_words(read.language)
    text, run, behind = read.text, list[int](), -1
    for place, (start, word, stem) in enumerate(zip(read.starts, read.words, read.stems, strict=True)):
        has_meaning = stem in weights and word not in empty
        if run and (text[behind:start] not in _JOINTS or not (has_meaning or word in joining)):
            yield run
            run = []
        if has_meaning:
            run.append(place)
        behind = start + len(word)
    if run:
        yield run


@cache
def _joining(language: Language) -> frozenset[str]:
    """Prepositions within a name of a thing: "contrato de arrendamiento"."""
    words = language_of(language)
    if not words.traits.has_head_first:
        return frozenset()
    return frozenset({"de", *(short for short, whole in words.stop_words.contractions.items() if whole == "de")})


def _written(read: ReadText, first: int, last: int) -> str:
    return " ".join(read.text[read.starts[first] : read.starts[last] + len(read.words[last])].split())

"""Scores of the sources' sentences for a question, by their words alone. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log1p
from types import MappingProxyType

from rag_core.answering.quoting.asked_words import LIGHT_WEIGHT, Term, folded_words, keys_of, terms_of, worth
from rag_core.answering.quoting.openings import is_opening
from rag_core.answering.quoting.wanted import MAY_LACK, SHOWN_BY_ITSELF, kind_test, wanted_kind, without_cue
from rag_core.chunking import sentence_spans
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.language.quoting import Wanted
from rag_core.model.answer import Source
from rag_core.model.note import Language

FEATURES = (
    "own",  # share of the question's words in the sentence, rare ones counting most
    "title",  # share that is not in it and stands in the title of the note
    "beside",  # share of the rest that stands in a neighbouring sentence
    "elsewhere",  # share of the rest that stands anywhere else in the source
    "exact",  # share of the question's words that stand in it just as they were asked
    "phrases",  # share of the question's neighbouring words that are neighbours in it, small words too
    "shown",  # 1 where it holds the kind of thing asked for and hardly any sentence does by chance: money, hours, a cause
    "kind",  # 1 where it holds the number, date, name or place asked for
    "said",  # 1 where it says a yes or a no, or quotes somebody, and that is asked for
    "near",  # 1 where it holds no such thing and a neighbour does
    "repeating",  # 1 where it says nothing but what was asked
    "rank",  # 1 / the number of its source
    "source",  # share of the question's words that its source and the title have
    "search",  # the search's score of its source over the best one's
    "lead",  # 1 for the first sentence of a source
    "length",  # ln of its words of content
)
"""Features of a sentence; all but the last are in [0, 1]."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "own": 2.3,
        "title": 2.1,
        "beside": -0.8,
        "elsewhere": -2.7,
        "exact": 1.6,
        "phrases": 1.0,
        "shown": 1.8,
        "kind": 0.9,
        "said": 0.5,
        "near": -0.9,
        "repeating": -0.4,
        "rank": 1.3,
        "source": 0.9,
        "search": 3.0,
        "lead": 0.2,
        "length": -0.3,
    }
)
"""Fitted to have the answering sentence first among all of a question's sources: on 57 of ``tests/benchmarks/diary_questions.jsonl``,
the demo's 74 golden queries, 316 of XQuAD-es and 311 of squad-es-mt, the first two kinds weighing four to five times as much. What
the source as a whole has of the question is "source"; beside that it speaks against a sentence that the words stand elsewhere.
``tests/benchmarks/fit_quoting.py`` fits them anew."""
LEAST_SHARED_WORDS = 2
"""A note that shares fewer words with a question of several may be about anything: the wifi of a hotel is not its password."""
AROUND: Mapping[str, float] = MappingProxyType({"title": 0.6, "beside": 0.5, "elsewhere": 0.25})
"""Weight of a word of the question near a sentence for its coverage, beside 1 for a word in it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredSentence:
    """A sentence of a source, the ``place``-th in it from 0, with its words that tell something.

    ``own`` in [0, 1] is how much of the question it covers by itself, ``coverage`` with what stands around it; without any word of
    the question and without the kind of thing asked for it covers nothing. ``score`` adds what else speaks for it: exp(score) is
    in proportion to how likely it is the answer. ``has_kind`` is whether it holds what the question wants, None where that shows
    in no sentence, for dates, which every note has, and for names in German, where every noun has a capital. ``has_names`` is
    whether every name of the question stands in it, beside it or in the title. ``features`` are what the score is made of, by the
    names of ``FEATURES``. ``is_opening`` is whether it says nothing by itself, ``has_ground`` whether its note shares more than a
    single word with a question of several; where they are of two languages it need not.
    """

    text: str
    source: Source
    place: int
    content: frozenset[str]
    own: float
    coverage: float
    score: float
    has_kind: bool | None
    has_names: bool
    is_opening: bool
    has_ground: bool
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    source: Source
    place: int
    content: frozenset[str]
    keys: frozenset[str]
    title: frozenset[str]
    beside: frozenset[str]
    elsewhere: frozenset[str]
    near: tuple[str, ...]


def score_sentences(
    query: str, sources: Sequence[Source], *, language: Language, text_of: Callable[[Source], str]
) -> list[ScoredSentence]:
    """Every sentence of ``text_of`` each source, in their order, but for questions and those without content.

    coverage = Σ w(t) · m(t) · p(t) / Σ w(t) over the question's terms; m is how far a text has t (1 as asked, 0.85 by its stem, 0.75
    in an irregular form), p is 1 in the sentence, 0.6 in the title, 0.5 in a neighbouring sentence, 0.25 elsewhere in the source.
    w(t) = v(t) · ln(1 + sentences / (1 + sentences with t)): what few sentences have tells most; v is 1.2 for a name, 0.3 for a word
    that most sentences could hold. score = Σ weight · feature, as ``WEIGHTS`` and ``FEATURES`` say.
    """
    sentences = [sentence for source in sources for sentence in _sentences(source, text_of(source))]
    return list(_scored(query, sentences, language))


def _sentences(source: Source, text: str) -> Iterator[_Sentence]:
    spoken = source.language
    texts = [text[start:end].strip() for start, end in sentence_spans(text, spoken)]
    keys = [keys_of(sentence, spoken) for sentence in texts]
    title, whole = keys_of(source.title or "", spoken), frozenset[str]().union(*keys)
    for place, sentence in enumerate(texts):
        content = content_of(sentence, spoken)
        if content and not sentence.endswith("?"):
            around = [at for at in (place - 1, place + 1) if 0 <= at < len(texts)]
            yield _Sentence(
                text=sentence,
                source=source,
                place=place,
                content=content,
                keys=keys[place],
                title=title,
                beside=frozenset[str]().union(*(keys[at] for at in around)),
                elsewhere=whole,
                near=tuple(texts[at] for at in around),
            )


def _scored(query: str, sentences: Sequence[_Sentence], language: Language) -> Iterator[ScoredSentence]:
    kind = wanted_kind(query, language)
    weights = _weights(query, sentences, language)

    @cache
    def is_kind(spoken: Language) -> Callable[[str], bool]:
        assert kind is not None
        return kind_test(query, kind, spoken)

    asked = folded_words(query)
    best = max((sentence.source.score for sentence in sentences), default=0.0)
    for sentence in sentences:
        spoken = sentence.source.language
        has_kind = None if kind is None else is_kind(spoken)(sentence.text)
        is_near = (
            kind is not None and kind not in MAY_LACK and not has_kind and any(map(is_kind(spoken), sentence.near))
        )
        features = {
            **_shares(sentence, weights[spoken]),
            "phrases": _phrases(sentence, asked),
            "shown": float(bool(has_kind) and kind in SHOWN_BY_ITSELF),
            "kind": float(bool(has_kind) and kind not in SHOWN_BY_ITSELF | MAY_LACK),
            "said": float(bool(has_kind) and kind in MAY_LACK),
            "near": float(is_near),
            "repeating": float(_adds_nothing(sentence, asked)),
            "rank": 1 / sentence.source.number,
            "source": _source_share(sentence, weights[spoken]),
            "search": sentence.source.score / best if best > 0 else 0.0,
            "lead": float(sentence.place == 0),
            "length": log1p(len(sentence.content)),
        }
        own, around = features["own"], sum(features[name] * AROUND[name] for name in AROUND)
        yield ScoredSentence(
            text=sentence.text,
            source=sentence.source,
            place=sentence.place,
            content=sentence.content,
            own=own,
            coverage=own + around if own or has_kind else 0.0,
            score=sum(WEIGHTS[name] * features[name] for name in FEATURES),
            has_kind=_told_kind(kind, spoken, has_kind=has_kind),
            has_names=_has_names(sentence, weights[spoken]),
            is_opening=is_opening(sentence.text, sentence.source.title),
            has_ground=spoken != language or _has_ground(sentence, weights[spoken]),
            features=features,
        )


def _told_kind(kind: Wanted | None, spoken: Language, *, has_kind: bool | None) -> bool | None:
    """None where it tells nothing that the kind is there, or is not.

    Every note has a date, and in German every noun is written as names are; a yes or no may be left unsaid.
    """
    if kind == "date" or (kind in {"person", "name"} and language_of(spoken).traits.has_capitalised_nouns):
        return None
    return has_kind or None if kind in MAY_LACK else has_kind


def _has_ground(sentence: _Sentence, weights: Sequence[tuple[Term, float]]) -> bool:
    """Test whether its source and the title have two words of the question, light ones aside, or all where it has fewer.

    One that is no name is enough in the title: the note on it is found, whatever the question calls its parts.
    """
    telling = [term for term, _ in weights if term.weight > LIGHT_WEIGHT]
    there = sentence.elsewhere | sentence.title
    if any(worth(term, sentence.title) > 0 for term in telling if not term.is_name):
        return True
    return sum(worth(term, there) > 0 for term in telling) >= min(LEAST_SHARED_WORDS, len(telling))


def _weights(
    query: str, sentences: Sequence[_Sentence], language: Language
) -> dict[Language, tuple[tuple[Term, float], ...]]:
    """Of each language of the sources the question's terms with their weights."""
    found = {}
    for spoken in {sentence.source.language for sentence in sentences}:
        having = [sentence.keys for sentence in sentences if sentence.source.language == spoken]
        found[spoken] = tuple(
            (term, term.weight * log1p(len(having) / (1 + sum(worth(term, keys) > 0 for keys in having))))
            for term in terms_of(without_cue(query, language), language, spoken=spoken)
        )
    return found


def _shares(sentence: _Sentence, weights: Sequence[tuple[Term, float]]) -> dict[str, float]:
    """Share of the question's words found in each place, each word counted once, for the nearest place."""
    whole = sum(weight for _, weight in weights) or 1.0
    shares = dict.fromkeys(("own", "title", "beside", "elsewhere", "exact"), 0.0)
    for term, weight in weights:
        places = (
            ("own", sentence.keys),
            ("title", sentence.title),
            ("beside", sentence.beside),
            ("elsewhere", sentence.elsewhere),
        )
        place, value = next(((name, found) for name, keys in places if (found := worth(term, keys))), ("own", 0.0))
        shares[place] += weight * value / whole
        shares["exact"] += weight * (place == "own" and value == 1) / whole
    return shares


def _source_share(sentence: _Sentence, weights: Sequence[tuple[Term, float]]) -> float:
    whole = sum(weight for _, weight in weights) or 1.0
    there = sentence.elsewhere | sentence.title
    return sum(weight * worth(term, there) for term, weight in weights) / whole


def _has_names(sentence: _Sentence, weights: Sequence[tuple[Term, float]]) -> bool:
    """Test whether every name of the question stands in the sentence, beside it or in the title."""
    near = sentence.keys | sentence.beside | sentence.title
    return all(worth(term, near) > 0 for term, _ in weights if term.is_name)


def _adds_nothing(sentence: _Sentence, asked: Sequence[str]) -> bool:
    """Test whether no word of the sentence goes beyond the question's."""
    return {key for key in sentence.keys if key[0] not in "~^"} <= set(asked)


def _phrases(sentence: _Sentence, asked: Sequence[str]) -> float:
    """Share of the question's neighbouring words that are neighbours in the sentence too."""
    pairs = set(pairwise(asked))
    return len(pairs & set(pairwise(folded_words(sentence.text)))) / len(pairs) if pairs else 0.0

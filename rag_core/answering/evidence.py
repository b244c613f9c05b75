"""What speaks for an answer in the sources: numbers of the question beside the passages, and one score of them. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from rag_core.answering import Source
from rag_core.answering.words import is_number, tokens_of
from rag_core.language.variants import without_question_words
from rag_core.model import Language
from rag_core.reranking import Candidate, QueryStatistics
from rag_core.reranking.answer_types import expected_answer
from rag_core.reranking.features import FEATURES, Reading, read_passages
from rag_core.reranking.passage import sigmoid
from rag_core.reranking.words import query_words

_READ = FEATURES[FEATURES.index("coverage") :]
"""What ``rag_core.reranking.features`` reads of a passage by itself, in its order."""
_TAKEN = ("coverage", "sentence", "exact", "phrases", "pairs", "grams")

EVIDENCE_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "coverage": 0.0,
        "sentence": 2.0,
        "exact": 1.0,
        "phrases": 0.0,
        "pairs": 0.0,
        "grams": 0.0,
        "known": 2.0,
        "names": 0.0,
        "numbers": 0.0,
        "kind": 0.0,
    }
)
EVIDENCE_INTERCEPT = -2.5


def evidence_features(
    query: str, sources: Sequence[Source], *, language: Language, statistics: QueryStatistics
) -> dict[str, float]:
    """What ``evidence_score`` is made of, each in [0, 1] and higher for more evidence; no sources give 0 everywhere.

    ``coverage``, ``sentence``, ``exact``, ``phrases``, ``pairs`` and ``grams`` are the best source's, as
    ``rag_core.reranking.features`` defines them. ``known`` is the share of the question's words that any note of the tenant has;
    ``names`` and ``numbers`` are the shares of its names and numbers that stand in the best covered source; ``kind`` is 0 where it
    asks for a number, a date or a name and none stands near its words in any source. What the question does not have is 1.
    """
    if not sources:
        return dict.fromkeys(EVIDENCE_WEIGHTS, 0.0)
    read = [dict(zip(_READ, one.values, strict=True)) for one in _readings(query, sources, statistics)]
    best = max(range(len(sources)), key=lambda at: (read[at]["sentence"], read[at]["coverage"], -at))
    shown = frozenset(tokens_of(f"{sources[best].title or ''}\n{sources[best].original}", sources[best].language))
    return {
        **{name: max(one[name] for one in read) for name in _TAKEN},
        "known": _known(query, statistics),
        "names": _share(_names(query, language, sources[best].language), shown),
        "numbers": _share({token for token in tokens_of(query, language) if is_number(token)}, shown),
        "kind": float(_has_kind(query, language, read)),
    }


def evidence_score(features: Mapping[str, float]) -> float:
    """sigmoid(Σ weight · feature + intercept): how likely the sources hold the answer, in (0, 1)."""
    return sigmoid(sum(weight * features[name] for name, weight in EVIDENCE_WEIGHTS.items()) + EVIDENCE_INTERCEPT)


def _readings(query: str, sources: Sequence[Source], statistics: QueryStatistics) -> list[Reading]:
    passages = [
        Candidate(
            chunk_id=source.chunk_id,
            note_id=source.note_id,
            title=source.title,
            content=source.original,
            language=source.language,
            score=source.score,
        )
        for source in sources
    ]
    return read_passages(query, passages, statistics)


def _known(query: str, statistics: QueryStatistics) -> float:
    """1 where nothing is known of any word, as where the statistics could not be read."""
    words = query_words(without_question_words(query))
    counts = [
        max(found)
        for word in words
        if (found := [known[word] for known in statistics.frequencies.values() if word in known])
    ]
    return sum(count > 0 for count in counts) / len(counts) if counts else 1.0


def _names(query: str, language: Language, spoken: Language) -> set[str]:
    """Words with a capital that do not begin the question; in German every noun has one, so none is known for a name."""
    if language == "de":
        return set()
    names = [word for word in re.findall(r"\w+", query)[1:] if word[0].isupper()]
    return set(tokens_of(" ".join(names), spoken))


def _share(wanted: Collection[str], there: Collection[str]) -> float:
    return sum(token in there for token in wanted) / len(wanted) if wanted else 1.0


def _has_kind(query: str, language: Language, read: Sequence[Mapping[str, float]]) -> bool:
    expected = expected_answer(query, language)
    return expected is None or any(one[expected.kind] for one in read)

"""Features of the evidence for an answer, comparing the question with the first passage, and one score of them. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from rag_core.answering.quoting.asked_time import asked_time_of, is_of
from rag_core.language.content_words import is_number, tokens_of
from rag_core.language.languages import language_of
from rag_core.language.stemming import query_words
from rag_core.language.variants import without_question_words
from rag_core.model.answer import Source
from rag_core.model.note import Language
from rag_core.model.retrieval import QueryStatistics, Retrieval
from rag_core.reranking import Candidate
from rag_core.reranking.answer_types import expected_answer
from rag_core.reranking.features import FEATURES, read_passages
from rag_core.reranking.passage import sigmoid

_READ = FEATURES[FEATURES.index("coverage") :]
"""Features that ``rag_core.reranking.features`` reads of a passage by itself, in its order."""
_UNTOLD = 0.5
"""Between both legs agreeing and not, where only one of them searched."""
_UNTITLED = 0.2
"""Value of ``title`` for a note without one: the mean of those that have one."""

EVIDENCE_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "coverage": 2.85,
        "exact": 3.08,
        "pairs": 2.83,
        "grams": 2.84,
        "title": 2.05,
        "known": 2.46,
        "names": 1.49,
        "numbers": 1.01,
        "kind": 0.87,
        "agreement": 0.81,
    }
)
EVIDENCE_INTERCEPT = -10.02
"""Fitted on 1,638 questions that notes answer and 819 that they do not, over 12 articles of squad-es-mt.

``tests/benchmarks/abstention.py`` fits them anew and measures them on the other 12 articles, on XQuAD and on the demo.
"""


def evidence_features(
    query: str,
    retrieval: Retrieval | None,
    sources: Sequence[Source],
    *,
    language: Language,
    statistics: QueryStatistics,
) -> dict[str, float]:
    """The features of ``evidence_score``, each in [0, 1] and higher for more evidence; no sources give 0 everywhere.

    ``coverage``, ``exact``, ``pairs`` and ``grams`` are the first source's, as ``rag_core.reranking.features`` defines them;
    ``title`` is whether its title has a word of the question, 0.2 where it has no title. ``known`` is the share of the question's
    words that any note of the tenant has; ``names`` and ``numbers`` are the shares of its names and numbers that stand in the
    first source; ``kind`` is 0 where it asks for a number, a date or a name and none stands near its words there;
    ``agreement`` is whether full text and vectors both put that source first. What the question does not have is 1. A time
    that is counted from now ("ayer") is no part of it: no text can share that; and none is where the source was written in it.
    """
    if not sources:
        return dict.fromkeys(EVIDENCE_WEIGHTS, 0.0)
    first = sources[0]
    query = _without_its_time(without_relative_time(query, retrieval), first, retrieval)
    read = _read(query, first, statistics)
    shown = frozenset(tokens_of(f"{first.title or ''}\n{first.original}", first.language))
    expected = expected_answer(query, language)
    return {
        **{name: read[name] for name in ("coverage", "exact", "pairs", "grams")},
        "title": float(read["title"] > 0) if first.title else _UNTITLED,
        "known": _known(query, statistics),
        "names": _share(_names(query, language, first.language), shown),
        "numbers": _share({token for token in tokens_of(query, language) if is_number(token)}, shown),
        "kind": 1.0 if expected is None else read[expected.kind],
        "agreement": _agreement(retrieval),
    }


def evidence_score(features: Mapping[str, float]) -> float:
    """sigmoid(Σ weight · feature + intercept): probability that the notes hold the answer, assuming even prior odds; in (0, 1)."""
    return sigmoid(sum(weight * features[name] for name, weight in EVIDENCE_WEIGHTS.items()) + EVIDENCE_INTERCEPT)


def without_relative_time(query: str, retrieval: Retrieval | None) -> str:
    """The question without a time that is counted from now, as passages were scored against it."""
    transformed = None if retrieval is None else retrieval.transformed
    if transformed is None or not any(time.is_relative for time in transformed.times):
        return query
    return transformed.without_time or query


def _without_its_time(query: str, source: Source, retrieval: Retrieval | None) -> str:
    """The question without a time that is that of the source, whose text need not name it."""
    asked = None if retrieval is None else asked_time_of(retrieval)
    return query if asked is None or not is_of(source, asked) else asked.without or query


def _read(query: str, source: Source, statistics: QueryStatistics) -> dict[str, float]:
    passage = Candidate(
        chunk_id=source.chunk_id,
        note_id=source.note_id,
        title=source.title,
        content=source.original,
        language=source.language,
        score=source.score,
    )
    return dict(zip(_READ, read_passages(query, [passage], statistics)[0].values, strict=True))


def _known(query: str, statistics: QueryStatistics) -> float:
    """1 where nothing is known of any word, as where the statistics could not be read."""
    found = [
        [known[word] for known in statistics.frequencies.values() if word in known]
        for word in query_words(without_question_words(query))
    ]
    counts = [max(frequencies) for frequencies in found if frequencies]
    return sum(count > 0 for count in counts) / len(counts) if counts else 1.0


def _names(query: str, language: Language, spoken: Language) -> set[str]:
    """Words with a capital that do not begin the question; in German every noun has one, so none is known for a name."""
    if language_of(language).traits.has_capitalised_nouns:
        return set()
    names = [word for word in re.findall(r"\w+", query)[1:] if word[0].isupper()]
    return set(tokens_of(" ".join(names), spoken))


def _share(wanted: Collection[str], there: Collection[str]) -> float:
    return sum(token in there for token in wanted) / len(wanted) if wanted else 1.0


def _agreement(retrieval: Retrieval | None) -> float:
    if retrieval is None or not retrieval.hits or not retrieval.strategy.startswith("hybrid"):
        return _UNTOLD
    ranks = retrieval.hits[0].ranks
    return float(ranks.get("fulltext") == 1 and ranks.get("semantic") == 1)

"""Evidence of the sources for an answer, and the confidence in a finished answer. Pure.

Before anything is generated ``judge_evidence`` looks at the question and the sources; after it ``final_confidence`` looks at the
answer as well. What a score is worth, and where its weights come from, is in docs/abstention.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_core.answering.evidence import evidence_features, evidence_score
from rag_core.answering.quoting.asked_time import is_of
from rag_core.answering.quoting.selection import quote
from rag_core.answering.totals.total import total_of
from rag_core.chunking import sentence_spans
from rag_core.language.languages import language_of
from rag_core.model.answer import AskedTime, CheckedText, Confidence, FallbackMode, PromptContext, Source
from rag_core.model.note import Language, Span
from rag_core.model.retrieval import Retrieval
from rag_core.reranking import is_calibrated
from rag_core.reranking.answer_types import answer_test, expected_answer

HIGH_SCORE = 0.9
MEDIUM_SCORE = 0.7
"""Least evidence for high and for medium confidence; below that it is low, and below the threshold of the settings insufficient."""
_WORD = re.compile(r"\w+")
_LEVELS: tuple[Confidence, ...] = ("insufficient", "low", "medium", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Evidence of the sources for an answer: ``score`` in [0, 1], and its features by name."""

    score: float
    confidence: Confidence
    features: Mapping[str, float]
    is_of_its_time: bool = True
    """False where a time is asked for and what is most alike is of another."""

    @property
    def is_enough(self) -> bool:
        """True if an answer is worth generating."""
        return self.confidence != "insufficient"


NO_EVIDENCE = Evidence(score=0.0, confidence="insufficient", features={})


def judge_evidence(
    query: str,
    retrieval: Retrieval | None,
    context: PromptContext,
    *,
    language: Language,
    reranker: str | None,
    fallback: FallbackMode | None,
    least_score: float,
    least_rerank_score: float,
    is_by_meaning: bool = False,
) -> Evidence:
    """Judge what was found before anything is generated; no sources are ``NO_EVIDENCE``.

    ``reranker`` is the name of what scored the hits (``http:…``): where its scores are probabilities, the best must reach
    ``least_rerank_score``. Low instead of insufficient is a first source that need share no word with the question: one in another
    language that vectors of a model of meaning (``is_by_meaning``) find near enough; one written in the time that the question names,
    where it asks for nothing else ("¿qué hice ayer?") or no similarity is known; one that the causal graph leads to. Low instead of
    more is what is found for a time of which no source is; where a time is all that is asked for, sources of it are medium, and so is
    a sum over rows; rows that are not added up are low. The newest notes, which a caller asked for, are always low and always enough.
    Whatever is said is held to the sources sentence by sentence.
    """
    sources = context.sources
    if not sources:
        return NO_EVIDENCE
    quotation = quote(query, context, language=language)
    features = evidence_features(quotation, language=language)
    score = evidence_score(features)
    total = total_of(query, context, language)
    if total is not None:
        return Evidence(score=1.0, confidence="low" if total.value is None else "medium", features=features)
    if fallback == "recent_notes":
        return Evidence(score=score, confidence="low", features=features)
    if _is_outranked(retrieval, reranker, least_rerank_score):
        return Evidence(
            score=score, confidence="insufficient", features=features, is_of_its_time=quotation.is_of_its_time
        )
    level = _level(score, least_score)
    if level == "insufficient" and _needs_no_word(retrieval, context, language, is_by_meaning=is_by_meaning):
        level = "low"
    if context.asked_time is not None:
        level = _level_within(context.asked_time, level, sources)
    if not quotation.is_of_its_time:
        level = min(level, "low", key=_LEVELS.index)
    return Evidence(score=score, confidence=level, features=features, is_of_its_time=quotation.is_of_its_time)


def groundedness_of(checked: CheckedText) -> float | None:
    """Share of an answer's claims that a source it cites holds; None where it claims nothing.

    A sentence without any citation that holds is one claim; in the others every claim that is cited by itself counts.
    """
    held = {citation.claim for citation in checked.citations if citation.is_supported}
    others = {citation.claim for citation in checked.citations} - held
    unheld = len(checked.uncited) + sum(not _is_within(claim, checked.uncited) for claim in others)
    return len(held) / (len(held) + unheld) if held or unheld else None


def holds_its_kind(query: str, answer: str, *, language: Language) -> bool:
    """Test whether an answer holds a number, a date or a name where its question asks for one that the question does not name itself.

    True where none of them is asked for, and in German for names, where every noun has a capital.
    """
    expected = expected_answer(query, language)
    if expected is None or (expected.kind == "name" and language_of(language).traits.has_capitalised_nouns):
        return True
    asked, is_kind = set(_WORD.findall(query.lower())), answer_test(expected.kind, language)
    sentences = (answer[start:end] for start, end in sentence_spans(answer, language))
    told = (token for sentence in sentences for token in _WORD.findall(sentence)[expected.kind == "name" :])
    return any(is_kind(token) and token.lower() not in asked for token in told)


def final_confidence(
    evidence: Evidence,
    checked: CheckedText,
    groundedness: float | None,
    *,
    least_groundedness: float,
    is_quoted: bool = False,
    is_of_kind: bool = True,
) -> Confidence:
    """The confidence in a finished answer: its evidence's level, lowered by what its text shows; never "insufficient".

    Low where no source holds anything of it, its groundedness is below the least, or it is not ``is_of_kind`` (``holds_its_kind``);
    a step lower where any claim is uncited or any citation does not hold. What only ``is_quoted`` is at most medium, of whatever kind:
    its sentences are true, and nobody has read whether they answer. For answers only: a refusal is "insufficient" whatever was found.
    """
    most = "medium" if is_quoted else "high"
    level = min(max(1, _LEVELS.index(evidence.confidence)), _LEVELS.index(most))
    if groundedness is None or groundedness < least_groundedness or not (is_of_kind or is_quoted):
        return "low"
    if not any(citation.is_supported for citation in checked.citations):
        return "low"
    is_clean = not checked.uncited and all(citation.is_supported for citation in checked.citations)
    return _LEVELS[level if is_clean else max(1, level - 1)]


def _is_within(claim: Span, sentences: Sequence[Span]) -> bool:
    return any(start <= claim[0] and claim[1] <= end for start, end in sentences)


def _is_outranked(retrieval: Retrieval | None, reranker: str | None, least: float) -> bool:
    """Test whether the re-ranker, where its scores mean something, found no passage that answers the question."""
    if retrieval is None or not is_calibrated(reranker):
        return False
    scores = [hit.rerank_score for hit in retrieval.hits if hit.rerank_score is not None]
    return bool(scores) and max(scores) < least


def _needs_no_word(
    retrieval: Retrieval | None, context: PromptContext, language: Language, *, is_by_meaning: bool
) -> bool:
    if retrieval is None:
        return False
    source, asked = context.sources[0], context.asked_time
    is_compared = is_by_meaning and not source.likeness and retrieval.is_confident is True
    is_caused = any("graph" in hit.ranks for hit in retrieval.hits if hit.chunk_id == source.chunk_id)
    is_of_time = asked is not None and is_of(source, asked) and (asked.is_all or not source.likeness)
    return (is_compared and source.language != language) or is_caused or is_of_time


def _level_within(asked: AskedTime, level: Confidence, sources: Sequence[Source]) -> Confidence:
    """The level for a question of a time: low at most without a source of it, and medium where that is all it asks for."""
    if not any(is_of(source, asked) for source in sources):
        return min(level, "low", key=_LEVELS.index)
    return "medium" if asked.is_all else level


def _level(score: float, least: float) -> Confidence:
    if score < least:
        return "insufficient"
    if score >= HIGH_SCORE:
        return "high"
    return "medium" if score >= MEDIUM_SCORE else "low"

"""Quality of answers: the values of an answered query, and their means over a run.

Scores that words alone give are named for what they are (``lexical_groundedness``); those by meaning come from a judge
(``rag_core.evaluation.runs.judges``) and are None without one. What is undefined is None and in no mean.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from rag_core.answering.sources.context import shown_text
from rag_core.answering.verification.check import check_citations
from rag_core.answering.verification.citations import without_citations
from rag_core.errors import RagError
from rag_core.evaluation.runs.judges import Judge, Judgement
from rag_core.evaluation.runs.lexical import (
    citation_scores,
    claims_of,
    expected_answer_overlap,
    lexical_groundedness,
    says,
    share_said,
)
from rag_core.language.detection import detect_language
from rag_core.model.answer import GeneratedAnswer
from rag_core.model.answer_metrics import (
    ANSWER_METRICS,
    JUDGED_METRICS,
    AnswerMetric,
    AnswerMetrics,
    AnswerRecord,
    AnswerSource,
)
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit, Retrieval


class GoldenAnswerer(Protocol):
    """Answerer of golden queries: any ``Answerer``, or the whole path (``rag_core.evaluation.runs.served_answers``)."""

    @property
    def name(self) -> str:
        """As ``Answerer.name``."""
        ...

    def answer(self, query: str, hits: Sequence[Hit], *, language: Language, timeout_seconds: float) -> GeneratedAnswer:
        """As ``Answerer.answer``; what raises a ``RagError`` is a failure of the answer."""
        ...


def summarise(records: Collection[AnswerRecord]) -> AnswerMetrics | None:
    """The means over the records for which each metric is defined; no record gives None."""
    if not records:
        return None
    first = next(iter(records))
    defined = {
        name: [score for record in records if (score := record.scores.get(name)) is not None] for name in ANSWER_METRICS
    }
    if (
        first.judge is None
    ):  # forbidden content makes hallucinations alone, and their mean would be 1 whatever the others are
        defined |= {name: [] for name in JUDGED_METRICS}
    return AnswerMetrics(
        answerer=first.answerer,
        judge=first.judge,
        answers=len(records),
        refusals=sum(record.is_refusal for record in records),
        failed=sum(record.text is None for record in records),
        judge_failures=sum(len(record.judge_failures) for record in records),
        means={name: sum(scores) / len(scores) if scores else None for name, scores in defined.items()},
        counts={name: len(scores) for name, scores in defined.items()},
    )


def answer_and_judge(
    query: GoldenQuery, retrieval: Retrieval, *, answerer: GoldenAnswerer, judge: Judge | None, timeout_seconds: float
) -> AnswerRecord | None:
    """Answer a golden query from what was retrieved and score the answer; None for a query without expected answer.

    An answerer that fails gives a record with its error, which no mean counts; ``timeout_seconds`` is for every call of a
    model. A refusal claims nothing, so that groundedness and citations are undefined; it says none of the key facts, nothing
    of the expected answer and, as it helps nobody, its relevance to the question is 0 where a judge is there.
    """
    if query.is_retrieval_only:
        return None
    language = detect_language(query.query) or (retrieval.hits[0].language if retrieval.hits else "es")
    began = time.perf_counter()
    try:
        given = answerer.answer(query.query, retrieval.hits, language=language, timeout_seconds=timeout_seconds)
    except RagError as error:
        return _record(answerer, judge, began, error=type(error).__name__)
    answered = _record(answerer, judge, began, given=given)
    return _scored(answered, query, given, judge=judge, timeout_seconds=timeout_seconds)


def _record(
    answerer: GoldenAnswerer,
    judge: Judge | None,
    began: float,
    *,
    given: GeneratedAnswer | None = None,
    error: str | None = None,
) -> AnswerRecord:
    cited = {number for citation in given.citations for number in citation.numbers} if given else set()
    return AnswerRecord(
        answerer=answerer.name,
        judge=None if judge is None else judge.name,
        text=None if given is None else given.text,
        error=error,
        is_refusal=given is not None and given.is_refusal,
        latency_ms=(time.perf_counter() - began) * 1000,
        sources=tuple(
            AnswerSource(number=source.number, note_id=source.note_id, is_cited=source.number in cited)
            for source in (given.context.sources if given else ())
        ),
    )


def _scored(
    record: AnswerRecord, query: GoldenQuery, given: GeneratedAnswer, *, judge: Judge | None, timeout_seconds: float
) -> AnswerRecord:
    judgement = _judged(query, given, judge, timeout_seconds)
    said = without_citations(given.text)
    forbidden = tuple(item for item in query.forbidden_content if says(said, item, given.language))
    scores: dict[AnswerMetric, float | None] = {
        **_lexical_scores(query, given),
        "forbidden_content_found": float(bool(forbidden)) if query.forbidden_content else None,
        "groundedness": judgement.groundedness,
        "answer_relevance": judgement.answer_relevance,
        "key_facts_by_meaning": judgement.key_facts_covered,
        "hallucination_score": hallucination_score(judgement.groundedness, has_forbidden=bool(forbidden)),
    }
    return replace(
        record,
        scores=scores,
        missing_key_facts=tuple(fact for fact in query.key_facts if not says(said, fact, given.language)),
        forbidden_content=forbidden,
        judge_failures=judgement.failures,
    )


def _lexical_scores(query: GoldenQuery, given: GeneratedAnswer) -> dict[AnswerMetric, float | None]:
    claims = [] if given.is_refusal else claims_of(given.text, given.language)
    sources = {source.number: shown_text(source) for source in given.context.sources}
    cited = citation_scores(claims, sources, given.language)
    said = "" if given.is_refusal else without_citations(given.text)
    return {
        "expected_answer_overlap": expected_answer_overlap(said, query.expected_answer, given.language),
        "lexical_groundedness": lexical_groundedness(claims, "\n".join(sources.values()), given.language),
        "key_facts_covered": share_said(without_citations(given.text), query.key_facts, given.language),
        "citation_existence": cited.existence,
        "citation_accuracy": cited.accuracy,
        "citation_completeness": cited.completeness,
        "citation_support": None if given.is_refusal else _citation_support(given),
    }


def _citation_support(given: GeneratedAnswer) -> float | None:
    """Citations that the path's own check holds for supported / citations of sources that exist; None without any."""
    checked = check_citations(given.text, given.context.sources, language=given.language).citations
    return sum(citation.is_supported for citation in checked) / len(checked) if checked else None


def _judged(query: GoldenQuery, given: GeneratedAnswer, judge: Judge | None, timeout_seconds: float) -> Judgement:
    if judge is None:
        return Judgement()
    if given.is_refusal:
        return Judgement(answer_relevance=0.0, key_facts_covered=0.0 if query.key_facts else None)
    return judge.judge(
        query=query.query,
        answer=without_citations(given.text),
        context=given.context.text,
        expected_answer=query.expected_answer,
        key_facts=query.key_facts,
        language=given.language,
        timeout_seconds=timeout_seconds,
    )


def hallucination_score(groundedness: float | None, *, has_forbidden: bool) -> float | None:
    """1 if the answer says what is forbidden, else 1 - groundedness; None where that was not judged."""
    if has_forbidden:
        return 1.0
    return None if groundedness is None else 1 - groundedness

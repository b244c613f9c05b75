"""Quality of answers: the values of an answered query, and their means over a run.

An answer is read once; the rows of ``rag_core.model.metrics.answers`` and of plugins score the reading. What is undefined is None
and in no mean.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from rag_core.answering.sources.context import shown_text
from rag_core.answering.verification.check import check_citations
from rag_core.answering.verification.citations import without_citations
from rag_core.errors import RagError
from rag_core.evaluation.runs.judges import Judge
from rag_core.evaluation.runs.lexical import claims_of, overlap_tokens, says, stated_claims
from rag_core.language.detection import detect_language
from rag_core.model.answer import GeneratedAnswer
from rag_core.model.answer_metrics import AnswerMetrics, AnswerRecord, AnswerSource
from rag_core.model.answer_reading import AnswerReading, Judgement
from rag_core.model.golden import GoldenQuery
from rag_core.model.metrics.registry import answer_metrics
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.model.statistics import mean


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
    scores = {
        name: [] if metric.is_judged and first.judge is None else _defined(name, records)
        for name, metric in answer_metrics().items()
    }
    return AnswerMetrics(
        answerer=first.answerer,
        judge=first.judge,
        answers=len(records),
        refusals=sum(record.is_refusal for record in records),
        failed=sum(record.text is None for record in records),
        judge_failures=sum(len(record.judge_failures) for record in records),
        means={name: mean(found) for name, found in scores.items()},
        counts={name: len(found) for name, found in scores.items()},
    )


def _defined(name: str, records: Collection[AnswerRecord]) -> list[float]:
    return [score for record in records if (score := record.scores.get(name)) is not None]


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
    reading = read_answer(query, given, _judged(query, given, judge, timeout_seconds))
    return replace(
        record,
        scores={name: metric.figure(reading) for name, metric in answer_metrics().items()},
        missing_key_facts=tuple(fact for fact in query.key_facts if fact not in reading.said_key_facts),
        forbidden_content=reading.said_forbidden,
        judge_failures=reading.judgement.failures,
    )


def read_answer(query: GoldenQuery, given: GeneratedAnswer, judgement: Judgement) -> AnswerReading:
    """Read an answer for its metrics, beside the golden query and what a judge says of it."""
    language, said = given.language, without_citations(given.text)
    sources = {source.number: shown_text(source) for source in given.context.sources}
    claims = [] if given.is_refusal else claims_of(given.text, language)
    tokens, expected = overlap_tokens("" if given.is_refusal else said, query.expected_answer, language)
    return AnswerReading(
        query=query,
        answer=given,
        judgement=judgement,
        claims=stated_claims(claims, sources, language),
        supported_citations=() if given.is_refusal else _supported_citations(given),
        said_key_facts=tuple(fact for fact in query.key_facts if says(said, fact, language)),
        said_forbidden=tuple(item for item in query.forbidden_content if says(said, item, language)),
        tokens=tokens,
        expected_tokens=expected,
    )


def _supported_citations(given: GeneratedAnswer) -> tuple[bool, ...]:
    checked = check_citations(given.text, given.context.sources, language=given.language)
    return tuple(citation.is_supported for citation in checked.citations)


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

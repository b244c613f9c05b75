"""The whole path from a question to an answer: understood, searched, judged, written sentence by sentence, held, written down."""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid4

from rag_core.access.pseudonyms import pseudonyms
from rag_core.answering import Answerer, CheckedText, Confidence, PromptContext, RefusalReason
from rag_core.answering.compression import fetch_context
from rag_core.answering.confidence import (
    Evidence,
    final_confidence,
    groundedness_of,
    is_calibrated,
    judge_evidence,
)
from rag_core.answering.events import (
    Answer,
    Answered,
    AnswerEvent,
    AnswerRequest,
    SourcesFound,
    Understood,
)
from rag_core.answering.extractive import ExtractiveAnswerer
from rag_core.answering.fallbacks import FoundSources, find_sources
from rag_core.answering.finishing import OutgoingGate, finish
from rag_core.answering.generation import build_answerer
from rag_core.answering.refusals import is_refusal
from rag_core.answering.understanding import LANGUAGES, Question, understand
from rag_core.answering.writing import Writing, require_wanted
from rag_core.cancellation import Cancellation
from rag_core.chunking import count_tokens
from rag_core.conversation import Outcome, QuestionFigures
from rag_core.conversation.records import SpokenTurn, kept_answer, record, search_figures
from rag_core.engine import Engine
from rag_core.errors import AnswerCancelledError, GuardrailError, RagError
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.injection import scan
from rag_core.guardrails.policies import redaction_policy
from rag_core.language.answer_warnings import PATH_WARNINGS, PathWarning
from rag_core.language.fixed_answers import NO_NOTES, NOT_ENOUGH
from rag_core.language.guardrails import ANSWER_WARNINGS
from rag_core.model import Language, TenantId
from rag_core.query.transformation import query_language

SUMMARY_SHARE = 0.5
"""How much of the time for an answer may go by summing its sources up, where that is asked for."""
NO_CONTEXT = PromptContext(sources=(), text="[]")


def answer_events(
    engine: Engine,
    tenant: TenantId,
    request: AnswerRequest,
    *,
    cancellation: Cancellation | None = None,
    check_rate: Callable[[], None] | None = None,
) -> Generator[AnswerEvent, None, None]:
    """Answer a question, telling what was found and each sentence as soon as it may be shown; ``Answered`` is the last.

    Whoever stops iterating or cancels ends the work; no connection to the database is held while a model writes.
    ``check_rate`` is called once the question's length is right, and raises where somebody asks too often. However it ends,
    the question is written down before the last event, unless it was never understood.

    Raises:
        GuardrailError: the question is too short, too long, or would command the model.
        NotFoundError: the conversation is not there, or somebody else's.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
        AnswerTimeoutError, AnswerFailedError: the model broke off after its first sentence had been shown.
        AnswerCancelledError: it was cancelled.
    """
    course = _Course(engine=engine, tenant=tenant, request=request, cancellation=cancellation or Cancellation())
    try:
        answer = yield from _answered(course, check_rate)
    except (GeneratorExit, AnswerCancelledError):
        course.write_down("cancelled")
        raise
    except GuardrailError as error:
        if error.kind == "injection":
            course.write_down("blocked", error.kind)
        raise
    except RagError as error:
        course.write_down("failed", type(error).__name__)
        raise
    course.write_down("answered" if answer.refusal is None else "refused", answer.refusal, answer=answer)
    yield Answered(answer=answer)


@dataclass(slots=True, kw_only=True)
class _Course:
    """How far a question has come: all that is known when it ends, however it does."""

    engine: Engine
    tenant: TenantId
    request: AnswerRequest
    cancellation: Cancellation
    query_id: UUID = field(default_factory=uuid4)
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    began_at: float = field(default_factory=time.perf_counter)
    question: Question | None = None
    found: FoundSources | None = None
    context: PromptContext = NO_CONTEXT
    evidence: Evidence | None = None
    answerer: str | None = None

    @property
    def total_ms(self) -> float:
        return (time.perf_counter() - self.began_at) * 1000

    @property
    def asked(self) -> Question:
        assert self.question is not None
        return self.question

    def write_down(self, outcome: Outcome, reason: str | None = None, *, answer: Answer | None = None) -> None:
        """Keep the figures of the question and, within a conversation, the words of a finished one."""
        if not self.request.is_recorded or (self.question is None and outcome != "blocked"):
            return
        turn = None
        if answer is not None and answer.session_id is not None:
            turn = SpokenTurn(question=answer.question, standalone=answer.standalone, answer=kept_answer(answer))
        retrieval = self.found.retrieval if self.found else None
        search = None
        if self.found is not None and retrieval is not None:
            search = search_figures(
                retrieval,
                context=self.context,
                citations=None if answer is None else len({citation.number for citation in answer.citations}),
                is_calibrated=is_calibrated(self.found.reranker),
                least_rerank_score=self.engine.settings.answer_rerank_score,
            )
        figures = self._figures(outcome, reason, answer)
        record(self.engine, self.tenant, figures, search=search, turn=turn)

    def _figures(self, outcome: Outcome, reason: str | None, answer: Answer | None) -> QuestionFigures:
        settings = self.engine.settings
        text = self.question.text if self.question else self.request.question
        language = self.question.language if self.question else _language_of(self.request)
        retrieval = self.found.retrieval if self.found else None
        figures = retrieval.figures if retrieval else None
        return QuestionFigures(
            query_id=self.query_id,
            session_id=self.request.session_id if self.question else None,
            contract=self.request.contract,
            asked_at=self.asked_at,
            user_hash=self.request.user_hash,
            query_hash=pseudonyms(settings.home, settings.secret).query_hash(text),
            language=language,
            strategy_used=_strategy_of(self.found),
            answerer=self.answerer,
            outcome=outcome,
            reason=reason,
            confidence=answer.confidence if answer else None,
            groundedness=answer.groundedness if answer else None,
            execution_time_ms=self.total_ms,
            semantic_hits=(figures.semantic_hits or 0) if figures else 0,
            fulltext_hits=(figures.fulltext_hits or 0) if figures else 0,
            graph_hits=(figures.graph_hits or 0) if figures else 0,
            prompt_tokens=answer.prompt_tokens if answer else 0,
            answer_tokens=answer.answer_tokens if answer else 0,
        )


def _answered(course: _Course, check_rate: Callable[[], None] | None) -> Generator[AnswerEvent, None, Answer]:
    """All events but the last, and its answer."""
    engine, tenant, request = course.engine, course.tenant, course.request
    question = course.question = understand(engine, tenant, request, check_rate=check_rate)
    yield Understood(
        query_id=course.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
    )
    require_wanted(course.cancellation)
    found = course.found = find_sources(
        engine, tenant, question.searched, request, timeout_ms=engine.settings.request_timeout_ms
    )
    answerer = build_answerer(engine.chat)
    retrieval_ms = course.total_ms
    context = course.context = _read(course, found, answerer)
    yield SourcesFound(retrieval=found.retrieval, context=context, fallback=found.fallback)
    evidence = course.evidence = _judged(course, found, context)
    if not evidence.is_enough:
        return _refused(course, found.refusal or "insufficient_evidence", stages={"retrieval": retrieval_ms})
    require_wanted(course.cancellation)
    policy = redaction_policy(request.contract, engine.settings.guardrails_personal_data)
    writing = Writing(
        query=question.searched,
        context=context,
        language=question.language,
        answerer=answerer,
        history=question.history,
        timeout_seconds=engine.settings.chat_timeout_ms / 1000,
        cancellation=course.cancellation,
        gate=OutgoingGate(language=question.language, policy=policy),
    )
    course.answerer = answerer.name
    yield from writing.sentences()
    course.answerer = writing.answerer.name
    stages = {"retrieval": retrieval_ms, "generation": writing.generation_ms, "checking": writing.checking_ms}
    return _finished(course, evidence, writing, policy, stages)


def _read(course: _Course, found: FoundSources, answerer: Answerer) -> PromptContext:
    """The sources as an answerer reads them: as much as the caller, the settings and the model's context allow."""
    question, settings, options = course.asked, course.engine.settings, course.request.options
    may = answerer.fetch_context_tokens(question.searched, language=question.language, history=question.history)
    return fetch_context(
        question.searched,
        found.hits,
        language=question.language,
        compression=options.compression,
        max_tokens=min(options.max_context_tokens or settings.answer_context_tokens, may),
        chat=course.engine.chat,
        timeout_seconds=SUMMARY_SHARE * settings.chat_timeout_ms / 1000,
    )


def _judged(course: _Course, found: FoundSources, context: PromptContext) -> Evidence:
    settings = course.engine.settings
    return judge_evidence(
        course.asked.searched,
        found.retrieval,
        context.sources,
        language=course.asked.language,
        statistics=found.statistics,
        reranker=found.reranker,
        fallback=found.fallback,
        least_score=settings.answer_evidence,
        least_rerank_score=settings.answer_rerank_score,
    )


def _finished(
    course: _Course, evidence: Evidence, writing: Writing, policy: RedactionPolicy, stages: dict[str, float]
) -> Answer:
    """The answer as it goes out: a refusal, or the text with what it is worth and, where that is little, a disclaimer."""
    language, checked, least = course.asked.language, writing.checked, course.engine.settings.answer_groundedness
    if is_refusal(checked.text, language):
        return _refused(course, "model_refused", text=checked.text, writing=writing, stages=stages)
    if not checked.citations:
        return _refused(course, "no_valid_citation", writing=writing, stages=stages)
    groundedness = groundedness_of(checked)
    is_weak = groundedness is None or groundedness < least
    if course.request.options.is_grounding_required and is_weak:
        return _refused(course, "not_grounded", writing=writing, stages=stages)
    finished = finish(
        checked,
        language=language,
        policy=policy,
        groundedness=groundedness,
        least_groundedness=least,
        gate=writing.gate,
    )
    return _answer(
        course,
        checked=finished.checked,
        confidence=final_confidence(evidence, checked, groundedness, least_groundedness=least),
        groundedness=groundedness,
        disclaimer=finished.disclaimer,
        warnings=finished.warnings(language),
        writing=writing,
        stages=stages,
    )


def _refused(
    course: _Course,
    reason: RefusalReason,
    *,
    text: str | None = None,
    writing: Writing | None = None,
    stages: dict[str, float],
) -> Answer:
    """That there is no answer; a refusal claims nothing, cites nothing and needs no disclaimer."""
    fixed = NO_NOTES if reason == "no_notes" else NOT_ENOUGH
    said = CheckedText(text=text or fixed[course.asked.language], citations=(), uncited=(), removed=0)
    return _answer(course, checked=said, confidence="insufficient", refusal=reason, writing=writing, stages=stages)


def _answer(
    course: _Course,
    *,
    checked: CheckedText,
    confidence: Confidence,
    refusal: RefusalReason | None = None,
    groundedness: float | None = None,
    disclaimer: str | None = None,
    warnings: tuple[str, ...] = (),
    writing: Writing | None,
    stages: dict[str, float],
) -> Answer:
    question, found = course.asked, course.found
    is_asked = writing is not None and not isinstance(writing.answerer, ExtractiveAnswerer)
    return Answer(
        query_id=course.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
        text=checked.text,
        citations=checked.citations,
        uncited=checked.uncited,
        removed_citations=checked.removed,
        sources=course.context.sources,
        confidence=confidence,
        refusal=refusal,
        groundedness=groundedness,
        disclaimer=disclaimer,
        warnings=(*_warnings(course, writing, checked), *warnings),
        answerer=course.answerer or build_answerer(course.engine.chat).name,
        retrieval=found.retrieval if found else None,
        fallback=found.fallback if found else None,
        prompt_tokens=count_tokens(course.context.text) + count_tokens(question.searched) if is_asked else 0,
        answer_tokens=count_tokens(checked.text),
        stages={"retrieval": 0.0, "generation": 0.0, "checking": 0.0} | stages | {"total": course.total_ms},
    )


def _warnings(course: _Course, writing: Writing | None, checked: CheckedText) -> tuple[str, ...]:
    """What a reader should know of how the answer came about, in its language."""
    found, kinds = course.found, list[PathWarning]()
    if found is not None and found.fallback is not None:
        kinds.append(found.fallback)
    elif found is not None and found.retrieval is not None and found.retrieval.is_degraded:
        kinds.append("degraded_search")
    if course.request.options.compression == "abstractive" and course.context.compression == "extractive":
        kinds.append("not_summarised")
    if writing is not None and writing.is_fallback:
        kinds.append("model_failed")
    if writing is not None and writing.checked.removed:
        kinds.append("removed_citations")
    if any(not citation.is_supported for citation in checked.citations):
        kinds.append("unsupported")
    language = course.asked.language
    told = [PATH_WARNINGS[language][kind] for kind in kinds]
    if any(_has_instructions(source.original) for source in course.context.sources):
        told.append(ANSWER_WARNINGS[language]["instructions"])
    return (*course.asked.warnings, *told)


@lru_cache(maxsize=1024)
def _has_instructions(text: str) -> bool:
    """Whether a note's text would command whoever reads it."""
    return bool(scan(text, profile="note").spans)


def _strategy_of(found: FoundSources | None) -> str | None:
    if found is None or found.retrieval is None:
        return None
    return found.fallback or found.retrieval.strategy


def _language_of(request: AnswerRequest) -> Language:
    return request.language or query_language(request.question, known=LANGUAGES)

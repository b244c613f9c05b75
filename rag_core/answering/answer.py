"""The path from a question to an answer, stage by stage."""

from collections.abc import Callable, Generator
from dataclasses import replace

from rag_core.answering import Answerer
from rag_core.answering.confidence import judge_evidence
from rag_core.answering.events import AnswerEvent, AnswerFinished, AnswerRequest, QuestionUnderstood, SourcesFound
from rag_core.answering.finishing import OutgoingGate
from rag_core.answering.generation import build_answerer
from rag_core.answering.outcome import AnswerBasis, finished_answer, greeting_answer, refused_answer
from rag_core.answering.quoting.asked_time import asked_year_of
from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.recording import AnswerTrace, recorded
from rag_core.answering.sources.compression import fetch_context
from rag_core.answering.sources.fallbacks import FoundSources, find_sources
from rag_core.answering.sources.graph_context import GRAPH_SHARE, graph_field, graph_text
from rag_core.answering.understanding.understand import Question, understand
from rag_core.answering.verification.check import JUDGE_TIMEOUT_SECONDS, judged
from rag_core.answering.verification.held_links import held_links
from rag_core.answering.verification.support_judge import ChatSupportJudge
from rag_core.answering.writing import Writing, WrittenAnswer, require_wanted
from rag_core.chat import ChatModel
from rag_core.chunking import count_tokens
from rag_core.guardrails.policies import redaction_policy
from rag_core.language.wordings import wordings_of
from rag_core.model.answer import Answer, PromptContext
from rag_core.model.note import TenantId
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import StageClock
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.telemetry.logs import log_removed_citations
from rag_core.telemetry.metrics import Metrics

SUMMARY_SHARE = 0.5
"""Share of the time for an answer that summaries of its sources may take."""


def answer_events(
    engine: Engine,
    tenant: TenantId,
    request: AnswerRequest,
    *,
    cancellation: Cancellation | None = None,
    check_rate: Callable[[], None] | None = None,
) -> Generator[AnswerEvent, None, None]:
    """Answer a question: an event for what was found and for each sentence, then ``AnswerFinished``.

    The work ends when the caller stops iterating or cancels; no connection to the database is held while a model writes.
    ``check_rate`` is called once the question's length is right, and raises where the caller asks too often. The question is recorded
    before the last event, however the answer ends; see ``recorded``.

    Raises:
        GuardrailError: the question is too short, too long, or would command the model.
        NotFoundError: the conversation does not exist, or belongs to somebody else.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: the search failed.
        AnswerTimeoutError, AnswerFailedError: the model broke off after its first sentence had been shown.
        AnswerCancelledError: it was cancelled.
    """
    trace = AnswerTrace(request=request)
    with recorded(trace, database=engine.database, tenant=tenant, settings=engine.settings):
        answer = trace.answer = yield from _stages(
            engine,
            tenant,
            request,
            trace=trace,
            cancellation=cancellation or Cancellation(),
            check_rate=check_rate,
        )
    yield AnswerFinished(answer=answer)


def _stages(
    engine: Engine,
    tenant: TenantId,
    request: AnswerRequest,
    *,
    trace: AnswerTrace,
    cancellation: Cancellation,
    check_rate: Callable[[], None] | None,
) -> Generator[AnswerEvent, None, Answer]:
    """All events but the last, and the answer: each stage takes the values of those before it and gives one."""
    database, settings, chat = engine.database, engine.settings, engine.chat
    question = trace.question = understand(
        request,
        database=database,
        tenant=tenant,
        settings=settings,
        chat=chat,
        check_rate=check_rate,
        cancellation=cancellation,
    )
    yield _understood(question, trace)
    if question.is_greeting:
        return greeting_answer(trace.query_id, question, wordings_of(request.contract)[question.language], trace.clock)
    answerer = build_answerer(chat, wordings=wordings_of(request.contract))
    require_wanted(cancellation)
    found = trace.found = find_sources(
        engine,
        tenant,
        question.searched,
        request,
        timeout_ms=settings.request_timeout_ms,
        cancellation=cancellation,
    )
    context = trace.context = _prompt_context(
        question, found, request, answerer=answerer, settings=settings, chat=chat, cancellation=cancellation
    )
    yield SourcesFound(retrieval=found.retrieval, context=context, fallback=found.fallback)
    basis = _basis(trace, question, found, context, answerer=answerer.name, settings=settings)
    if not basis.evidence.is_enough:
        return refused_answer(basis, found.refusal or "insufficient_evidence")
    require_wanted(cancellation)
    writing = trace.writing = _writing(basis, answerer, settings, cancellation)
    try:
        yield from writing.sentences()
    finally:
        _tell_removed_citations(writing, basis, tenant, engine.metrics)
    basis = replace(basis, context=writing.numbered_context)
    written = _with_verdicts(writing.finished(), basis, settings, chat, cancellation)
    return finished_answer(basis, written, settings)


def _understood(question: Question, trace: AnswerTrace) -> QuestionUnderstood:
    return QuestionUnderstood(
        query_id=trace.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
    )


def _prompt_context(
    question: Question,
    found: FoundSources,
    request: AnswerRequest,
    *,
    answerer: Answerer,
    settings: Settings,
    chat: ChatModel | None,
    cancellation: Cancellation,
) -> PromptContext:
    """The part of what was found that the answerer reads: as much as the caller, the settings and the model's context allow."""
    may = answerer.fetch_context_tokens(question.searched, language=question.language, history=question.history)
    max_tokens = min(request.options.max_context_tokens or settings.answer_context_tokens, may)
    graph = ""
    if request.contract == "rag_v2":  # whose prompt speaks of it
        graph = graph_text(found.hits, max_tokens=int(GRAPH_SHARE * max_tokens))
    context = fetch_context(
        question.searched,
        found.hits,
        language=question.language,
        compression=request.options.compression,
        max_tokens=max_tokens - count_tokens(graph_field(graph)),
        chat=chat,
        timeout_seconds=SUMMARY_SHARE * settings.chat_timeout_ms / 1000,
        cancellation=cancellation,
    )
    return replace(
        context,
        asked_time=found.asked_time,
        asked_year=asked_year_of(found.retrieval),
        graph=graph,
    )


def _basis(
    trace: AnswerTrace,
    question: Question,
    found: FoundSources,
    context: PromptContext,
    *,
    answerer: str,
    settings: Settings,
) -> AnswerBasis:
    """Basis of an answer: everything before it, with the evidence that the sources hold one."""
    evidence = judge_evidence(
        question.searched,
        found.retrieval,
        context,
        language=question.spoken,
        reranker=found.reranker,
        fallback=found.fallback,
        least_score=settings.answer_evidence,
        least_rerank_score=settings.answer_rerank_score,
        is_by_meaning=found.is_by_meaning,
    )
    return AnswerBasis(
        query_id=trace.query_id,
        request=trace.request,
        clock=trace.clock,
        question=question,
        found=found,
        context=context,
        evidence=evidence,
        answerer=answerer,
    )


def _writing(basis: AnswerBasis, answerer: Answerer, settings: Settings, cancellation: Cancellation) -> Writing:
    question, contract = basis.question, basis.request.contract
    return Writing(
        query=question.searched,
        context=basis.context,
        language=question.language,
        answerer=answerer,
        history=question.history,
        timeout_seconds=settings.chat_timeout_ms / 1000,
        cancellation=cancellation,
        numbers_as_cited=contract != "rag_v2",  # which cites by titles and tells its sources before the answer
        gate=OutgoingGate(
            language=question.language,
            policy=redaction_policy(contract, settings.guardrails_personal_data),
            max_tokens=settings.guardrails_answer_max_tokens,
            links=held_links(basis.context.sources),
            instructions=basis.wording.instructions.split("{no_answer}"),
        ),
        quoting=ExtractiveAnswerer(wordings=wordings_of(contract)),
    )


def _tell_removed_citations(writing: Writing, basis: AnswerBasis, tenant: TenantId, metrics: Metrics) -> None:
    """Count and log citations of sources that do not exist, also where the answer breaks off."""
    removed = writing.removed_citations
    if removed:
        metrics.count_removed_citations(removed)
        log_removed_citations(removed, query_id=str(basis.query_id), answerer=writing.answerer.name, tenant=tenant)


def _with_verdicts(
    written: WrittenAnswer,
    basis: AnswerBasis,
    settings: Settings,
    chat: ChatModel | None,
    cancellation: Cancellation,
) -> WrittenAnswer:
    """The answer with the chat model's verdicts on its citations where the settings ask for them; quotations need none."""
    clock, left = StageClock.start(), (settings.chat_timeout_ms - written.generation_ms - written.checking_ms) / 1000
    if not settings.answer_judge or chat is None or written.quotation is not None or left <= 0:
        return written
    require_wanted(cancellation)
    text = judged(
        written.text,
        basis.context.sources,
        judge=ChatSupportJudge(chat=chat, cancellation=cancellation),
        language=basis.question.language,
        timeout_seconds=min(left, JUDGE_TIMEOUT_SECONDS),
    )
    require_wanted(cancellation)
    return replace(written, text=text, checking_ms=written.checking_ms + clock.total_ms)

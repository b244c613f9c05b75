"""The whole path from a question to an answer: understood, searched, judged, written sentence by sentence, held, written down."""

from collections.abc import Callable, Generator
from dataclasses import replace

from rag_core.answering import Answerer
from rag_core.answering.confidence import Evidence, judge_evidence
from rag_core.answering.course import Course
from rag_core.answering.events import Answered, AnswerEvent, AnswerRequest, SourcesFound, Understood
from rag_core.answering.finishing import OutgoingGate
from rag_core.answering.generation import build_answerer
from rag_core.answering.outcome import finished, refused
from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.sources.compression import fetch_context
from rag_core.answering.sources.fallbacks import FoundSources, find_sources
from rag_core.answering.sources.graph_context import GRAPH_SHARE, graph_field, graph_text
from rag_core.answering.understanding.understand import understand
from rag_core.answering.verification.check import JUDGE_TIMEOUT_SECONDS, judged
from rag_core.answering.verification.held_links import held_links
from rag_core.answering.verification.support_judge import ChatSupportJudge
from rag_core.answering.writing import Writing, require_wanted
from rag_core.chunking import count_tokens
from rag_core.errors import AnswerCancelledError, ChatCancelledError, GuardrailError, RagError, SearchCancelledError
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.policies import redaction_policy
from rag_core.language.wordings import wordings_of
from rag_core.model.answer import Answer, CheckedText, PromptContext
from rag_core.model.note import TenantId
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Stopwatch
from rag_core.runtime.engine import Engine
from rag_core.telemetry.logs import log_removed_citations

SUMMARY_SHARE = 0.5
"""How much of the time for an answer may go by summing its sources up, where that is asked for."""


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
    course = Course(engine=engine, tenant=tenant, request=request, cancellation=cancellation or Cancellation())
    try:
        answer = yield from _answered(course, check_rate)
    except (ChatCancelledError, SearchCancelledError) as error:
        course.write_down("cancelled")
        raise AnswerCancelledError("nobody waits for the answer any more") from error
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


def _answered(course: Course, check_rate: Callable[[], None] | None) -> Generator[AnswerEvent, None, Answer]:
    """All events but the last, and its answer."""
    engine, request = course.engine, course.request
    question = course.question = understand(
        engine, course.tenant, request, check_rate=check_rate, cancellation=course.cancellation
    )
    yield Understood(
        query_id=course.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
    )
    answerer = build_answerer(engine.chat, wordings=wordings_of(request.contract))
    found, context = _found(course, answerer)
    yield SourcesFound(retrieval=found.retrieval, context=context, fallback=found.fallback)
    course.evidence = _judged_evidence(course, found)
    if not course.evidence.is_enough:
        return refused(course, found.refusal or "insufficient_evidence")
    require_wanted(course.cancellation)
    course.context = replace(course.context, is_doubtful=course.evidence.confidence == "low")
    policy = redaction_policy(request.contract, engine.settings.guardrails_personal_data)
    writing = course.writing = _writing(course, answerer, policy)
    try:
        yield from writing.sentences()
    finally:
        _tell_removed_citations(course, writing)
    return finished(course, writing, _judged_text(course, writing), policy)


def _found(course: Course, answerer: Answerer) -> tuple[FoundSources, PromptContext]:
    """What is found, and of it what an answerer reads: as much as the caller, the settings and the model's context allow."""
    require_wanted(course.cancellation)
    engine, question, options = course.engine, course.asked, course.request.options
    settings, clock = engine.settings, Stopwatch.start()
    course.found = find_sources(
        engine,
        course.tenant,
        question.searched,
        course.request,
        timeout_ms=settings.request_timeout_ms,
        cancellation=course.cancellation,
    )
    course.stages["retrieval"] = clock.total_ms
    may = answerer.fetch_context_tokens(question.searched, language=question.language, history=question.history)
    max_tokens = min(options.max_context_tokens or settings.answer_context_tokens, may)
    graph = _graph(course, max_tokens)
    context = fetch_context(
        question.searched,
        course.found.hits,
        language=question.language,
        compression=options.compression,
        max_tokens=max_tokens - count_tokens(graph_field(graph)),
        chat=engine.chat,
        timeout_seconds=SUMMARY_SHARE * settings.chat_timeout_ms / 1000,
        cancellation=course.cancellation,
    )
    course.context = replace(context, asked_time=course.found.asked_time, graph=graph)
    return course.found, course.context


def _graph(course: Course, max_tokens: int) -> str:
    """What the causal graph says beside the sources, for RAG V2, whose prompt speaks of it; a fifth of the tokens at most."""
    if course.request.contract != "rag_v2" or course.found is None:
        return ""
    return graph_text(course.found.hits, max_tokens=int(GRAPH_SHARE * max_tokens))


def _judged_evidence(course: Course, found: FoundSources) -> Evidence:
    settings = course.engine.settings
    return judge_evidence(
        course.asked.searched,
        found.retrieval,
        course.context.sources,
        language=course.asked.spoken,
        statistics=found.statistics,
        reranker=found.reranker,
        fallback=found.fallback,
        least_score=settings.answer_evidence,
        least_rerank_score=settings.answer_rerank_score,
        is_by_meaning=found.is_by_meaning,
    )


def _writing(course: Course, answerer: Answerer, policy: RedactionPolicy) -> Writing:
    question = course.asked
    return Writing(
        query=question.searched,
        context=course.context,
        language=question.language,
        answerer=answerer,
        history=question.history,
        timeout_seconds=course.engine.settings.chat_timeout_ms / 1000,
        cancellation=course.cancellation,
        gate=OutgoingGate(
            language=question.language,
            policy=policy,
            max_tokens=course.engine.settings.guardrails_answer_max_tokens,
            links=held_links(course.context.sources),
            instructions=wordings_of(course.request.contract)[question.language].instructions.split("{no_answer}"),
        ),
        quoting=ExtractiveAnswerer(wordings=wordings_of(course.request.contract)),
    )


def _tell_removed_citations(course: Course, writing: Writing) -> None:
    """Count and log citations of sources that do not exist, also where the answer breaks off."""
    removed = sum(part.removed for part in writing.parts)
    if removed:
        course.engine.metrics.count_removed_citations(removed)
        log_removed_citations(
            removed, query_id=str(course.query_id), answerer=writing.answerer.name, tenant=course.tenant
        )


def _judged_text(course: Course, writing: Writing) -> CheckedText:
    """What was written, with a chat model's word on its citations where the settings ask for it; quotations need none."""
    checked, settings, chat, clock = writing.checked, course.engine.settings, course.engine.chat, Stopwatch.start()
    left = settings.chat_timeout_ms / 1000 - writing.seconds_spent
    if settings.answer_judge and chat is not None and not isinstance(writing.answerer, ExtractiveAnswerer) and left > 0:
        require_wanted(course.cancellation)
        checked = judged(
            checked,
            course.context.sources,
            judge=ChatSupportJudge(chat=chat, cancellation=course.cancellation),
            language=course.asked.language,
            timeout_seconds=min(left, JUDGE_TIMEOUT_SECONDS),
        )
        require_wanted(course.cancellation)
    course.stages["generation"] = writing.generation_ms
    course.stages["checking"] = writing.checking_ms + clock.total_ms
    return checked

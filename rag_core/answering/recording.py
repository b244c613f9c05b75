"""The record of a question, made however its answer ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from rag_core.access.pseudonyms import pseudonyms
from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.fallbacks import FoundSources
from rag_core.answering.understanding.understand import Question
from rag_core.answering.writing import Writing
from rag_core.conversation.records import SpokenTurn, kept_answer, record, search_figures
from rag_core.errors import AnswerCancelledError, ChatCancelledError, GuardrailError, RagError, SearchCancelledError
from rag_core.language import LANGUAGES
from rag_core.model.answer import Answer, PromptContext
from rag_core.model.conversation import Outcome, QuestionFigures, SearchFigures
from rag_core.model.note import TenantId
from rag_core.model.retrieval import RetrievalFigures
from rag_core.query.routing import route
from rag_core.query.transformation import query_language
from rag_core.reranking import is_calibrated
from rag_core.retrieval.deadline import StageClock
from rag_core.settings import Settings
from rag_core.storage.database import Database


@dataclass(slots=True, kw_only=True)
class AnswerTrace:
    """The values of the stages that a question has passed. Only the record reads them; a stage not reached is None."""

    request: AnswerRequest
    query_id: UUID = field(default_factory=uuid4)
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: StageClock = field(default_factory=StageClock.start)
    question: Question | None = None
    found: FoundSources | None = None
    context: PromptContext | None = None
    writing: Writing | None = None
    answer: Answer | None = None


@contextmanager
def recorded(trace: AnswerTrace, *, database: Database, tenant: TenantId, settings: Settings) -> Iterator[None]:
    """Record the question when the block ends: answered, refused, blocked, failed or cancelled.

    Nothing is kept of a question that is not to be recorded, or that was not understood, unless it was blocked. A conversation keeps
    the words of an answered or refused question.

    Raises:
        AnswerCancelledError: the block was cancelled, by whichever stage noticed.
    """

    def keep(outcome: Outcome, reason: str | None) -> None:
        if trace.request.is_recorded and (trace.question is not None or outcome == "blocked"):
            figures = _question_figures(trace, outcome, reason, settings)
            record(database, tenant, figures, search=_search_figures(trace, settings), turn=_turn(trace.answer))

    try:
        yield
    except (ChatCancelledError, SearchCancelledError) as error:
        keep("cancelled", None)
        raise AnswerCancelledError("nobody waits for the answer any more") from error
    except (GeneratorExit, AnswerCancelledError):
        keep("cancelled", None)
        raise
    except GuardrailError as error:
        if error.kind == "injection":
            keep("blocked", error.kind)
        raise
    except RagError as error:
        keep("failed", type(error).__name__)
        raise
    if trace.answer is not None:
        keep("answered" if trace.answer.refusal is None else "refused", trace.answer.refusal)


def _turn(answer: Answer | None) -> SpokenTurn | None:
    if answer is None or answer.session_id is None:
        return None
    return SpokenTurn(question=answer.question, standalone=answer.standalone, answer=kept_answer(answer))


def _question_figures(trace: AnswerTrace, outcome: Outcome, reason: str | None, settings: Settings) -> QuestionFigures:
    request, question, answer = trace.request, trace.question, trace.answer
    legs = trace.found.retrieval.figures if trace.found else RetrievalFigures()
    text = question.text if question else request.question
    language = question.language if question else request.language or query_language(text, known=LANGUAGES)
    analysis = route(text, language=language)
    return QuestionFigures(
        query_id=trace.query_id,
        session_id=question.session_id if question else None,
        contract=request.contract,
        asked_at=trace.asked_at,
        user_hash=request.user_hash,
        query_hash=pseudonyms(settings.home, settings.secret).query_hash(text),
        language=language,
        strategy_used=(trace.found.fallback or trace.found.retrieval.strategy) if trace.found else None,
        answerer=trace.writing.answerer.name if trace.writing else None,
        outcome=outcome,
        reason=reason,
        confidence=answer.confidence if answer else None,
        groundedness=answer.groundedness if answer else None,
        execution_time_ms=trace.clock.total_ms,
        semantic_hits=legs.semantic_hits or 0,
        fulltext_hits=legs.fulltext_hits or 0,
        graph_hits=legs.graph_hits or 0,
        prompt_tokens=answer.prompt_tokens if answer else 0,
        answer_tokens=answer.answer_tokens if answer else 0,
        query_type=analysis.query_type,
        is_multi_hop=analysis.is_multi_hop,
        entities_found=len(analysis.entities),
        suggested_strategy=analysis.suggested_strategy,
        routed_strategy=request.routed or (trace.found.retrieval.routed if trace.found else None),
    )


def _search_figures(trace: AnswerTrace, settings: Settings) -> SearchFigures | None:
    if trace.found is None:
        return None
    return search_figures(
        trace.found.retrieval,
        context=trace.context,
        citations=None if trace.answer is None else len({one.number for one in trace.answer.citations}),
        is_calibrated=is_calibrated(trace.found.reranker),
        least_rerank_score=settings.answer_rerank_score,
    )

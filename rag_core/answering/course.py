"""How far a question has come: what the steps of the path leave behind, and what is written down of it, however it ends."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from rag_core.access.pseudonyms import pseudonyms
from rag_core.answering.confidence import NO_EVIDENCE, Evidence
from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.fallbacks import FoundSources
from rag_core.answering.understanding.understand import LANGUAGES, Question
from rag_core.answering.writing import Writing
from rag_core.conversation.records import SpokenTurn, kept_answer, record, search_figures
from rag_core.language.wordings import Wording, wordings_of
from rag_core.model.answer import Answer, PromptContext
from rag_core.model.conversation import Outcome, QuestionFigures, SearchFigures
from rag_core.model.note import TenantId
from rag_core.model.retrieval import RetrievalFigures
from rag_core.query.transformation import query_language
from rag_core.reranking import is_calibrated
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine

NO_CONTEXT = PromptContext(sources=(), text="[]")


@dataclass(slots=True, kw_only=True)
class Course:
    """One question on its way; what a step has not come to yet is None or empty. ``stages`` are milliseconds."""

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
    evidence: Evidence = NO_EVIDENCE
    writing: Writing | None = None
    stages: dict[str, float] = field(default_factory=lambda: {"retrieval": 0.0, "generation": 0.0, "checking": 0.0})

    @property
    def total_ms(self) -> float:
        """Since the question came."""
        return (time.perf_counter() - self.began_at) * 1000

    @property
    def asked(self) -> Question:
        """The question, once it is understood."""
        assert self.question is not None
        return self.question

    @property
    def wording(self) -> Wording:
        """How the contract speaks in the language of the answer."""
        return wordings_of(self.request.contract)[self.asked.language]

    def write_down(self, outcome: Outcome, reason: str | None = None, *, answer: Answer | None = None) -> None:
        """Keep the figures of the question and, within a conversation, the words of a finished one.

        Nothing is kept of a question that is not to be recorded, or that was never understood, unless it was blocked.
        """
        if not self.request.is_recorded or (self.question is None and outcome != "blocked"):
            return
        turn = None
        if answer is not None and answer.session_id is not None:
            turn = SpokenTurn(question=answer.question, standalone=answer.standalone, answer=kept_answer(answer))
        figures = self._question_figures(outcome, reason, answer)
        record(self.engine, self.tenant, figures, search=self._search_figures(answer), turn=turn)

    def _question_figures(self, outcome: Outcome, reason: str | None, answer: Answer | None) -> QuestionFigures:
        settings, request, question = self.engine.settings, self.request, self.question
        retrieval = self.found.retrieval if self.found else None
        legs = retrieval.figures if retrieval else RetrievalFigures()
        text = question.text if question else request.question
        return QuestionFigures(
            query_id=self.query_id,
            session_id=question.session_id if question else None,
            contract=request.contract,
            asked_at=self.asked_at,
            user_hash=request.user_hash,
            query_hash=pseudonyms(settings.home, settings.secret).query_hash(text),
            language=question.language if question else request.language or query_language(text, known=LANGUAGES),
            strategy_used=self._strategy,
            answerer=self.writing.answerer.name if self.writing else None,
            outcome=outcome,
            reason=reason,
            confidence=answer.confidence if answer else None,
            groundedness=answer.groundedness if answer else None,
            execution_time_ms=self.total_ms,
            semantic_hits=legs.semantic_hits or 0,
            fulltext_hits=legs.fulltext_hits or 0,
            graph_hits=legs.graph_hits or 0,
            prompt_tokens=answer.prompt_tokens if answer else 0,
            answer_tokens=answer.answer_tokens if answer else 0,
        )

    def _search_figures(self, answer: Answer | None) -> SearchFigures | None:
        if self.found is None or self.found.retrieval is None:
            return None
        return search_figures(
            self.found.retrieval,
            context=self.context,
            citations=None if answer is None else len({citation.number for citation in answer.citations}),
            is_calibrated=is_calibrated(self.found.reranker),
            least_rerank_score=self.engine.settings.answer_rerank_score,
        )

    @property
    def _strategy(self) -> str | None:
        """How the sources were found; None where nothing was searched."""
        if self.found is None or self.found.retrieval is None:
            return None
        return self.found.fallback or self.found.retrieval.strategy

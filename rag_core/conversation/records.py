"""Records of questions: figures of every question, words of those in a conversation. A failure to record never fails an answer."""

from dataclasses import dataclass, replace
from uuid import UUID

from rag_core.chunking import count_tokens
from rag_core.errors import RagError
from rag_core.model.answer import Answer, PromptContext, Source
from rag_core.model.conversation import CitedSource, KeptAnswer, QuestionFigures, SearchFigures
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.storage.conversations import insert_turn, touch_session
from rag_core.storage.database import Connection, Database
from rag_core.storage.questions import insert_question, insert_search_figures
from rag_core.telemetry.logs import log_degraded

RECORD_MS = 1_000
"""Maximum time for the record of a finished answer; the answer does not wait longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """The part of a question that a conversation keeps."""

    question: str
    standalone: str | None
    answer: KeptAnswer


def record(
    database: Database,
    tenant: TenantId,
    figures: QuestionFigures,
    *,
    search: SearchFigures | None = None,
    turn: SpokenTurn | None = None,
) -> bool:
    """Record a question in one transaction; returns whether that was done. A failure is only logged.

    Nothing is kept of a tenant that does not exist, and no words where the conversation was deleted meanwhile.
    """
    try:
        with database.transaction(tenant, timeout_ms=RECORD_MS) as connection:
            return _written(connection, tenant, figures, search=search, turn=turn)
    except RagError as error:
        log_degraded("records", error, tenant=tenant)
        return False


def _written(
    connection: Connection,
    tenant: TenantId,
    figures: QuestionFigures,
    *,
    search: SearchFigures | None,
    turn: SpokenTurn | None,
) -> bool:
    session_id = _kept_session(connection, tenant, figures)
    if not insert_question(connection, tenant, replace(figures, session_id=session_id)):
        return False
    if search is not None:
        insert_search_figures(connection, tenant, figures.query_id, search)
    if turn is not None and session_id is not None:
        insert_turn(
            connection,
            tenant,
            query_id=figures.query_id,
            session_id=session_id,
            question=turn.question,
            standalone=turn.standalone,
            answer=turn.answer,
        )
    return True


def _kept_session(connection: Connection, tenant: TenantId, figures: QuestionFigures) -> UUID | None:
    """The question's conversation, locked, if it is still there."""
    wanted = figures.session_id
    if wanted is None or not touch_session(connection, tenant, wanted, user_hash=figures.user_hash):
        return None
    return wanted


def search_figures(
    retrieval: Retrieval,
    *,
    context: PromptContext | None,
    citations: int | None,
    is_calibrated: bool,
    least_rerank_score: float,
) -> SearchFigures:
    """Figures of a search; ``confidence_threshold_met`` is set only for a calibrated re-ranker."""
    figures, hits = retrieval.figures, retrieval.hits
    rerank_scores = [hit.rerank_score for hit in hits if hit.rerank_score is not None]
    best = max(rerank_scores, default=None)
    return SearchFigures(
        vector_search_ms=figures.semantic_ms,
        vector_result_count=figures.semantic_hits,
        vector_top_score=figures.semantic_best,
        vector_avg_score=figures.semantic_mean,
        graph_traversal_ms=figures.graph_ms,
        graph_result_count=figures.graph_hits,
        graph_max_depth=figures.graph_depth,
        concepts_found=figures.concepts,
        fusion_ms=figures.fusion_ms,
        overlap_count=figures.overlap,
        fusion_top_score=max((hit.fusion_score for hit in hits), default=None),
        rerank_ms=figures.rerank_ms,
        rerank_top_score=best,
        confidence_threshold_met=best >= least_rerank_score if is_calibrated and best is not None else None,
        final_context_tokens=None if context is None else count_tokens(context.text) + count_tokens(context.graph),
        citation_count=citations,
    )


def kept_answer(answer: Answer) -> KeptAnswer:
    """The part of an answer that a conversation keeps: its text, the sources that it cites, and of a refusal the nearest notes."""
    cited = {citation.number for citation in answer.citations}
    return KeptAnswer(
        text=answer.text,
        language=answer.language,
        citations=answer.citations,
        uncited=answer.uncited,
        removed_citations=answer.removed_citations,
        sources=tuple(_kept_source(source) for source in answer.sources if source.number in cited),
        nearest=tuple(map(_kept_source, answer.nearest)),
        confidence=answer.confidence,
        refusal=answer.refusal,
        groundedness=answer.groundedness,
        disclaimer=answer.disclaimer,
        warnings=answer.warnings,
        answerer=answer.answerer,
        fallback=answer.fallback,
    )


def _kept_source(source: Source) -> CitedSource:
    return CitedSource(
        number=source.number,
        note_id=source.note_id,
        chunk_id=source.chunk_id,
        external_id=source.external_id,
        title=source.title,
        created_at=source.created_at,
        language=source.language,
        chunk_index=source.chunk_index,
        score=source.score,
        page=source.page,
        page_unit=source.page_unit,
        block=source.block,
        box=source.box,
        is_dated=source.is_dated,
    )

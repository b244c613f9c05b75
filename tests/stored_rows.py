"""Rows that the program writes and never reads."""

from dataclasses import fields
from uuid import UUID

from rag_core.model.conversation import QuestionFigures, SearchFigures
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection

_QUESTION = """
select query_id, session_id, contract, asked_at, user_hash, query_hash, language, strategy_used, answerer, outcome, reason,
    confidence, groundedness, execution_time_ms, semantic_hits, fulltext_hits, graph_hits, prompt_tokens, answer_tokens,
    query_type, is_multi_hop, entities_found, suggested_strategy, routed_strategy
from queries
where tenant_id = %(tenant)s and query_id = %(query_id)s and user_hash = %(user_hash)s
"""
_SEARCH_FIGURES = """
select vector_search_ms, vector_result_count, vector_top_score, vector_avg_score, graph_traversal_ms, graph_result_count,
    graph_max_depth, concepts_found, fusion_ms, overlap_count, fusion_top_score, rerank_ms, rerank_top_score,
    confidence_threshold_met, final_context_tokens, citation_count
from retrieval_metrics
where tenant_id = %(tenant)s and query_id = %(query_id)s
"""


def fetch_question(connection: Connection, tenant: TenantId, query_id: UUID, *, user_hash: str) -> QuestionFigures:
    parameters = {"tenant": tenant, "query_id": query_id, "user_hash": user_hash}
    row = connection.execute(_QUESTION, parameters).fetchone()
    assert row is not None
    return QuestionFigures(**dict(zip((field.name for field in fields(QuestionFigures)), row, strict=True)))


def fetch_search_figures(connection: Connection, tenant: TenantId, query_id: UUID) -> SearchFigures | None:
    """Fetch the figures of a question's search; None where nothing was searched."""
    parameters = {"tenant": tenant, "query_id": query_id}
    row = connection.execute(_SEARCH_FIGURES, parameters).fetchone()
    if row is None:
        return None
    return SearchFigures(**dict(zip((field.name for field in fields(SearchFigures)), row, strict=True)))

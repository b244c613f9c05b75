-- name: insert_question
-- Nothing for a tenant that does not exist: a question makes none.
insert into queries (
    tenant_id, query_id, session_id, contract, asked_at, user_hash, query_hash, language, strategy_used, answerer, outcome,
    reason, confidence, groundedness, execution_time_ms, semantic_hits, fulltext_hits, graph_hits, prompt_tokens, answer_tokens,
    query_type, is_multi_hop, entities_found, suggested_strategy, routed_strategy
)
select tenant_id, %(query_id)s, %(session_id)s, %(contract)s, %(asked_at)s, %(user_hash)s, %(query_hash)s, %(language)s,
    %(strategy_used)s, %(answerer)s, %(outcome)s, %(reason)s, %(confidence)s, %(groundedness)s, %(execution_time_ms)s,
    %(semantic_hits)s, %(fulltext_hits)s, %(graph_hits)s, %(prompt_tokens)s, %(answer_tokens)s,
    %(query_type)s, %(is_multi_hop)s, %(entities_found)s, %(suggested_strategy)s, %(routed_strategy)s
from tenants
where tenant_id = %(tenant)s
returning query_id;

-- name: insert_search_figures
insert into retrieval_metrics (
    tenant_id, query_id, vector_search_ms, vector_result_count, vector_top_score, vector_avg_score, graph_traversal_ms,
    graph_result_count, graph_max_depth, concepts_found, fusion_ms, overlap_count, fusion_top_score, rerank_ms,
    rerank_top_score, confidence_threshold_met, final_context_tokens, citation_count
) values (
    %(tenant)s, %(query_id)s, %(vector_search_ms)s, %(vector_result_count)s, %(vector_top_score)s, %(vector_avg_score)s,
    %(graph_traversal_ms)s, %(graph_result_count)s, %(graph_max_depth)s, %(concepts_found)s, %(fusion_ms)s,
    %(overlap_count)s, %(fusion_top_score)s, %(rerank_ms)s, %(rerank_top_score)s, %(confidence_threshold_met)s,
    %(final_context_tokens)s, %(citation_count)s
);

-- name: upsert_feedback
-- Only on a question of one's own; who thinks again replaces what they said.
insert into feedback (tenant_id, query_id, rating, comment)
select tenant_id, query_id, %(rating)s, %(comment)s
from queries
where tenant_id = %(tenant)s and query_id = %(query_id)s and user_hash = %(user_hash)s
on conflict (tenant_id, query_id) do update
set rating = excluded.rating, comment = excluded.comment, updated_at = now()
returning feedback_id, query_id, rating, comment, created_at, updated_at;

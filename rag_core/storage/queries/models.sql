-- name: active_model
select model_id, name, provider, version, dimensions, query_prefix, document_prefix, context_tokens,
    similarity_threshold, fusion_method, semantic_weight, fulltext_weight, uses_contextual, state
from brain.embedding_models where state = 'active';

-- name: has_vector_index
select exists (select from pg_indexes where schemaname = 'brain' and indexname = %(name)s);

-- name: count_vectors
-- Over all tenants; for the owner's connection.
select count(*) from brain.embeddings where model_id = %(model)s and kind = %(kind)s;

-- name: active_model
select model_id, name, provider, version, dimensions, query_prefix, document_prefix, context_tokens,
    similarity_threshold, fusion_method, semantic_weight, fulltext_weight, uses_contextual, state
from brain.embedding_models where state = 'active';

-- name: vector_index_state
-- Whether the index is whole; no row when there is none. A build that was killed leaves one that is not.
select i.indisvalid
from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relnamespace = 'brain'::regnamespace and c.relname = %(name)s;

-- name: count_vectors
-- Over all tenants; for the owner's connection.
select count(*) from brain.embeddings where model_id = %(model)s and kind = %(kind)s;

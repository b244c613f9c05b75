-- name: active_model
select model_id, name, provider, version, dimensions, query_prefix, document_prefix, context_tokens,
    similarity_threshold, fusion_method, semantic_weight, fulltext_weight, searched_vectors, state
from brain.embedding_models where state = 'active';

-- name: list_models
select model_id, name, provider, version, dimensions, query_prefix, document_prefix, context_tokens,
    similarity_threshold, fusion_method, semantic_weight, fulltext_weight, searched_vectors, state, promoted_at, retired_at
from brain.embedding_models order by model_id;

-- name: insert_model
insert into brain.embedding_models (
    name, provider, version, dimensions, query_prefix, document_prefix, context_tokens, similarity_threshold,
    fusion_method, semantic_weight, fulltext_weight, searched_vectors, state
) values (
    %(name)s, %(provider)s, %(version)s, %(dimensions)s, %(query_prefix)s, %(document_prefix)s, %(context_tokens)s,
    %(similarity_threshold)s, %(fusion_method)s, %(semantic_weight)s, %(fulltext_weight)s, %(searched_vectors)s, 'candidate'
)
on conflict (name) do nothing
returning model_id;

-- name: change_model_state
update brain.embedding_models
set state = %(state)s, retired_at = null, promoted_at = case %(state)s when 'active' then now() else promoted_at end
where model_id = %(model)s and state = any(%(among)s)
returning model_id;

-- name: has_unused_model
-- Whether the one model is the first of a database without vectors.
select (select count(*) = 1 from brain.embedding_models)
    and not exists (select from brain.embeddings)
    and not exists (select from brain.embedding_cache);

-- name: replace_unused_model
-- Another model takes the place of the first one; no row once a vector was stored or a second model was registered.
update brain.embedding_models m
set name = %(name)s, provider = %(provider)s, version = %(version)s, dimensions = %(dimensions)s,
    query_prefix = %(query_prefix)s, document_prefix = %(document_prefix)s, context_tokens = %(context_tokens)s,
    similarity_threshold = %(similarity_threshold)s, fusion_method = %(fusion_method)s,
    semantic_weight = %(semantic_weight)s, fulltext_weight = %(fulltext_weight)s, searched_vectors = %(searched_vectors)s
where not exists (select from brain.embedding_models o where o.model_id <> m.model_id)
    and not exists (select from brain.embeddings)
    and not exists (select from brain.embedding_cache);

-- name: set_similarity_threshold
-- For the owner's connection. The name tells a model from another that a restore gave its id.
update brain.embedding_models set similarity_threshold = %(threshold)s
where model_id = %(model)s and name = %(name)s
returning model_id;

-- name: share_active_model
-- A promotion or a retirement waits for those who share this lock, and they for it.
select pg_advisory_xact_lock_shared(hashtextextended('brain.active_model', 0));

-- name: lock_active_model
select pg_advisory_xact_lock(hashtextextended('brain.active_model', 0));

-- name: keep_model_for_removal
-- Until the connection ends; nobody takes the model into work meanwhile.
select pg_advisory_lock(hashtextextended('brain.model_removal', %(model)s));

-- name: share_removal
-- Whether nothing of the model is being removed; nothing is until the transaction ends.
select pg_try_advisory_xact_lock_shared(hashtextextended('brain.model_removal', %(model)s));

-- name: count_model_vectors
-- Over all tenants; for the owner's connection. Vectors go with their chunks, so as many as chunks are all there can be.
select t.tenant_id,
    (select count(*) from brain.chunks c where c.tenant_id = t.tenant_id),
    (select count(*) from brain.embeddings e
        where e.tenant_id = t.tenant_id and e.model_id = %(model)s and e.kind = 'standard'),
    (select count(*) from brain.embeddings e
        where e.tenant_id = t.tenant_id and e.model_id = %(model)s and e.kind = 'contextual')
from brain.tenants t
order by t.tenant_id;

-- name: rename_fingerprints
-- The next of a tenant's notes: those of one pipeline are those of another now. Locked in the order in which everybody locks
-- notes. The last of them, and how many there were; no row when none is left. For the owner's connection.
with page as materialized (
    select n.note_id, f.new
    from brain.notes n join unnest(%(old)s::text[], %(new)s::text[]) f (old, new) on n.indexed_fingerprint = f.old
    where n.tenant_id = %(tenant)s and n.note_id > %(after)s
    order by n.note_id
    limit %(limit)s
    for no key update of n
), renamed as (
    update brain.notes n set indexed_fingerprint = p.new
    from page p
    where n.tenant_id = %(tenant)s and n.note_id = p.note_id
)
select note_id, count(*) over () from page order by note_id desc limit 1;

-- name: seconds_since_promotion
select extract(epoch from now() - promoted_at)::float8 from brain.embedding_models where state = 'active';

-- name: retire_model
-- A model that is retired already is found again, so that what was left of it can be removed.
update brain.embedding_models m set state = 'retired', retired_at = coalesce(retired_at, now())
where m.model_id = %(model)s and m.state <> 'active' and (
    m.state <> 'ready' or not exists (
        select from brain.embedding_models a
        where a.state = 'active' and a.promoted_at > now() - make_interval(secs => %(seconds)s)
    )
)
returning m.model_id;

-- name: vector_index_state
-- Whether the index is whole; no row when there is none. A build that was killed leaves one that is not.
select i.indisvalid
from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relnamespace = 'brain'::regnamespace and c.relname = %(name)s;

-- name: list_grown_tables
-- Tables with more than twice the pages that the planner knows of, and more than eight beyond them.
select c.relname
from pg_class c
where c.relnamespace = 'brain'::regnamespace and c.relname = any(%(tables)s)
    and pg_relation_size(c.oid) / current_setting('block_size')::bigint > 2 * c.relpages + 8
order by 1;

-- name: count_vectors
-- Over all tenants; for the owner's connection.
select count(*) from brain.embeddings where model_id = %(model)s and kind = %(kind)s;

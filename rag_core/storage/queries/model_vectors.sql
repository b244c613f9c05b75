-- name: fetch_chunks_without_vectors
-- The next live chunks that lack one of the model's vectors, with their texts: so many, and no more than so many characters
-- after the first. When a chunk was made tells whether it is still the same one: chunks are replaced, never updated.
with page as materialized (
    select c.chunk_id, c.end_char - c.start_char as characters,
        s.chunk_id is null as lacks_standard, x.chunk_id is null as lacks_contextual
    from chunks c
    join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
    left join embeddings s
        on s.tenant_id = c.tenant_id and s.model_id = %(model)s and s.kind = 'standard' and s.chunk_id = c.chunk_id
    left join embeddings x
        on x.tenant_id = c.tenant_id and x.model_id = %(model)s and x.kind = 'contextual' and x.chunk_id = c.chunk_id
    where c.tenant_id = %(tenant)s and c.chunk_id > %(after)s and (s.chunk_id is null or x.chunk_id is null)
        and {batches}
    order by c.chunk_id
    limit %(limit)s
), sized as (
    select p.*, sum(p.characters) over (order by p.chunk_id) - p.characters as characters_before from page p
)
select c.chunk_id, c.note_id, c.created_at, s.lacks_standard, s.lacks_contextual,
    c.content, c.context, n.title, c.language, c.chunking_method, c.kind, c.headers, c.caption
from sized s
join chunks c on c.tenant_id = %(tenant)s and c.chunk_id = s.chunk_id
join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
where s.characters_before < %(characters)s
order by c.chunk_id;

-- name: list_batches_without_vectors
-- Batches with a live chunk that lacks one of the model's vectors, newest notes first.
select b.batch_key
from batches b
where b.tenant_id = %(tenant)s and exists (
    select
    from notes n
    join chunks c on c.tenant_id = n.tenant_id and c.note_id = n.note_id
    left join embeddings s
        on s.tenant_id = c.tenant_id and s.model_id = %(model)s and s.kind = 'standard' and s.chunk_id = c.chunk_id
    left join embeddings x
        on x.tenant_id = c.tenant_id and x.model_id = %(model)s and x.kind = 'contextual' and x.chunk_id = c.chunk_id
    where n.tenant_id = b.tenant_id and n.batch_key = b.batch_key and (s.chunk_id is null or x.chunk_id is null)
)
order by b.sequence;

-- name: of_batches
n.batch_key = any(%(batches)s)

-- name: of_every_note
true

-- name: create_model_vectors
-- COPY into a table with row-level security is refused, so rows go through a temporary one. No vector: it is known already.
create temporary table model_vectors (
    chunk_id uuid, note_id uuid, created_at timestamptz, kind text, input_hash bytea, vector vector
) on commit drop;

-- name: copy_model_vectors
copy model_vectors (chunk_id, note_id, created_at, kind, input_hash, vector) from stdin (format binary);

-- name: insert_model_vectors
-- Vectors of chunks that are still those the vectors were made for; what is known is taken from where it is.
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select %(tenant)s, %(model)s, m.kind, m.chunk_id, m.input_hash, coalesce(m.vector, k.vector)
from model_vectors m
join chunks c on c.tenant_id = %(tenant)s and c.chunk_id = m.chunk_id and c.created_at = m.created_at
left join lateral (
    select vector from embedding_cache v where v.tenant_id = %(tenant)s and v.input_hash = m.input_hash
    union all
    select vector from embeddings e where e.tenant_id = %(tenant)s and e.input_hash = m.input_hash
    limit 1
) k on m.vector is null
where m.vector is not null or k.vector is not null
on conflict do nothing;

-- name: drop_live_copies
-- A note's cached vectors that its live chunks have now.
delete from embedding_cache v
using model_vectors m
where v.tenant_id = %(tenant)s and v.note_id = m.note_id and v.input_hash = m.input_hash and exists (
    select from embeddings e where e.tenant_id = v.tenant_id and e.input_hash = v.input_hash and e.chunk_id = m.chunk_id
);

-- name: delete_model_vectors
-- So many of a tenant's vectors of a retired model; for the owner's connection.
delete from brain.embeddings where ctid = any (array(
    select ctid from brain.embeddings where tenant_id = %(tenant)s and model_id = %(model)s limit %(limit)s
));

-- name: delete_cached_vectors
-- So many of a tenant's cached vectors of that many dimensions each, unless they may be a model's in use; for the owner's connection.
delete from brain.embedding_cache where ctid = any (array(
    select ctid from brain.embedding_cache v where tenant_id = %(tenant)s and vector_dims(vector) %% %(dimensions)s = 0
        and not exists (
            select from brain.embedding_models m where m.state <> 'retired' and vector_dims(v.vector) %% m.dimensions = 0
        )
    limit %(limit)s
));

-- What an operator is shown of batches: counts by batch, first rows, totals. Nothing here decides anything.

-- name: batch_overviews
-- What each of the batches holds.
select batch_key as batch,
    count(*) as notes,
    count(*) filter (where indexed_fingerprint is distinct from %(fingerprint)s) as stale,
    coalesce(sum(char_length(content)), 0) as characters,
    count(*) filter (
        where content_hash <> sha256(
            convert_to(language || chr(10) || coalesce(title, '') || chr(10) || content, 'UTF8')
        )
    ) as damaged,
    min(created_at) as oldest, max(created_at) as newest
from notes
where tenant_id = %(tenant)s and batch_key = any(%(batches)s)
group by batch_key
order by batch_key;

-- name: index_progress
-- How many batches the tenant has, and how many of them have no note that this pipeline did not make.
select count(*) as batches, count(*) filter (where is_done) as done
from (
    select bool_and(indexed_fingerprint is not distinct from %(fingerprint)s) as is_done
    from notes
    where tenant_id = %(tenant)s and batch_key is not null
    group by batch_key
) b;

-- name: count_documents
-- Files of folders and uploads of all tenants by what became of them; for the owner's connection.
select d.status, d.format, d.parser, count(*) as documents, coalesce(sum(b.blocks), 0)::bigint as blocks,
    coalesce(sum(jsonb_array_length(d.warnings)), 0)::bigint as warnings
from brain.documents d
left join lateral (
    select count(*) as blocks from brain.blocks b where b.tenant_id = d.tenant_id and b.note_id = d.note_id
) b on true
group by d.status, d.format, d.parser
order by d.status, d.format, d.parser;

-- name: preview_page
-- The blocks of the first page of the document that was compared last; documents without pages are one.
select d.path, d.checked_at, left(string_agg(
    substring(n.content from b.start_char + 1 for b.end_char - b.start_char), E'\n\n' order by b.block_index
), 2000) as text
from (
    select tenant_id, note_id, path, checked_at from documents
    where tenant_id = %(tenant)s and status = 'imported' and note_id is not null
    order by checked_at desc, path limit 1
) d
join notes n using (tenant_id, note_id)
join blocks b using (tenant_id, note_id)
where coalesce(b.page, 1) = (
    select min(coalesce(f.page, 1)) from blocks f where f.tenant_id = d.tenant_id and f.note_id = d.note_id
)
group by d.path, d.checked_at;

-- name: newest_stale_change
select count(*), max(updated_at)
from notes n
where tenant_id = %(tenant)s and indexed_fingerprint is distinct from %(fingerprint)s
    and legacy_state is distinct from 'pending'
    and not exists (
        select from migration_failures f
        where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
    );

-- name: count_pending_notes
select count(*) from notes where tenant_id = %(tenant)s and legacy_state = 'pending';

-- name: preview_staged_chunks
select n.external_id as note, c.chunk_index as chunk, c.start_char as start, c.end_char as end, c.token_count as tokens,
    left(substring(n.content from c.start_char + 1 for c.end_char - c.start_char), 80) as text
from staged_chunks c join notes n using (tenant_id, note_id)
where c.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)
order by n.created_at desc, n.note_id, c.chunk_index
limit 10;

-- name: preview_staged_vectors
-- The inputs of staged chunks as they are embedded, and the vectors computed for them.
select n.external_id as note, c.chunk_index as chunk, left(c.context, 80) as context, vector_dims(v.vector) as dimensions,
    round(vector_norm(v.vector)::numeric, 4)::float as norm
from staged_chunks c
join notes n using (tenant_id, note_id)
join embedding_cache v on v.tenant_id = c.tenant_id and v.input_hash = c.contextual_hash
where c.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)
order by n.created_at desc, n.note_id, c.chunk_index
limit 10;

-- name: preview_live_chunks
-- The newest live chunks of the batches as the full-text index has them.
select n.external_id as note, c.chunk_index as chunk, c.language, length(c.lexemes) as lexemes,
    (select string_agg(t.lexeme, ' ' order by cardinality(t.positions) desc, t.lexeme)
        from (select * from unnest(c.lexemes) order by cardinality(positions) desc, lexeme limit 8) t) as most_frequent
from (
    select * from notes
    where tenant_id = %(tenant)s and batch_key = any(%(batches)s)
    order by created_at desc, note_id limit 10
) n
join chunks c using (tenant_id, note_id)
order by n.created_at desc, n.note_id, c.chunk_index
limit 10;

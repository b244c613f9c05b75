-- name: migration_state
select state from migrations where tenant_id = %(tenant)s;

-- name: hold_migration_state
-- Who publishes or makes notes whole holds the state; these do not wait for each other, only for a change of it. A lock on
-- the row would let a change wait for ever behind one publication after the other.
select pg_advisory_xact_lock_shared(hashtextextended('brain.migration:' || %(tenant)s, 0));

-- name: lock_migration_state
select pg_advisory_xact_lock(hashtextextended('brain.migration:' || %(tenant)s, 0));

-- name: set_migration_state
update migrations
set state = %(state)s, reason = %(reason)s, stopped_by_run = %(evaluation_run)s, changed_at = now(),
    finished_at = case when %(state)s = 'finished' then now() end
where tenant_id = %(tenant)s and state <> %(state)s;

-- name: set_evaluate_every
update migrations set evaluate_every = %(batches)s where tenant_id = %(tenant)s;

-- name: count_migration
select m.state,
    (select count(*) from notes n where n.tenant_id = m.tenant_id and n.legacy_state = 'pending'),
    (select count(*) from notes n where n.tenant_id = m.tenant_id and n.legacy_state = 'migrated'),
    (select count(*) from migration_failures f where f.tenant_id = m.tenant_id)
from migrations m
where m.tenant_id = %(tenant)s;

-- name: drop_settled_failures
-- Of notes that are live as this pipeline makes them there is nothing to try again.
delete from migration_failures f
using notes n
where f.tenant_id = %(tenant)s and n.tenant_id = %(tenant)s and n.note_id = f.note_id
    and n.indexed_fingerprint = %(fingerprint)s;

-- name: retry_failed
-- What could not be attached is not the pipeline's to try again.
with retried as (
    update migration_failures set attempts = 1 where tenant_id = %(tenant)s and stage <> 'attachment' returning true
)
select count(*) from retried;

-- name: record_failures
-- Of locked notes those that still exist and are not live as they were to be: another run may have come there meanwhile. In the
-- order of the key, so that none who record wait for each other in a circle. A refused row is no attempt of the pipeline.
insert into migration_failures (tenant_id, source, external_id, note_id, stage, reason)
select n.tenant_id, n.source, n.external_id, n.note_id, %(stage)s, f.reason
from unnest(%(notes)s::uuid[], %(reasons)s::text[]) f (note_id, reason)
join notes n on n.tenant_id = %(tenant)s and n.note_id = f.note_id
where n.indexed_fingerprint is distinct from %(fingerprint)s
order by n.source, n.external_id
on conflict (tenant_id, source, external_id) do update
set attempts = case when migration_failures.stage = 'attachment' then 1 else migration_failures.attempts + 1 end,
    note_id = excluded.note_id, stage = excluded.stage, reason = excluded.reason, last_failed_at = now();

-- name: clear_failures
delete from migration_failures where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: fetch_notes_without_vector
-- Whole notes of the batches without both vectors of a model, where they are to stay whole: all of them after a rollback, else
-- pending ones that are not about to be chunked. A text that was refused in pieces a moment ago is not tried whole.
select n.note_id, n.title, n.content, n.language, n.content_hash, n.kind
from notes n
join chunks c on c.tenant_id = n.tenant_id and c.chunk_id = n.note_id and c.chunking_method = 'whole_note'
where n.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and n.note_id > %(after)s
    and (
        select count(*) from embeddings e
        where e.tenant_id = n.tenant_id and e.chunk_id = n.note_id and e.model_id = %(model)s
    ) < 2
    and not exists (
        select from migration_failures f
        where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
    )
    and (
        exists (select from migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')
        or n.legacy_state = 'pending'
            and not exists (select from staged_notes s where s.tenant_id = n.tenant_id and s.note_id = n.note_id)
            and not exists (
                select from migration_failures f
                where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.stage = 'embedding'
            )
    )
order by n.note_id
limit %(limit)s;

-- name: fetch_vectors
select distinct on (v.input_hash) v.input_hash, v.vector
from (
    select input_hash, vector from embedding_cache where tenant_id = %(tenant)s and input_hash = any(%(hashes)s)
    union all
    select input_hash, vector from embeddings where tenant_id = %(tenant)s and input_hash = any(%(hashes)s)
) v
order by v.input_hash;

-- name: insert_note_vector
-- Both kinds alike: a whole note has no context but itself. A note that was chunked, edited or deleted meanwhile is passed over.
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select c.tenant_id, %(model)s, k.kind, c.chunk_id, %(input_hash)s, %(vector)s
from chunks c
join notes n using (tenant_id, note_id)
cross join (values ('standard'), ('contextual')) k (kind)
where c.tenant_id = %(tenant)s and c.chunk_id = %(note)s and c.chunking_method = 'whole_note'
    and n.content_hash = %(content_hash)s
on conflict do nothing;

-- name: clear_embedding_failures
-- After a rollback a vector of the whole is all that a note needs; at any other time it is still to be chunked.
delete from migration_failures f
using migrations m
where f.tenant_id = %(tenant)s and f.note_id = any(%(notes)s) and f.stage = 'embedding'
    and m.tenant_id = f.tenant_id and m.state = 'rolled_back';

-- name: drop_staged
-- What is staged for the whole tenant, or of pending notes only.
delete from staged_notes s
using notes n
where s.tenant_id = %(tenant)s and n.tenant_id = %(tenant)s and n.note_id = s.note_id
    and (not %(pending_only)s or n.legacy_state = 'pending');

-- name: fetch_chunked_notes
-- By the primary key: it is an index for every page, and no edit moves a note behind the page that was read last.
select note_id
from notes
where tenant_id = %(tenant)s and indexed_fingerprint is not null and note_id > %(after)s
order by note_id
limit %(limit)s;

-- name: fetch_still_chunked
-- Which of these notes, which are locked, are chunked, and the texts their own vectors are made from.
select note_id, content from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s) and indexed_fingerprint is not null
order by note_id;

-- name: create_whole_vectors
create temporary table whole_vectors (note_id uuid, input_hash bytea, vector vector) on commit drop;

-- name: insert_whole_vectors
-- A note's own vector where there is one, else the mean of its chunks' vectors at length one, under a hash that no text has.
insert into whole_vectors
select w.note_id, case when known.vector is null then w.mean_hash else w.input_hash end, coalesce(known.vector, mean.vector)
from unnest(%(notes)s::uuid[], %(input_hashes)s::bytea[], %(mean_hashes)s::bytea[]) w (note_id, input_hash, mean_hash)
left join lateral (
    select vector from embedding_cache k where k.tenant_id = %(tenant)s and k.input_hash = w.input_hash
    union all
    select vector from embeddings e where e.tenant_id = %(tenant)s and e.input_hash = w.input_hash
    limit 1
) known on true
left join lateral (
    select l2_normalize(avg(e.vector)) as vector
    from chunks c join embeddings e using (tenant_id, chunk_id)
    where c.tenant_id = %(tenant)s and c.note_id = w.note_id and e.model_id = %(model)s and e.kind = 'contextual'
        and known.vector is null
) mean on true
where vector_norm(coalesce(known.vector, mean.vector)) > 0;

-- name: count_live_chunks
select count(*) from chunks where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: forget_chunking
-- As before it was chunked: a legacy note waits for the migration again.
update notes
set indexed_fingerprint = null, sentence_starts = null, section_starts = null, chunked_at = null,
    legacy_state = case when legacy_state is not null then 'pending' end
where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: insert_whole_embeddings
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select %(tenant)s, %(model)s, k.kind, w.note_id, w.input_hash, w.vector
from whole_vectors w cross join (values ('standard'), ('contextual')) k (kind);

-- name: drop_whole_cache
-- A vector that is live is not kept twice.
delete from embedding_cache c
using whole_vectors w
where c.tenant_id = %(tenant)s and c.note_id = w.note_id and c.input_hash = w.input_hash;

-- name: await_migration_again
-- Legacy notes that an edit made whole, and whose new text was not chunked yet.
update notes set legacy_state = 'pending'
where tenant_id = %(tenant)s and legacy_state = 'migrated' and indexed_fingerprint is null;

-- name: count_lost_notes
-- Attached notes that are gone without having been deleted on purpose.
select count(*) from legacy_notes l
where l.tenant_id = %(tenant)s
    and not exists (select from notes n where n.tenant_id = l.tenant_id and n.note_id = l.note_id);

-- name: final_evaluation
-- What an evaluation measured, and whether all legacy notes had been migrated by then.
select e.run_id, e.hit_rate_at_10, coalesce((e.comparison ->> 'is_regression')::boolean, false), e.created_at >= coalesce(
    (select max(n.chunked_at) from notes n where n.tenant_id = %(tenant)s and n.legacy_state = 'migrated'), e.created_at
)
from evaluation_runs e
where e.tenant_id = %(tenant)s and e.run_id = %(evaluation)s;

-- name: accept_rejected
-- Rows that could not be attached, and shall not be.
delete from migration_failures where tenant_id = %(tenant)s and stage = 'attachment'
returning source || ':' || external_id;

-- name: drop_rollback_vectors
-- What is cached for migrated notes is their own vectors, and chunks of former texts; what is staged is needed still.
with dropped as (
    delete from embedding_cache c
    using notes n
    where c.tenant_id = %(tenant)s and n.tenant_id = %(tenant)s and n.note_id = c.note_id and n.legacy_state = 'migrated'
        and not exists (
            select from staged_chunks s
            where s.tenant_id = c.tenant_id and c.input_hash in (s.standard_hash, s.contextual_hash)
        )
    returning true
)
select count(*) from dropped;

-- name: list_batches_without_vector
-- After a rollback: batches with a whole note that lacks a vector of the active model; newest first.
select b.batch_key
from batches b
where b.tenant_id = %(tenant)s
    and exists (select from migrations m where m.tenant_id = b.tenant_id and m.state = 'rolled_back')
    and exists (
        select from notes n
        where n.tenant_id = b.tenant_id and n.batch_key = b.batch_key and n.indexed_fingerprint is null
            and (
                select count(*) from embeddings e
                where e.tenant_id = n.tenant_id and e.chunk_id = n.note_id
                    and e.model_id = (select model_id from embedding_models where state = 'active')
            ) < 2
            and not exists (
                select from migration_failures f
                where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
            )
    )
order by b.sequence;

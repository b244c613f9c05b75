-- name: lock_batches
select pg_advisory_xact_lock(hashtextextended('brain.batches:' || %(tenant)s, 0));

-- name: assign_batches
-- Give the newest notes without a batch their places, a page of them: the open batch of their kind is filled up before new
-- ones begin, and pending legacy notes have batches of their own. One row: the keys made, how many notes the page had and
-- the moment to go on from. A note that somebody is writing is left to the next time, so nobody waits in a circle.
-- No part is joined to another by note: with the planner's figures from before a bulk load that took 20 s for 5,000 notes.
with page as materialized (
    select note_id, created_at, legacy_state is not distinct from 'pending' as is_legacy
    from notes
    where tenant_id = %(tenant)s and batch_key is null and created_at <= %(until)s::timestamptz
    order by created_at desc, note_id
    limit %(limit)s
    for no key update skip locked
), open as materialized (
    select k.is_legacy, b.sequence, %(size)s - (
        select count(*) from notes n where n.tenant_id = %(tenant)s and n.batch_key = b.batch_key
    ) as room
    from (values (false), (true)) k (is_legacy)
    cross join lateral (
        select batch_key, sequence from batches
        where tenant_id = %(tenant)s and is_legacy = k.is_legacy
        order by sequence desc
        limit 1
    ) b
), numbered as (
    select note_id, is_legacy, o.sequence as open_sequence, coalesce(o.room, 0) as room,
        row_number() over (partition by is_legacy order by created_at desc, note_id) - 1 as position
    from page left join open o using (is_legacy)
), placed as (
    select note_id, is_legacy, open_sequence,
        case when position < room then 0 else 1 + (position - room) / %(size)s end as ordinal
    from numbered
), sequenced as (
    select note_id, is_legacy, ordinal, case when ordinal = 0 then open_sequence else
        ordinal + coalesce((select max(sequence) from batches where tenant_id = %(tenant)s), -1)
        + case when is_legacy then coalesce(max(ordinal) filter (where not is_legacy) over (), 0) else 0 end
    end::integer as sequence
    from placed
), keyed as materialized (
    select note_id, is_legacy, ordinal, sequence, %(tenant)s || case when is_legacy then '.legacy-' else '-' end
        || lpad(sequence::text, greatest(6, length(sequence::text)), '0') as batch_key
    from sequenced
), made as (
    insert into batches (tenant_id, batch_key, sequence, is_legacy)
    select distinct %(tenant)s, batch_key, sequence, is_legacy from keyed where ordinal > 0
    returning batch_key, sequence
), assigned as (
    update notes n set batch_key = k.batch_key
    from keyed k where n.tenant_id = %(tenant)s and n.note_id = k.note_id
)
select array(select batch_key from made order by sequence), (select count(*) from page),
    (select min(created_at) from page);

-- name: has_unassigned_notes
-- The order is the index's, so that it is used whatever the planner's figures say.
select note_id from notes
where tenant_id = %(tenant)s and batch_key is null
order by created_at desc, note_id
limit 1;

-- name: list_batches
-- Over all tenants, in the order they were made; for the owner's connection.
select tenant_id, batch_key, is_legacy from brain.batches order by tenant_id, sequence;

-- name: list_tenants
-- Over all tenants; for the owner's connection.
select tenant_id from brain.tenants order by tenant_id;

-- name: list_stale_batches
-- Batches with a note whose live chunks were not made by this pipeline; newest first. Left alone are notes that the migration
-- has not come to, notes that failed too often, and everything while nothing is to be chunked.
select b.batch_key, count(*)
from notes n join batches b using (tenant_id, batch_key)
where n.tenant_id = %(tenant)s and n.indexed_fingerprint is distinct from %(fingerprint)s
    and n.legacy_state is distinct from 'pending'
    and not exists (
        select from migration_failures f
        where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
    )
    and not exists (select from migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')
group by b.batch_key, b.sequence
order by b.sequence;

-- name: has_unindexed_notes
-- Whether an index run would chunk a note that no pipeline has chunked as it stands; as in list_stale_batches.
select exists (
    select from notes n
    where n.tenant_id = %(tenant)s and n.indexed_fingerprint is null and n.legacy_state is distinct from 'pending'
        and not exists (
            select from migration_failures f
            where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
        )
        and not exists (select from migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')
);

-- name: list_pending_batches
-- Batches with a legacy note that is not chunked yet and did not fail too often; newest first.
select b.batch_key
from batches b
where b.tenant_id = %(tenant)s and b.is_legacy and exists (
    select from notes n
    where n.tenant_id = b.tenant_id and n.batch_key = b.batch_key and n.legacy_state = 'pending'
        and not exists (
            select from migration_failures f
            where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
        )
)
order by b.sequence;

-- name: fetch_notes_to_stage
-- Stale notes that are not staged by this pipeline yet, a page at a time. Passed over are notes that failed too often, and
-- those that the migration's state wants left whole.
select n.note_id, n.title, n.content, n.language, n.content_hash, n.kind
from notes n
where n.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)
    and (n.indexed_fingerprint is distinct from %(fingerprint)s or %(full)s)
    and not exists (
        select from staged_notes s
        where s.tenant_id = n.tenant_id and s.note_id = n.note_id and s.fingerprint = %(fingerprint)s
            and s.content_hash = n.content_hash and not %(full)s
    )
    and not exists (
        select from migration_failures f
        where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
    )
    and not exists (
        select from migrations m
        where m.tenant_id = n.tenant_id
            and (m.state = 'rolled_back' or m.state = 'stopped' and n.legacy_state = 'pending')
    )
    and n.note_id > %(after)s
order by n.note_id
limit %(limit)s;

-- name: fetch_stageable
-- Which of these notes, which are locked, are still to be staged: neither live as they are staged meanwhile, unless all are
-- wanted anew, nor to be left whole.
select n.note_id
from unnest(%(notes)s::uuid[], %(fingerprints)s::text[]) w (note_id, fingerprint)
join notes n on n.tenant_id = %(tenant)s and n.note_id = w.note_id
where (n.indexed_fingerprint is distinct from w.fingerprint or %(full)s)
    and not exists (
        select from migrations m
        where m.tenant_id = n.tenant_id
            and (m.state = 'rolled_back' or m.state = 'stopped' and n.legacy_state = 'pending')
    );

-- name: unstage_notes
delete from staged_notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: drop_other_generations
-- What another pipeline staged and never published, of these batches.
delete from staged_notes s
using notes n
where s.tenant_id = %(tenant)s and n.tenant_id = %(tenant)s and n.note_id = s.note_id
    and n.batch_key = any(%(batches)s) and s.fingerprint <> %(fingerprint)s;

-- name: create_new_notes
-- COPY into a table with row-level security is refused, so rows go through temporary ones.
create temporary table new_notes (like staged_notes) on commit drop;

-- name: create_new_chunks
create temporary table new_chunks (like staged_chunks) on commit drop;

-- name: copy_new_notes
copy new_notes (tenant_id, note_id, content_hash, fingerprint, sentence_starts, section_starts, staged_at) from stdin (format binary);

-- name: copy_new_chunks
copy new_chunks (
    tenant_id, note_id, chunk_index, chunk_id, start_char, end_char, content, context, token_count,
    chunking_method, standard_hash, contextual_hash, kind, table_start, headers, caption
) from stdin (format binary);

-- name: insert_staged
-- Notes with their chunks; a note deleted meanwhile is passed over, and so are its chunks.
with staged as (
    insert into staged_notes
    select s.* from new_notes s
    where exists (select from notes n where n.tenant_id = %(tenant)s and n.note_id = s.note_id)
    returning note_id
)
insert into staged_chunks
select c.* from new_chunks c join staged s using (note_id);

-- name: fetch_missing_inputs
-- The next staged chunks with the texts their vectors are made from, and the hashes of vectors neither live nor cached.
with page as materialized (
    select s.*, n.title, n.language
    from staged_chunks s join staged_notes g using (tenant_id, note_id) join notes n using (tenant_id, note_id)
    where s.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and g.fingerprint = %(fingerprint)s
        and (s.note_id, s.chunk_index) > (%(after_note)s, %(after_index)s)
    order by s.note_id, s.chunk_index
    limit %(limit)s
), known as materialized (
    select c.input_hash from embedding_cache c
    where c.tenant_id = %(tenant)s
        and c.input_hash in (select standard_hash from page union all select contextual_hash from page)
    union
    select e.input_hash from embeddings e
    where e.tenant_id = %(tenant)s
        and e.input_hash in (select standard_hash from page union all select contextual_hash from page)
)
select note_id, chunk_index,
    case when standard_hash not in (select input_hash from known) then standard_hash end,
    case when contextual_hash not in (select input_hash from known) then contextual_hash end,
    content, context, title, language, chunking_method, kind, headers, caption
from page
order by note_id, chunk_index;

-- name: count_staged_chunks
-- Chunks of the batches that are staged under the fingerprints.
select count(*)
from staged_chunks s join staged_notes g using (tenant_id, note_id) join notes n using (tenant_id, note_id)
where s.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and g.fingerprint = any(%(fingerprints)s);

-- name: fetch_known_hashes
select input_hash from embedding_cache where tenant_id = %(tenant)s and input_hash = any(%(hashes)s)
union
select input_hash from embeddings where tenant_id = %(tenant)s and input_hash = any(%(hashes)s);

-- name: copy_cache
copy computed (input_hash, note_id, vector) from stdin (format binary);

-- name: create_computed
create temporary table computed (input_hash bytea, note_id uuid, vector vector) on commit drop;

-- name: insert_computed
-- A note deleted meanwhile is passed over; a vector another writer computed meanwhile stays.
insert into embedding_cache (tenant_id, input_hash, note_id, vector)
select distinct on (c.input_hash) %(tenant)s, c.input_hash, c.note_id, c.vector
from computed c
where exists (select from notes n where n.tenant_id = %(tenant)s and n.note_id = c.note_id)
on conflict do nothing;

-- name: fetch_staged_note_ids
select s.note_id
from staged_notes s join notes n using (tenant_id, note_id)
where s.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and s.fingerprint = %(fingerprint)s
order by s.note_id;

-- name: lock_notes
-- Whoever writes several notes locks them in this order, so that none waits for the other in a circle. A statement of its
-- own: what was staged is read after the wait, when another may have published it.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s)
order by note_id
for no key update;

-- name: lock_free_notes
-- Those of the notes that nobody else has locked; waits for nobody.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s)
order by note_id
for no key update skip locked;

-- name: fetch_publishable
-- Staged notes whose text is still the one staged and whose every vector is there, but for those that the migration's state
-- wants left whole; the notes are locked.
with wanted as materialized (
    select s.note_id, h.input_hash
    from staged_chunks s cross join lateral (values (s.standard_hash), (s.contextual_hash)) h (input_hash)
    where s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s)
), unknown as materialized (
    select w.note_id
    from wanted w
    where not exists (select from embedding_cache c where c.tenant_id = %(tenant)s and c.input_hash = w.input_hash)
        and not exists (select from embeddings e where e.tenant_id = %(tenant)s and e.input_hash = w.input_hash)
)
select n.note_id
from notes n join staged_notes s using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and n.note_id = any(%(notes)s) and n.content_hash = s.content_hash
    and s.fingerprint = %(fingerprint)s and n.note_id not in (select note_id from unknown)
    and not exists (
        select from migrations m
        where m.tenant_id = n.tenant_id
            and (m.state = 'rolled_back' or m.state = 'stopped' and n.legacy_state = 'pending')
    )
order by n.note_id;

-- name: count_replaced_chunks
-- Live chunks that the staged generation does not have again. The chunk of a note not chunked yet is not counted.
select c.note_id, count(*)
from chunks c
where c.tenant_id = %(tenant)s and c.note_id = any(%(notes)s) and c.chunking_method <> 'whole_note'
    and not exists (
        select from staged_chunks s
        where s.tenant_id = c.tenant_id and s.note_id = c.note_id and s.chunk_id = c.chunk_id
    )
group by c.note_id;

-- name: insert_staged_chunks
-- The title of a chunk is words that its text is found by too: of rows without the header of their table also caption and headers.
insert into chunks (
    tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, title, content, context, token_count,
    chunking_method, language, kind, table_start, headers, caption
)
select s.tenant_id, s.chunk_id, s.note_id, s.chunk_index, s.start_char, s.end_char,
    case s.kind
        when 'table_segment' then concat_ws(E'\n', n.title, s.caption, array_to_string(s.headers, ' '))
        else n.title
    end,
    s.content, s.context, s.token_count, s.chunking_method, n.language, s.kind, s.table_start, s.headers, s.caption
from staged_chunks s join notes n using (tenant_id, note_id)
where s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s);

-- name: find_count_mismatch
-- A note whose live chunks are not as many as were made.
select p.note_id, p.chunks, (
    select count(*) from chunks c where c.tenant_id = %(tenant)s and c.note_id = p.note_id
)
from (
    select s.note_id, greatest(count(*), max(s.chunk_index) + 1) as chunks
    from staged_chunks s
    where s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s)
    group by s.note_id
) p
where p.chunks <> (select count(*) from chunks c where c.tenant_id = %(tenant)s and c.note_id = p.note_id)
order by p.note_id
limit 1;

-- name: copy_shared_vectors
-- Vectors that only another note's live chunk has become this note's own, before either note can go.
insert into embedding_cache (tenant_id, input_hash, note_id, vector)
select distinct on (k.input_hash) s.tenant_id, k.input_hash, s.note_id, e.vector
from staged_chunks s
cross join lateral (values (s.standard_hash), (s.contextual_hash)) k (input_hash)
join embeddings e on e.tenant_id = s.tenant_id and e.input_hash = k.input_hash
where s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s)
order by k.input_hash
on conflict do nothing;

-- name: insert_staged_embeddings
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select s.tenant_id, %(model)s, k.kind, s.chunk_id, k.input_hash, c.vector
from staged_chunks s
cross join lateral (values ('standard', s.standard_hash), ('contextual', s.contextual_hash)) k (kind, input_hash)
join embedding_cache c on c.tenant_id = s.tenant_id and c.input_hash = k.input_hash
where s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s);

-- name: drop_published_cache
delete from embedding_cache c
using staged_chunks s
where c.tenant_id = %(tenant)s and s.tenant_id = %(tenant)s and s.note_id = any(%(notes)s)
    and c.note_id = s.note_id and c.input_hash in (s.standard_hash, s.contextual_hash);

-- name: mark_published
-- A chunked note that is made anew keeps the moment it was chunked.
update notes n
set indexed_fingerprint = s.fingerprint, sentence_starts = s.sentence_starts, section_starts = s.section_starts,
    chunked_at = coalesce(n.chunked_at, now()),
    legacy_state = case when n.legacy_state is not null then 'migrated' end
from staged_notes s
where n.tenant_id = %(tenant)s and s.tenant_id = n.tenant_id and s.note_id = n.note_id
    and n.note_id = any(%(notes)s);

-- name: begin_folding
-- False where another folds the tenant's lists: two at once would fold the same rows twice.
select pg_try_advisory_xact_lock(hashtextextended('brain.fold_statistics:' || %(tenant)s, 0));

-- name: take_unfolded
-- The rows of the first lists that have unfolded ones, without blocks that are full and hold nothing of what is removed. Look-ups in
-- lateral queries with OFFSET, because as a plain join with stale figures this took 29 s for 13,000 lexemes.
with changed as materialized (
    select language, lexeme, min(first_number) filter (where document_frequency < 0) as first_number,
        max(last_number) filter (where document_frequency < 0) as last_number
    from posting_blocks
    where tenant_id = %(tenant)s and not is_folded
    group by language, lexeme
    order by language, lexeme
    limit %(lists)s
)
delete from posting_blocks where ctid = any (array(
    select r.ctid
    from changed c
    cross join lateral (
        select ctid from posting_blocks b
        where b.tenant_id = %(tenant)s and b.language = c.language and b.lexeme = c.lexeme and (
            not b.is_folded or b.document_frequency < %(block)s
            or b.first_number <= c.last_number and b.last_number >= c.first_number
        )
        offset 0
    ) r
))
returning language, lexeme, document_frequency > 0, packed;

-- name: insert_folded
insert into posting_blocks (tenant_id, language, lexeme, document_frequency, first_number, last_number, is_folded, packed)
select %(tenant)s, b.language, b.lexeme, octet_length(b.packed) / 8, b.first_number, b.last_number, true, b.packed
from unnest(%(languages)s::text[], %(lexemes)s::text[], %(firsts)s::int[], %(lasts)s::int[], %(packed)s::bytea[])
    b (language, lexeme, first_number, last_number, packed);

-- name: fold_corpus
with gone as (
    delete from corpus_statistics s
    where s.tenant_id = %(tenant)s
        and exists (select from corpus_statistics u where u.tenant_id = %(tenant)s and not u.is_folded)
    returning s.language, s.documents, s.total_length
)
insert into corpus_statistics (tenant_id, language, documents, total_length, is_folded)
select %(tenant)s, language, sum(documents), sum(total_length), true
from gone group by language having sum(documents) <> 0;

-- name: totals
select (select count(*) from notes where tenant_id = %(tenant)s),
    (select count(*) from chunks where tenant_id = %(tenant)s);

-- name: preview_notes
-- The newest notes of the batches.
select external_id, title, language, created_at, char_length(content) as characters,
    indexed_fingerprint is distinct from %(fingerprint)s as is_stale
from notes
where tenant_id = %(tenant)s and batch_key = any(%(batches)s)
order by created_at desc
limit 10;

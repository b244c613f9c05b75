-- name: create_incoming
-- The lines of one import batch, before they are compared with what is stored. Without metadata a line leaves those of its note
-- as they are, and with them its tags; without a word on its audience in either, its departments too (keeps_audience).
create temporary table incoming (
    note_id uuid, source text, external_id text, title text, content text, content_hash bytea, language text,
    tags text[], metadata jsonb, created_at timestamptz, departments text[], keeps_audience boolean, kind text,
    dated_by text, place integer
) on commit drop;

-- name: copy_incoming
copy incoming (
    note_id, source, external_id, title, content, content_hash, language, tags, metadata, created_at, departments,
    keeps_audience, kind, dated_by, place
) from stdin (format binary);

-- name: hold_note_limit
-- How many notes the tenant may have; who may not have any number of them writes alone until the transaction ends.
select max_notes from tenants where tenant_id = %(tenant)s and max_notes is not null for no key update;

-- name: refuse_beyond_limit
-- Take the new notes for which there is no room out of the batch: the last ones, by their place.
with fresh as (
    select i.place, row_number() over (order by i.place) as number
    from incoming i
    where not exists (
        select from notes n where n.tenant_id = %(tenant)s and n.source = i.source and n.external_id = i.external_id
    )
)
delete from incoming i
using fresh f
where i.place = f.place and f.number > %(max_notes)s - (select count(*) from notes where tenant_id = %(tenant)s)
returning i.place;

-- name: upsert_incoming
-- Store the batch; one row a note: its id, its place, whether it is new, and whether chunks must be made anew: its text
-- changed, or its kind, which may be cut otherwise. A note that was renamed keeps its id, which is that of its
-- first name: a new note of that name gets another one.
-- Rows are locked and inserted in the order of their ids, as everywhere, and only rows that differ are locked.
with existing as (
    select n.note_id, n.source, n.external_id, n.content_hash, n.metadata, n.tags, n.created_at, n.departments, n.kind,
        n.dated_by
    from notes n join incoming i using (source, external_id)
    where n.tenant_id = %(tenant)s
), locked as (
    select n.note_id, n.content_hash, n.kind
    from notes n join existing e on e.note_id = n.note_id
    join incoming i on i.source = e.source and i.external_id = e.external_id
    where n.tenant_id = %(tenant)s
        and (e.content_hash, e.metadata, e.tags, e.created_at, e.departments, e.kind, e.dated_by)
            is distinct from (
                i.content_hash, metadata_after(e.metadata, i.metadata, i.keeps_audience),
                case when i.metadata is null then e.tags else i.tags end, coalesce(i.created_at, e.created_at),
                case when i.keeps_audience then e.departments else i.departments end, coalesce(i.kind, e.kind),
                coalesce(i.dated_by, e.dated_by)
            )
    order by n.note_id
    for no key update of n
), inserted as (
    insert into notes (
        tenant_id, note_id, source, external_id, title, content, content_hash, language, tags, metadata, created_at,
        departments, kind, dated_by
    )
    select %(tenant)s,
        case when exists (select from notes n where n.tenant_id = %(tenant)s and n.note_id = i.note_id)
            then gen_random_uuid() else i.note_id end,
        i.source, i.external_id, i.title, i.content, i.content_hash, i.language, i.tags, coalesce(i.metadata, '{}'),
        coalesce(i.created_at, now()), i.departments, coalesce(i.kind, 'note'), coalesce(i.dated_by, 'import')
    from incoming i
    where not exists (select from existing e where e.source = i.source and e.external_id = i.external_id)
    order by i.note_id
    on conflict do nothing
    returning note_id, source, external_id
), updated as (
    update notes n
    set title = i.title, content = i.content, content_hash = i.content_hash, language = i.language,
        tags = case when i.metadata is null then n.tags else i.tags end, metadata = metadata_after(n.metadata, i.metadata, i.keeps_audience),
        created_at = coalesce(i.created_at, n.created_at), updated_at = now(),
        departments = case when i.keeps_audience then n.departments else i.departments end,
        kind = coalesce(i.kind, n.kind), dated_by = coalesce(i.dated_by, n.dated_by)
    from incoming i join existing e using (source, external_id) join locked l on l.note_id = e.note_id
    where n.tenant_id = %(tenant)s and n.note_id = e.note_id
    returning n.note_id, i.place, (l.content_hash, l.kind) <> (i.content_hash, n.kind) as is_rechunked
)
select n.note_id, i.place, true as is_new, true as is_rechunked from inserted n join incoming i using (source, external_id)
union all
select note_id, place, false, is_rechunked from updated;

-- name: count_unequal
-- Lines of the batch that are not what is stored: another writer stored that id while this one waited.
select count(*)
from incoming i
left join notes n on n.tenant_id = %(tenant)s and n.source = i.source and n.external_id = i.external_id
where (n.content_hash, n.metadata, n.tags, n.created_at, n.departments, n.kind, n.dated_by)
    is distinct from (
        i.content_hash, metadata_after(n.metadata, i.metadata, i.keeps_audience),
        case when i.metadata is null then n.tags else i.tags end, coalesce(i.created_at, n.created_at),
        case when i.keeps_audience then n.departments else i.departments end, coalesce(i.kind, n.kind),
        coalesce(i.dated_by, n.dated_by)
    );

-- name: keep_vectors
-- Move the vectors of chunks about to be replaced into the cache: the same input is not embedded twice.
insert into embedding_cache (tenant_id, input_hash, note_id, vector)
select distinct on (e.input_hash) e.tenant_id, e.input_hash, c.note_id, e.vector
from chunks c join embeddings e using (tenant_id, chunk_id)
where c.tenant_id = %(tenant)s and c.note_id = any(%(notes)s)
order by e.input_hash
on conflict do nothing;

-- name: delete_chunks
-- Embeddings, postings and statistics follow.
delete from chunks where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: insert_whole_note_chunks
-- A note that is not chunked yet is one chunk with the note's own id, found by full text at once.
insert into chunks (
    tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, title, content, token_count, chunking_method,
    language
)
select tenant_id, note_id, note_id, 0, 0, char_length(content), title, content, ceil(char_length(content) / 4.0),
    'whole_note', language
from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: forget_index
-- The live chunks were made from another text: the note is stale.
update notes set indexed_fingerprint = null, sentence_starts = null, section_starts = null, chunked_at = null
where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: fetch_note
select note_id, external_id, source, title, content, language, created_at, metadata, dated_by
from notes
where tenant_id = %(tenant)s and note_id = %(note)s;

-- name: is_note
select exists (select from notes where tenant_id = %(tenant)s and note_id = %(note)s);

-- name: list_notes
-- Newest first; a page after the note named by (created_at, note_id), or from the top.
select note_id, external_id, source, title, content, language, created_at, metadata, dated_by
from notes
where tenant_id = %(tenant)s
    and (%(before)s::timestamptz is null or (created_at, note_id) < (%(before)s::timestamptz, %(before_id)s::uuid))
order by created_at desc, note_id desc
limit %(limit)s;

-- name: find_notes
-- Notes by external id, by source:id, or by uuid, each through its index; one row a match.
select w.name, n.note_id, n.source, n.external_id
from unnest(%(names)s::text[]) w (name)
join notes n on n.tenant_id = %(tenant)s and n.external_id = w.name
union
select w.name, n.note_id, n.source, n.external_id
from unnest(%(pair_names)s::text[], %(pair_sources)s::text[], %(pair_ids)s::text[]) w (name, source, external_id)
join notes n on n.tenant_id = %(tenant)s and n.source = w.source and n.external_id = w.external_id
union
select w.name, n.note_id, n.source, n.external_id
from unnest(%(uuid_names)s::text[], %(uuids)s::uuid[]) w (name, note_id)
join notes n on n.tenant_id = %(tenant)s and n.note_id = w.note_id;

-- name: find_notes_by_title
select note_id, source, external_id
from notes
where tenant_id = %(tenant)s and lower(title) = lower(%(title)s)
limit 20;

-- name: lock_for_deletion
select note_id from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s) order by note_id for update;

-- name: delete_migration_records
-- What the migration knows of notes that are deleted on purpose: they are neither lost nor to be tried again.
with gone as (
    delete from legacy_notes where tenant_id = %(tenant)s and note_id = any(%(notes)s)
)
delete from migration_failures f
using notes n
where f.tenant_id = %(tenant)s and n.tenant_id = %(tenant)s and n.note_id = any(%(notes)s)
    and f.source = n.source and f.external_id = n.external_id;

-- name: delete_notes
delete from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s) returning note_id;

-- name: share_tenant
-- Whether the tenant is there; nobody deletes it until the transaction ends. Whoever waits for a deletion is told that it is gone.
select tenant_id from tenants where tenant_id = %(tenant)s for key share;

-- name: is_tenant
select exists (select from tenants where tenant_id = %(tenant)s);

-- name: ensure_tenant
insert into tenants (tenant_id) values (%(tenant)s) on conflict do nothing;

-- name: count_notes
select count(*), count(*) filter (where indexed_fingerprint is not null) from notes where tenant_id = %(tenant)s;

-- name: has_notes
select exists (select from notes where tenant_id = %(tenant)s);


-- name: is_indexed
select indexed_fingerprint is not distinct from %(fingerprint)s
from notes
where tenant_id = %(tenant)s and note_id = %(note)s;

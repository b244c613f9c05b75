-- name: hold_folder
-- The folder of a source, its first import where there was none; held until the transaction ends.
insert into folders (tenant_id, source, path, device) values (%(tenant)s, %(source)s, %(path)s, %(device)s)
on conflict (tenant_id, source) do update set path = folders.path
returning path, device, case when most_notes_at > now() - interval '1 day' then most_notes else 0 end, now();

-- name: fetch_folder
select path, device, case when most_notes_at > now() - interval '1 day' then most_notes else 0 end, now()
from folders where tenant_id = %(tenant)s and source = %(source)s;

-- name: fetch_moment
select now();

-- name: lock_folders
-- Nobody else has a folder of the tenant followed until the transaction ends.
select pg_advisory_xact_lock(hashtextextended('brain.folders:' || %(tenant)s, 0));

-- name: watch_folder
insert into folders (tenant_id, source, path, device, is_watched, exclude, language)
values (%(tenant)s, %(source)s, %(path)s, %(device)s, true, %(exclude)s, %(language)s)
on conflict (tenant_id, source) do update set
    is_watched = true, path = excluded.path, device = excluded.device, exclude = excluded.exclude, language = excluded.language;

-- name: unwatch_folder
update folders set is_watched = false where tenant_id = %(tenant)s and source = %(source)s and is_watched returning source;

-- name: delete_folder
delete from folders where tenant_id = %(tenant)s and source = %(source)s;

-- name: record_folder_problem
update folders set problem = %(problem)s
where tenant_id = %(tenant)s and source = %(source)s and problem is distinct from %(problem)s;

-- name: fetch_folder_problem
select problem from folders where tenant_id = %(tenant)s and source = %(source)s;

-- name: list_folders
-- Folders with the numbers of their files by state; a note of a file waits until it is indexed.
select f.source, f.path, f.is_watched, f.exclude, f.language, f.problem, f.imported_at,
    count(*) filter (where d.status = 'imported' and n.indexed_fingerprint is not null) as indexed,
    count(*) filter (where d.status = 'imported' and n.note_id is not null and n.indexed_fingerprint is null) as waiting,
    count(*) filter (where d.status = 'refused') as refused,
    count(*) filter (where d.status = 'failed') as failed
from folders f
left join documents d using (tenant_id, source)
left join notes n using (tenant_id, note_id)
where f.tenant_id = %(tenant)s
group by f.tenant_id, f.source
order by f.source;

-- name: list_file_states
select d.path, d.note_id, d.parser, d.pages, d.error,
    array(select coalesce(w ->> 'text', w #>> '{}') from jsonb_array_elements(d.warnings) w) as warnings,
    e.document_type,
    case when d.status <> 'imported' then d.status when n.indexed_fingerprint is null then 'waiting' else 'indexed' end as state
from documents d
left join notes n using (tenant_id, note_id)
left join note_enrichments e using (tenant_id, note_id)
where d.tenant_id = %(tenant)s and d.source = %(source)s and not d.is_upload
    and (not %(is_problem)s or d.status in ('refused', 'failed'))
order by d.path;

-- name: list_watched_folders
-- Of all tenants, for who follows them.
select tenant_id as tenant, source, path, exclude, language from brain.folders where is_watched order by tenant_id, source;

-- name: move_folder
-- The folder stands elsewhere or on another device from now on.
update folders f set path = %(path)s, device = %(device)s, imported_at = now(),
    most_notes = case when n.count >= most_notes or most_notes_at < now() - interval '1 day' then n.count else most_notes end,
    most_notes_at = case when n.count >= most_notes or most_notes_at < now() - interval '1 day' then now() else most_notes_at end
from (
    select count(note_id) as count from documents where tenant_id = %(tenant)s and source = %(source)s and not is_upload
) n
where tenant_id = %(tenant)s and source = %(source)s;

-- name: fetch_files
select path, status, file_size, modified_ns, note_id, error, format, file_hash, parser, parser_confidence, author, pages, page_unit,
    array(select coalesce(w ->> 'text', w #>> '{}') from jsonb_array_elements(warnings) w) as warnings,
    array(select w ->> 'type' from jsonb_array_elements(warnings) w) as warning_kinds, checked_at
from documents
where tenant_id = %(tenant)s and source = %(source)s and not is_upload;

-- name: create_seen_files
create temporary table seen_files (
    path text, status text, file_size bigint, modified_ns bigint, error text, format text, file_hash bytea, parser text,
    parser_confidence float8, author text, pages int4, page_unit text, warnings jsonb
) on commit drop;

-- name: copy_seen_files
copy seen_files (
    path, status, file_size, modified_ns, error, format, file_hash, parser, parser_confidence, author, pages, page_unit, warnings
) from stdin (format binary);

-- name: store_seen_files
-- A file that is refused or fails keeps the note of its last good version.
insert into documents as d (
    tenant_id, source, path, note_id, status, error, format, file_hash, file_size, modified_ns, parser, parser_confidence, author,
    pages, page_unit, warnings
)
select %(tenant)s, %(source)s, s.path, n.note_id, s.status, s.error, s.format, s.file_hash, s.file_size, s.modified_ns, s.parser,
    s.parser_confidence, s.author, s.pages, s.page_unit, s.warnings
from seen_files s
left join notes n on n.tenant_id = %(tenant)s and n.source = %(source)s and n.external_id = s.path
order by s.path
on conflict (tenant_id, source, path) do update set
    note_id = excluded.note_id, status = excluded.status, error = excluded.error, format = excluded.format,
    file_hash = excluded.file_hash, file_size = excluded.file_size, modified_ns = excluded.modified_ns,
    parser = excluded.parser, parser_confidence = excluded.parser_confidence, author = excluded.author,
    pages = excluded.pages, page_unit = excluded.page_unit, warnings = excluded.warnings, checked_at = now()
returning path, note_id;

-- name: delete_contents
with gone_blocks as (
    delete from blocks where tenant_id = %(tenant)s and note_id = any(%(notes)s)
), gone_links as (
    delete from note_links where tenant_id = %(tenant)s and note_id = any(%(notes)s)
)
delete from note_names where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: insert_blocks
insert into blocks (tenant_id, note_id, block_index, kind, start_char, end_char, level, page, box, confidence)
select %(tenant)s, note_id, block_index, kind, start_char, end_char, level, page, box::real[], confidence
from unnest(
    %(notes)s::uuid[], %(places)s::int[], %(kinds)s::text[], %(starts)s::int[], %(ends)s::int[], %(levels)s::smallint[],
    %(pages)s::int[], %(boxes)s::text[], %(confidences)s::real[]
) as b (note_id, block_index, kind, start_char, end_char, level, page, box, confidence);

-- name: insert_note_links
insert into note_links (tenant_id, note_id, link_index, kind, start_char, end_char, target, target_key, heading)
select %(tenant)s, l.*
from unnest(
    %(notes)s::uuid[], %(places)s::int[], %(kinds)s::text[], %(starts)s::int[], %(ends)s::int[], %(targets)s::text[],
    %(keys)s::text[], %(headings)s::text[]
) as l;

-- name: insert_note_names
insert into note_names (tenant_id, note_id, source, name_key, rank)
select %(tenant)s, n.note_id, %(source)s, n.name_key, n.rank
from unnest(%(notes)s::uuid[], %(keys)s::text[], %(ranks)s::smallint[]) as n (note_id, name_key, rank);

-- name: rename_files
-- The notes keep their ids and all that was made of them. Titles and links may depend on the path: the files are read again.
-- Where another note has the new name, both stay as they are.
with renamed as (
    select r.before, r.after
    from unnest(%(before)s::text[], %(after)s::text[]) as r (before, after)
    where not exists (
        select from notes n where n.tenant_id = %(tenant)s and n.source = %(source)s and n.external_id = r.after
    )
), notes_renamed as (
    update notes n set external_id = r.after, updated_at = now()
    from renamed r
    where n.tenant_id = %(tenant)s and n.source = %(source)s and n.external_id = r.before
)
update documents d set path = r.after, parser = null
from renamed r
where d.tenant_id = %(tenant)s and d.source = %(source)s and d.path = r.before and not d.is_upload
returning r.before;

-- name: delete_files
-- Files that nobody compared since the moment.
delete from documents
where tenant_id = %(tenant)s and source = %(source)s and path = any(%(paths)s) and not is_upload and checked_at < %(before)s
returning path, note_id;

-- name: lock_folder
select pg_advisory_lock(hashtextextended('brain.folder:' || %(tenant)s || ':' || %(source)s, 0));

-- name: try_folder
select pg_try_advisory_lock(hashtextextended('brain.folder:' || %(tenant)s || ':' || %(source)s, 0));

-- name: fetch_links
-- The links of a note, each with the note that it means, if there is one.
select l.start_char as start, l.end_char as end, l.target, l.heading, m.note_id, m.external_id, m.title
from note_links l
join notes n using (tenant_id, note_id)
left join lateral (
    select t.note_id, t.external_id, t.title
    from note_names k join notes t using (tenant_id, note_id)
    where k.tenant_id = l.tenant_id and k.source = n.source and k.name_key = l.target_key
    order by k.rank, char_length(t.external_id), t.external_id
    limit 1
) m on true
where l.tenant_id = %(tenant)s and l.note_id = %(note)s
order by l.link_index;

-- name: fetch_backlinks
-- The notes with a link that means this one.
select distinct f.note_id, f.external_id, f.title
from note_names own
join note_links l on l.tenant_id = own.tenant_id and l.target_key = own.name_key
join notes f on f.tenant_id = l.tenant_id and f.note_id = l.note_id and f.source = own.source
cross join lateral (
    select t.note_id
    from note_names k join notes t using (tenant_id, note_id)
    where k.tenant_id = l.tenant_id and k.source = own.source and k.name_key = l.target_key
    order by k.rank, char_length(t.external_id), t.external_id
    limit 1
) m
where own.tenant_id = %(tenant)s and own.note_id = %(note)s and m.note_id = own.note_id and f.note_id <> own.note_id
order by f.external_id
limit %(limit)s;

-- name: lock_uploads
-- Nobody else names an upload of the tenant until the transaction ends.
select pg_advisory_xact_lock(hashtextextended('brain.uploads:' || %(tenant)s, 0));

-- name: fetch_upload_names
-- The uploads with this name or one made of it, and what they hold.
select path, file_hash from documents
where tenant_id = %(tenant)s and source = %(source)s and is_upload and (path = %(name)s or path like %(pattern)s);

-- name: hold_upload_of_url
-- The document that is fetched from an address or path, with the chunks that it has, until the transaction ends.
select d.path, d.document_id, count(c.chunk_id)
from documents d left join chunks c using (tenant_id, note_id)
where d.tenant_id = %(tenant)s and md5(d.url) = md5(%(url)s) and d.departments is not distinct from %(departments)s::text[]
group by d.tenant_id, d.source, d.path;

-- name: insert_original
insert into originals (tenant_id, file_hash, content) values (%(tenant)s, %(hash)s, %(content)s) on conflict do nothing;

-- name: insert_upload
insert into documents (
    tenant_id, source, path, note_id, status, is_upload, document_id, format, file_hash, file_size, modified_ns, url, departments,
    uploaded_by
)
select %(tenant)s, %(source)s, %(path)s, n.note_id, 'queued', true, %(document)s, %(format)s, %(hash)s, %(size)s, %(modified)s,
    %(url)s, %(departments)s, %(uploaded_by)s
from (select) as one
left join notes n on n.tenant_id = %(tenant)s and n.source = %(source)s and n.external_id = %(path)s
on conflict (tenant_id, source, path) do update set
    status = 'queued', error = null, checked_at = now();

-- name: settle_upload
-- A document that is fetched stays as it was: because it did not change, or because it could not be taken.
update documents set status = %(status)s, error = %(error)s, checked_at = now()
where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s and url is not null and status <> 'archived'
    and job_id = %(job)s;

-- name: cancel_upload_job
-- As cancel_job, of the job that parses an upload. The upload is locked first, as by the job itself.
with held as (
    select tenant_id, job_id from documents
    where tenant_id = %(tenant)s and document_id = %(document)s and is_upload
        and (%(departments)s::text[] is null or departments <@ %(departments)s::text[])
    for update
)
update evaluation_jobs j
set is_cancel_wanted = true,
    state = case state when 'queued' then 'cancelled' else state end,
    finished_at = case state when 'queued' then now() end
from held
where j.tenant_id = held.tenant_id and j.job_id = held.job_id and state in ('queued', 'running');

-- name: has_edited_text
-- A note without blocks was edited, as in queue_outdated_upload.
select exists (
    select from documents d join notes using (tenant_id, note_id)
    where d.tenant_id = %(tenant)s and d.source = %(source)s and d.path = %(path)s
        and not exists (select from blocks b where b.tenant_id = d.tenant_id and b.note_id = d.note_id)
);

-- name: set_upload_job
update documents set job_id = %(job)s where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s;

-- name: sum_uploads
-- Files, bytes and pages of all uploads but one, which is replaced.
select count(*) as files, coalesce(sum(file_size), 0)::bigint as bytes, coalesce(sum(pages), 0) as pages
from documents where tenant_id = %(tenant)s and is_upload and path <> %(path)s;

-- name: free_document_id
-- The id of the note or upload of that name, if there is one; else the one proposed, unless a renamed note has it.
select coalesce(
    (select note_id from notes where tenant_id = %(tenant)s and source = %(source)s and external_id = %(path)s),
    (select document_id from documents where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s),
    case when exists (select from notes where tenant_id = %(tenant)s and note_id = %(proposed)s)
        then gen_random_uuid() else %(proposed)s end
);

-- name: hold_upload
-- Whether the upload is still there, not archived, and this job's, until the transaction ends.
select path from documents
where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s and is_upload and status <> 'archived' and job_id = %(job)s
for update;

-- name: hold_note
select content_hash from notes where tenant_id = %(tenant)s and note_id = %(note)s for no key update;

-- name: queue_outdated_upload
-- Of all tenants: the upload that waits longest to be parsed anew, and its job. A note without blocks was edited.
with outdated as (
    select d.tenant_id, d.source, d.path, d.document_id, d.file_hash, n.title, f.version, f.suffix, j.parameters -> 'options' as options
    from brain.documents d
    join unnest(%(formats)s::text[], %(versions)s::text[], %(suffixes)s::text[]) f (format, version, suffix) using (format)
    join brain.notes n using (tenant_id, note_id)
    join brain.originals using (tenant_id, file_hash)
    left join brain.evaluation_jobs j using (tenant_id, job_id)
    where d.is_upload and d.status = 'imported' and split_part(d.parser, '+', 1) is distinct from f.version
        and exists (select from brain.blocks b where b.tenant_id = d.tenant_id and b.note_id = d.note_id)
        and coalesce(j.state, '') not in ('queued', 'running')
        and (j.parameters ->> 'parser' is distinct from f.version or j.finished_at < now() - interval '1 day')
    order by d.checked_at
    limit 1
    for update of d skip locked
), queued as (
    insert into brain.evaluation_jobs (tenant_id, kind, parameters)
    select tenant_id, 'ingestion', jsonb_build_object(
        'path', path, 'document_id', document_id, 'hash', encode(file_hash, 'hex'), 'name', 'document' || suffix, 'title', title,
        'options', coalesce(options, '{}'), 'parser', version
    )
    from outdated
    returning job_id
)
update brain.documents d set job_id = q.job_id
from outdated o, queued q
where d.tenant_id = o.tenant_id and d.source = o.source and d.path = o.path
returning d.document_id;

-- name: delete_upload
-- Who sees some departments' notes deletes what is for these departments alone.
delete from documents
where tenant_id = %(tenant)s and document_id = %(document)s and is_upload
    and (%(departments)s::text[] is null or departments <@ %(departments)s::text[])
returning note_id;

-- name: archive_upload
-- Who sees some departments' notes archives what is for these departments alone. One row: the note that it had.
with active as (
    select d.source, d.path, d.note_id, n.metadata, n.departments
    from documents d join notes n using (tenant_id, note_id)
    where tenant_id = %(tenant)s and d.document_id = %(document)s and d.status = 'imported'
        and (%(departments)s::text[] is null or d.departments <@ %(departments)s::text[])
    for update of d
)
update documents d set status = 'archived', note_id = null, checked_at = now(), departments = a.departments, archived_metadata = a.metadata
from active a
where d.tenant_id = %(tenant)s and d.source = a.source and d.path = a.path
returning a.note_id;

-- name: fetch_archived_metadata
select archived_metadata from documents where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s;

-- name: forget_archived_metadata
update documents set archived_metadata = null
where tenant_id = %(tenant)s and source = %(source)s and path = %(path)s and archived_metadata is not null;

-- name: restore_upload
-- Queue an archived document again; as archive_upload.
update documents set status = 'queued', checked_at = now()
where tenant_id = %(tenant)s and document_id = %(document)s and status = 'archived'
    and (%(departments)s::text[] is null or departments <@ %(departments)s::text[])
returning path, format, file_hash, job_id, archived_metadata as metadata;

-- name: fetch_original
select content from originals where tenant_id = %(tenant)s and file_hash = %(hash)s;

-- name: list_uploads
-- The newest uploads, each with the job that parses it.
select d.path, d.document_id, d.note_id, d.status, d.error, d.file_hash, d.pages, d.page_unit, d.parser, d.parser_confidence,
    array(select coalesce(w ->> 'text', w #>> '{}') from jsonb_array_elements(d.warnings) w) as warnings,
    array(select w ->> 'type' from jsonb_array_elements(d.warnings) w) as warning_kinds,
    d.checked_at, j.state as job_state, j.stage, j.done, j.total, j.error as job_error
from (
    select * from documents
    where tenant_id = %(tenant)s and is_upload and (%(document)s::uuid is null or document_id = %(document)s)
    order by checked_at desc, path
    limit %(limit)s
) d
left join evaluation_jobs j using (tenant_id, job_id)
order by d.checked_at desc, d.path;

-- name: fetch_blocks
select kind, start_char as start, end_char as end, level, page, box, confidence
from blocks where tenant_id = %(tenant)s and note_id = %(note)s order by block_index;

-- name: has_blocks
select exists (select from blocks where tenant_id = %(tenant)s and note_id = %(note)s);

-- name: fetch_chunk_spans
-- The chunks of a note, with the section that each begins in, its sentences, and how near the vectors of neighbouring ones are.
select c.chunk_id, c.chunk_index, c.start_char as start, c.end_char as end, c.token_count, c.chunking_method,
    n.section_starts[width_bucket(c.start_char, nullif(n.section_starts, '{}'))] as section,
    width_bucket(c.end_char - 1, n.sentence_starts) - width_bucket(c.start_char, n.sentence_starts) + 1 as sentences,
    (
        select avg(1 - (subvector(e.vector, first, %(dimensions)s) <=> subvector(e.vector, first + %(dimensions)s, %(dimensions)s)))
        from embeddings e
        cross join generate_series(1, vector_dims(e.vector) - %(dimensions)s, %(dimensions)s) first
        where e.tenant_id = c.tenant_id and e.chunk_id = c.chunk_id and e.model_id = %(model)s and e.kind = 'standard'
    ) as semantic_density
from chunks c join notes n using (tenant_id, note_id)
where c.tenant_id = %(tenant)s and c.note_id = %(note)s
order by c.chunk_index;

-- name: count_chunks_of_note
select count(*) from chunks where tenant_id = %(tenant)s and note_id = %(note)s;

-- name: count_chunks_of_files
-- The number of chunks of each indexed note of a source, by the path of its file.
select d.path, count(*)
from documents d
join notes n using (tenant_id, note_id)
join chunks c using (tenant_id, note_id)
where d.tenant_id = %(tenant)s and d.source = %(source)s and n.indexed_fingerprint is not null
group by d.path;

-- Legacy notes: somebody's table, read only; its rows as whole notes, with the ledger of what was attached; how far it is.

-- name: begin_legacy_reading
-- Dates as ISO in UTC, and no limit on a transaction that waits while its rows are written elsewhere.
select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true),
    set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true);

-- name: describe_legacy_table
-- Schema, name and columns with their types of a table or view, as the reader names it.
select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.oid = to_regclass(%(table)s) and c.relkind in ('r', 'v', 'm', 'f', 'p')
order by a.attnum;

-- name: list_legacy_tables
-- Tables and views that could be meant.
select quote_ident(table_schema) || '.' || quote_ident(table_name)
from information_schema.tables
where table_schema not in ('pg_catalog', 'information_schema', 'brain')
order by 1
limit 20;

-- name: create_attaching
-- The rows of one page, before they are compared with what is stored.
create temporary table attaching (
    note_id uuid, external_id text, title text, content text, content_hash bytea, language text, tags text[],
    metadata jsonb, created_at timestamptz, updated_at timestamptz, departments text[], input_hash bytea, vector vector,
    stored_id uuid, verdict text, is_rechunked boolean, holder text
) on commit drop;

-- name: copy_attaching
copy attaching (
    note_id, external_id, title, content, content_hash, language, tags, metadata, created_at, updated_at, departments,
    input_hash, vector
) from stdin (format binary);

-- name: analyze_attaching
-- Else the planner takes the page for a handful of rows, or for all there are.
analyze attaching (note_id, external_id);

-- name: lock_attached
-- Notes with the name or the id of a row, in the order in which everybody locks notes.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(array(
    select n.note_id
    from attaching a
    cross join lateral (
        select note_id from notes
        where tenant_id = %(tenant)s and source = %(source)s and external_id = a.external_id
        limit 1
    ) n
    union all
    select note_id from attaching
))
order by note_id
for no key update;

-- name: judge_attaching
-- What each row is to what is stored. 'new': nothing there; 'taken': another note has its uuid; 'foreign': a note of that
-- name did not come by attaching; 'edited': it did, and was changed here since; 'kept': so was its row, to something else;
-- 'changed': only the row was; 'same'. An edit here always leaves another updated_at. Texts are compared as they are, not by the
-- hash stored beside them, so that what was damaged is made good. Look-ups are lateral with a limit, so that they are look-ups:
-- by the planner's figures from before a bulk load all notes would be read for every page.
update attaching a
set stored_id = s.note_id, holder = t.source || ':' || t.external_id,
    is_rechunked = s.content_hash is distinct from a.content_hash,
    verdict = case
        when s.note_id is null and t.note_id is not null then 'taken'
        when s.note_id is null then 'new'
        when l.note_id is null and s.legacy_state is null then 'foreign'
        when s.updated_at is distinct from l.updated_at
            and a.content_hash <> s.content_hash
            and (a.content_hash, coalesce(a.updated_at, l.updated_at)) is distinct from (l.content_hash, l.updated_at) then 'kept'
        when s.updated_at is distinct from l.updated_at then 'edited'
        when (s.content_hash, s.metadata, s.tags, s.created_at, s.updated_at) is distinct from (
            a.content_hash, a.metadata, a.tags, coalesce(a.created_at, s.created_at), coalesce(a.updated_at, s.updated_at)
        ) then 'changed'
        else 'same'
    end
from attaching i
left join lateral (
    select note_id, metadata, tags, created_at, updated_at, legacy_state,
        sha256(convert_to(language || chr(10) || coalesce(title, '') || chr(10) || content, 'UTF8')) as content_hash
    from notes
    where tenant_id = %(tenant)s and source = %(source)s and external_id = i.external_id
    limit 1
) s on true
left join lateral (
    select note_id, content_hash, updated_at from legacy_notes where tenant_id = %(tenant)s and note_id = s.note_id limit 1
) l on true
left join lateral (
    select note_id, source, external_id from notes where tenant_id = %(tenant)s and note_id = i.note_id limit 1
) t on true
where i.note_id = a.note_id and coalesce(a.verdict, 'new') = 'new';

-- name: insert_attached
-- New notes with their line of the ledger; a row that another writer stored meanwhile stays 'new' and is judged again.
with inserted as (
    insert into notes (
        tenant_id, note_id, source, external_id, title, content, content_hash, language, tags, metadata, created_at,
        updated_at, departments, legacy_state
    )
    select %(tenant)s, note_id, %(source)s, external_id, title, content, content_hash, language, tags, metadata,
        coalesce(created_at, now()), coalesce(updated_at, created_at, now()), departments, 'pending'
    from attaching
    where verdict = 'new'
    order by note_id
    on conflict do nothing
    returning note_id, external_id, content_hash, created_at, updated_at
), written as (
    insert into legacy_notes (tenant_id, note_id, source, external_id, content_hash, created_at, updated_at)
    select %(tenant)s, note_id, %(source)s, external_id, content_hash, created_at, updated_at from inserted
    on conflict (tenant_id, note_id) do update
    set source = excluded.source, external_id = excluded.external_id, content_hash = excluded.content_hash,
        created_at = excluded.created_at, updated_at = excluded.updated_at, attached_at = now()
)
update attaching a set verdict = 'attached', stored_id = a.note_id from inserted i where i.note_id = a.note_id
returning a.note_id;

-- name: update_attached
-- Notes that nobody changed here follow their rows, and so does the ledger; whether each is to be chunked anew.
with changed as (
    update notes n
    set title = a.title, content = a.content, content_hash = a.content_hash, language = a.language, tags = a.tags,
        metadata = a.metadata, departments = a.departments, created_at = coalesce(a.created_at, n.created_at),
        updated_at = coalesce(a.updated_at, n.updated_at)
    from attaching a
    where a.verdict = 'changed' and n.tenant_id = %(tenant)s and n.note_id = a.stored_id
    returning n.note_id, n.content_hash, n.created_at, n.updated_at, a.is_rechunked
), written as (
    update legacy_notes l
    set content_hash = c.content_hash, created_at = c.created_at, updated_at = c.updated_at
    from changed c
    where l.tenant_id = %(tenant)s and l.note_id = c.note_id
)
select note_id, is_rechunked from changed order by note_id;

-- name: insert_attached_vectors
-- A row's own vector is that of its whole note, of both kinds, as long as the note is whole and says what the row says.
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select %(tenant)s, %(model)s, k.kind, a.stored_id, a.input_hash, a.vector
from attaching a
cross join lateral (
    select content_hash from notes where tenant_id = %(tenant)s and note_id = a.stored_id limit 1
) n
cross join lateral (
    select chunking_method from chunks where tenant_id = %(tenant)s and chunk_id = a.stored_id limit 1
) c
cross join (values ('standard'), ('contextual')) k (kind)
where a.vector is not null and a.verdict not in ('taken', 'foreign') and n.content_hash = a.content_hash
    and c.chunking_method = 'whole_note'
on conflict do nothing;

-- name: count_attaching
-- How many rows of the page came to what, and those of which it is to be told.
select verdict, count(*), coalesce(
    array_agg(external_id order by external_id) filter (where verdict in ('taken', 'foreign', 'new', 'kept')), '{}'
), coalesce(array_agg(holder order by external_id) filter (where verdict in ('taken', 'foreign', 'new', 'kept')), '{}')
from attaching group by verdict;

-- name: begin_migration
-- A migration that was finished goes on when more is attached; one that was stopped or rolled back stays so.
insert into migrations (tenant_id, state, origin) values (%(tenant)s, 'running', %(origin)s)
on conflict (tenant_id) do update
set state = 'running', reason = null, changed_at = now(), finished_at = null, origin = excluded.origin
where migrations.state = 'finished';

-- name: record_rejections
-- Rows that could not be attached. A failure of the pipeline at a note of that name stays.
insert into migration_failures (tenant_id, source, external_id, stage, reason, origin)
select %(tenant)s, %(source)s, external_id, 'attachment', reason, %(origin)s
from unnest(%(external_ids)s::text[], %(reasons)s::text[]) r (external_id, reason)
order by external_id
on conflict (tenant_id, source, external_id) do update
set attempts = migration_failures.attempts + 1, reason = excluded.reason, origin = excluded.origin, last_failed_at = now()
where migration_failures.stage = 'attachment';

-- name: forget_gone_rejections
-- Rows of this table or file that could not be attached once and are not in it any more, now that all of it was read.
delete from migration_failures
where tenant_id = %(tenant)s and source = %(source)s and origin = %(origin)s and stage = 'attachment'
    and last_failed_at < %(began)s;

-- name: this_moment
select now();

-- name: clear_rejections
delete from migration_failures
where tenant_id = %(tenant)s and source = %(source)s and external_id = any(%(external_ids)s) and stage = 'attachment';

-- name: fetch_standing
-- The stored note of that name: its id, whether the migration has not come to it, and its kind.
select note_id, legacy_state is not distinct from 'pending', kind
from notes
where tenant_id = %(tenant)s and source = %(source)s and external_id = %(external_id)s;

-- name: migration_status
-- One row: the state, counts, the marks of the last ten minutes, the latest failures, and retrieval as last measured and as
-- it is compared with: the migration's first evaluation, else the tenant's promoted baseline. Counted through indexes: a
-- million notes are not read for it, but chunks for whoever sees a part of them. Of the strategies the one that is served is shown.
with marks as materialized (
    select chunked_at from notes
    where tenant_id = %(tenant)s and chunked_at > now() - interval '10 minutes'
        and (legacy_state is not null or not exists (select from legacy_notes where tenant_id = %(tenant)s))
), ends as (
    select min(chunked_at) as first, max(chunked_at) as last from marks
), current_run as (
    select run_id, set_name, hit_rate_at_10, created_at from evaluation_runs
    where tenant_id = %(tenant)s and purpose in ('migration', 'nightly')
    order by strategy is not distinct from 'hybrid+rerank' desc, created_at desc
    limit 1
), first_run as (
    select e.run_id, e.set_name, e.hit_rate_at_10, e.created_at
    from evaluation_runs e join migrations m on m.tenant_id = e.tenant_id and e.created_at >= m.started_at
    where e.tenant_id = %(tenant)s and e.purpose = 'migration' and e.circumstances -> 'migratedNotes' = '0'
    order by e.created_at, e.run_id
    limit 1
), promoted_run as (
    select r.run_id, r.set_name, r.hit_rate_at_10, r.created_at
    from evaluation_baselines b join evaluation_runs r using (tenant_id, run_id)
    where b.tenant_id = %(tenant)s
    order by b.set_name is not distinct from (select set_name from current_run) desc,
        b.strategy = 'hybrid+rerank' desc, b.promoted_at desc
    limit 1
), baseline_run as (
    select * from first_run
    union all
    select * from promoted_run where not exists (select from first_run)
), measured as (
    select m.name, jsonb_build_object(
        'hitRateK10', m.hit_rate_at_10,
        'avgLatencyMs', (
            select avg(q.latency_ms) from evaluation_queries q where q.tenant_id = %(tenant)s and q.run_id = m.run_id
        ),
        'at', m.created_at
    ) as metrics
    from (select 'current' as name, * from current_run union all select 'baseline', * from baseline_run) m
)
select now() as now,
    (select state from migrations where tenant_id = %(tenant)s) as state,
    (select reason from migrations where tenant_id = %(tenant)s) as reason,
    (select count(*) from notes where tenant_id = %(tenant)s) as notes,
    (select count(*) from notes where tenant_id = %(tenant)s and chunked_at is not null) as chunked_notes,
    (select max(chunked_at) from notes where tenant_id = %(tenant)s and chunked_at is not null) as last_mark,
    (select first from ends) as first_recent_mark,
    (select last from ends) as last_recent_mark,
    (select count(*) from marks where chunked_at > (select first from ends)) as marks_after_first,
    (select count(*) from legacy_notes where tenant_id = %(tenant)s) as attached,
    (select count(*) from notes where tenant_id = %(tenant)s and legacy_state = 'pending') as pending,
    (select count(*) from notes n where n.tenant_id = %(tenant)s and n.legacy_state = 'pending' and not exists (
        select from migration_failures f
        where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
    )) as waiting,
    (select count(*) from batches where tenant_id = %(tenant)s and is_legacy) as batches,
    (select count(*) from batches b where b.tenant_id = %(tenant)s and b.is_legacy and not exists (
        select from notes n
        where n.tenant_id = b.tenant_id and n.batch_key = b.batch_key and n.legacy_state = 'pending'
    )) as batches_done,
    case when current_setting('brain.departments') = '*'
        then (select coalesce(sum(documents), 0)::bigint from corpus_statistics where tenant_id = %(tenant)s)
        else (select count(*) from chunks where tenant_id = %(tenant)s)
    end as chunks,
    (select count(*) from migration_failures where tenant_id = %(tenant)s) as failures,
    (select coalesce(jsonb_agg(f order by f."lastFailedAt" desc, f."externalId"), '[]') from (
        select note_id as "noteId", source, external_id as "externalId", stage, attempts, reason as error,
            last_failed_at as "lastFailedAt"
        from migration_failures where tenant_id = %(tenant)s
        order by last_failed_at desc, external_id
        limit 20
    ) f) as errors,
    (select metrics from measured where name = 'current') as current_metrics,
    (select metrics from measured where name = 'baseline') as baseline_metrics;

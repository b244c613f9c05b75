-- What the migration of legacy notes promises, checked against the ledger of what was attached. The columns are those of
-- the other checks. Without batches (null) they look at all of the tenant's legacy notes.

-- name: check_legacy_ledger
-- Legacy notes that are not there once: a line of the ledger without its note, and a legacy note without its line. A note
-- that is gone has no batch, so the whole ledger is looked through; both sides are read in the order of their keys.
with lost as (
    select l.source || ':' || l.external_id as note, 'attached as ' || l.note_id || ', and not there' as problem
    from legacy_notes l
    where l.tenant_id = %(tenant)s
        and not exists (select from notes n where n.tenant_id = l.tenant_id and n.note_id = l.note_id)
), unknown as (
    select n.source || ':' || n.external_id, n.legacy_state || ', and never attached'
    from notes n
    where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
        and n.legacy_state is not null
        and not exists (select from legacy_notes l where l.tenant_id = n.tenant_id and l.note_id = n.note_id)
), found as (
    select * from lost union all select * from unknown
)
select count(*) over (), note, problem from found order by 2 limit 20;

-- name: check_legacy_dates
-- Legacy notes with another name, or with other dates than they were attached with, unless somebody edited them since.
select count(*) over (), n.source || ':' || n.external_id, format(
    'created %%s, updated %%s; attached as %%s:%%s, created %%s, updated %%s', n.created_at at time zone 'UTC',
    n.updated_at at time zone 'UTC', l.source, l.external_id, l.created_at at time zone 'UTC',
    l.updated_at at time zone 'UTC'
)
from notes n join legacy_notes l using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and (
        (n.source, n.external_id) <> (l.source, l.external_id)
        or (
            (n.created_at, n.updated_at) <> (l.created_at, l.updated_at)
            and (n.updated_at <= l.attached_at or n.updated_at = l.updated_at)
        )
    )
order by 2
limit 20;

-- name: check_legacy_texts
-- Legacy notes whose text is not the one attached, unless somebody edited them since.
select count(*) over (), n.source || ':' || n.external_id, 'its text is not the one that was attached'
from notes n join legacy_notes l using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and (n.updated_at <= l.attached_at or n.updated_at = l.updated_at)
    and l.content_hash <> sha256(
        convert_to(n.language || chr(10) || coalesce(n.title, '') || chr(10) || n.content, 'UTF8')
    )
order by 2
limit 20;

-- name: check_migrated_chunks
-- Notes marked as migrated that are not chunked. One that was edited afterwards is whole until the next run.
select count(*) over (), n.source || ':' || n.external_id, format(
    '%%s chunks, %%s of them the whole note', count(c.chunk_id), count(*) filter (where c.chunking_method = 'whole_note')
)
from notes n left join chunks c using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and n.legacy_state = 'migrated'
group by n.tenant_id, n.note_id
having count(c.chunk_id) = 0
    or (
        bool_or(c.chunking_method = 'whole_note')
        and (n.indexed_fingerprint is not null or n.updated_at <= n.chunked_at)
    )
    or (n.indexed_fingerprint is not null and n.chunked_at is null)
order by 2
limit 20;

-- name: check_pending_chunks
-- Notes not migrated yet that are not found as one whole note.
select count(*) over (), n.source || ':' || n.external_id, format(
    '%%s chunks, %%s of them the whole note', count(c.chunk_id), count(*) filter (where c.chunking_method = 'whole_note')
)
from notes n left join chunks c using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and n.legacy_state = 'pending'
group by n.tenant_id, n.note_id
having count(c.chunk_id) <> 1 or not bool_and(coalesce(c.chunking_method = 'whole_note', false))
order by 2
limit 20;

-- name: check_migrated_failures
-- Notes that were migrated and are still listed as failed. A later failure, such as one of an edit, is another matter.
select count(*) over (), n.source || ':' || n.external_id, format(
    'migrated, and listed as failed in %%s: %%s', f.stage, left(f.reason, 200)
)
from migration_failures f join notes n using (tenant_id, source, external_id)
where f.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and n.legacy_state = 'migrated' and f.stage <> 'attachment' and f.last_failed_at <= n.chunked_at
order by 2
limit 20;

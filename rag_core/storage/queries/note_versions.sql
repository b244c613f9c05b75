-- What notes were before they were changed or deleted.

-- name: list_versions
-- Those of a note, newest first.
select note_id, version_id, changed_at, is_deletion, source, external_id, title, content, language, metadata, created_at, dated_by
from note_versions
where tenant_id = %(tenant)s and note_id = %(note)s and changed_at >= %(since)s
order by changed_at desc;

-- name: list_deleted
-- The last version of each note that is gone and whose name no other note has, the last deleted first; where names are given, of
-- those of these external ids, source:id or uuids.
select note_id, version_id, changed_at, is_deletion, source, external_id, title, content, language, metadata, created_at, dated_by
from note_versions v
where tenant_id = %(tenant)s and is_deletion and changed_at >= %(since)s
    and (%(names)s::text[] is null or v.external_id = any(%(names)s) or v.source || ':' || v.external_id = any(%(names)s)
        or v.note_id::text = any(%(names)s))
    and not exists (select from notes n where n.tenant_id = v.tenant_id and n.note_id = v.note_id)
    and not exists (
        select from notes n where n.tenant_id = v.tenant_id and n.source = v.source and n.external_id = v.external_id
    )
    and not exists (
        select from note_versions l where l.tenant_id = v.tenant_id and l.note_id = v.note_id and l.changed_at > v.changed_at
    )
order by changed_at desc
limit %(limit)s;

-- name: count_deleted
select count(*) from note_versions where tenant_id = %(tenant)s and note_id = any(%(notes)s) and is_deletion;

-- name: purge_versions
with gone as (
    delete from note_versions where tenant_id = %(tenant)s and changed_at < %(before)s returning 1
)
select count(*) from gone;

-- name: forget_versions
delete from note_versions where tenant_id = %(tenant)s and note_id = any(%(notes)s);

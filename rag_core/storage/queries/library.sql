-- The library: all notes of a tenant that filters leave, in parts.

-- name: count_library
select count(*) from notes n where n.tenant_id = %(tenant)s and {filters};

-- name: list_by_name
-- In the order of sources and names, behind the last one of the part before.
select n.note_id, n.external_id, n.source, n.title, n.content, n.language, n.created_at, n.metadata, n.dated_by
from notes n
where n.tenant_id = %(tenant)s and (n.source, n.external_id) > (%(source)s, %(external_id)s) and {filters}
order by n.source, n.external_id
limit %(limit)s;

-- name: list_by_date
-- The newest first, with the beginnings of their texts; behind the note named by (created_at, note_id), or from the top.
select n.note_id, n.external_id, n.source, n.title, left(n.content, 400), n.language, n.created_at, n.metadata, n.dated_by
from notes n
where n.tenant_id = %(tenant)s and {filters}
    and (%(before)s::timestamptz is null or (n.created_at, n.note_id) < (%(before)s::timestamptz, %(before_id)s::uuid))
order by n.created_at desc, n.note_id desc
limit %(limit)s;

-- name: library_ends
-- The first and the last moment of those notes.
select min(n.created_at), max(n.created_at) from notes n where n.tenant_id = %(tenant)s and {filters};

-- name: count_by_facet
-- Those notes by source, by kind and by month: the place of the last of the beginnings, from 1, that is not behind its moment.
select f.source, f.kind, f.month, count(*)
from (
    select n.source, n.kind, width_bucket(n.created_at, %(months)s::timestamptz[]) as month
    from notes n
    where n.tenant_id = %(tenant)s and {filters}
) f
group by grouping sets ((f.source), (f.kind), (f.month))
order by count(*) desc, f.source, f.kind, f.month;

-- name: count_by_tag
select t.tag, count(*)
from notes n cross join lateral unnest(n.tags) t (tag)
where n.tenant_id = %(tenant)s and {filters}
group by t.tag
order by count(*) desc, t.tag collate "C";

-- name: fetch_origin
-- The kind of a note, and the file it is read from, where there is one.
select n.kind, d.path, f.path as folder, coalesce(f.is_watched, false) as is_watched, coalesce(d.is_upload, false) as is_upload
from notes n
left join documents d on d.tenant_id = n.tenant_id and d.note_id = n.note_id
left join folders f on f.tenant_id = d.tenant_id and f.source = d.source and not d.is_upload
where n.tenant_id = %(tenant)s and n.note_id = %(note)s;

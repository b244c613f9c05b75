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

-- name: fetch_created_at
-- When the notes of chunks were written.
select c.chunk_id, n.created_at
from chunks c join notes n using (tenant_id, note_id)
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s);

-- name: fetch_recent_chunks
-- The beginnings of the notes that were written last, newest first: of each note its first chunk.
select c.chunk_id, n.note_id, n.external_id, n.source, n.title, n.created_at, n.dated_by, n.language, c.start_char,
    left(c.content, %(characters)s)
from (
    select n.* from notes n
    where n.tenant_id = %(tenant)s and {filters}
    order by n.created_at desc, n.note_id desc
    limit %(limit)s
) n
join chunks c on c.tenant_id = n.tenant_id and c.note_id = n.note_id and c.chunk_index = 0
order by n.created_at desc, n.note_id desc;

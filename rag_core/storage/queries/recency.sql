-- name: fetch_created_at
-- When the notes of chunks were written.
select c.chunk_id, n.created_at
from chunks c join notes n using (tenant_id, note_id)
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s);

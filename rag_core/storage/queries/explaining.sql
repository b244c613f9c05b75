-- name: fetch_chunks_of_note
select chunk_id from chunks where tenant_id = %(tenant)s and note_id = %(note)s order by chunk_index;

-- name: note_meets
-- Whether a chunk of the note meets the conditions.
select exists (
    select from notes n join chunks c on c.tenant_id = n.tenant_id and c.note_id = n.note_id
    where n.tenant_id = %(tenant)s and n.note_id = %(note)s and {filters}
);

-- name: fetch_shared_lexemes
-- The terms of a query that stand in a note.
select distinct t.lexeme
from chunks c
cross join lateral unnest(c.lexemes) l
join unnest(%(term_languages)s::text[], %(lexemes)s::text[]) t (language, lexeme) on t.language = c.language and t.lexeme = l.lexeme
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s)
order by t.lexeme;

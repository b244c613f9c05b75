-- name: fetch_placed_blocks
-- The blocks with pages that hold a span of a document's text, from the last one that begins before it.
select block_index as index, start_char as start, end_char as end, page, box
from blocks
where tenant_id = %(tenant)s and note_id = %(note)s and page is not null and start_char < %(end)s and start_char >= coalesce(
    (
        select max(start_char) from blocks
        where tenant_id = %(tenant)s and note_id = %(note)s and page is not null and start_char <= %(start)s
    ), 0
)
order by block_index;

-- name: fetch_file_of_note
-- The file that a note was made of. One of a folder that was refused or failed since is another one than the note was made of.
select source, path, format, file_hash, pages, page_unit, is_upload, is_upload or status = 'imported' as is_current
from documents
where tenant_id = %(tenant)s and note_id = %(note)s
limit 1;

-- name: fetch_place_of_folder
-- Asked as owner: who may see a note of a folder may not see the folder.
select path from brain.folders where tenant_id = %(tenant)s and source = %(source)s;

-- name: count_rows_before
-- Rows of Markdown tables of notes, each a line, that end before a place; in the order given.
select regexp_count(substr(n.content, p.start_char + 1, p.end_char - p.start_char), E'\n') - 2
from unnest(%(notes)s::uuid[], %(starts)s::int[], %(ends)s::int[]) with ordinality p (note_id, start_char, end_char, place)
left join notes n on n.tenant_id = %(tenant)s and n.note_id = p.note_id
order by p.place;

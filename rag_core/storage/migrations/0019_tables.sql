-- Headings and tables of notes: sections for what is shown around a chunk, and chunks that are parts of tables.

-- Where headings begin, as sentence_starts.
alter table notes add column section_starts integer[];
alter table staged_notes add column section_starts integer[] not null default '{}';

do $$
declare
    table_name text;
begin
    foreach table_name in array array['chunks', 'staged_chunks'] loop
        execute format(
            'alter table %1$I
                add column kind text not null default ''text''
                    check (kind in (''text'', ''table'', ''table_segment'', ''table_summary'')),
                -- Of a part of a table: where its header begins in the note, its cells, and the line above the table.
                add column table_start integer check (table_start >= 0),
                add column headers text[],
                add column caption text,
                add check ((kind = ''text'') = (table_start is null)),
                add check ((kind = ''text'') = (headers is null))', table_name
        );
    end loop;
end $$;
create index chunks_tables on chunks (tenant_id, note_id) where kind <> 'text';

-- A small number for every chunk, never given twice, by which posting lists name it.

alter table chunks add column number integer generated always as identity;
create unique index chunks_number on chunks (tenant_id, number);
-- Whoever sees a part of a large tenant has their statistics counted from this index alone.
drop index chunks_of_note;
create index chunks_of_note on chunks (tenant_id, note_id) include (chunk_id, language, number);

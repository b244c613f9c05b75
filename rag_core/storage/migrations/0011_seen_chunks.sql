-- Which chunks somebody sees, without reading them.

-- With a chunk's language beside its id: whoever sees a part of a large tenant has their statistics counted from this index alone.
create index chunks_of_note_seen on chunks (tenant_id, note_id) include (chunk_id, language);
drop index chunks_of_note;
alter index chunks_of_note_seen rename to chunks_of_note;

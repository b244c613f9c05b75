-- Who sent an upload, and uploads that are archived: kept as files, found by nobody.

alter table documents
    -- Name of the key that sent or asked for it first; null without keys.
    add column uploaded_by text check (uploaded_by <> ''),
    -- Metadata of the note when it was archived, for the one that is made again; null once there is one.
    add column archived_metadata jsonb,
    drop constraint documents_status_check,
    add constraint documents_status_check check (status in ('queued', 'imported', 'refused', 'failed', 'archived')),
    drop constraint documents_check,
    add constraint documents_check check ((status in ('queued', 'imported', 'archived')) = (error is null)),
    add constraint documents_archived check (status <> 'archived' or (is_upload and note_id is null));

-- An active document is archived, and queued from there; between the other states every way is open.
create function check_document_status() returns trigger language plpgsql as $$
begin
    raise exception 'a document does not go from % to %', old.status, new.status using errcode = 'check_violation';
end $$;
create trigger documents_status before update on documents
    for each row when (
        (old.status = 'archived' and new.status not in ('archived', 'queued')) or (new.status = 'archived' and old.status not in ('archived', 'imported'))
    ) execute function check_document_status();

-- The chunks of tables in their order: those around a chunk, and the first and last of a table, are each one look-up.
drop index chunks_tables;
create index chunks_tables on chunks (tenant_id, note_id, table_start, start_char) where kind <> 'text';

-- What is told of notes narrows searches: results kept from before do not serve.
create trigger note_enrichments_insert_recorded after insert on note_enrichments
    referencing new table as changed for each statement execute function record_change();
create trigger note_enrichments_update_recorded after update on note_enrichments
    referencing new table as changed for each statement execute function record_change();

-- Who sent an upload.

alter table documents
    -- Name of the key that sent or asked for it first; null without keys.
    add column uploaded_by text check (uploaded_by <> '');

-- Notes that came from files: the folders, uploads, each file's state, the blocks of its text and the links in it.

-- Where created_at comes from. A day of the file or of the import is one that nobody wrote: answers do not say it.
alter table notes add column dated_by text not null default 'given'
    check (dated_by in ('given', 'name', 'heading', 'file', 'import'));

-- One folder a source: a second one whose notes would mix with the first one's is refused.
create table folders (
    tenant_id text not null references tenants on delete cascade,
    source text not null check (source <> ''),
    path text not null check (path <> ''),
    -- st_dev of the folder: another device at the same path is not the folder that was there.
    device text not null,
    -- A watched folder is followed: what changes in it is imported, what is gone is removed.
    is_watched boolean not null default false,
    exclude text[] not null default '{}',
    language text check (language in ('es', 'de', 'en')),
    -- Reason why the last import left something undone; null where it did not.
    problem text,
    -- Most notes that the folder had within a day: removals in small steps add up.
    most_notes integer not null default 0 check (most_notes >= 0),
    most_notes_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    imported_at timestamptz not null default now(),
    primary key (tenant_id, source)
);

-- Uploaded files by their content; watched files stay where they are.
create table originals (
    tenant_id text not null references tenants on delete cascade,
    -- SHA-256 of the content.
    file_hash bytea not null check (octet_length(file_hash) = 32),
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, file_hash)
);
-- Most formats are packed already.
alter table originals alter column content set storage external;

-- A row a file of a folder or an upload, whether or not a note was made of it.
create table documents (
    tenant_id text not null references tenants on delete cascade,
    source text not null,
    -- Relative to the folder, with "/".
    path text not null check (path <> ''),
    note_id uuid,
    status text not null check (status in ('queued', 'imported', 'refused', 'failed')),
    is_upload boolean not null default false,
    -- Of an upload: the id that its note gets, known before it is parsed, and the job that parses it.
    document_id uuid,
    job_id uuid,
    error text,
    format text,
    -- SHA-256 of the file; null where it was refused before it was read.
    file_hash bytea check (octet_length(file_hash) = 32),
    file_size bigint not null check (file_size >= 0),
    modified_ns bigint not null,
    -- Format and version of the parser: another one parses the file again.
    parser text,
    parser_confidence double precision check (parser_confidence between 0 and 1),
    author text,
    pages integer check (pages >= 0),
    page_unit text not null default 'page' check (page_unit in ('page', 'slide', 'sheet', 'section')),
    warnings jsonb not null default '[]',
    checked_at timestamptz not null default now(),
    primary key (tenant_id, source, path),
    foreign key (tenant_id, note_id) references notes on delete set null (note_id),
    check ((status in ('queued', 'imported')) = (error is null)),
    check (is_upload = (document_id is not null))
);
create index documents_note on documents (tenant_id, note_id);
create unique index documents_document on documents (tenant_id, document_id);
create index documents_uploads on documents (tenant_id, checked_at desc, path) where is_upload;

-- The blocks of a document: note.content[start_char:end_char] is the block in Markdown.
create table blocks (
    tenant_id text not null,
    note_id uuid not null,
    block_index integer not null check (block_index >= 0),
    kind text not null check (kind in ('heading', 'paragraph', 'list', 'table', 'code', 'image')),
    start_char integer not null check (start_char >= 0),
    end_char integer not null check (end_char > start_char),
    level smallint check (level between 1 and 6),
    page integer check (page > 0),
    -- Left, top, right, bottom in points from the upper left corner of the page.
    box real[] check (cardinality(box) = 4),
    confidence real check (confidence between 0 and 1),
    primary key (tenant_id, note_id, block_index),
    foreign key (tenant_id, note_id) references notes on delete cascade
);

-- Names by which links mean a note, compared without case: its path, ends of its path, its aliases, its title.
create table note_names (
    tenant_id text not null,
    note_id uuid not null,
    source text not null,
    name_key text not null,
    -- The lower, the stronger: 0 the path, 1 an end of it, 2 an alias, 3 the title.
    rank smallint not null check (rank between 0 and 3),
    primary key (tenant_id, note_id, name_key),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create index note_names_key on note_names (tenant_id, source, name_key, rank);

create table note_links (
    tenant_id text not null,
    note_id uuid not null,
    link_index integer not null check (link_index >= 0),
    kind text not null check (kind in ('wiki', 'relative')),
    start_char integer not null check (start_char >= 0),
    end_char integer not null check (end_char > start_char),
    target text not null,
    target_key text not null,
    heading text,
    primary key (tenant_id, note_id, link_index),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create index note_links_target on note_links (tenant_id, target_key);

-- Spans point into the text they were read from: they go with it, however it is changed.
create function forget_spans() returns trigger language plpgsql set search_path = brain as $$
begin
    delete from blocks where tenant_id = new.tenant_id and note_id = new.note_id;
    delete from note_links where tenant_id = new.tenant_id and note_id = new.note_id;
    return null;
end $$;
create trigger notes_spans_forgotten after update on notes
    for each row when (old.content_hash <> new.content_hash and old.content <> new.content) execute function forget_spans();

-- An upload goes with its note, and its original with the last upload of it, whoever of the tenant deletes the note.
create function forget_upload() returns trigger language plpgsql security definer set search_path = brain as $$
begin
    delete from documents where tenant_id = old.tenant_id and note_id = old.note_id and is_upload;
    return old;
end $$;
create trigger notes_upload_forgotten before delete on notes
    for each row when (old.kind = 'document') execute function forget_upload();
create function forget_original() returns trigger language plpgsql security definer set search_path = brain as $$
begin
    delete from originals o
    where o.tenant_id = old.tenant_id and o.file_hash = old.file_hash and not exists (
        select from documents d where d.tenant_id = old.tenant_id and d.file_hash = old.file_hash and d.is_upload
    );
    return null;
end $$;
create trigger documents_original_forgotten after delete on documents
    for each row when (old.is_upload) execute function forget_original();
create index documents_hash on documents (tenant_id, file_hash) where is_upload;

-- Uploads are parsed as jobs, which are begun again when their server is killed, but not for ever.
alter table evaluation_jobs
    add column attempts integer not null default 0,
    drop constraint evaluation_jobs_kind_check,
    add constraint evaluation_jobs_kind_check check (kind in ('evaluation', 'tuning', 'embedding_benchmark', 'ingestion'));

do $$
declare
    table_name text;
begin
    foreach table_name in array array['folders', 'originals', 'documents', 'blocks', 'note_names', 'note_links'] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, update, delete on %I to brain_app', table_name);
    end loop;
    -- What a note's text went into.
    foreach table_name in array array['documents', 'blocks', 'note_names', 'note_links'] loop
        execute format(
            'create policy audience on %1$I as restrictive using (
                (select current_setting(''brain.departments'', true)) = ''*''
                or exists (select from notes n where n.tenant_id = %1$I.tenant_id and n.note_id = %1$I.note_id)
            )', table_name
        );
    end loop;
end $$;
-- What is about files of notes that a caller may not see.
create policy audience on folders as restrictive using ((select current_setting('brain.departments', true)) = '*');
create policy audience on originals as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (select from documents d where d.tenant_id = originals.tenant_id and d.file_hash = originals.file_hash)
);

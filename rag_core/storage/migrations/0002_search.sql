-- Search within filters: notes by tag, and the columns that filters ask for through indexes.

-- Tags are compared without regard to case and spelling of accents, as people remember them.
create function tag_key(tag text) returns text
    language sql immutable parallel safe
    return replace(lower(normalize(tag, nfc)), 'ß', 'ss');

-- Under row-level security a GIN index over notes.tags is not used, so a tag has a row of its own. The rows follow the notes
-- by trigger. Tags beyond 500 characters stay with the note and are not searched by: a B-tree cannot hold much more.
create table note_tags (
    tenant_id text not null,
    tag text collate "C" not null,
    note_id uuid not null,
    primary key (tenant_id, tag, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create index note_tags_note on note_tags (tenant_id, note_id);

create function keys_of_tags(tags text[]) returns setof text
    language sql immutable parallel safe
begin atomic
    select distinct tag_key(t) from unnest(tags) t where char_length(t) between 1 and 500;
end;

create function index_tags() returns trigger language plpgsql set search_path = brain as $$
begin
    if tg_op = 'UPDATE' then
        delete from note_tags where tenant_id = old.tenant_id and note_id = old.note_id;
    end if;
    insert into note_tags (tenant_id, tag, note_id)
    select new.tenant_id, k, new.note_id from keys_of_tags(new.tags) k;
    return null;
end $$;

-- Notes without tags, which are most, cost a comparison each and no call.
create trigger notes_tagged after insert on notes
    for each row when (new.tags <> '{}') execute function index_tags();
create trigger notes_retagged after update on notes
    for each row when (new.tags is distinct from old.tags) execute function index_tags();

insert into note_tags (tenant_id, tag, note_id)
select n.tenant_id, k, n.note_id from notes n cross join lateral keys_of_tags(n.tags) k;

create index notes_kind on notes (tenant_id, kind, note_id);
create index notes_language on notes (tenant_id, language, note_id);

-- From a note to its chunks without reading them.
create index chunks_of_note on chunks (tenant_id, note_id) include (chunk_id);

alter table note_tags enable row level security;
create policy tenant on note_tags using (tenant_id = (select current_setting('brain.tenant', true)));
grant select, insert, delete on note_tags to brain_app;

-- What notes were before they were changed or deleted, for as many days as brain.version_days says; 0 and no value keep nothing.
-- Documents have none: their files hold what they say.

create table note_versions (
    tenant_id text not null references tenants on delete cascade,
    note_id uuid not null,
    version_id uuid not null default gen_random_uuid(),
    -- When this stopped being the note, and whether the note was deleted then.
    changed_at timestamptz not null default clock_timestamp(),
    is_deletion boolean not null,
    source text not null,
    external_id text not null,
    title text,
    content text not null,
    language text not null,
    metadata jsonb not null,
    created_at timestamptz not null,
    dated_by text not null,
    primary key (tenant_id, note_id, version_id)
);
create index note_versions_note on note_versions (tenant_id, note_id, changed_at desc);
create index note_versions_deletions on note_versions (tenant_id, changed_at desc) where is_deletion;

alter table note_versions enable row level security;
create policy tenant on note_versions using (tenant_id = (select current_setting('brain.tenant', true)));
-- A note may have been for others than it is for now.
create policy audience on note_versions as restrictive using ((select current_setting('brain.departments', true)) = '*');
grant select, delete on note_versions to brain_app;

-- The newest 30 of a note are kept. What goes with its tenant leaves none.
create function keep_version() returns trigger language plpgsql security definer set search_path = brain, pg_temp as $$
begin
    if coalesce(nullif(current_setting('brain.version_days', true), ''), '0')::integer = 0
        or not exists (select from tenants where tenant_id = old.tenant_id) then
        return null;
    end if;
    insert into note_versions (
        tenant_id, note_id, is_deletion, source, external_id, title, content, language, metadata, created_at, dated_by
    ) values (
        old.tenant_id, old.note_id, tg_op = 'DELETE', old.source, old.external_id, old.title, old.content, old.language,
        old.metadata, old.created_at, old.dated_by
    );
    delete from note_versions v
    where v.tenant_id = old.tenant_id and v.note_id = old.note_id and v.changed_at <= (
        select changed_at from note_versions
        where tenant_id = old.tenant_id and note_id = old.note_id
        order by changed_at desc offset 30 limit 1
    );
    return null;
end $$;
create trigger notes_changed_version after update on notes for each row
    when (old.kind = 'note' and (old.content_hash, old.metadata, old.created_at) is distinct from (new.content_hash, new.metadata, new.created_at))
    execute function keep_version();
create trigger notes_deleted_version after delete on notes for each row when (old.kind = 'note') execute function keep_version();

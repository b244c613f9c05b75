-- What notes name: persons, organisations, projects, products, laws, dates, amounts, places and documents.
--
-- Everything here follows from the notes, but what somebody decided of their names. A name goes with its last mention, an entity with
-- its last name. While a note that was changed has not been read again, its mentions are kept, so that decisions outlive the change;
-- they count no more: whoever reads mentions compares named_notes with the note.

create table named_entities (
    tenant_id text not null references tenants on delete cascade,
    entity_id uuid not null,
    kind text not null check (kind in (
        'PERSON', 'ORG', 'PROJECT', 'PRODUCT', 'REGULATION', 'DATE', 'MONEY', 'LOCATION', 'DOCUMENT'
    )),
    name text not null check (name <> ''),
    -- Who gave it this name; null: the longest of its names.
    renamed_by text check (renamed_by <> ''),
    created_at timestamptz not null default now(),
    primary key (tenant_id, entity_id),
    unique (tenant_id, entity_id, kind)
);
create index named_entities_kind on named_entities (tenant_id, kind, name);

-- The names of an entity, by their normalised key, and why each is one of it. merged_from is the entity it was one of before
-- somebody merged them; a split goes back to it.
create table entity_names (
    tenant_id text not null,
    kind text not null,
    name_key text not null check (name_key <> ''),
    entity_id uuid not null,
    name text not null check (name <> ''),
    method text not null check (method in (
        'exact', 'initials', 'surname', 'first name', 'legal form', 'acronym', 'spelling', 'merge', 'split'
    )),
    score double precision not null check (score > 0 and score <= 1),
    -- 'rules', or who merged or split.
    decided_by text not null check (decided_by <> ''),
    decided_at timestamptz not null default now(),
    merged_from uuid,
    -- A word beside it, its own form or a list told its kind: it tells the kind in other notes too.
    is_sure boolean not null,
    primary key (tenant_id, kind, name_key),
    foreign key (tenant_id, entity_id, kind) references named_entities (tenant_id, entity_id, kind) on delete cascade
);
create index entity_names_entity on entity_names (tenant_id, entity_id);

-- Words by which names that may be the same are found.
create table entity_name_blocks (
    tenant_id text not null,
    kind text not null,
    block text collate "C" not null,
    name_key text not null,
    primary key (tenant_id, block, kind, name_key),
    foreign key (tenant_id, kind, name_key) references entity_names on delete cascade
);
create index entity_name_blocks_name on entity_name_blocks (tenant_id, kind, name_key);

-- Where a note names it, in code points of the note.
create table named_mentions (
    tenant_id text not null,
    note_id uuid not null,
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    kind text not null,
    name_key text not null,
    confidence double precision not null check (confidence > 0 and confidence <= 1),
    method text not null check (method in ('parser', 'cue', 'list', 'corpus', 'context', 'kinship')),
    primary key (tenant_id, note_id, start_char),
    foreign key (tenant_id, note_id) references notes on delete cascade,
    foreign key (tenant_id, kind, name_key) references entity_names,
    check (end_char > start_char)
);
create index named_mentions_name on named_mentions (tenant_id, kind, name_key);

-- Notes whose names were read, as they were, and by what.
create table named_notes (
    tenant_id text not null,
    note_id uuid not null,
    content_hash bytea not null check (octet_length(content_hash) = 32),
    fingerprint text not null,
    primary key (tenant_id, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);

-- At the end of the transaction, under the lock of the tenant's graph, as of what is no longer mentioned in it.
create function forget_unnamed() returns trigger language plpgsql set search_path = brain as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('brain.graph:' || old.tenant_id, 0));
    delete from entity_names a
    where a.tenant_id = old.tenant_id and a.kind = old.kind and a.name_key = old.name_key
        and not exists (
            select from named_mentions m where m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
        );
    return null;
end $$;
create constraint trigger named_mentions_deleted after delete on named_mentions
    deferrable initially deferred for each row execute function forget_unnamed();

-- An entity without names goes; one that lost a name, or got one, is called by the longest, unless somebody named it.
create function name_entity() returns trigger language plpgsql set search_path = brain as $$
begin
    delete from named_entities e
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_names a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id);
    if not found then
        update named_entities e set name = a.name
        from (
            select name from entity_names where tenant_id = old.tenant_id and entity_id = old.entity_id
            order by char_length(name) desc, name_key limit 1
        ) a
        where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id and e.renamed_by is null and e.name <> a.name;
    end if;
    return null;
end $$;
create trigger entity_names_left after delete or update of entity_id on entity_names
    for each row execute function name_entity();

do $$
declare
    table_name text;
begin
    foreach table_name in array array['named_entities', 'entity_names', 'entity_name_blocks', 'named_mentions', 'named_notes'] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, update, delete on %I to brain_app', table_name);
    end loop;
    foreach table_name in array array['named_mentions', 'named_notes'] loop
        execute format(
            'create policy audience on %1$I as restrictive using (
                (select current_setting(''brain.departments'', true)) = ''*''
                or exists (select from notes n where n.tenant_id = %1$I.tenant_id and n.note_id = %1$I.note_id)
            )', table_name
        );
    end loop;
end $$;
create policy audience on entity_names as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (
        select from named_mentions m
        where m.tenant_id = entity_names.tenant_id and m.kind = entity_names.kind and m.name_key = entity_names.name_key
    )
);
create policy audience on named_entities as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (
        select from entity_names a where a.tenant_id = named_entities.tenant_id and a.entity_id = named_entities.entity_id
    )
);
create policy audience on entity_name_blocks as restrictive using ((select current_setting('brain.departments', true)) = '*');

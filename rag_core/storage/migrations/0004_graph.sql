-- Who and what the notes speak of, and what they say led to what.
--
-- Everything here follows from the notes: rows go with the chunk that is their evidence, and an entity goes with its last
-- mention. A note whose chunks were replaced has no row in graph_notes, so it is read again.

-- An entity is known by the content stems of the phrase it was made from; ids are derived from tenant and key.
create table entities (
    tenant_id text not null references tenants on delete cascade,
    entity_id uuid not null,
    key text not null check (key <> ''),
    name text not null check (name <> ''),
    created_at timestamptz not null default now(),
    primary key (tenant_id, entity_id),
    unique (tenant_id, key)
);

-- Every phrase that means the entity, by its content stems; the entity's own among them.
create table entity_aliases (
    tenant_id text not null,
    alias_key text not null check (alias_key <> ''),
    entity_id uuid not null,
    language text not null check (language in ('es', 'de', 'en')),
    name text not null check (name <> ''),
    stems text[] not null check (cardinality(stems) > 0),
    primary key (tenant_id, alias_key),
    unique (tenant_id, alias_key, entity_id),
    foreign key (tenant_id, entity_id) references entities on delete cascade
);
create index entity_aliases_entity on entity_aliases (tenant_id, entity_id);

-- Aliases by stem, for look-ups by equality: an index on an array is not used under row-level security.
create table entity_stems (
    tenant_id text not null,
    language text not null,
    stem text collate "C" not null,
    alias_key text not null,
    primary key (tenant_id, language, stem, alias_key),
    foreign key (tenant_id, alias_key) references entity_aliases on delete cascade
);
create index entity_stems_alias on entity_stems (tenant_id, alias_key);

-- Where a note speaks of an entity, in code points of the note.
create table mentions (
    tenant_id text not null,
    note_id uuid not null,
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    alias_key text not null,
    entity_id uuid not null,
    chunk_id uuid not null,
    primary key (tenant_id, note_id, start_char, end_char),
    foreign key (tenant_id, alias_key, entity_id) references entity_aliases (tenant_id, alias_key, entity_id),
    foreign key (tenant_id, chunk_id) references chunks on delete cascade,
    check (end_char > start_char)
);
create index mentions_alias on mentions (tenant_id, alias_key);
create index mentions_chunk on mentions (tenant_id, chunk_id);

-- One table for every kind of relation; of the causal kinds the source is the cause. Which kinds are walked is the query's
-- business: a question for causes follows CAUSES, TRIGGERS and LEADS_TO only.
create table relations (
    tenant_id text not null,
    relation_id uuid not null,
    source_id uuid not null,
    target_id uuid not null,
    kind text not null check (kind in (
        'CAUSES', 'TRIGGERS', 'LEADS_TO', 'WORKS_FOR', 'MANAGES', 'OWNS', 'REFERENCES', 'PART_OF', 'RELATED_TO', 'CREATED_BY',
        'APPROVED_BY', 'REPORTS_TO', 'COLLABORATES_WITH', 'PREREQUISITE', 'COMPARED_TO', 'USES', 'IMPLEMENTS', 'EXAMPLE_OF'
    )),
    note_id uuid not null,
    chunk_id uuid not null,
    evidence_start integer not null check (evidence_start >= 0),
    evidence_end integer not null,
    confidence double precision not null check (confidence > 0 and confidence <= 1),
    extractor text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, relation_id),
    foreign key (tenant_id, source_id) references entities on delete cascade,
    foreign key (tenant_id, target_id) references entities on delete cascade,
    foreign key (tenant_id, chunk_id) references chunks on delete cascade,
    constraint relations_no_self_loop check (source_id <> target_id),
    check (evidence_end > evidence_start)
);
create index relations_source on relations (tenant_id, source_id);
create index relations_target on relations (tenant_id, target_id);
create index relations_chunk on relations (tenant_id, chunk_id);
create index relations_note on relations (tenant_id, note_id);

-- Notes that were read, and by what; a note without relations has its row too.
create table graph_notes (
    tenant_id text not null,
    note_id uuid not null,
    content_hash bytea not null check (octet_length(content_hash) = 32),
    fingerprint text not null,
    read_at timestamptz not null default now(),
    primary key (tenant_id, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);

-- Relations and mentions go with the chunk by foreign key; the note is to be read again.
create function forget_graph_of_deleted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    delete from graph_notes g
    using (select distinct tenant_id, note_id from deleted) d
    where g.tenant_id = d.tenant_id and g.note_id = d.note_id;
    return null;
end $$;
create trigger chunks_deleted_from_graph after delete on chunks
    referencing old table as deleted for each statement execute function forget_graph_of_deleted_chunks();

-- A name goes with its last mention, an entity with its last name; one that lost the name it was made from takes on another of
-- its own. Whoever writes entities or their names has the tenant's lock. Here it is the last lock of a transaction, taken when
-- that ends: whoever has it waits for no other writer, so none wait for each other in a circle, and who deletes no mention
-- waits for nobody.
create function forget_unmentioned() returns trigger language plpgsql set search_path = brain as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('brain.graph:' || old.tenant_id, 0));
    delete from entity_aliases a
    where a.tenant_id = old.tenant_id and a.alias_key = old.alias_key
        and not exists (select from mentions m where m.tenant_id = a.tenant_id and m.alias_key = a.alias_key);
    if not found then
        return null;
    end if;
    delete from entities e
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_aliases a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id);
    if found then
        return null;
    end if;
    update entities e set key = a.alias_key, name = a.name
    from (
        select alias_key, name from entity_aliases
        where tenant_id = old.tenant_id and entity_id = old.entity_id
        order by cardinality(stems), alias_key limit 1
    ) a
    where e.tenant_id = old.tenant_id and e.entity_id = old.entity_id
        and not exists (select from entity_aliases o where o.tenant_id = e.tenant_id and o.alias_key = e.key);
    return null;
end $$;
create constraint trigger mentions_deleted after delete on mentions
    deferrable initially deferred for each row execute function forget_unmentioned();

do $$
declare
    table_name text;
begin
    foreach table_name in array array[
        'entities', 'entity_aliases', 'entity_stems', 'mentions', 'relations', 'graph_notes'
    ] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, delete on %I to brain_app', table_name);
    end loop;
end $$;
grant update on entities to brain_app;

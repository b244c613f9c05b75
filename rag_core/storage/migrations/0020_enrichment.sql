-- Enrichment of notes: type, topics, key phrases, summary, reading ease, counts.

create table note_enrichments (
    tenant_id text not null,
    note_id uuid not null,
    -- Of the text that it was told from, and the version of the rules.
    content_hash bytea not null check (octet_length(content_hash) = 32),
    rules_version text not null,
    -- "rules", or the chat model that told type, topics and summary.
    made_by text not null check (made_by <> ''),
    document_type text not null check (document_type in (
        'contract', 'invoice', 'report', 'manual', 'presentation', 'correspondence', 'policy', 'specification', 'meeting_notes',
        'other'
    )),
    -- Null where the chat model told the type.
    type_confidence real check (type_confidence between 0 and 1),
    topics text[] not null,
    -- Topics as they are compared; see tag_key.
    topic_keys text[] not null,
    key_phrases text[] not null,
    -- Null for a text that is as short as its summary would be.
    summary text,
    -- From 0, very hard, to 100; null for a text too short to tell.
    reading_ease real check (reading_ease between 0 and 100),
    words integer not null check (words >= 0),
    sections integer not null check (sections >= 0),
    tables integer not null check (tables >= 0),
    images integer not null check (images >= 0),
    enriched_at timestamptz not null default now(),
    primary key (tenant_id, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
-- Under row-level security a GIN index over topics is not used; so all of a tenant's are compared, without reading the rows.
create index note_enrichments_filters on note_enrichments (tenant_id, document_type) include (note_id, topic_keys);

alter table note_enrichments enable row level security;
create policy tenant on note_enrichments using (tenant_id = (select current_setting('brain.tenant', true)));
create policy audience on note_enrichments as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (select from notes n where n.tenant_id = note_enrichments.tenant_id and n.note_id = note_enrichments.note_id)
);
grant select, insert, update, delete on note_enrichments to brain_app;

-- The chat model tells type and topics together with the summary; null and empty in those that were made before.
alter table note_summaries
    add column document_type text,
    add column topics text[] not null default '{}';

-- Summaries of notes by a chat model: what their contextual vectors are made with.

-- One for each text, model and wording of the question. A summary lives and goes with the note it was made for; another
-- note of the same title and text shares it as long as it is there.
create table note_summaries (
    tenant_id text not null,
    content_hash bytea not null check (octet_length(content_hash) = 32),
    model text not null check (model <> ''),
    prompt_version text not null check (prompt_version <> ''),
    note_id uuid not null,
    summary text not null check (char_length(summary) between 1 and 200),
    created_at timestamptz not null default now(),
    primary key (tenant_id, content_hash, model, prompt_version),
    foreign key (tenant_id, note_id) references notes on delete cascade
);
create index note_summaries_note on note_summaries (tenant_id, note_id);

alter table note_summaries enable row level security;
create policy tenant on note_summaries using (tenant_id = (select current_setting('brain.tenant', true)));
grant select, insert, delete on note_summaries to brain_app;

-- Answers and who may have them: keys, what notes may be seen by whom, conversations, what was asked, how it was answered and
-- what people thought of it.

-- Keys --------------------------------------------------------------------------------------------------------------

-- Looked up before the tenant is known, so without a tenant's policy: the application reads a key through find_api_key alone.
create table api_keys (
    key_id text primary key check (key_id ~ '^[a-z0-9]{12}$'),
    tenant_id text not null references tenants on delete cascade,
    name text not null check (name <> ''),
    -- SHA-256 of the secret: it has 256 random bits, so there is nothing that a slow hash would keep from being guessed.
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'evaluate', 'admin']),
    -- Whose notes it sees beside those of everybody; null: all of the tenant's.
    departments text[],
    -- Null: as the settings say.
    questions_per_minute integer check (questions_per_minute > 0),
    questions_per_hour integer check (questions_per_hour > 0),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
);
-- A revoked key leaves its name to the next.
create unique index api_keys_name on api_keys (tenant_id, name) where revoked_at is null;
alter table api_keys enable row level security;

alter table tenants
    -- Null: no limit of its own.
    add column max_notes integer check (max_notes > 0),
    add column questions_per_minute integer check (questions_per_minute > 0),
    add column questions_per_hour integer check (questions_per_hour > 0);

-- The key of that id if the secret is its own, expired and revoked ones too, with its own limits, else its tenant's; that it is
-- used is kept to the minute.
create function find_api_key(wanted text, hash bytea) returns table (
    tenant_id text, name text, scopes text[], departments text[], questions_per_minute integer, questions_per_hour integer,
    expires_at timestamptz, revoked_at timestamptz
)
language sql volatile security definer set search_path = brain, pg_temp as $$
    update api_keys k set last_used_at = now()
    where k.key_id = wanted and k.secret_hash = hash
        and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
    select k.tenant_id, k.name, k.scopes, k.departments, coalesce(k.questions_per_minute, t.questions_per_minute),
        coalesce(k.questions_per_hour, t.questions_per_hour), k.expires_at, k.revoked_at
    from api_keys k join tenants t using (tenant_id)
    where k.key_id = wanted and k.secret_hash = hash;
$$;
revoke all on function find_api_key(text, bytea) from public;
grant execute on function find_api_key(text, bytea) to brain_app;

-- A chunk that goes with its tenant leaves nothing to be kept up: the tenant's posting lists go as a whole. Kept up chunk by chunk
-- they were nine tenths of the time that the end of a tenant took.
create or replace function index_deleted_chunks() returns trigger language plpgsql set search_path = brain as $$
begin
    if not exists (select from deleted c join tenants t on t.tenant_id = c.tenant_id) then
        return null;
    end if;

    -- The planner's figures are stale just when a bulk load needs them; LIMIT in a lateral query leaves it no choice but a look-up
    -- by primary key for every term.
    delete from postings where ctid = any (array(
        select p.ctid
        from deleted c
        cross join lateral unnest(c.lexemes) t
        cross join lateral (
            select ctid from postings
            where tenant_id = c.tenant_id and language = c.language and lexeme = t.lexeme collate "C"
                and chunk_id = c.chunk_id
            limit 1
        ) p
    ));

    insert into lexeme_statistics (tenant_id, language, lexeme, document_frequency)
    select c.tenant_id, c.language, t.lexeme, -count(*)
    from deleted c cross join lateral unnest(c.lexemes) t
    group by 1, 2, 3;

    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select tenant_id, language, -count(*), -sum(terms_in(lexemes)) from deleted group by 1, 2;
    return null;
end $$;

-- Audiences ---------------------------------------------------------------------------------------------------------

-- The departments that may see a note; null: everybody of the tenant, empty: only who sees all of the tenant's. A transaction
-- says in brain.departments, as a JSON list, whose notes it sees; '*' is all of the tenant's.
alter table notes add column departments text[];
create index notes_departments on notes (tenant_id, note_id) include (departments);
-- Whom notes that name somebody were meant for is read from them when they come in; those that came before wait for that.
update notes set departments = '{}' where metadata ->> 'visibility' in ('department', 'private');

-- What a scan for hidden instructions found in a note's text.
create table note_findings (
    tenant_id text not null,
    note_id uuid not null,
    -- Of the text that was scanned, and the version of the rules.
    content_hash bytea not null,
    rules_version text not null,
    score double precision not null check (score between 0 and 1),
    -- [[start, end, score], …] in code points of the note.
    spans jsonb not null default '[]',
    found_at timestamptz not null default now(),
    primary key (tenant_id, note_id),
    foreign key (tenant_id, note_id) references notes on delete cascade
);

-- Conversations and questions ---------------------------------------------------------------------------------------

create table sessions (
    tenant_id text not null references tenants on delete cascade,
    session_id uuid not null default gen_random_uuid(),
    -- Who asks, as an HMAC with the installation's secret.
    user_hash text not null,
    started_at timestamptz not null default now(),
    last_at timestamptz not null default now(),
    ended_at timestamptz,
    primary key (tenant_id, session_id)
);
create index sessions_of_user on sessions (tenant_id, user_hash, last_at desc);
create index sessions_last_at on sessions (tenant_id, last_at);

-- One question and how it went: figures, never words. The words are in turns, where a conversation is kept at all.
create table queries (
    tenant_id text not null references tenants on delete cascade,
    query_id uuid not null default gen_random_uuid(),
    session_id uuid,
    contract text not null check (contract in ('chat', 'query', 'rag_v2', 'page', 'command')),
    asked_at timestamptz not null default now(),
    user_hash text not null,
    query_hash text not null,
    language text not null check (language in ('es', 'de', 'en')),
    -- How sources were found; null where nothing was searched.
    strategy_used text,
    answerer text,
    outcome text not null check (outcome in ('answered', 'refused', 'blocked', 'failed', 'cancelled')),
    -- Why it was refused, blocked or failed.
    reason text,
    confidence text check (confidence in ('high', 'medium', 'low', 'insufficient')),
    groundedness double precision check (groundedness between 0 and 1),
    execution_time_ms double precision not null,
    semantic_hits integer not null default 0,
    fulltext_hits integer not null default 0,
    graph_hits integer not null default 0,
    prompt_tokens integer not null default 0,
    answer_tokens integer not null default 0,
    primary key (tenant_id, query_id),
    foreign key (tenant_id, session_id) references sessions on delete set null (session_id)
);
create index queries_asked_at on queries (tenant_id, asked_at desc);
create index queries_of_session on queries (tenant_id, session_id) where session_id is not null;

-- The words of a conversation: for whoever had it to read again, and for follow-up questions. Deleted with its session.
create table turns (
    tenant_id text not null,
    query_id uuid not null,
    session_id uuid not null,
    position integer not null check (position >= 0),
    question text not null,
    -- The question as it was searched, where it was a follow-up.
    standalone text,
    -- What was answered, with its citations.
    answer jsonb not null,
    primary key (tenant_id, query_id),
    unique (tenant_id, session_id, position),
    foreign key (tenant_id, query_id) references queries on delete cascade,
    foreign key (tenant_id, session_id) references sessions on delete cascade
);

create table retrieval_metrics (
    tenant_id text not null,
    query_id uuid not null,
    vector_search_ms double precision,
    vector_result_count integer,
    vector_top_score double precision,
    -- Of the ten best, or of as many as there are; null of none.
    vector_avg_score double precision,
    graph_traversal_ms double precision,
    graph_result_count integer,
    graph_max_depth integer,
    concepts_found integer,
    fusion_ms double precision,
    overlap_count integer,
    fusion_top_score double precision,
    rerank_ms double precision,
    rerank_top_score double precision,
    -- Null where nothing was re-ranked, or the scores are on no calibrated scale.
    confidence_threshold_met boolean,
    final_context_tokens integer,
    citation_count integer,
    created_at timestamptz not null default now(),
    primary key (tenant_id, query_id),
    foreign key (tenant_id, query_id) references queries on delete cascade
);

-- One word on one answer; who thinks again replaces it.
create table feedback (
    tenant_id text not null,
    feedback_id uuid not null default gen_random_uuid(),
    query_id uuid not null,
    rating smallint not null check (rating between 1 and 5),
    comment text check (char_length(comment) <= 2000),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, feedback_id),
    unique (tenant_id, query_id),
    foreign key (tenant_id, query_id) references queries on delete cascade
);

-- Isolation ---------------------------------------------------------------------------------------------------------

do $$
declare
    table_name text;
begin
    foreach table_name in array array[
        'note_findings', 'sessions', 'queries', 'turns', 'retrieval_metrics', 'feedback'
    ] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, update, delete on %I to brain_app', table_name);
    end loop;
end $$;

-- Audiences: whoever sees a part of the notes reads nothing that was made of the others, whatever a query forgets to ask. Where
-- nobody says whose notes are to be seen, only those of everybody are. The settings are read once a statement.
create function seen_departments() returns text[] language sql stable
    return case when current_setting('brain.departments', true) like '[%' then array(
        select jsonb_array_elements_text(current_setting('brain.departments', true)::jsonb)
    ) end;

create policy audience on notes as restrictive using (
    departments is null or (select current_setting('brain.departments', true)) = '*'
    or departments && (select seen_departments())
);

do $$
declare
    table_name text;
begin
    -- What a note's text went into.
    foreach table_name in array array['chunks', 'mentions', 'relations', 'note_summaries', 'note_findings', 'note_tags'] loop
        execute format(
            'create policy audience on %1$I as restrictive using (
                (select current_setting(''brain.departments'', true)) = ''*''
                or exists (select from notes n where n.tenant_id = %1$I.tenant_id and n.note_id = %1$I.note_id)
            )', table_name
        );
    end loop;
    -- What is about all of a tenant's notes, or was measured on them.
    foreach table_name in array array[
        'batches', 'staged_notes', 'staged_chunks', 'embedding_cache', 'graph_notes', 'legacy_notes', 'migration_failures', 'golden_sets',
        'golden_queries', 'golden_relevance', 'golden_spans', 'golden_proposals', 'golden_proposal_places', 'evaluation_runs',
        'evaluation_queries', 'evaluation_baselines', 'evaluation_jobs', 'experiments', 'experiment_queries',
        'experiment_feedback'
    ] loop
        execute format(
            'create policy audience on %I as restrictive using ((select current_setting(''brain.departments'', true)) = ''*'')',
            table_name
        );
    end loop;
end $$;
create policy audience on entity_aliases as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (
        select from mentions m where m.tenant_id = entity_aliases.tenant_id and m.alias_key = entity_aliases.alias_key
    )
);
create policy audience on entities as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (
        select from entity_aliases a where a.tenant_id = entities.tenant_id and a.entity_id = entities.entity_id
    )
);

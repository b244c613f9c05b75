-- Evaluation to rely on: golden sets in either vocabulary, relevance by grade and by span, jobs, judged answers, configurations
-- that are proposed, promoted and taken back, and experiments on live queries.

-- Golden sets -------------------------------------------------------------------------------------------------------

-- A set speaks one of two vocabularies: 'brain_sync' has five categories and difficulties 1 to 5; 'rag_v2' has six, and easy,
-- medium and hard, kept as 1, 3 and 5.
alter table golden_sets
    add column vocabulary text not null default 'brain_sync' check (vocabulary in ('brain_sync', 'rag_v2')),
    add column updated_at timestamptz not null default now(),
    add unique (tenant_id, set_id, vocabulary);

alter table golden_queries
    add column vocabulary text not null default 'brain_sync',
    -- What an answer must say, and what it must not.
    add column key_facts text[] not null default '{}',
    add column forbidden_content text[] not null default '{}',
    add column created_by text,
    add column verified_by text,
    add column verified_at timestamptz,
    drop constraint golden_queries_category_check,
    drop constraint golden_queries_tenant_id_set_id_fkey,
    add foreign key (tenant_id, set_id, vocabulary) references golden_sets (tenant_id, set_id, vocabulary)
        on update cascade on delete cascade,
    add constraint golden_queries_in_vocabulary check (
        (vocabulary = 'brain_sync' and category in ('factual', 'causal', 'temporal', 'comparative', 'multi-part'))
        or (
            vocabulary = 'rag_v2' and difficulty in (1, 3, 5)
            and category in ('factual', 'comparative', 'procedural', 'relational', 'aggregative', 'multi_hop')
        )
    );
create index golden_queries_category on golden_queries (tenant_id, set_id, category);

-- How relevant: 1 it answers in part or beside other things, 2 it answers, 3 it is the best answer there is.
alter table golden_relevance add column grade smallint not null default 1 check (grade between 1 and 3);

-- Where in a relevant note the answer stands. The quote finds the place again when the note was edited; chunks come and go.
create table golden_spans (
    tenant_id text not null,
    query_id uuid not null,
    note_id uuid not null,
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    quote text not null,
    primary key (tenant_id, query_id, note_id, start_char, end_char),
    foreign key (tenant_id, query_id, note_id) references golden_relevance on delete cascade,
    constraint golden_spans_quote_fits check (end_char > start_char and char_length(quote) = end_char - start_char)
);

-- Queries that the program thought of. Only a person's word makes golden queries of them.
create table golden_proposals (
    tenant_id text not null references tenants on delete cascade,
    proposal_id uuid not null default gen_random_uuid(),
    set_name text not null check (set_name <> ''),
    query text not null check (query <> ''),
    query_hash bytea not null check (octet_length(query_hash) = 32),
    note_id uuid not null,
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    quote text not null,
    expected_answer text not null default '',
    category text not null,
    difficulty smallint not null check (difficulty between 1 and 5),
    -- 'template:causal', 'model:llama3.2'
    method text not null,
    state text not null default 'open' check (state in ('open', 'accepted', 'rejected')),
    created_at timestamptz not null default now(),
    decided_at timestamptz,
    decided_by text,
    primary key (tenant_id, proposal_id),
    unique (tenant_id, set_name, query_hash),
    foreign key (tenant_id, note_id) references notes on delete cascade,
    constraint golden_proposals_quote_fits check (end_char > start_char and char_length(quote) = end_char - start_char)
);
create index golden_proposals_note on golden_proposals (tenant_id, note_id);

-- Where else a proposal's answer stands: what is compared may be in two notes.
create table golden_proposal_places (
    tenant_id text not null,
    proposal_id uuid not null,
    note_id uuid not null,
    start_char integer not null check (start_char >= 0),
    end_char integer not null,
    quote text not null,
    primary key (tenant_id, proposal_id, note_id, start_char, end_char),
    foreign key (tenant_id, proposal_id) references golden_proposals on delete cascade,
    foreign key (tenant_id, note_id) references notes on delete cascade,
    constraint golden_proposal_places_quote_fits check (end_char > start_char and char_length(quote) = end_char - start_char)
);
create index golden_proposal_places_note on golden_proposal_places (tenant_id, note_id);

-- A proposal goes with any of its notes.
create function forget_proposal_without_place() returns trigger language plpgsql set search_path = brain as $$
begin
    delete from golden_proposals where tenant_id = old.tenant_id and proposal_id = old.proposal_id;
    return null;
end $$;
create trigger golden_proposal_places_deleted after delete on golden_proposal_places
    for each row execute function forget_proposal_without_place();

-- Runs --------------------------------------------------------------------------------------------------------------

alter table evaluation_runs
    drop constraint evaluation_runs_purpose_check,
    add check (purpose in ('manual', 'nightly', 'migration', 'model', 'gate', 'promotion', 'benchmark')),
    -- With the version what was asked; null for runs from before it was kept.
    add column set_id uuid,
    add column set_vocabulary text check (set_vocabulary in ('brain_sync', 'rag_v2')),
    -- Means that have no column of their own, by name; undefined ones are null.
    add column metrics jsonb not null default '{}',
    -- {stage: {"p50", "p95", "p99"}} in milliseconds.
    add column latency_stages jsonb not null default '{}',
    -- Metrics of answers with who judged; null when none were asked for.
    add column answers jsonb;

alter table evaluation_queries
    -- Beside relevant_note_ids, in its order; null means 1 throughout.
    add column relevance_grades smallint[],
    -- U-measure over the passages, and the rank of the first one that holds a golden span; null without spans.
    add column u_measure double precision check (u_measure between 0 and 1),
    add column first_passage_rank integer check (first_passage_rank > 0),
    -- Whether results reached the similarity threshold; null for runs from before it was kept.
    add column is_confident boolean,
    add column stages jsonb not null default '{}',
    -- The answer, what it cites, and its metrics.
    add column answer jsonb,
    add constraint evaluation_queries_grades_fit
        check (relevance_grades is null or cardinality(relevance_grades) = cardinality(relevant_note_ids));

-- What takes long: asked for over HTTP, done by a server in the background, cancelled between two steps.
create table evaluation_jobs (
    tenant_id text not null references tenants on delete cascade,
    job_id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('evaluation', 'tuning', 'embedding_benchmark')),
    parameters jsonb not null default '{}',
    state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
    stage text,
    done integer not null default 0 check (done >= 0),
    total integer check (total >= 0),
    error text,
    result jsonb,
    is_cancel_wanted boolean not null default false,
    worker text,
    -- A running job whose worker fell silent has failed.
    heartbeat_at timestamptz,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    primary key (tenant_id, job_id)
);
create index evaluation_jobs_created_at on evaluation_jobs (tenant_id, created_at desc);
create index evaluation_jobs_open on evaluation_jobs (created_at) where state in ('queued', 'running');
-- When a tenant last had its turn.
create index evaluation_jobs_started_at on evaluation_jobs (tenant_id, started_at);

-- Configurations ----------------------------------------------------------------------------------------------------

-- What differs from the program's defaults, with the evidence for it. Never changed: a promotion points to it.
create table configurations (
    tenant_id text not null references tenants on delete cascade,
    configuration_id uuid not null default gen_random_uuid(),
    -- Counted from 1 for every tenant: what a person calls it.
    number integer not null check (number > 0),
    override jsonb not null,
    -- name@version of the model that method, weights and threshold were chosen for; with another one they are left out.
    embedding_model text,
    -- Weights of the embedded re-ranker; null means the shipped ones.
    reranker_version text,
    origin text not null check (origin in ('tuning', 'manual')),
    evidence jsonb not null default '{}',
    created_at timestamptz not null default now(),
    primary key (tenant_id, configuration_id),
    unique (tenant_id, number),
    foreign key (tenant_id, reranker_version) references rerankers
);

-- The last one says what is served; none, or a null configuration, means the program's defaults.
create table promotions (
    tenant_id text not null references tenants on delete cascade,
    number integer not null check (number > 0),
    configuration_id uuid,
    action text not null check (action in ('promote', 'return', 'reset')),
    reason text,
    -- The comparison that allowed it.
    evidence jsonb not null default '{}',
    promoted_at timestamptz not null default now(),
    primary key (tenant_id, number),
    foreign key (tenant_id, configuration_id) references configurations
);

-- Fitted weights are served by the configuration that names them.
insert into configurations (tenant_id, number, override, reranker_version, origin, evidence)
select tenant_id, 1, '{}', version, 'tuning', fitted_on from rerankers where state = 'active';
insert into promotions (tenant_id, number, configuration_id, action, reason)
select tenant_id, 1, configuration_id, 'promote', 'were in use when promotions began to be kept' from configurations;
alter table rerankers drop column state;

-- Experiments on live queries ---------------------------------------------------------------------------------------

create table experiments (
    tenant_id text not null references tenants on delete cascade,
    experiment_id uuid not null default gen_random_uuid(),
    name text not null check (name <> ''),
    -- 'split': a share of queries is answered by the candidate; 'shadow': it answers beside, unseen; 'interleave': one list
    -- of both, team draft.
    mode text not null check (mode in ('split', 'shadow', 'interleave')),
    share double precision not null check (share > 0 and share <= 1),
    -- What was served when it began, and what is tried, both as whole configurations.
    control jsonb not null,
    candidate jsonb not null,
    control_reranker text,
    candidate_reranker text,
    candidate_configuration_id uuid,
    state text not null default 'running' check (state in ('running', 'stopped')),
    started_at timestamptz not null default now(),
    stopped_at timestamptz,
    primary key (tenant_id, experiment_id),
    unique (tenant_id, name),
    foreign key (tenant_id, candidate_configuration_id) references configurations
);
create unique index experiments_one_running on experiments (tenant_id) where state = 'running';

-- One live query of an experiment: no words of it, only what both sides brought back and how long they took.
create table experiment_queries (
    tenant_id text not null,
    query_id uuid not null default gen_random_uuid(),
    experiment_id uuid not null,
    arm text not null check (arm in ('control', 'candidate', 'interleaved')),
    asked_at timestamptz not null default now(),
    -- Unique notes, best first; null where that side was not run.
    control_notes uuid[],
    candidate_notes uuid[],
    served_notes uuid[] not null,
    -- Of an interleaved list: beside served_notes, 'control' or 'candidate', whoever put it there.
    teams text[],
    control_ms double precision,
    candidate_ms double precision,
    is_degraded boolean not null default false,
    primary key (tenant_id, query_id),
    foreign key (tenant_id, experiment_id) references experiments on delete cascade,
    constraint experiment_queries_teams_fit check (teams is null or cardinality(teams) = cardinality(served_notes))
);
create index experiment_queries_experiment on experiment_queries (tenant_id, experiment_id, asked_at);

create table experiment_feedback (
    tenant_id text not null,
    feedback_id uuid not null default gen_random_uuid(),
    query_id uuid not null,
    -- What was opened or judged; null for a word on the whole answer. The note may be gone by now.
    note_id uuid,
    kind text not null check (kind in ('open', 'helpful', 'unhelpful')),
    given_at timestamptz not null default now(),
    primary key (tenant_id, feedback_id),
    unique nulls not distinct (tenant_id, query_id, note_id, kind),
    foreign key (tenant_id, query_id) references experiment_queries on delete cascade
);

-- Isolation ---------------------------------------------------------------------------------------------------------

do $$
declare
    table_name text;
begin
    foreach table_name in array array[
        'golden_spans', 'golden_proposals', 'golden_proposal_places', 'evaluation_jobs', 'configurations', 'promotions',
        'experiments', 'experiment_queries', 'experiment_feedback'
    ] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, update, delete on %I to brain_app', table_name);
    end loop;
end $$;
grant update on golden_relevance, golden_queries to brain_app;

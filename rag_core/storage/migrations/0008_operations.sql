-- What an operator needs: the takeover of legacy notes, failures, baselines, alerts, and how the service did by the minute.

-- Legacy notes ------------------------------------------------------------------------------------------------------

-- 'pending': attached, found whole, not chunked yet; 'migrated': the transaction that chunked it left this mark.
alter table notes
    add column legacy_state text check (legacy_state in ('pending', 'migrated')),
    add column chunked_at timestamptz;
-- When the notes chunked until now were is not known; it was after they came.
update notes set chunked_at = updated_at where indexed_fingerprint is not null;
create index notes_pending on notes (tenant_id, batch_key) where legacy_state = 'pending';
-- Who has no batch yet, in the order batches are given. Without it one new note among a million costs a scan of all of them,
-- or, while the planner's figures are stale, asking whether there is any does.
create index notes_unassigned on notes (tenant_id, created_at desc, note_id) where batch_key is null;
create index notes_chunked_at on notes (tenant_id, chunked_at) where chunked_at is not null;

-- Batches of legacy notes hold nothing else, so that the migration is a range of partitions of its own.
alter table batches add column is_legacy boolean not null default false;

-- One migration a tenant. 'stopped': what is pending stays as it is; 'rolled_back': nothing is chunked, new notes neither.
create table migrations (
    tenant_id text primary key references tenants on delete cascade,
    state text not null check (state in ('running', 'stopped', 'rolled_back', 'finished')),
    reason text,
    stopped_by_run uuid, -- the evaluation that was worse than the baseline, where one stopped it
    origin text,
    evaluate_every integer not null default 10 check (evaluate_every > 0),
    started_at timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    finished_at timestamptz
);

-- What was attached, as it was: the migration is verified against this. Deleting a note on purpose deletes its line.
create table legacy_notes (
    tenant_id text not null references tenants on delete cascade,
    note_id uuid not null,
    source text not null,
    external_id text not null,
    content_hash bytea not null check (octet_length(content_hash) = 32),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    attached_at timestamptz not null default now(),
    primary key (tenant_id, note_id),
    unique (tenant_id, source, external_id)
);

-- Notes that could not be attached, chunked, embedded or published; a note that could be in the end is not in here.
create table migration_failures (
    tenant_id text not null references tenants on delete cascade,
    source text not null,
    external_id text not null,
    note_id uuid,
    stage text not null check (stage in ('attachment', 'chunking', 'embedding', 'publication')),
    attempts integer not null default 1 check (attempts > 0),
    reason text not null,
    -- The table or file of a row that could not be attached: it is forgotten when it is not there any more.
    origin text,
    first_failed_at timestamptz not null default now(),
    last_failed_at timestamptz not null default now(),
    primary key (tenant_id, source, external_id)
);
create index migration_failures_note on migration_failures (tenant_id, note_id);

-- Embedding models --------------------------------------------------------------------------------------------------

alter table embedding_models add column promoted_at timestamptz, add column retired_at timestamptz;

-- Evaluation --------------------------------------------------------------------------------------------------------

-- Why a run was made, what was so at the time, and how it compares with the baseline of then.
alter table evaluation_runs
    add column purpose text not null default 'manual' check (purpose in ('manual', 'nightly', 'migration', 'model')),
    add column strategy text,
    add column circumstances jsonb not null default '{}',
    add column comparison jsonb;
create index evaluation_runs_purpose on evaluation_runs (tenant_id, purpose, created_at desc);

create table evaluation_baselines (
    tenant_id text not null,
    set_name text not null,
    strategy text not null,
    run_id uuid not null,
    is_automatic boolean not null,
    promoted_at timestamptz not null default now(),
    primary key (tenant_id, set_name, strategy),
    foreign key (tenant_id, run_id) references evaluation_runs on delete cascade
);

-- Alerts and the service's figures: of the whole installation, read and written by the owner --------------------------

-- One row an incident. tenant_id is null where it is nobody's in particular, such as a failed run.
create table alerts (
    alert_id uuid primary key default gen_random_uuid(),
    tenant_id text references tenants on delete cascade,
    rule text not null,
    -- What of it: a check, a job, a tenant's golden set. One firing alert a rule and subject.
    subject text not null,
    severity text not null check (severity in ('info', 'warning', 'critical')),
    state text not null default 'firing' check (state in ('firing', 'resolved')),
    title text not null,
    message text not null,
    link text,
    details jsonb not null default '{}',
    times_seen integer not null default 1 check (times_seen > 0),
    first_seen_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    resolved_at timestamptz,
    -- When somebody was told: of the alert, last reminded, and that it is over. Null until a delivery succeeded.
    notified_at timestamptz,
    resolution_notified_at timestamptz
);
create unique index alerts_one_firing on alerts (rule, subject) where state = 'firing';
create index alerts_last_seen_at on alerts (last_seen_at desc);

-- What one API process did in one minute; a row a minute even when nothing was asked, so that silence is seen.
create table service_minutes (
    process text not null,
    minute timestamptz not null,
    requests integer not null check (requests >= 0),
    failed integer not null check (failed >= 0),
    degraded integer not null check (degraded >= 0),
    latency_p50_ms double precision,
    latency_p95_ms double precision,
    -- The process ended as it should: no more rows are to be expected.
    is_last boolean not null default false,
    primary key (process, minute)
);
create index service_minutes_minute on service_minutes (minute desc);

-- Isolation ---------------------------------------------------------------------------------------------------------

do $$
declare
    table_name text;
begin
    foreach table_name in array array['migrations', 'legacy_notes', 'migration_failures', 'evaluation_baselines'] loop
        execute format('alter table %I enable row level security', table_name);
        execute format(
            'create policy tenant on %I using (tenant_id = (select current_setting(''brain.tenant'', true)))', table_name
        );
        execute format('grant select, insert, update, delete on %I to brain_app', table_name);
    end loop;
end $$;
-- What the application can read reaches whoever asks it; the operator's tables are nothing to it.
alter table alerts enable row level security;
alter table service_minutes enable row level security;

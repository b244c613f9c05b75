-- Which settings a job was asked under, and since when it waits.

-- {fingerprint, description} of the settings that its result depends on; null: any server may do it.
alter table evaluation_jobs add column asked_under jsonb;
-- When it was queued last: asked for, or given back by a server that ended.
alter table evaluation_jobs add column queued_at timestamptz not null default now();

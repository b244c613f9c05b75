-- name: lock_jobs
-- Until the transaction ends nobody else queues a job of the tenant, so that its unfinished jobs can be counted.
select pg_advisory_xact_lock(hashtextextended('brain.jobs:' || %(tenant)s, 0));

-- name: insert_job
-- Queue a job; no row when the tenant has as many unfinished ones as it may. Uploads are counted apart.
insert into evaluation_jobs (tenant_id, kind, parameters, asked_under)
select %(tenant)s, %(kind)s, %(parameters)s, %(asked_under)s
where (
    select count(*) from evaluation_jobs
    where tenant_id = %(tenant)s and state in ('queued', 'running') and (kind = 'ingestion') = (%(kind)s = 'ingestion')
) < %(limit)s
returning job_id;

-- name: fetch_job
select job_id, kind, parameters, state, stage, done, total, error, result, is_cancel_wanted, created_at, started_at,
    finished_at
from evaluation_jobs
where tenant_id = %(tenant)s and job_id = %(job_id)s;

-- name: list_jobs
-- Newest first, of one kind or of all but uploads.
select job_id, kind, parameters, state, stage, done, total, error, result, is_cancel_wanted, created_at, started_at,
    finished_at
from evaluation_jobs
where tenant_id = %(tenant)s and kind = coalesce(%(kind)s, kind) and (%(kind)s::text is not null or kind <> 'ingestion')
order by created_at desc, job_id
limit %(limit)s;

-- name: cancel_job
-- A queued job is cancelled at once; a running one learns that it is wanted at its next step; a finished one stays as it is.
update evaluation_jobs
set is_cancel_wanted = true,
    state = case state when 'queued' then 'cancelled' else state end,
    finished_at = case state when 'queued' then now() end
where tenant_id = %(tenant)s and job_id = %(job_id)s and state in ('queued', 'running');

-- name: claim_job
-- The oldest queued job of the tenant whose turn it is, longest without a job begun, becomes the worker's; two servers never
-- get the same one. Jobs that were asked under other settings than the worker's are left to others.
update brain.evaluation_jobs
set state = 'running', attempts = attempts + 1, worker = %(worker)s, started_at = clock_timestamp(), heartbeat_at = now(), stage = null, done = 0, total = null
where (tenant_id, job_id) = (
    select waiting.tenant_id, waiting.job_id from brain.evaluation_jobs waiting
    where waiting.state = 'queued' and waiting.kind = any(%(kinds)s)
        and (waiting.asked_under is null or waiting.asked_under ->> 'fingerprint' = %(fingerprint)s)
    order by
        (select max(begun.started_at) from brain.evaluation_jobs begun where begun.tenant_id = waiting.tenant_id) nulls first,
        waiting.created_at, waiting.job_id
    for update of waiting skip locked
    limit 1
)
returning tenant_id, job_id, kind, parameters;

-- name: report_job
-- How far a job is, with a sign of life; whether it shall go on. No row: it is no longer the worker's.
update evaluation_jobs
set stage = %(stage)s, done = %(done)s, total = %(total)s, heartbeat_at = now()
where tenant_id = %(tenant)s and job_id = %(job_id)s and state = 'running' and worker = %(worker)s
returning is_cancel_wanted;

-- name: beat_job
-- A sign of life; whether it shall go on. No row: it is no longer the worker's.
update evaluation_jobs
set heartbeat_at = now()
where tenant_id = %(tenant)s and job_id = %(job_id)s and state = 'running' and worker = %(worker)s
returning is_cancel_wanted;

-- name: finish_job
-- The worker's job ends, one way or another. No row: it is no longer the worker's.
update evaluation_jobs
set state = %(state)s, result = %(result)s, error = %(error)s, finished_at = now(), heartbeat_at = now()
where tenant_id = %(tenant)s and job_id = %(job_id)s and state = 'running' and worker = %(worker)s
returning job_id;

-- name: requeue_job
-- The worker's job is given back, to be begun again by another server; one that shall be cancelled is cancelled.
update evaluation_jobs
set state = case when is_cancel_wanted then 'cancelled' else 'queued' end,
    finished_at = case when is_cancel_wanted then now() end,
    worker = null, started_at = null, heartbeat_at = null, queued_at = now(), stage = null, done = 0, total = null
where tenant_id = %(tenant)s and job_id = %(job_id)s and state = 'running' and worker = %(worker)s;

-- name: requeue_silent_jobs
-- Running jobs of any tenant whose worker gave no sign of life for so long are begun again by another.
update brain.evaluation_jobs
set state = 'queued', worker = null, started_at = null, heartbeat_at = null, queued_at = now(), stage = null, done = 0, total = null
where state = 'running' and kind = any(%(kinds)s) and attempts < %(attempts)s
    and coalesce(heartbeat_at, started_at, created_at) < now() - make_interval(secs => %(seconds)s)
returning job_id;

-- name: fail_silent_jobs
-- Running jobs of any tenant whose worker gave no sign of life for so long have failed.
update brain.evaluation_jobs
set state = 'failed', error = %(error)s, finished_at = now()
where state = 'running' and coalesce(heartbeat_at, started_at, created_at) < now() - make_interval(secs => %(seconds)s)
returning tenant_id, job_id;

-- name: fail_unfitting_jobs
-- Queued jobs of any tenant for whose settings no server has done anything for so long have failed: none begun, none under way.
update brain.evaluation_jobs waiting
set state = 'failed', error = replace(%(error)s, '{settings}', waiting.asked_under ->> 'description'), finished_at = now()
where waiting.state = 'queued' and waiting.asked_under ->> 'fingerprint' <> %(fingerprint)s
    and waiting.queued_at < now() - make_interval(secs => %(seconds)s)
    and not exists (
        select from brain.evaluation_jobs other
        where other.asked_under ->> 'fingerprint' = waiting.asked_under ->> 'fingerprint'
            and greatest(other.started_at, other.heartbeat_at) >= now() - make_interval(secs => %(seconds)s)
    )
returning waiting.tenant_id, waiting.job_id;

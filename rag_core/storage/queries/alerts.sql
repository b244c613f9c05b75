-- The operator's alerts and the figures of the service; over all tenants, for the owner's connection.

-- name: write_service_minute
-- The whole minute, so that writing it twice is writing it once.
insert into brain.service_minutes (
    process, minute, requests, failed, degraded, latency_p50_ms, latency_p95_ms, is_last
) values (
    %(process)s, %(minute)s, %(requests)s, %(failed)s, %(degraded)s, %(p50_ms)s, %(p95_ms)s, %(is_last)s
)
on conflict (process, minute) do update
set requests = excluded.requests, failed = excluded.failed, degraded = excluded.degraded,
    latency_p50_ms = excluded.latency_p50_ms, latency_p95_ms = excluded.latency_p95_ms, is_last = excluded.is_last;

-- name: prune_service_minutes
delete from brain.service_minutes where minute < %(before)s;

-- name: service_window
-- What all processes did since then; the p95 is the mean of the minutes' weighted by their requests.
select coalesce(sum(requests), 0) as requests, coalesce(sum(failed), 0) as failed, coalesce(sum(degraded), 0) as degraded,
    sum(latency_p95_ms * requests) / nullif(sum(requests) filter (where latency_p95_ms is not null), 0) as p95_ms
from brain.service_minutes
where minute >= %(since)s;

-- name: list_service_processes
select process, min(minute) as first_minute, max(minute) as last_minute, bool_or(is_last) as has_ended
from brain.service_minutes
where minute >= %(since)s
group by process
order by process;

-- name: list_nightly_evaluations
-- Of each tenant's last night the newest run of every golden set and strategy.
select distinct on (r.tenant_id, r.set_name, kind.strategy)
    r.tenant_id as tenant, r.set_name, kind.strategy, r.run_id::text, r.created_at, r.comparison,
    r.circumstances ->> 'dagsterRun' as dagster_run
from brain.tenants t
cross join lateral (
    select max(created_at) as newest from brain.evaluation_runs
    where tenant_id = t.tenant_id and purpose = 'nightly'
) night
join brain.evaluation_runs r on r.tenant_id = t.tenant_id and r.purpose = 'nightly'
    and r.created_at > night.newest - interval '12 hours'
cross join lateral (select coalesce(r.strategy, r.config ->> 'strategy', '') as strategy) kind
order by r.tenant_id, r.set_name, kind.strategy, r.created_at desc;

-- name: list_golden_sets
-- Golden queries with a note that exists, and the last night they were asked.
select s.tenant_id as tenant, count(*) as queries, min(q.created_at) as since, (
        select max(r.created_at) from brain.evaluation_runs r where r.tenant_id = s.tenant_id and r.purpose = 'nightly'
    ) as evaluated_at
from brain.golden_sets s
join brain.golden_queries q using (tenant_id, set_id)
where s.name = %(set_name)s
    and exists (
        select from brain.golden_relevance g
        join brain.notes n on n.tenant_id = g.tenant_id and n.note_id = g.note_id
        where g.tenant_id = q.tenant_id and g.query_id = q.query_id
    )
group by s.tenant_id
order by s.tenant_id;

-- name: list_open_migrations
-- Whether an evaluation stopped it is told by the stop itself.
select m.tenant_id as tenant, m.state, m.reason, m.changed_at,
    (select count(*) from brain.notes n where n.tenant_id = m.tenant_id and n.legacy_state = 'pending') as pending,
    (select count(*) from brain.notes n join brain.migration_failures f
            on f.tenant_id = n.tenant_id and f.source = n.source and f.external_id = n.external_id
        where n.tenant_id = m.tenant_id and n.legacy_state = 'pending' and f.attempts >= %(most_attempts)s) as given_up,
    (marks.last_at is not null
        or exists (select from brain.migration_failures f where f.tenant_id = m.tenant_id and f.stage <> 'attachment')
        or exists (select from brain.staged_notes s join brain.notes n using (tenant_id, note_id)
            where s.tenant_id = m.tenant_id and n.legacy_state = 'pending')) as has_begun,
    marks.last_at as last_mark_at,
    m.stopped_by_run is not null as is_regressed
from brain.migrations m
cross join lateral (
    select max(n.chunked_at) as last_at from brain.notes n
    where n.tenant_id = m.tenant_id and n.chunked_at is not null and n.legacy_state = 'migrated'
) marks
where m.state in ('running', 'stopped')
order by m.tenant_id;

-- name: list_stale_notes
-- Notes that were last changed before the limit and whose live chunks were not made by this pipeline, where they should be.
select n.tenant_id as tenant, count(*) as notes, count(*) filter (where f.attempts >= %(most_attempts)s) as given_up,
    min(n.updated_at) as oldest
from brain.notes n
left join brain.migration_failures f on f.tenant_id = n.tenant_id and f.source = n.source and f.external_id = n.external_id
where n.indexed_fingerprint is distinct from %(fingerprint)s and n.updated_at < %(before)s
    and n.legacy_state is distinct from 'pending'
    and not exists (select from brain.migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')
group by n.tenant_id
order by n.tenant_id;

-- name: list_unread_notes
-- Notes that were published before the limit with a text that the knowledge graph has not read, by whatever rules.
select n.tenant_id as tenant, count(*) as notes, 0 as given_up, min(published.at) as oldest
from brain.notes n
left join brain.graph_notes g using (tenant_id, note_id)
left join brain.named_notes r using (tenant_id, note_id)
cross join lateral (
    select greatest(n.updated_at, max(c.created_at)) as at from brain.chunks c
    where c.tenant_id = n.tenant_id and c.note_id = n.note_id
) published
where n.indexed_fingerprint is not null and n.updated_at < %(before)s and published.at < %(before)s
    and (g.content_hash is distinct from n.content_hash or r.content_hash is distinct from n.content_hash)
    and n.legacy_state is distinct from 'pending'
    and not exists (select from brain.migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')
group by n.tenant_id
order by n.tenant_id;

-- name: try_watch_lock
-- One watch at a time tells people; held by the session.
select pg_try_advisory_lock(hashtextextended('brain.alerts', 0));

-- name: wait_for_watch_lock
-- As long as the statement may take.
select pg_advisory_lock(hashtextextended('brain.alerts', 0));

-- name: find_firing_alerts
select alert_id, tenant_id, rule, subject, severity, title, message, link, details, times_seen, first_seen_at,
    last_seen_at, resolved_at
from brain.alerts
where state = 'firing' and starts_with(alert_id::text, lower(%(id)s));

-- name: list_current_alerts
-- Firing, or not told to everybody yet, or ended so lately that they may come back.
select alert_id, tenant_id, rule, subject, severity, title, message, link, details, times_seen, first_seen_at,
    last_seen_at, resolved_at
from brain.alerts
where state = 'firing' or details ->> 'is_settled' = 'false' or resolved_at >= %(since)s;

-- name: list_alerts
-- Firing first, then newest first.
select alert_id, tenant_id, rule, subject, severity, title, message, link, details, times_seen, first_seen_at,
    last_seen_at, resolved_at
from brain.alerts
order by state, last_seen_at desc
limit %(limit)s;

-- name: write_alert
-- A tenant deleted meanwhile leaves the alert nobody's.
insert into brain.alerts (
    alert_id, tenant_id, rule, subject, severity, state, title, message, link, details, times_seen, first_seen_at,
    last_seen_at, resolved_at, notified_at, resolution_notified_at
) values (
    %(id)s, (select tenant_id from brain.tenants where tenant_id = %(tenant)s), %(rule)s, %(subject)s, %(severity)s,
    %(state)s, %(title)s, %(message)s, %(link)s, %(details)s, %(times_seen)s, %(first_seen_at)s, %(last_seen_at)s,
    %(resolved_at)s, %(notified_at)s, %(resolution_notified_at)s
)
on conflict (alert_id) do update
set severity = excluded.severity, state = excluded.state, title = excluded.title, message = excluded.message,
    link = excluded.link, details = excluded.details, times_seen = excluded.times_seen,
    last_seen_at = excluded.last_seen_at, resolved_at = excluded.resolved_at, notified_at = excluded.notified_at,
    resolution_notified_at = excluded.resolution_notified_at;

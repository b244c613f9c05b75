-- name: migration_state
select state from migrations where tenant_id = %(tenant)s;

-- name: hold_migration_state
-- Who publishes or makes notes whole holds the state; these do not wait for each other, only for a change of it. A lock on
-- the row would let a change wait for ever behind one publication after the other.
select pg_advisory_xact_lock_shared(hashtextextended('brain.migration:' || %(tenant)s, 0));

-- name: lock_migration_state
select pg_advisory_xact_lock(hashtextextended('brain.migration:' || %(tenant)s, 0));

-- name: set_migration_state
update migrations
set state = %(state)s, reason = %(reason)s, changed_at = now(),
    finished_at = case when %(state)s = 'finished' then now() end
where tenant_id = %(tenant)s and state <> %(state)s;

-- name: count_migration
select m.state,
    (select count(*) from notes n where n.tenant_id = m.tenant_id and n.legacy_state = 'pending'),
    (select count(*) from notes n where n.tenant_id = m.tenant_id and n.legacy_state = 'migrated'),
    (select count(*) from migration_failures f where f.tenant_id = m.tenant_id)
from migrations m
where m.tenant_id = %(tenant)s;

-- name: retry_failed
-- What could not be attached is not the pipeline's to try again.
update migration_failures set attempts = 1 where tenant_id = %(tenant)s and stage <> 'attachment'
returning external_id;

-- name: record_failures
-- A note deleted meanwhile is passed over. In the order of the key, so that none who record wait for each other in a circle.
insert into migration_failures (tenant_id, source, external_id, note_id, stage, reason)
select n.tenant_id, n.source, n.external_id, n.note_id, %(stage)s, f.reason
from unnest(%(notes)s::uuid[], %(reasons)s::text[]) f (note_id, reason)
join notes n on n.tenant_id = %(tenant)s and n.note_id = f.note_id
order by n.source, n.external_id
on conflict (tenant_id, source, external_id) do update
set attempts = migration_failures.attempts + 1, note_id = excluded.note_id, stage = excluded.stage,
    reason = excluded.reason, last_failed_at = now()
returning note_id;

-- name: clear_failures
delete from migration_failures where tenant_id = %(tenant)s and note_id = any(%(notes)s);

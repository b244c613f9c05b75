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
update migration_failures set attempts = 1 where tenant_id = %(tenant)s and stage <> 'attachment';

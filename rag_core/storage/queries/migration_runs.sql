-- How far the migration of legacy notes has come, for the runs that do it and evaluate it.

-- name: fetch_migration_progress
-- Nothing without a migration. Notes are counted by the ledger and by the index of pending ones, never one by one.
with pending as materialized (
    select n.batch_key, f.attempts is null or f.attempts < %(attempts)s as is_waiting
    from notes n
    left join migration_failures f on f.tenant_id = n.tenant_id and f.note_id = n.note_id
    where n.tenant_id = %(tenant)s and n.legacy_state = 'pending'
)
select m.state, m.reason, m.stopped_by_run, m.evaluate_every, m.started_at, m.changed_at,
    (select count(*) from legacy_notes where tenant_id = %(tenant)s) as notes,
    (select count(*) from pending) as pending,
    (select count(*) from migration_failures where tenant_id = %(tenant)s and stage <> 'attachment') as failed,
    (select count(*) from batches where tenant_id = %(tenant)s and is_legacy) as batches,
    (select count(distinct batch_key) from pending where is_waiting) as waiting_batches
from migrations m
where m.tenant_id = %(tenant)s;

-- name: count_migrated_batches
-- What became of each batch's legacy notes, how many were chunked since a moment, and the chunks of the migrated ones.
select n.batch_key as batch, count(*) filter (where n.legacy_state = 'migrated') as migrated,
    count(*) filter (where n.legacy_state = 'pending') as pending, count(f.external_id) as failed,
    count(*) filter (where n.legacy_state = 'migrated' and n.chunked_at >= %(since)s) as new,
    coalesce(sum(c.chunks) filter (where n.legacy_state = 'migrated'), 0)::bigint as chunks
from notes n
left join migration_failures f on f.tenant_id = n.tenant_id and f.note_id = n.note_id
cross join lateral (
    select count(*) as chunks from chunks c where c.tenant_id = n.tenant_id and c.note_id = n.note_id
) c
where n.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and n.legacy_state is not null
group by n.batch_key
order by n.batch_key;

-- name: fetch_migration_evaluations
-- The ids of the migration's first undisturbed evaluation before any note was chunked, and of its last one.
select
    (
        select run_id from evaluation_runs
        where tenant_id = %(tenant)s and purpose = 'migration' and created_at >= %(since)s
            and circumstances -> 'migratedNotes' = '0'
            and degraded_queries + failed_queries <= %(most_disturbed)s * total_queries
        order by created_at, run_id limit 1
    ),
    (
        select run_id from evaluation_runs
        where tenant_id = %(tenant)s and purpose = 'migration' and created_at >= %(since)s
        order by created_at desc, run_id limit 1
    );

-- name: chunks_table_bytes
select pg_total_relation_size('brain.chunks');

-- name: fetch_batches_mark
-- Over all tenants, for the owner's connection: what changes whenever a batch is made or removed.
select count(*) || ' ' || coalesce(extract(epoch from max(registered_at)), 0) from brain.batches;

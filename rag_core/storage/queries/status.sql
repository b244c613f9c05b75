-- name: status
-- One row of counts for one tenant. What waits for a migration, or failed too often, is not stale.
select
    (select count(*) from notes where tenant_id = %(tenant)s),
    (select count(*) from notes where tenant_id = %(tenant)s and indexed_fingerprint is not null),
    (select count(*) from notes n
        where n.tenant_id = %(tenant)s and n.indexed_fingerprint is distinct from %(fingerprint)s
            and n.legacy_state is distinct from 'pending'
            and not exists (
                select from migration_failures f
                where f.tenant_id = n.tenant_id and f.note_id = n.note_id and f.attempts >= %(most_attempts)s
            )
            and not exists (select from migrations m where m.tenant_id = n.tenant_id and m.state = 'rolled_back')),
    (select count(*) from chunks where tenant_id = %(tenant)s),
    (select count(*) from embeddings where tenant_id = %(tenant)s),
    (select count(*) from embedding_cache where tenant_id = %(tenant)s),
    (select count(*) from batches where tenant_id = %(tenant)s),
    (select count(distinct n.batch_key) from notes n left join graph_notes g using (tenant_id, note_id)
        left join named_notes r using (tenant_id, note_id)
        where n.tenant_id = %(tenant)s and n.legacy_state is distinct from 'pending'
            and (g.fingerprint is distinct from %(extractor)s or g.content_hash <> n.content_hash
                or r.fingerprint is distinct from %(names)s or r.content_hash <> n.content_hash)),
    (select extract(epoch from now() - min(n.updated_at))::float8
        from notes n left join graph_notes g using (tenant_id, note_id) left join named_notes r using (tenant_id, note_id)
        where n.tenant_id = %(tenant)s and n.indexed_fingerprint is not null and n.legacy_state is distinct from 'pending'
            and (g.fingerprint is distinct from %(extractor)s or g.content_hash <> n.content_hash
                or r.fingerprint is distinct from %(names)s or r.content_hash <> n.content_hash)),
    (select count(*) from golden_queries where tenant_id = %(tenant)s),
    (select jsonb_build_object('run_id', run_id, 'set', set_name, 'at', created_at, 'mrr', mrr, 'hit_rate_at_10', hit_rate_at_10)
        from evaluation_runs where tenant_id = %(tenant)s order by created_at desc limit 1),
    current_setting('server_version');

-- name: doctor
-- What the server is and what the application role may do; for the owner's connection.
select current_setting('server_version'),
    (select extversion from pg_extension where extname = 'vector'),
    (select rolsuper or rolbypassrls from pg_roles where rolname = 'brain_app'),
    (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'brain' and c.relkind = 'r' and not c.relrowsecurity
            and c.relname not in ('schema_migrations', 'embedding_models', 'api_keys')),
    (select coalesce(max(version), 0) from brain.schema_migrations);

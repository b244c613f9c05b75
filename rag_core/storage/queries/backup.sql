-- name: stored_tables
-- Every table of the schema: the columns that are written, those that PostgreSQL computes, and its size.
select c.relname, array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = ''),
    coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated <> ''), '{}'), pg_table_size(c.oid)
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'brain'::regnamespace and c.relkind in ('r', 'p')
group by c.oid, c.relname
order by c.relname;

-- name: backup_source
-- The moment of the snapshot, the server and pgvector.
select now(), current_setting('server_version'), (select extversion from pg_extension where extname = 'vector');

-- name: backup_migrations
select version, name, checksum from brain.schema_migrations order by version;

-- name: read_sequences
-- The last number each sequence gave out. Not part of the snapshot, so never behind the rows in it.
select sequencename, last_value from pg_sequences where schemaname = 'brain' and last_value is not null;

-- name: advance_sequence
-- Never backwards: what was given out once, a cache may know.
select setval(%(name)s::regclass, greatest(%(last)s::bigint, (
    select last_value from pg_sequences where schemaname = 'brain' and sequencename = %(sequence)s
)));

-- name: unfinished_restore
-- The mark of a restore that was committed and not finished; null where there is none.
select obj_description('brain.schema_migrations'::regclass, 'pg_class');

-- name: functions_of_schema
-- As DROP ROUTINE wants them; not those of an extension.
select p.oid::regprocedure::text
from pg_proc p
where p.pronamespace = 'brain'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- name: keys_and_references
-- What a load is quicker without, keys before the references to them.
select conrelid::regclass::text, conname, pg_get_constraintdef(oid)
from pg_constraint
where connamespace = 'brain'::regnamespace and contype in ('p', 'u', 'f') and conparentid = 0
order by contype = 'f', conrelid::regclass::text, conname;

-- name: indexes_beside_keys
select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relnamespace = 'brain'::regnamespace
    and not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u', 'x'))
order by 1;

-- name: count_registered_models
select count(*) from brain.embedding_models;

-- name: count_conversations_of_others
-- '' owns what was asked in a terminal before it had a pseudonym.
select count(*) from brain.sessions where user_hash <> '' and user_hash <> all(%(known)s::text[]);

-- name: rebuild_corpus_statistics
insert into corpus_statistics (tenant_id, language, documents, total_length, is_folded)
select tenant_id, language, count(*), sum(terms_in(lexemes)), true from chunks group by 1, 2;

-- name: rebuild_postings
select rebuild_postings();

-- For an administrator, once per server, when the user of DATABASE_URL may not do this itself:
--   psql -v user=ana -v database=brain -f deploy/prepare-database.sql
-- The user exists already. This makes the database and, beside it, Dagster's own, the extension, and the role the
-- application runs as, which owns nothing and cannot bypass row-level security.
\set ON_ERROR_STOP on
\set dagster :database '_dagster'
select format('create database %I owner %I template template0 encoding %L lc_collate %L lc_ctype %L', name, :'user', 'UTF8', 'C', 'C.UTF-8')
from (values (:'database'), (:'dagster')) wanted (name)
where not exists (select from pg_database where datname = name) \gexec
select 'create role brain_app nologin nosuperuser nobypassrls'
where not exists (select from pg_roles where rolname = 'brain_app') \gexec
grant brain_app to :"user" with inherit false, set true;
\connect :"database"
create extension if not exists vector;

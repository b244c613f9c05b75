-- For an administrator, once per server, when the user of DATABASE_URL may not do this itself:
--   psql -v user=the_user_of_DATABASE_URL -v password="'…'" -f prepare-database.sql
-- It makes the database `brain` (Dagster's own beside it), the extension, and the role the application runs as, which
-- owns nothing and cannot bypass row-level security.
create role :"user" login password :password;
create database brain owner :"user" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8';
create database brain_dagster owner :"user" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8';
create role brain_app nologin nosuperuser nobypassrls;
grant brain_app to :"user" with inherit false, set true;
\connect brain
create extension vector;

-- name: applied_migrations
-- What the schema was made by.
select version, checksum from schema_migrations;

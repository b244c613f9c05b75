-- name: applied_migrations
-- What the schema was made by.
select version, checksum from schema_migrations;

-- name: try_disk
--- Take some 4 MB of the disk outside every table and give them back: fails where there is no room.
create temp table disk_trial on commit drop as
select md5(number::text) as filler from generate_series(1, 60000) as number;

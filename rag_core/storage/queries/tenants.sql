-- Whole tenants, for the owner's connection: who there is, how much each may have, and what is theirs.

-- name: tenant_summaries
-- Each tenant, or the one named, with its limits, its notes and its keys that open something.
select t.tenant_id, t.created_at, t.max_notes, t.questions_per_minute, t.questions_per_hour,
    (select count(*) from brain.notes n where n.tenant_id = t.tenant_id),
    (select count(*) from brain.api_keys k
        where k.tenant_id = t.tenant_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))
from brain.tenants t
where %(tenant)s::text is null or t.tenant_id = %(tenant)s
order by t.tenant_id;

-- name: tenant_departments
-- Who may see how many of the tenant's notes: a department and its notes; null is everybody, '' only who sees all of them.
select d.department, count(*)
from brain.notes n
cross join lateral unnest(case
    when n.departments is null then array[null] when n.departments = '{}' then array[''] else n.departments
end) d (department)
where n.tenant_id = %(tenant)s
group by d.department
order by d.department nulls first;

-- name: create_tenant
-- One row where the tenant is new.
insert into brain.tenants (tenant_id) values (%(tenant)s) on conflict do nothing returning tenant_id;

-- name: limit_tenant
-- Set the limits that are given; the others stay.
update brain.tenants
set max_notes = case when 'max_notes' = any(%(given)s) then %(max_notes)s::integer else max_notes end,
    questions_per_minute =
        case when 'questions_per_minute' = any(%(given)s) then %(questions_per_minute)s::integer else questions_per_minute end,
    questions_per_hour =
        case when 'questions_per_hour' = any(%(given)s) then %(questions_per_hour)s::integer else questions_per_hour end
where tenant_id = %(tenant)s;

-- name: hold_tenant
-- Nobody writes for the tenant until the transaction ends.
select tenant_id from brain.tenants where tenant_id = %(tenant)s for update;

-- name: batches_of_tenant
select batch_key from brain.batches where tenant_id = %(tenant)s order by sequence;

-- name: tables_of_tenants
-- Every table whose rows belong to a tenant.
select c.relname
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
where c.relnamespace = 'brain'::regnamespace and c.relkind in ('r', 'p')
order by c.relname;

-- name: references_between_tables
-- Each table with one that its rows point to.
select distinct holder.relname, target.relname
from pg_constraint k
join pg_class holder on holder.oid = k.conrelid
join pg_class target on target.oid = k.confrelid
where k.contype = 'f' and k.connamespace = 'brain'::regnamespace and holder.oid <> target.oid
order by 1, 2;

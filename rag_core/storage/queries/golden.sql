-- name: open_golden_set
-- The set of that name, made if it is missing; its row stays locked until the transaction ends.
insert into golden_sets (tenant_id, name, version)
values (%(tenant)s, %(name)s, 0)
on conflict (tenant_id, name) do update set name = excluded.name
returning set_id, name, version;

-- name: fetch_golden_set
-- The set of that name; no writer changes it or its queries until the transaction ends.
select set_id, name, version from golden_sets where tenant_id = %(tenant)s and name = %(name)s for share;

-- name: list_golden_set_names
select name from golden_sets where tenant_id = %(tenant)s order by name collate "C";

-- name: lock_golden_set_of
-- The set of a query, locked before the query is: every writer takes the set first.
select s.set_id, s.name, s.version
from golden_sets s join golden_queries q using (tenant_id, set_id)
where q.tenant_id = %(tenant)s and q.query_id = %(query)s
for update of s;

-- name: grow_golden_set
update golden_sets set version = version + 1
where tenant_id = %(tenant)s and set_id = %(set)s;

-- name: fetch_golden_queries
-- All queries of a set, or those of one category, in the order they were made; a query's notes ascend.
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at,
    array(
        select r.note_id from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
        order by r.note_id
    )
from golden_queries q join golden_sets s using (tenant_id, set_id)
where q.tenant_id = %(tenant)s and s.name = %(name)s
    and (%(category)s::text is null or q.category = %(category)s)
order by q.created_at, coalesce(q.external_id, q.query_id::text) collate "C", q.query collate "C";

-- name: find_golden_queries
-- The queries of a set that have one of these hashes.
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at,
    array(
        select r.note_id from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
        order by r.note_id
    )
from golden_queries q
where q.tenant_id = %(tenant)s and q.set_id = %(set)s and q.query_hash = any(%(hashes)s);

-- name: fetch_golden_query
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at,
    array(
        select r.note_id from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
        order by r.note_id
    )
from golden_queries q
where q.tenant_id = %(tenant)s and q.query_id = %(query)s;

-- name: taken_query_ids
select query_id from golden_queries where tenant_id = %(tenant)s and query_id = any(%(queries)s);

-- name: write_golden_query
-- Insert a query or replace all its fields, and make its relevant notes exactly these.
with written as (
    insert into golden_queries (
        tenant_id, query_id, set_id, external_id, query, query_hash, expected_answer, category, difficulty, tags,
        created_at, updated_at
    ) values (
        %(tenant)s, %(query_id)s, %(set)s, %(external_id)s, %(query)s, %(query_hash)s, %(expected_answer)s,
        %(category)s, %(difficulty)s, %(tags)s, %(created_at)s, %(updated_at)s
    )
    on conflict (tenant_id, query_id) do update
    set external_id = excluded.external_id, query = excluded.query, query_hash = excluded.query_hash,
        expected_answer = excluded.expected_answer, category = excluded.category, difficulty = excluded.difficulty,
        tags = excluded.tags, created_at = excluded.created_at, updated_at = excluded.updated_at
), gone as (
    delete from golden_relevance
    where tenant_id = %(tenant)s and query_id = %(query_id)s and note_id <> all(%(notes)s::uuid[])
)
insert into golden_relevance (tenant_id, query_id, note_id)
select %(tenant)s, %(query_id)s, note_id from unnest(%(notes)s::uuid[]) note_id
on conflict do nothing;

-- name: remove_golden_query
delete from golden_queries where tenant_id = %(tenant)s and query_id = %(query)s returning query_id;

-- name: hold_notes
-- Those of the notes that exist; they cannot be deleted until the transaction ends.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s)
order by note_id
for key share;

-- name: fetch_note_names
select note_id, source, external_id from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: list_queries_with_deleted_notes
-- Queries of a set without a relevant note, and those that lost some since a baseline was measured. Of a query that nobody
-- edited since, what the baseline's run held relevant can only have gone with its note, even if that came back later.
with lost as (
    select e.query_id, count(distinct relevant.note) as notes
    from evaluation_baselines b
    join evaluation_runs r using (tenant_id, run_id)
    join evaluation_queries e using (tenant_id, run_id)
    join golden_queries q using (tenant_id, query_id)
    cross join unnest(e.relevant_note_ids) relevant (note)
    where b.tenant_id = %(tenant)s and b.set_name = %(name)s and q.updated_at <= r.created_at
        and not exists (
            select from golden_relevance g
            where g.tenant_id = %(tenant)s and g.query_id = e.query_id and g.note_id = relevant.note
        )
    group by e.query_id
)
select q.query_id, q.external_id, q.query, kept.notes, coalesce(lost.notes, 0)
from golden_queries q
join golden_sets s using (tenant_id, set_id)
left join lost using (query_id)
cross join lateral (
    select count(*) as notes from golden_relevance r where r.tenant_id = q.tenant_id and r.query_id = q.query_id
) kept
where q.tenant_id = %(tenant)s and s.name = %(name)s and (kept.notes = 0 or lost.notes > 0)
order by q.created_at, coalesce(q.external_id, q.query_id::text) collate "C", q.query collate "C";

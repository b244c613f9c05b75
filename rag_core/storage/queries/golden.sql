-- name: open_golden_set
-- The set of that name, made if it is missing; its row stays locked until the transaction ends. Only one without queries
-- takes another vocabulary.
insert into golden_sets as s (tenant_id, name, version, vocabulary)
values (%(tenant)s, %(name)s, 0, coalesce(%(vocabulary)s::text, 'brain_sync'))
on conflict (tenant_id, name) do update set vocabulary = case
    when exists (select from golden_queries q where q.tenant_id = %(tenant)s and q.set_id = s.set_id) then s.vocabulary
    else coalesce(%(vocabulary)s::text, s.vocabulary)
end
returning set_id as id, name, version, vocabulary, created_at, updated_at;

-- name: fetch_golden_set
-- The set of that name; no writer changes it or its queries until the transaction ends.
select set_id as id, name, version, vocabulary, created_at, updated_at
from golden_sets where tenant_id = %(tenant)s and name = %(name)s for share;

-- name: lock_golden_set
-- The set of that name; every writer takes it first.
select set_id as id, name, version, vocabulary, created_at, updated_at
from golden_sets where tenant_id = %(tenant)s and name = %(name)s for update;

-- name: find_golden_set
-- The set of that name, or else of that id; no writer changes it or its queries until the transaction ends.
select set_id as id, name, version, vocabulary, created_at, updated_at
from golden_sets where tenant_id = %(tenant)s and (name = %(name)s or set_id::text = lower(%(name)s))
order by name <> %(name)s
limit 1
for share;

-- name: summarise_golden_sets
-- Every set with its queries: all, those that no note answers, those with a relevant note left, and of these those verified
-- and those with a span.
select s.set_id, s.name, s.version, s.vocabulary, s.created_at, s.updated_at,
    count(q.query_id), count(q.query_id) filter (where not q.is_answerable),
    count(q.query_id) filter (where exists (
        select from golden_relevance r where r.tenant_id = %(tenant)s and r.query_id = q.query_id
    )),
    count(q.verified_by) filter (where exists (
        select from golden_relevance r where r.tenant_id = %(tenant)s and r.query_id = q.query_id
    )),
    count(q.query_id) filter (where exists (
        select from golden_spans p where p.tenant_id = %(tenant)s and p.query_id = q.query_id
    ))
from golden_sets s left join golden_queries q using (tenant_id, set_id)
where s.tenant_id = %(tenant)s
group by s.tenant_id, s.set_id
order by s.name collate "C";

-- name: find_golden_query_ids
-- The queries of a set that go by these names, external ids or ids.
select named.name, array_agg(q.query_id order by q.query_id)
from golden_sets s
join golden_queries q using (tenant_id, set_id)
join unnest(%(names)s::text[]) named (name) on named.name in (q.external_id, q.query_id::text)
where s.tenant_id = %(tenant)s and s.name = %(name)s
group by named.name;

-- name: list_golden_set_names
select name from golden_sets where tenant_id = %(tenant)s order by name collate "C";

-- name: lock_golden_set_of
-- The set of a query, locked before the query is: every writer takes the set first.
select s.set_id as id, s.name, s.version, s.vocabulary, s.created_at, s.updated_at
from golden_sets s join golden_queries q using (tenant_id, set_id)
where q.tenant_id = %(tenant)s and q.query_id = %(query)s
for update of s;

-- name: grow_golden_set
update golden_sets set version = version + 1, updated_at = now()
where tenant_id = %(tenant)s and set_id = %(set)s;

-- name: fetch_golden_queries
-- All queries of a set, or those of one category, in the order they were made; a query's notes ascend.
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at, q.vocabulary, q.key_facts, q.forbidden_content, q.created_by, q.verified_by, q.verified_at,
    q.is_answerable,
    (
        select json_agg(json_build_object('note_id', r.note_id, 'grade', r.grade, 'spans', (
            select json_agg(json_build_object('start', p.start_char, 'end', p.end_char, 'quote', p.quote)
                order by p.start_char, p.end_char)
            from golden_spans p
            where p.tenant_id = r.tenant_id and p.query_id = r.query_id and p.note_id = r.note_id
        )) order by r.note_id)
        from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
    )
from golden_queries q join golden_sets s using (tenant_id, set_id)
where q.tenant_id = %(tenant)s and s.name = %(name)s
    and (%(category)s::text is null or q.category = %(category)s)
order by q.created_at, coalesce(q.external_id, q.query_id::text) collate "C", q.query collate "C";

-- name: find_golden_queries
-- The queries of a set that have one of these hashes.
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at, q.vocabulary, q.key_facts, q.forbidden_content, q.created_by, q.verified_by, q.verified_at,
    q.is_answerable,
    (
        select json_agg(json_build_object('note_id', r.note_id, 'grade', r.grade, 'spans', (
            select json_agg(json_build_object('start', p.start_char, 'end', p.end_char, 'quote', p.quote)
                order by p.start_char, p.end_char)
            from golden_spans p
            where p.tenant_id = r.tenant_id and p.query_id = r.query_id and p.note_id = r.note_id
        )) order by r.note_id)
        from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
    )
from golden_queries q
where q.tenant_id = %(tenant)s and q.set_id = %(set)s and q.query_hash = any(%(hashes)s);

-- name: fetch_golden_query
select q.query_id, q.external_id, q.query, q.query_hash, q.expected_answer, q.category, q.difficulty, q.tags,
    q.created_at, q.updated_at, q.vocabulary, q.key_facts, q.forbidden_content, q.created_by, q.verified_by, q.verified_at,
    q.is_answerable,
    (
        select json_agg(json_build_object('note_id', r.note_id, 'grade', r.grade, 'spans', (
            select json_agg(json_build_object('start', p.start_char, 'end', p.end_char, 'quote', p.quote)
                order by p.start_char, p.end_char)
            from golden_spans p
            where p.tenant_id = r.tenant_id and p.query_id = r.query_id and p.note_id = r.note_id
        )) order by r.note_id)
        from golden_relevance r
        where r.tenant_id = q.tenant_id and r.query_id = q.query_id
    )
from golden_queries q
where q.tenant_id = %(tenant)s and q.query_id = %(query)s;

-- name: taken_query_ids
select query_id from golden_queries where tenant_id = %(tenant)s and query_id = any(%(queries)s);

-- name: write_golden_query
-- Insert a query or replace all its fields, and make its relevant notes and their spans exactly these.
with written as (
    insert into golden_queries (
        tenant_id, query_id, set_id, vocabulary, external_id, query, query_hash, expected_answer, category, difficulty,
        tags, key_facts, forbidden_content, created_by, verified_by, verified_at, created_at, updated_at, is_answerable
    ) values (
        %(tenant)s, %(query_id)s, %(set)s, %(vocabulary)s, %(external_id)s, %(query)s, %(query_hash)s,
        %(expected_answer)s, %(category)s, %(difficulty)s, %(tags)s, %(key_facts)s, %(forbidden_content)s,
        %(created_by)s, %(verified_by)s, %(verified_at)s, %(created_at)s, %(updated_at)s, %(is_answerable)s
    )
    on conflict (tenant_id, query_id) do update
    set external_id = excluded.external_id, query = excluded.query, query_hash = excluded.query_hash,
        expected_answer = excluded.expected_answer, category = excluded.category, difficulty = excluded.difficulty,
        tags = excluded.tags, key_facts = excluded.key_facts, forbidden_content = excluded.forbidden_content,
        created_by = excluded.created_by, verified_by = excluded.verified_by, verified_at = excluded.verified_at,
        created_at = excluded.created_at, updated_at = excluded.updated_at, is_answerable = excluded.is_answerable
), gone as (
    delete from golden_relevance
    where tenant_id = %(tenant)s and query_id = %(query_id)s and note_id <> all(%(notes)s::uuid[])
), relevant as (
    insert into golden_relevance as r (tenant_id, query_id, note_id, grade)
    select %(tenant)s, %(query_id)s, given.note_id, given.grade
    from unnest(%(notes)s::uuid[], %(grades)s::smallint[]) given (note_id, grade)
    on conflict (tenant_id, query_id, note_id) do update set grade = excluded.grade where r.grade <> excluded.grade
), spans (note_id, start_char, end_char, quote) as (
    select * from unnest(%(span_notes)s::uuid[], %(span_starts)s::int[], %(span_ends)s::int[], %(span_quotes)s::text[])
), spans_gone as (
    -- Those of notes that are relevant no longer go with them.
    delete from golden_spans old
    where old.tenant_id = %(tenant)s and old.query_id = %(query_id)s and old.note_id = any(%(notes)s::uuid[])
        and not exists (
            select from spans
            where (spans.note_id, spans.start_char, spans.end_char) = (old.note_id, old.start_char, old.end_char)
        )
)
insert into golden_spans as old (tenant_id, query_id, note_id, start_char, end_char, quote)
select %(tenant)s, %(query_id)s, note_id, start_char, end_char, quote from spans
on conflict (tenant_id, query_id, note_id, start_char, end_char) do update set quote = excluded.quote
where old.quote <> excluded.quote;

-- name: remove_golden_query
delete from golden_queries where tenant_id = %(tenant)s and query_id = %(query)s returning query_id;

-- name: hold_notes
-- Those of the notes that exist; they cannot be deleted until the transaction ends.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s)
order by note_id
for key share;

-- name: fetch_golden_note_sizes
-- Octets as they are before compression, which PostgreSQL knows without unpacking the text.
select note_id, octet_length(content) from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: fetch_golden_note_contents
select note_id, content from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: fetch_chunk_places
select chunk_id, note_id, start_char, end_char, content from chunks
where tenant_id = %(tenant)s and chunk_id = any(%(chunks)s);

-- name: fetch_contents_of_moved_spans
-- The notes in which a span of these queries has another text than its quote at the place where it was marked.
select note_id, content from notes
where tenant_id = %(tenant)s and note_id in (
    select p.note_id from golden_spans p join notes n using (tenant_id, note_id)
    where p.tenant_id = %(tenant)s and p.query_id = any(%(queries)s)
        and substr(n.content, p.start_char + 1, p.end_char - p.start_char) <> p.quote
);

-- name: find_covering_chunks
-- For each query the chunks that cover at least half of one of its places.
select place.query_id, array_agg(distinct c.chunk_id)
from unnest(%(queries)s::uuid[], %(notes)s::uuid[], %(starts)s::int[], %(ends)s::int[])
    place (query_id, note_id, start_char, end_char)
join chunks c on c.tenant_id = %(tenant)s and c.note_id = place.note_id
where 2 * (least(c.end_char, place.end_char) - greatest(c.start_char, place.start_char)) >= place.end_char - place.start_char
group by place.query_id;

-- name: count_lost_spans
-- Spans of these queries whose quote their note no longer has.
select count(*) from golden_spans p join notes n using (tenant_id, note_id)
where p.tenant_id = %(tenant)s and p.query_id = any(%(queries)s) and position(p.quote in n.content) = 0;

-- name: fetch_note_names
select note_id, source, external_id from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: list_queries_with_deleted_notes
-- Answerable queries of a set without a relevant note, and those that lost some since a baseline was measured. Of a query that nobody
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
where q.tenant_id = %(tenant)s and s.name = %(name)s and q.is_answerable and (kept.notes = 0 or lost.notes > 0)
order by q.created_at, coalesce(q.external_id, q.query_id::text) collate "C", q.query collate "C";

-- name: fetch_notes_to_propose_from
-- Some of the notes, in an order that has nothing to do with their age: those without golden query or proposal first.
select n.note_id, n.title, n.content, n.language, n.created_at
from notes n
where n.tenant_id = %(tenant)s and char_length(n.content) >= %(least_characters)s
order by
    exists (select from golden_relevance r where r.tenant_id = n.tenant_id and r.note_id = n.note_id)
        or exists (select from golden_proposals p where p.tenant_id = n.tenant_id and p.note_id = n.note_id)
        or exists (select from golden_proposal_places f where f.tenant_id = n.tenant_id and f.note_id = n.note_id),
    md5(n.note_id::text)
limit %(limit)s;

-- name: list_proposals
-- The proposals of a set, or of all sets, in one state or in any, in the order they were made.
select proposal_id, set_name, query, note_id, start_char, end_char, quote, expected_answer, category, difficulty, method,
    state, created_at, decided_at, decided_by, query_hash,
    (select n.source || ':' || n.external_id from notes n where n.tenant_id = p.tenant_id and n.note_id = p.note_id),
    (
        select jsonb_agg(
            jsonb_build_array(f.note_id, n.source || ':' || n.external_id, f.start_char, f.end_char, f.quote)
            order by n.created_at, f.note_id, f.start_char
        )
        from golden_proposal_places f join notes n using (tenant_id, note_id)
        where f.tenant_id = p.tenant_id and f.proposal_id = p.proposal_id
    )
from golden_proposals p
where tenant_id = %(tenant)s
    and (%(set)s::text is null or set_name = %(set)s)
    and (%(state)s::text is null or state = %(state)s)
order by created_at, proposal_id;

-- name: insert_proposal
-- Keep a proposal unless the set was proposed the same query before, whatever became of it.
insert into golden_proposals (
    tenant_id, set_name, query, query_hash, note_id, start_char, end_char, quote, expected_answer, category, difficulty,
    method
) values (
    %(tenant)s, %(set)s, %(query)s, %(query_hash)s, %(note)s, %(start)s, %(end)s, %(quote)s, %(expected_answer)s,
    %(category)s, %(difficulty)s, %(method)s
)
on conflict (tenant_id, set_name, query_hash) do nothing
returning proposal_id;

-- name: insert_proposal_place
-- Another place that a proposal's answer rests on.
insert into golden_proposal_places (tenant_id, proposal_id, note_id, start_char, end_char, quote)
values (%(tenant)s, %(proposal)s, %(note)s, %(start)s, %(end)s, %(quote)s);

-- name: lock_proposals
-- The open proposals among these, locked until the transaction ends.
select proposal_id
from golden_proposals
where tenant_id = %(tenant)s and proposal_id = any(%(proposals)s) and state = 'open'
order by proposal_id
for update;

-- name: decide_proposals
update golden_proposals
set state = %(state)s, decided_at = now(), decided_by = %(by)s
where tenant_id = %(tenant)s and proposal_id = any(%(proposals)s) and state = 'open'
returning proposal_id;

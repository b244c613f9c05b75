-- name: insert_experiment
-- Nothing when the name is taken or another one is running.
insert into experiments (
    tenant_id, experiment_id, name, mode, share, control, candidate, control_reranker, candidate_reranker,
    candidate_configuration_id
) values (
    %(tenant)s, %(experiment_id)s, %(name)s, %(mode)s, %(share)s, %(control)s, %(candidate)s, %(control_reranker)s,
    %(candidate_reranker)s, %(candidate_configuration_id)s
)
on conflict do nothing
returning started_at;

-- name: list_experiments
-- Newest first, each with how many live queries it has.
select e.experiment_id, e.name, e.mode, e.share, e.control, e.candidate, e.control_reranker, e.candidate_reranker,
    e.candidate_configuration_id, e.state, e.started_at, e.stopped_at,
    (
        select count(*) from experiment_queries q
        where q.tenant_id = e.tenant_id and q.experiment_id = e.experiment_id
    )
from experiments e
where e.tenant_id = %(tenant)s
order by e.started_at desc, e.experiment_id;

-- name: find_experiment
-- By its name or by its id as text.
select experiment_id, name, mode, share, control, candidate, control_reranker, candidate_reranker,
    candidate_configuration_id, state, started_at, stopped_at
from experiments
where tenant_id = %(tenant)s and (name = %(name)s or experiment_id::text = %(name)s)
order by name <> %(name)s
limit 1;

-- name: fetch_running_experiment
-- With the weights of both sides, and whether another embedding model was promoted since it began.
select e.experiment_id, e.name, e.mode, e.share, e.control, e.candidate, e.control_reranker, e.candidate_reranker,
    e.candidate_configuration_id, e.state, e.started_at, e.stopped_at, before.weights, after.weights,
    exists (select from embedding_models m where m.state = 'active' and m.promoted_at > e.started_at)
from experiments e
left join rerankers before on before.tenant_id = e.tenant_id and before.version = e.control_reranker
left join rerankers after on after.tenant_id = e.tenant_id and after.version = e.candidate_reranker
where e.tenant_id = %(tenant)s and e.state = 'running';

-- name: stop_experiment
update experiments set state = 'stopped', stopped_at = now()
where tenant_id = %(tenant)s and experiment_id = %(experiment_id)s and state = 'running'
returning stopped_at;

-- name: insert_experiment_query
-- Nothing when the experiment was removed meanwhile.
insert into experiment_queries (
    tenant_id, query_id, experiment_id, arm, asked_at, control_notes, candidate_notes, served_notes, teams, control_ms,
    candidate_ms, is_degraded
)
select %(tenant)s, %(query_id)s, experiment_id, %(arm)s, %(asked_at)s, %(control_notes)s::uuid[],
    %(candidate_notes)s::uuid[], %(served_notes)s::uuid[], %(teams)s::text[], %(control_ms)s, %(candidate_ms)s,
    %(is_degraded)s
from experiments
where tenant_id = %(tenant)s and experiment_id = %(experiment_id)s;

-- name: fetch_experiment_query
select q.query_id, q.experiment_id, q.arm, q.asked_at, q.control_notes, q.candidate_notes, q.served_notes, q.teams,
    q.control_ms, q.candidate_ms, q.is_degraded, '{}'::uuid[], '{}'::text[]
from experiment_queries q
where q.tenant_id = %(tenant)s and q.query_id = %(query_id)s;

-- name: list_experiment_queries
-- In the order they were asked, each with what readers did and said.
select q.query_id, q.experiment_id, q.arm, q.asked_at, q.control_notes, q.candidate_notes, q.served_notes, q.teams,
    q.control_ms, q.candidate_ms, q.is_degraded,
    coalesce(f.notes, '{}'::uuid[]), coalesce(f.kinds, '{}'::text[])
from experiment_queries q
left join lateral (
    select array_agg(note_id order by given_at, feedback_id) as notes, array_agg(kind order by given_at, feedback_id) as kinds
    from experiment_feedback
    where tenant_id = q.tenant_id and query_id = q.query_id
) f on true
where q.tenant_id = %(tenant)s and q.experiment_id = %(experiment_id)s
order by q.asked_at, q.query_id;

-- name: withdraw_opposite_feedback
-- Who says now that a note helps said before that it does not.
delete from experiment_feedback
where tenant_id = %(tenant)s and query_id = %(query_id)s and note_id is not distinct from %(note_id)s
    and kind = %(opposite)s;

-- name: insert_experiment_feedback
-- Nothing when it was said before.
insert into experiment_feedback (tenant_id, query_id, note_id, kind)
values (%(tenant)s, %(query_id)s, %(note_id)s, %(kind)s)
on conflict do nothing
returning feedback_id;

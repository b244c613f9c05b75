-- name: insert_evaluation_run
insert into evaluation_runs (
    tenant_id, run_id, set_name, set_version, category, config_hash, config, models, pipeline_fingerprint,
    hit_rate_at_1, hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, faithfulness,
    answer_relevance, latency_p50_ms, latency_p95_ms, latency_p99_ms, total_queries, degraded_queries, failed_queries,
    created_at, purpose, strategy, circumstances, comparison, set_id, set_vocabulary, metrics, latency_stages, answers
) values (
    %(tenant)s, %(run_id)s, %(set_name)s, %(set_version)s, %(category)s, %(config_hash)s, %(config)s, %(models)s,
    %(pipeline_fingerprint)s, %(hit_rate_at_1)s, %(hit_rate_at_3)s, %(hit_rate_at_5)s, %(hit_rate_at_10)s, %(mrr)s,
    %(ndcg_at_10)s, %(recall_at_20)s, %(faithfulness)s, %(answer_relevance)s, %(p50)s, %(p95)s, %(p99)s,
    %(total_queries)s, %(degraded_queries)s, %(failed_queries)s, %(created_at)s,
    %(purpose)s, %(strategy)s, %(circumstances)s, %(comparison)s, %(set_id)s, %(set_vocabulary)s, %(metrics)s,
    %(latency_stages)s, %(answers)s
);

-- name: insert_evaluation_query
insert into evaluation_queries (
    tenant_id, run_id, query_id, query, category, difficulty, relevant_note_ids, ranked_note_ids, first_relevant_rank,
    ndcg_at_10, recall_at_20, latency_ms, is_degraded, error, relevance_grades, u_measure, first_passage_rank,
    is_confident, stages, answer
) values (
    %(tenant)s, %(run_id)s, %(query_id)s, %(query)s, %(category)s, %(difficulty)s, %(relevant_note_ids)s::uuid[],
    %(ranked_note_ids)s::uuid[], %(first_relevant_rank)s, %(ndcg_at_10)s, %(recall_at_20)s, %(latency_ms)s,
    %(is_degraded)s, %(error)s, %(relevance_grades)s::smallint[], %(u_measure)s, %(first_passage_rank)s, %(is_confident)s,
    %(stages)s, %(answer)s
);

-- name: list_evaluation_runs
-- Newest first, of all configurations or of one.
select run_id, set_name, set_version, category, config_hash, config, models, pipeline_fingerprint,
    hit_rate_at_1, hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, faithfulness,
    answer_relevance, latency_p50_ms, latency_p95_ms, latency_p99_ms, total_queries, degraded_queries, failed_queries,
    created_at, purpose, coalesce(strategy, config ->> 'strategy'), circumstances, comparison, set_id,
    set_vocabulary, metrics, latency_stages, answers
from evaluation_runs
where tenant_id = %(tenant)s and (%(config_hash)s::text is null or config_hash = %(config_hash)s)
order by created_at desc, run_id
limit %(limit)s;

-- name: fetch_evaluation_run
select run_id, set_name, set_version, category, config_hash, config, models, pipeline_fingerprint,
    hit_rate_at_1, hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, faithfulness,
    answer_relevance, latency_p50_ms, latency_p95_ms, latency_p99_ms, total_queries, degraded_queries, failed_queries,
    created_at, purpose, coalesce(strategy, config ->> 'strategy'), circumstances, comparison, set_id,
    set_vocabulary, metrics, latency_stages, answers
from evaluation_runs
where tenant_id = %(tenant)s and run_id = %(run_id)s;

-- name: find_evaluation_runs
-- Two at most of the runs whose id begins so: whether it is one alone.
select run_id
from evaluation_runs
where tenant_id = %(tenant)s and starts_with(replace(run_id::text, '-', ''), %(beginning)s)
order by created_at desc, run_id
limit 2;

-- name: fetch_evaluation_queries
select query_id, query, category, difficulty, relevant_note_ids, ranked_note_ids, latency_ms, is_degraded, error,
    relevance_grades, u_measure, first_passage_rank, is_confident, stages, answer
from evaluation_queries
where tenant_id = %(tenant)s and run_id = %(run_id)s
order by query_id;

-- name: fetch_baseline
select set_name, strategy, run_id, is_automatic, promoted_at
from evaluation_baselines
where tenant_id = %(tenant)s and set_name = %(set_name)s and strategy = %(strategy)s;

-- name: list_baselines
select set_name, strategy, run_id, is_automatic, promoted_at
from evaluation_baselines
where tenant_id = %(tenant)s
order by set_name collate "C", strategy collate "C";

-- name: write_baseline
-- 'any' replaces what is there, 'automatic' only what nobody promoted, 'none' nothing.
insert into evaluation_baselines (tenant_id, set_name, strategy, run_id, is_automatic)
values (%(tenant)s, %(set_name)s, %(strategy)s, %(run_id)s, %(is_automatic)s)
on conflict (tenant_id, set_name, strategy) do update
set run_id = excluded.run_id, is_automatic = excluded.is_automatic, promoted_at = now()
where %(replaces)s = 'any' or (%(replaces)s = 'automatic' and evaluation_baselines.is_automatic)
returning run_id;

-- name: fetch_contents
-- The texts of notes, to find golden spans in.
select note_id, content from notes where tenant_id = %(tenant)s and note_id = any(%(notes)s::uuid[]);

-- name: count_notes_without_vectors
-- Notes that no search by the model finds, for they have no vector of it, and all notes.
select count(*) filter (where not exists (
        select
        from chunks c join embeddings e on e.tenant_id = c.tenant_id and e.chunk_id = c.chunk_id
        where c.tenant_id = n.tenant_id and c.note_id = n.note_id and e.model_id = %(model)s
    )), count(*)
from notes n
where n.tenant_id = %(tenant)s;

-- name: count_golden_queries
-- How many queries an evaluation would ask: those of a set, or of one category, with a note left.
select count(*)
from golden_queries q join golden_sets s using (tenant_id, set_id)
where q.tenant_id = %(tenant)s and s.name = %(name)s
    and (%(category)s::text is null or q.category = %(category)s)
    and exists (select from golden_relevance r where r.tenant_id = q.tenant_id and r.query_id = q.query_id);

-- name: find_runs_of_configuration
-- The newest runs of whole golden sets with this configuration, newest first.
select run_id
from evaluation_runs
where tenant_id = %(tenant)s and config_hash = %(config_hash)s and category is null
order by created_at desc, run_id
limit %(limit)s;

-- name: measure_model_storage
-- A tenant's vectors of a model as they lie in the table, in bytes, and the model's index, which holds all tenants'.
select count(*), coalesce(sum(pg_column_size(vector)), 0)::bigint,
    pg_relation_size(to_regclass('brain.' || quote_ident(%(index)s)))
from embeddings
where tenant_id = %(tenant)s and model_id = %(model)s;

-- name: sample_chunk_texts
-- Some live chunks, the same ones each time: their ids are as good as random.
select content from chunks where tenant_id = %(tenant)s order by chunk_id limit %(limit)s;

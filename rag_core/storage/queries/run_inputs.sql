-- name: fetch_run_inputs
-- What rankings follow from beside configuration, models, pipeline and golden set: every note as it is indexed, in whatever
-- order, and the models' own thresholds and weights.
select
    (
        select count(*) || ':' || coalesce(sum(hashtextextended(
            concat_ws(' ', note_id, encode(content_hash, 'hex'), indexed_fingerprint, extract(epoch from created_at)), 0
        )), 0)
        from notes
        where tenant_id = %(tenant)s
    ),
    (
        select md5(coalesce(string_agg(
            concat_ws(' ', name, version, similarity_threshold, fusion_method, semantic_weight, fulltext_weight, searched_vectors),
            ',' order by name
        ), ''))
        from embedding_models
    );

-- name: count_indexed_notes
-- How many notes were indexed by which pipeline; '' for those that are not indexed and are searched whole.
select coalesce(indexed_fingerprint, ''), count(*)
from notes
where tenant_id = %(tenant)s
group by 1;

-- name: facet_sources
-- The tenant's sources in order, each found by one look-up in the unique index, however many notes it has.
with recursive sources as (
    (select source from notes where tenant_id = %(tenant)s order by source limit 1)
    union all
    select (
        select n.source from notes n
        where n.tenant_id = %(tenant)s and n.source > s.source
        order by n.source limit 1
    )
    from sources s
    where s.source is not null
)
select source from sources where source is not null limit %(limit)s;

-- name: facet_languages
-- The languages the tenant's notes are in, the most frequent first.
select language
from corpus_statistics
where tenant_id = %(tenant)s
group by language
having sum(documents) > 0
order by sum(documents) desc, language;

-- name: facet_languages_seen
-- The same for whoever sees a part of the notes: the statistics count them all.
select language from notes where tenant_id = %(tenant)s group by language order by count(*) desc, language;

-- name: facet_tags
-- How often each tag stands in the tenant's newest notes; as they are written.
select tag, count(*)
from (
    select tags from notes where tenant_id = %(tenant)s order by created_at desc, note_id limit %(notes)s
) newest
cross join lateral unnest(newest.tags) tag
group by tag
order by count(*) desc, tag;

-- name: facet_types
-- Types that a note was told to be of, in the order of the parameter; each is one look-up in the index.
select t.document_type
from unnest(%(types)s::text[]) with ordinality t (document_type, position)
where exists (select from note_enrichments e where e.tenant_id = %(tenant)s and e.document_type = t.document_type)
order by t.position;

-- name: path_evidence
-- For each step from a cause to an effect the note that says so most surely.
select distinct on (step.cause, step.effect) step.cause, step.effect, r.note_id
from unnest(%(causes)s::uuid[], %(effects)s::uuid[]) step (cause, effect)
join relations r
    on r.tenant_id = %(tenant)s and r.source_id = step.cause and r.target_id = step.effect
    and r.kind in ('CAUSES', 'TRIGGERS', 'LEADS_TO')
order by step.cause, step.effect, r.confidence desc, r.relation_id;

-- Notes and the entities that they name, from one of them to the next.

-- name: fetch_notes_naming
-- Notes that name some entities, and which of them: what few notes name counts more, then the newest first. Of an entity that stands
-- in very many notes not all are looked at.
with named as (
    select distinct w.entity_id, m.note_id
    from unnest(%(entities)s::uuid[]) w (entity_id)
    join entity_names a on a.tenant_id = %(tenant)s and a.entity_id = w.entity_id
    cross join lateral (
        select m.note_id from named_mentions m
        where m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
        limit %(most)s
    ) m
), weighed as (
    select entity_id, 1 / ln(1 + count(*)) as weight from named group by entity_id
)
select n.note_id as id, n.title, n.created_at, array_agg(d.entity_id order by w.weight desc, d.entity_id) as entities
from named d
join weighed w using (entity_id)
join named_notes r on r.tenant_id = %(tenant)s and r.note_id = d.note_id
join notes n on n.tenant_id = r.tenant_id and n.note_id = r.note_id and n.content_hash = r.content_hash
where d.note_id <> all(%(besides)s::uuid[])
group by n.tenant_id, n.note_id
order by sum(w.weight) desc, n.created_at desc, n.note_id
limit %(limit)s;

-- name: fetch_entities_named
-- Entities that some notes name, and in which, those in most of these notes first; dates and amounts are none.
select e.entity_id as id, e.kind, {name} as name, array_agg(distinct m.note_id) as notes
from unnest(%(notes)s::uuid[]) w (note_id)
join named_mentions m on m.tenant_id = %(tenant)s and m.note_id = w.note_id and m.kind not in ('DATE', 'MONEY')
join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
join entity_names a on a.tenant_id = m.tenant_id and a.kind = m.kind and a.name_key = m.name_key
join named_entities e on e.tenant_id = a.tenant_id and e.entity_id = a.entity_id
where e.entity_id <> all(%(besides)s::uuid[])
group by e.tenant_id, e.entity_id
order by count(distinct m.note_id) desc, name, e.entity_id
limit %(limit)s;

-- name: fetch_note_direction
-- The sum of the directions of a note's chunks; null without vectors.
select sum(public.l2_normalize(e.vector)) as direction
from chunks c
join embeddings e on e.tenant_id = c.tenant_id and e.chunk_id = c.chunk_id and e.model_id = %(model)s and e.kind = %(kind)s
where c.tenant_id = %(tenant)s and c.note_id = %(note)s;

-- name: fetch_notes_of_chunks
select c.chunk_id, n.note_id as id, n.title, n.created_at
from chunks c
join notes n on n.tenant_id = c.tenant_id and n.note_id = c.note_id
where c.tenant_id = %(tenant)s and c.chunk_id = any(%(chunks)s);

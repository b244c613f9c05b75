-- What notes name: written when a note is read, listed, decided on by people.

-- name: fetch_sure_names
-- Kinds of names that share a word with a text and are sure to be of that kind.
select distinct a.name, a.kind
from unnest(%(words)s::text[]) w (word)
join entity_name_blocks b on b.tenant_id = %(tenant)s and b.block = w.word collate "C"
join entity_names a on a.tenant_id = b.tenant_id and a.kind = b.kind and a.name_key = b.name_key
where a.is_sure
limit %(limit)s;

-- name: fetch_known_names
-- Of these keys those that are names already.
select a.kind, a.name_key
from unnest(%(kinds)s::text[], %(keys)s::text[]) k (kind, name_key)
join entity_names a on a.tenant_id = %(tenant)s and a.kind = k.kind and a.name_key = k.name_key;

-- name: fetch_near_names
-- Names that share a block with new ones of their kind.
select w.kind, w.block, n.name_key, n.entity_id
from unnest(%(kinds)s::text[], %(blocks)s::text[]) w (kind, block)
cross join lateral (
    select a.name_key, a.entity_id
    from entity_name_blocks b
    join entity_names a on a.tenant_id = b.tenant_id and a.kind = b.kind and a.name_key = b.name_key
    where b.tenant_id = %(tenant)s and b.kind = w.kind and b.block = w.block collate "C"
    order by a.name_key
    limit %(limit)s
) n;

-- name: insert_named_entity
insert into named_entities (tenant_id, entity_id, kind, name) values (%(tenant)s, %(entity)s, %(kind)s, %(name)s)
on conflict do nothing;

-- name: insert_entity_name
-- A name with the words it is found by; a longer name becomes the entity's, unless somebody named that.
with added as (
    insert into entity_names (tenant_id, kind, name_key, entity_id, name, method, score, decided_by, is_sure)
    values (%(tenant)s, %(kind)s, %(key)s, %(entity)s, %(name)s, %(method)s, %(score)s, 'rules', %(is_sure)s)
    returning kind, name_key
), found_by as (
    insert into entity_name_blocks (tenant_id, kind, block, name_key)
    select %(tenant)s, kind, b.block, name_key from added cross join unnest(%(blocks)s::text[]) b (block)
)
update named_entities e set name = %(name)s
where e.tenant_id = %(tenant)s and e.entity_id = %(entity)s and e.renamed_by is null and char_length(e.name) < char_length(%(name)s);

-- name: mark_sure_names
update entity_names a set is_sure = true
from unnest(%(kinds)s::text[], %(keys)s::text[]) k (kind, name_key)
where a.tenant_id = %(tenant)s and a.kind = k.kind and a.name_key = k.name_key and not a.is_sure;

-- name: delete_named_mentions
delete from named_mentions where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: insert_named_mentions
insert into named_mentions (tenant_id, note_id, start_char, end_char, kind, name_key, confidence, method)
select %(tenant)s, m.note_id, m.start_char, m.end_char, m.kind, m.name_key, m.confidence, m.method
from unnest(%(notes)s::uuid[], %(starts)s::int[], %(ends)s::int[], %(kinds)s::text[], %(keys)s::text[], %(confidences)s::float8[],
    %(methods)s::text[]) m (note_id, start_char, end_char, kind, name_key, confidence, method)
on conflict do nothing;

-- name: insert_named_relations
insert into named_relations (tenant_id, note_id, source_start, target_start, kind, evidence_start, evidence_end, confidence, method)
select %(tenant)s, r.note_id, r.source_start, r.target_start, r.kind, r.evidence_start, r.evidence_end, r.confidence, 'pattern'
from unnest(%(notes)s::uuid[], %(sources)s::int[], %(targets)s::int[], %(kinds)s::text[], %(starts)s::int[], %(ends)s::int[],
    %(confidences)s::float8[]) r (note_id, source_start, target_start, kind, evidence_start, evidence_end, confidence)
on conflict do nothing;

-- name: insert_named_notes
insert into named_notes (tenant_id, note_id, content_hash, fingerprint)
select %(tenant)s, r.note_id, r.content_hash, %(fingerprint)s
from unnest(%(notes)s::uuid[], %(hashes)s::bytea[]) r (note_id, content_hash)
on conflict (tenant_id, note_id) do update set content_hash = excluded.content_hash, fingerprint = excluded.fingerprint;

-- name: list_named_entities
-- Entities by how many notes name them; a search is for a part of any of their names. Who sees a part of the notes is told the name
-- as these have it.
select e.entity_id as id, e.kind, {name} as name, c.notes, c.mentions
from named_entities e
join lateral (
    select count(distinct m.note_id)::int as notes, count(*)::int as mentions
    from entity_names a
    join named_mentions m on m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
    join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
    join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
    where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id
) c on c.notes > 0
where e.tenant_id = %(tenant)s and (%(kind)s::text is null or e.kind = %(kind)s)
    and (%(entity)s::uuid is null or e.entity_id = %(entity)s)
    and (%(pattern)s::text is null or {name} ilike %(pattern)s or exists (
        select from entity_names a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id
            and (a.name ilike %(pattern)s or a.name_key ilike %(pattern)s)
    ))
order by c.notes desc, c.mentions desc, name, e.entity_id
limit %(limit)s;

-- name: entity_name_stored
e.name

-- name: entity_name_seen
(
    select a.name from entity_names a where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id
    order by char_length(a.name) desc, a.name_key limit 1
)

-- name: fetch_entity_names
-- The names of an entity in notes that are read as they stand, and why each is one of it.
select a.name_key as key, a.name, count(m.note_id)::int as mentions, a.method, a.score, a.decided_by, a.decided_at
from entity_names a
join named_mentions m on m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
where a.tenant_id = %(tenant)s and a.entity_id = %(entity)s
group by a.tenant_id, a.kind, a.name_key
order by 3 desc, a.name_key;

-- name: fetch_entity_places
-- Where notes name an entity, the newest notes first.
select n.note_id, n.title, n.created_at, n.language, m.start_char as start, m.end_char as end, m.confidence, m.method,
    substring(n.content from greatest(m.start_char - %(around)s, 0) + 1 for least(m.start_char, %(around)s) + m.end_char - m.start_char + %(around)s)
        as around,
    least(m.start_char, %(around)s) as "offset"
from entity_names a
join named_mentions m on m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
where a.tenant_id = %(tenant)s and a.entity_id = %(entity)s
order by n.created_at desc, n.note_id, m.start_char
limit %(limit)s;

-- name: fetch_entities_beside
-- Entities that the notes of an entity name too, those in most of these notes first; dates and amounts are none.
select e.entity_id as id, e.kind, {name} as name, count(distinct o.note_id)::int as notes, count(*)::int as mentions
from (
    select distinct m.note_id
    from entity_names a
    join named_mentions m on m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
    join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
    join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
    where a.tenant_id = %(tenant)s and a.entity_id = %(entity)s
    limit 1000
) w
join named_mentions o on o.tenant_id = %(tenant)s and o.note_id = w.note_id and o.kind not in ('DATE', 'MONEY')
join entity_names b on b.tenant_id = o.tenant_id and b.kind = o.kind and b.name_key = o.name_key
join named_entities e on e.tenant_id = b.tenant_id and e.entity_id = b.entity_id
where e.entity_id <> %(entity)s
group by e.tenant_id, e.entity_id
order by 4 desc, 5 desc, 3
limit %(limit)s;

-- name: fetch_entity_relations
-- Relations of an entity to others, each once: as its surest statement, of these the newest, has it. Not by the view edges, which takes
-- 100 ms to plan.
with own as materialized (
    select m.note_id, m.start_char
    from entity_names a
    join named_mentions m on m.tenant_id = a.tenant_id and m.kind = a.kind and m.name_key = a.name_key
    where a.tenant_id = %(tenant)s and a.entity_id = %(entity)s
), told as materialized (
    select r.*, true as is_source, r.target_start as other_start
    from own o join named_relations r on r.tenant_id = %(tenant)s and r.note_id = o.note_id and r.source_start = o.start_char
    union all
    select r.*, false, r.source_start
    from own o join named_relations r on r.tenant_id = %(tenant)s and r.note_id = o.note_id and r.target_start = o.start_char
), best as materialized (
    select distinct on (r.kind, r.is_source, a.entity_id) r.*, a.entity_id
    from told r
    join named_mentions m on m.tenant_id = r.tenant_id and m.note_id = r.note_id and m.start_char = r.other_start
    join entity_names a on a.tenant_id = m.tenant_id and a.kind = m.kind and a.name_key = m.name_key and a.entity_id <> %(entity)s
    join named_notes d on d.tenant_id = r.tenant_id and d.note_id = r.note_id
    join notes n on n.tenant_id = d.tenant_id and n.note_id = d.note_id and n.content_hash = d.content_hash
    order by r.kind, r.is_source, a.entity_id, r.confidence desc, n.created_at desc, r.note_id, r.evidence_start
)
select b.kind, b.is_source, e.entity_id as id, e.kind as entity_kind, {name} as name, b.note_id, n.title, n.language,
    b.evidence_start as start, b.evidence_end as end, b.confidence, b.method,
    substring(n.content from b.evidence_start + 1 for b.evidence_end - b.evidence_start) as evidence
from best b
join named_entities e on e.tenant_id = b.tenant_id and e.entity_id = b.entity_id
join notes n on n.tenant_id = b.tenant_id and n.note_id = b.note_id
order by b.kind, b.is_source desc, 5, e.entity_id
limit %(limit)s;

-- name: fetch_entities_of_note
-- The entities that a note names, in the order of its text.
select e.entity_id as id, e.kind, {name} as name, 1 as notes, count(*)::int as mentions
from named_mentions m
join named_notes r on r.tenant_id = m.tenant_id and r.note_id = m.note_id
join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id and n.content_hash = r.content_hash
join entity_names a on a.tenant_id = m.tenant_id and a.kind = m.kind and a.name_key = m.name_key
join named_entities e on e.tenant_id = a.tenant_id and e.entity_id = a.entity_id
where m.tenant_id = %(tenant)s and m.note_id = %(note)s and m.kind not in ('DATE', 'MONEY')
group by e.tenant_id, e.entity_id
order by min(m.start_char)
limit %(limit)s;

-- name: merge_entity_names
update entity_names set entity_id = %(into)s, merged_from = coalesce(merged_from, entity_id), method = 'merge', score = 1,
    decided_by = %(actor)s, decided_at = now()
where tenant_id = %(tenant)s and entity_id = %(entity)s;

-- name: split_entity_names
update entity_names set entity_id = %(into)s, merged_from = null, method = 'split', score = 1, decided_by = %(actor)s,
    decided_at = now()
where tenant_id = %(tenant)s and entity_id = %(entity)s and name_key = any(%(keys)s);

-- name: fetch_split_origins
-- The entities that names were merged from; null for names that were not.
select distinct merged_from from entity_names
where tenant_id = %(tenant)s and entity_id = %(entity)s and name_key = any(%(keys)s);

-- name: rename_entity
update named_entities set name = %(name)s, renamed_by = %(actor)s where tenant_id = %(tenant)s and entity_id = %(entity)s;

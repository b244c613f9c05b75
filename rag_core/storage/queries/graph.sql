-- The graph of entities and relations: kept up to date note by note, and walked for a question.

-- name: list_graph_stale_batches
-- Batches with a note that this extractor has not read as it stands; newest first. Notes the migration has not come to are
-- read when it does: what is read in a whole note goes with its only chunk.
select b.batch_key
from notes n
join batches b using (tenant_id, batch_key)
left join graph_notes g using (tenant_id, note_id)
left join named_notes r using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and n.legacy_state is distinct from 'pending'
    and (g.fingerprint is distinct from %(fingerprint)s or g.content_hash <> n.content_hash
        or r.fingerprint is distinct from %(names)s or r.content_hash <> n.content_hash)
group by b.batch_key, b.sequence
order by b.sequence;

-- name: fetch_notes_to_read
-- Notes of the batches that this extractor has not read as they stand, a page at a time.
select n.note_id, n.content, n.language, n.content_hash
from notes n
left join graph_notes g using (tenant_id, note_id)
left join named_notes r using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and n.note_id > %(after)s
    and (g.fingerprint is distinct from %(fingerprint)s or g.content_hash <> n.content_hash
        or r.fingerprint is distinct from %(names)s or r.content_hash <> n.content_hash)
order by n.note_id
limit %(limit)s;

-- name: lock_graph
-- Whoever writes entities or their names has this lock, of each tenant one, and takes it after every other: writers of a
-- note's graph after the note, whoever deletes mentions at the end of the transaction, by trigger.
select pg_advisory_xact_lock(hashtextextended('brain.graph:' || %(tenant)s, 0));

-- name: forget_at_once
-- What is no longer mentioned goes with the statement that deletes the mention, not at the end of the transaction.
set constraints brain.mentions_deleted immediate;

-- name: fetch_unread_notes
-- Which of the notes still have the text that was read and have not been read so by this extractor; without one, by any.
select n.note_id
from unnest(%(notes)s::uuid[], %(hashes)s::bytea[]) r (note_id, content_hash)
join notes n on n.tenant_id = %(tenant)s and n.note_id = r.note_id and n.content_hash = r.content_hash
where not exists (
    select from graph_notes g
    where g.tenant_id = n.tenant_id and g.note_id = n.note_id and g.content_hash = n.content_hash
        and (%(fingerprint)s::text is null or g.fingerprint = %(fingerprint)s)
) or not exists (
    select from named_notes r
    where r.tenant_id = n.tenant_id and r.note_id = n.note_id and r.content_hash = n.content_hash and r.fingerprint = %(names)s
);

-- name: delete_relations
delete from relations where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: delete_mentions
-- Entities mentioned nowhere else follow.
delete from mentions where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: fetch_aliases
-- The entities of phrases that have been seen before.
select a.alias_key, e.key
from entity_aliases a join entities e using (tenant_id, entity_id)
where a.tenant_id = %(tenant)s and a.alias_key = any(%(keys)s);

-- name: fetch_similar_entities
-- Entities whose own phrase contains a new phrase or is contained in it, with at least two stems in common.
with shared as materialized (
    select p.phrase_key, s.alias_key, count(*) as stems
    from unnest(%(keys)s::text[], %(stems)s::text[]) p (phrase_key, stem)
    join entity_stems s on s.tenant_id = %(tenant)s and s.language = %(language)s and s.stem = p.stem
    group by p.phrase_key, s.alias_key
    having count(*) >= 2
), sizes as (
    select phrase_key, count(*) as stems from unnest(%(keys)s::text[]) k (phrase_key) group by phrase_key
)
select distinct a.stems
from shared
join sizes using (phrase_key)
join entity_aliases a on a.tenant_id = %(tenant)s and a.alias_key = shared.alias_key
join entities e on e.tenant_id = %(tenant)s and e.key = a.alias_key
where shared.stems = least(sizes.stems, cardinality(a.stems));

-- name: fetch_stem_weights
-- Inverse document frequencies as BM25 has them; a stem in no note is absent.
with {counts} corpus as (
    select greatest(1, sum(documents))::float8 as documents from corpus_statistics
    where tenant_id = %(tenant)s and language = %(language)s
)
select s.lexeme, ln(1 + (c.documents - s.df + 0.5) / (s.df + 0.5))
from corpus c
cross join lateral (
    select l.lexeme, least(c.documents, sum(l.document_frequency)::float8) as df
    from posting_blocks l
    where l.tenant_id = %(tenant)s and l.language = %(language)s and l.lexeme = any(%(stems)s)
    group by l.lexeme
    having sum(l.document_frequency) > 0
) s;

-- name: insert_entities
-- An id that an entity of another key has taken with it is not used twice.
insert into entities (tenant_id, entity_id, key, name)
select %(tenant)s,
    case when exists (select from entities e where e.tenant_id = %(tenant)s and e.entity_id = n.entity_id)
        then gen_random_uuid() else n.entity_id end,
    n.key, n.name
from unnest(%(ids)s::uuid[], %(keys)s::text[], %(names)s::text[]) n (entity_id, key, name)
on conflict do nothing;

-- name: insert_aliases
-- Phrases with their stems; one that has a name keeps it.
with added as (
    insert into entity_aliases (tenant_id, alias_key, entity_id, language, name, stems)
    select %(tenant)s, n.alias_key, e.entity_id, n.language, n.name, string_to_array(n.stems, ' ')
    from unnest(%(keys)s::text[], %(entity_keys)s::text[], %(languages)s::text[], %(names)s::text[], %(stems)s::text[])
        n (alias_key, entity_key, language, name, stems)
    join entities e on e.tenant_id = %(tenant)s and e.key = n.entity_key
    on conflict do nothing
    returning alias_key, language, stems
)
insert into entity_stems (tenant_id, language, stem, alias_key)
select %(tenant)s, a.language, s.stem, a.alias_key
from added a cross join lateral unnest(a.stems) s (stem);

-- name: count_aliases
select count(*) from entity_aliases where tenant_id = %(tenant)s and alias_key = any(%(keys)s);

-- name: insert_mentions
-- Each in the chunk that holds most of it; the first of several. The notes' chunks are read once: sorted for each mention
-- they took most of the time a long note takes.
with pieces as materialized (
    select note_id, chunk_id, chunk_index, start_char, end_char
    from chunks where tenant_id = %(tenant)s and note_id = any(%(notes)s)
)
insert into mentions (tenant_id, note_id, start_char, end_char, alias_key, entity_id, chunk_id)
select distinct on (m.note_id, m.start_char, m.end_char)
    %(tenant)s, m.note_id, m.start_char, m.end_char, a.alias_key, a.entity_id, p.chunk_id
from unnest(%(notes)s::uuid[], %(starts)s::int[], %(ends)s::int[], %(keys)s::text[])
    m (note_id, start_char, end_char, alias_key)
join entity_aliases a on a.tenant_id = %(tenant)s and a.alias_key = m.alias_key
join pieces p on p.note_id = m.note_id and p.start_char < m.end_char and p.end_char > m.start_char
order by m.note_id, m.start_char, m.end_char,
    least(p.end_char, m.end_char) - greatest(p.start_char, m.start_char) desc, p.chunk_index
on conflict do nothing;

-- name: insert_relations
-- Between two entities, never from one to itself; the evidence is the chunk that holds most of it.
with pieces as materialized (
    select note_id, chunk_id, chunk_index, start_char, end_char
    from chunks where tenant_id = %(tenant)s and note_id = any(%(notes)s)
)
insert into relations (
    tenant_id, relation_id, source_id, target_id, kind, note_id, chunk_id, evidence_start, evidence_end, confidence, extractor
)
select distinct on (r.relation_id)
    %(tenant)s, r.relation_id, s.entity_id, t.entity_id, r.kind, r.note_id, p.chunk_id, r.evidence_start, r.evidence_end,
    r.confidence, r.extractor
from unnest(
    %(ids)s::uuid[], %(sources)s::text[], %(targets)s::text[], %(kinds)s::text[], %(notes)s::uuid[], %(starts)s::int[],
    %(ends)s::int[], %(confidences)s::float8[], %(extractors)s::text[]
) r (relation_id, source_key, target_key, kind, note_id, evidence_start, evidence_end, confidence, extractor)
join entity_aliases s on s.tenant_id = %(tenant)s and s.alias_key = r.source_key
join entity_aliases t on t.tenant_id = %(tenant)s and t.alias_key = r.target_key
join pieces p on p.note_id = r.note_id and p.start_char < r.evidence_end and p.end_char > r.evidence_start
where s.entity_id <> t.entity_id
order by r.relation_id,
    least(p.end_char, r.evidence_end) - greatest(p.start_char, r.evidence_start) desc, p.chunk_index
on conflict do nothing;

-- name: forget_read_notes
delete from graph_notes where tenant_id = %(tenant)s and note_id = any(%(notes)s);

-- name: insert_read_notes
insert into graph_notes (tenant_id, note_id, content_hash, fingerprint)
select %(tenant)s, r.note_id, r.content_hash, r.fingerprint
from unnest(%(notes)s::uuid[], %(hashes)s::bytea[], %(fingerprints)s::text[]) r (note_id, content_hash, fingerprint);

-- name: count_graph
-- Notes of the batches that have been read, and what they mention and relate.
select (select count(*) from graph_notes g join notes n using (tenant_id, note_id)
        where g.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)) as notes,
    (select count(distinct m.entity_id) from mentions m join notes n using (tenant_id, note_id)
        where m.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)) as entities,
    (select count(*) from relations r join notes n using (tenant_id, note_id)
        where r.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)) as relations;

-- name: check_graph_evidence
-- Relations whose evidence does not lie in their note, or whose chunk is another note's.
select count(*) over (), n.source || ':' || n.external_id, format(
    '%%s evidenced by characters %%s to %%s of %%s', r.kind, r.evidence_start, r.evidence_end, char_length(n.content)
)
from relations r
join notes n using (tenant_id, note_id)
join chunks c using (tenant_id, chunk_id)
where r.tenant_id = %(tenant)s and (%(batches)s::text[] is null or n.batch_key = any(%(batches)s))
    and (c.note_id <> r.note_id or r.evidence_end > char_length(n.content))
order by 2
limit 20;

-- name: preview_relations
-- The surest relations of the batches' notes.
select n.external_id as note, s.name as source, r.kind, t.name as target, r.confidence, r.extractor
from relations r
join notes n using (tenant_id, note_id)
join entities s on s.tenant_id = r.tenant_id and s.entity_id = r.source_id
join entities t on t.tenant_id = r.tenant_id and t.entity_id = r.target_id
where r.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s)
order by r.confidence desc, n.created_at desc, r.relation_id
limit 10;

-- name: fetch_asked_aliases
-- Phrases that share stems with a question, those that share most and say least beside it first.
select a.entity_id, a.stems
from (
    select alias_key, count(*) as shared
    from entity_stems
    where tenant_id = %(tenant)s and language = %(language)s and stem = any(%(stems)s)
    group by alias_key
) s
join entity_aliases a on a.tenant_id = %(tenant)s and a.alias_key = s.alias_key
order by s.shared desc, cardinality(a.stems), a.alias_key
limit %(limit)s;

-- name: walk_causes_or_effects
-- From the asked entities along causal relations, breadth first, against their direction for causes.
--
-- walked keeps one path a start and entity on each level, so cycles and diamonds stay small: at most as many rows as
-- there are entities, a level. An entity's own distance is the least one; every relation that reaches it from one step nearer is
-- evidence, its chunk a hit at that distance. Only relations whose note passes the filters are followed.
with recursive walked (start_id, entity_id, depth, path, relations) as (
    select e.entity_id, e.entity_id, 0, array[e.entity_id], array[]::uuid[]
    from entities e
    where e.tenant_id = %(tenant)s and e.entity_id = any(%(starts)s::uuid[])
    union all
    select * from (
        select distinct on (w.start_id, r.next_id) w.start_id, r.next_id, w.depth + 1, w.path || r.next_id, w.relations || r.relation_id
        from walked w
        cross join lateral (
            select source_id as next_id, note_id, confidence, relation_id from relations
            where %(backwards)s and tenant_id = %(tenant)s and target_id = w.entity_id
                and kind in ('CAUSES', 'TRIGGERS', 'LEADS_TO')
            union all
            select target_id, note_id, confidence, relation_id from relations
            where not %(backwards)s and tenant_id = %(tenant)s and source_id = w.entity_id
                and kind in ('CAUSES', 'TRIGGERS', 'LEADS_TO')
        ) r
        where w.depth < %(max_depth)s and r.next_id <> all(w.path)
            and {passing}
        order by w.start_id, r.next_id, r.confidence desc, r.relation_id
    ) nearer
), reached as materialized (
    select distinct on (start_id, entity_id) start_id, entity_id, depth, path, relations
    from walked
    order by start_id, entity_id, depth
), evidence as (
    select distinct on (r.chunk_id) r.chunk_id, f.depth + 1 as depth, r.confidence, r.relation_id, f.path || t.entity_id as path,
        f.relations || r.relation_id as relations
    from reached f
    cross join lateral (
        select source_id as next_id, note_id, chunk_id, confidence, relation_id from relations
        where %(backwards)s and tenant_id = %(tenant)s and target_id = f.entity_id
            and kind in ('CAUSES', 'TRIGGERS', 'LEADS_TO')
        union all
        select target_id, note_id, chunk_id, confidence, relation_id from relations
        where not %(backwards)s and tenant_id = %(tenant)s and source_id = f.entity_id
            and kind in ('CAUSES', 'TRIGGERS', 'LEADS_TO')
    ) r
    join reached t on t.start_id = f.start_id and t.entity_id = r.next_id and t.depth = f.depth + 1
    where {passing}
    order by r.chunk_id, depth, r.confidence desc, r.relation_id
), best as (
    select * from evidence order by depth, confidence desc, relation_id limit %(limit)s
)
select b.chunk_id, b.depth, b.path, array(
        select {name} from unnest(b.path) with ordinality p (entity_id, position)
        join entities e on e.tenant_id = %(tenant)s and e.entity_id = p.entity_id
        order by p.position
    ), b.relations
from best b
order by b.depth, b.confidence desc, b.relation_id;

-- name: fetch_relations
-- Relations that a walk followed, with the stretch of the note that says so.
select r.relation_id, r.source_id, r.target_id, r.kind, r.confidence, r.note_id, n.language,
    substring(n.content from r.evidence_start + 1 for least(r.evidence_end - r.evidence_start, %(characters)s))
from relations r
join notes n on n.tenant_id = r.tenant_id and n.note_id = r.note_id
where r.tenant_id = %(tenant)s and r.relation_id = any(%(relations)s);

-- name: fetch_mentions
-- Where a note speaks of entities, in the order of its text.
select entity_id, start_char as start, end_char as end, chunk_id
from mentions
where tenant_id = %(tenant)s and note_id = %(note)s
order by start_char, end_char;

-- name: fetch_relations_of_note
-- What a note says of entities, in the order of its text.
select relation_id, source_id, target_id, kind, evidence_start as start, evidence_end as end, confidence, chunk_id
from relations
where tenant_id = %(tenant)s and note_id = %(note)s
order by evidence_start, evidence_end, relation_id;

-- name: name_of_entity
e.name

-- name: name_seen
-- The entity as a note that may be seen writes it: its own name may come from one that may not.
(
    select substring(n.content from m.start_char + 1 for m.end_char - m.start_char)
    from entity_aliases a
    join mentions m on m.tenant_id = a.tenant_id and m.alias_key = a.alias_key
    join notes n on n.tenant_id = m.tenant_id and n.note_id = m.note_id
    where a.tenant_id = %(tenant)s and a.entity_id = e.entity_id
    order by cardinality(a.stems), a.alias_key, n.created_at, m.note_id, m.start_char
    limit 1
)

-- name: passing_evidence
-- Whether the note r speaks of passes the filters.
exists (select from notes n where n.tenant_id = %(tenant)s and n.note_id = r.note_id and {filters});

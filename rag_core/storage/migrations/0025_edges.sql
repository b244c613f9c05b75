-- Relations between what notes name, each stated by a stretch of a note between two of its mentions: it goes with either of them.

create table named_relations (
    tenant_id text not null,
    note_id uuid not null,
    source_start integer not null,
    target_start integer not null,
    kind text not null check (kind in (
        'WORKS_FOR', 'MANAGES', 'REPORTS_TO', 'CREATED', 'USES', 'PART_OF', 'APPROVED_BY', 'COLLABORATES_WITH'
    )),
    evidence_start integer not null check (evidence_start >= 0),
    evidence_end integer not null,
    confidence double precision not null check (confidence > 0 and confidence <= 1),
    method text not null check (method in ('pattern', 'spacy', 'llm')),
    primary key (tenant_id, note_id, source_start, target_start, kind),
    foreign key (tenant_id, note_id, source_start) references named_mentions on delete cascade,
    foreign key (tenant_id, note_id, target_start) references named_mentions on delete cascade,
    check (source_start <> target_start),
    check (evidence_end > evidence_start)
);
create index named_relations_target on named_relations (tenant_id, note_id, target_start);

alter table named_relations enable row level security;
create policy tenant on named_relations using (tenant_id = (select current_setting('brain.tenant', true)));
create policy audience on named_relations as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (select from notes n where n.tenant_id = named_relations.tenant_id and n.note_id = named_relations.note_id)
);
grant select, insert, update, delete on named_relations to brain_app;

-- Every edge of the graph as it can be read: cause and effect between phrases, relations between named entities, notes and what they
-- name, notes and those they link to. Who reads it sees the rows of the tables that he sees.
create view edges with (security_invoker = true) as
select r.tenant_id, r.kind, r.source_id, r.target_id, r.note_id, r.evidence_start, r.evidence_end, r.confidence, r.extractor as method
from relations r
union all
select r.tenant_id, r.kind, a.entity_id, b.entity_id, r.note_id, r.evidence_start, r.evidence_end, r.confidence, r.method
from named_relations r
join named_mentions s on s.tenant_id = r.tenant_id and s.note_id = r.note_id and s.start_char = r.source_start
join named_mentions t on t.tenant_id = r.tenant_id and t.note_id = r.note_id and t.start_char = r.target_start
join entity_names a on a.tenant_id = s.tenant_id and a.kind = s.kind and a.name_key = s.name_key
join entity_names b on b.tenant_id = t.tenant_id and b.kind = t.kind and b.name_key = t.name_key
join named_notes d on d.tenant_id = r.tenant_id and d.note_id = r.note_id
join notes n on n.tenant_id = d.tenant_id and n.note_id = d.note_id and n.content_hash = d.content_hash
where a.entity_id <> b.entity_id
union all
select m.tenant_id, 'MENTIONS', m.note_id, a.entity_id, m.note_id, m.start_char, m.end_char, m.confidence, m.method
from named_mentions m
join entity_names a on a.tenant_id = m.tenant_id and a.kind = m.kind and a.name_key = m.name_key
join named_notes d on d.tenant_id = m.tenant_id and d.note_id = m.note_id
join notes n on n.tenant_id = d.tenant_id and n.note_id = d.note_id and n.content_hash = d.content_hash
union all
select l.tenant_id, 'REFERENCES', l.note_id, k.note_id, l.note_id, l.start_char, l.end_char, 1, l.kind
from note_links l
join notes n on n.tenant_id = l.tenant_id and n.note_id = l.note_id
cross join lateral (
    select t.note_id
    from note_names k join notes t using (tenant_id, note_id)
    where k.tenant_id = l.tenant_id and k.source = n.source and k.name_key = l.target_key
    order by k.rank, char_length(t.external_id), t.external_id
    limit 1
) k;
grant select on edges to brain_app;

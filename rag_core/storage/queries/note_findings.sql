-- name: replace_note_findings
-- What a scan of these texts found, in place of what was found before; a note that has another text by now is passed over.
with scanned as (
    select n.note_id, n.content_hash, s.score, s.spans
    from unnest(%(notes)s::uuid[], %(hashes)s::bytea[], %(scores)s::float8[], %(spans)s::jsonb[]) s (note_id, content_hash, score, spans)
    join notes n on n.tenant_id = %(tenant)s and n.note_id = s.note_id and n.content_hash = s.content_hash
    order by n.note_id
    for key share of n
),
cleared as (
    delete from note_findings f
    using scanned s
    where f.tenant_id = %(tenant)s and f.note_id = s.note_id and s.score is null
)
insert into note_findings (tenant_id, note_id, content_hash, rules_version, score, spans)
select %(tenant)s, note_id, content_hash, %(version)s, score, spans
from scanned
where score is not null
on conflict (tenant_id, note_id) do update
set content_hash = excluded.content_hash, rules_version = excluded.rules_version, score = excluded.score, spans = excluded.spans,
    found_at = now();

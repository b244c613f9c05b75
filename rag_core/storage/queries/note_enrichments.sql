-- Enrichments of notes.

-- name: list_unenriched_batches
-- Batches with a note that these rules have not enriched as it stands; newest first. Notes the migration has not come to wait.
select b.batch_key
from notes n
join batches b using (tenant_id, batch_key)
left join note_enrichments e using (tenant_id, note_id)
where n.tenant_id = %(tenant)s and n.legacy_state is distinct from 'pending'
    and (e.rules_version is distinct from %(version)s or e.content_hash <> n.content_hash)
group by b.batch_key, b.sequence
order by b.sequence;

-- name: fetch_notes_to_enrich
-- Notes of the batches that are not enriched as they stand by these rules, or not yet with what the chat model told of them; a page
-- at a time.
select n.note_id, n.title, n.content, n.language, n.content_hash, (
        select d.format from documents d where d.tenant_id = n.tenant_id and d.note_id = n.note_id limit 1
    ) as file_format,
    s.model, s.summary, s.document_type, coalesce(s.topics, '{}') as topics
from notes n
left join note_enrichments e using (tenant_id, note_id)
left join note_summaries s on s.tenant_id = n.tenant_id and s.content_hash = n.content_hash and s.model = %(model)s
    and s.prompt_version = %(prompt_version)s
where n.tenant_id = %(tenant)s and n.batch_key = any(%(batches)s) and n.note_id > %(after)s
    and (
        e.rules_version is distinct from %(version)s or e.content_hash <> n.content_hash
        or e.made_by <> coalesce(s.model, 'rules')
    )
order by n.note_id
limit %(limit)s;

-- name: replace_enrichments
-- A note that has another text by now is passed over.
with told as (
    select n.tenant_id, n.content_hash, r.*
    from jsonb_to_recordset(%(rows)s) r (
        note_id uuid, text_hash text, made_by text, document_type text, type_confidence real, topics text[], key_phrases text[],
        summary text, reading_ease real, words integer, sections integer, tables integer, images integer
    )
    join notes n on n.tenant_id = %(tenant)s and n.note_id = r.note_id and n.content_hash = decode(r.text_hash, 'hex')
    order by n.note_id
    for key share of n
)
insert into note_enrichments (
    tenant_id, note_id, content_hash, rules_version, made_by, document_type, type_confidence, topics, topic_keys, key_phrases, summary,
    reading_ease, words, sections, tables, images
)
select tenant_id, note_id, content_hash, %(version)s, made_by, document_type, type_confidence, topics,
    array(select keys_of_tags(topics)), key_phrases, summary, reading_ease, words, sections, tables, images
from told
on conflict (tenant_id, note_id) do update
set content_hash = excluded.content_hash, rules_version = excluded.rules_version, made_by = excluded.made_by,
    document_type = excluded.document_type, type_confidence = excluded.type_confidence, topics = excluded.topics,
    topic_keys = excluded.topic_keys, key_phrases = excluded.key_phrases, summary = excluded.summary,
    reading_ease = excluded.reading_ease, words = excluded.words, sections = excluded.sections, tables = excluded.tables,
    images = excluded.images, enriched_at = now();

-- name: fetch_enrichment
-- What is told of a note as it stands.
select e.made_by, e.document_type, e.type_confidence, e.topics, e.key_phrases, e.summary, e.reading_ease, e.words, e.sections,
    e.tables, e.images
from note_enrichments e join notes n using (tenant_id, note_id, content_hash)
where e.tenant_id = %(tenant)s and e.note_id = %(note)s;

-- name: fetch_file_facts
-- Format of the file that a note was made of, when it was uploaded, null for one of a folder, and by which key.
select d.format, o.created_at as uploaded_at, d.uploaded_by
from documents d
left join originals o on d.is_upload and o.tenant_id = d.tenant_id and o.file_hash = d.file_hash
where d.tenant_id = %(tenant)s and d.note_id = %(note)s
limit 1;

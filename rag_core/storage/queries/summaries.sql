-- name: fetch_summaries
-- What a model made of these texts under this wording.
select content_hash, summary
from note_summaries
where tenant_id = %(tenant)s and content_hash = any(%(hashes)s) and model = %(model)s and prompt_version = %(version)s;

-- name: insert_summary
-- A note deleted meanwhile is passed over; a summary that another writer stored meanwhile stays.
insert into note_summaries (tenant_id, content_hash, model, prompt_version, note_id, summary, document_type, topics)
select n.tenant_id, %(hash)s, %(model)s, %(version)s, n.note_id, %(summary)s, %(type)s, %(topics)s
from notes n
where n.tenant_id = %(tenant)s and n.note_id = %(note)s
for key share
on conflict do nothing;

-- name: fetch_indexed_as
-- Which of these notes have live chunks of that pipeline.
select note_id from notes
where tenant_id = %(tenant)s and note_id = any(%(notes)s) and indexed_fingerprint = %(fingerprint)s;

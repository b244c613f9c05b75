-- Documents that are fetched from an address or a path, and uploads by keys of departments.

alter table documents
    -- Address or path that the document is fetched from; null for files that were sent.
    add column url text check (url <> ''),
    -- The departments whose key sent it: its note is theirs, and they see the document before there is one.
    add column departments text[];
create unique index documents_url on documents (tenant_id, md5(url), departments) nulls not distinct where url is not null;
create index documents_job on documents (tenant_id, job_id) where job_id is not null;

-- What was fetched anew replaces the original before it.
create trigger documents_original_replaced after update on documents
    for each row when (old.is_upload and old.file_hash is distinct from new.file_hash) execute function forget_original();

drop policy audience on documents;
create policy audience on documents as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or exists (select from notes n where n.tenant_id = documents.tenant_id and n.note_id = documents.note_id)
    or (note_id is null and departments && (select seen_departments()))
);
-- A job that parses a document is seen with it; other jobs are about all of a tenant's notes.
drop policy audience on evaluation_jobs;
create policy audience on evaluation_jobs as restrictive using (
    (select current_setting('brain.departments', true)) = '*'
    or (kind = 'ingestion' and exists (
        select from documents d where d.tenant_id = evaluation_jobs.tenant_id and d.job_id = evaluation_jobs.job_id
    ))
);

-- A version of what a tenant can find, for caches: another one after every committed change.
--
-- corpus_statistics is where every change of a chunk leaves a row already, and writers only append there, so they do not
-- wait for each other. Each row now has a number of its own, never given twice, and the version is made of the numbers
-- that are visible. The highest number alone would not do: a writer that took a lower one may commit later.

alter table corpus_statistics add column change_id bigint generated always as identity;
create unique index corpus_statistics_change on corpus_statistics (tenant_id, change_id);

-- What changes an answer without changing a chunk leaves a row of zeros, which adds nothing to BM25's sums.
create function record_change() returns trigger language plpgsql set search_path = brain as $$
begin
    insert into corpus_statistics (tenant_id, language, documents, total_length)
    select distinct tenant_id, 'es', 0, 0 from changed;
    return null;
end $$;

create trigger notes_update_recorded after update on notes
    referencing new table as changed for each statement execute function record_change();
create trigger embeddings_insert_recorded after insert on embeddings
    referencing new table as changed for each statement execute function record_change();

-- The causal graph: what leads to what, and the names it is asked by. What goes with its chunk is recorded there already.
create trigger relations_insert_recorded after insert on relations
    referencing new table as changed for each statement execute function record_change();
create trigger relations_delete_recorded after delete on relations
    referencing old table as changed for each statement execute function record_change();
create trigger entity_aliases_insert_recorded after insert on entity_aliases
    referencing new table as changed for each statement execute function record_change();
create trigger entities_update_recorded after update on entities
    referencing new table as changed for each statement execute function record_change();

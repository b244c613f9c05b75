-- A model may be searched by sentence: its standard vectors then hold those of all sentences, one after another.

alter table embedding_models add column searched_vectors text;

update embedding_models set searched_vectors = case when uses_contextual then 'contextual' else 'standard' end;

alter table embedding_models
    alter column searched_vectors set not null,
    add constraint embedding_models_searched_vectors_check check (searched_vectors in ('standard', 'contextual', 'sentences')),
    drop column uses_contextual;

-- Chunkers and embedding providers may come from plugins, so the database no longer lists their names.

alter table chunks
    drop constraint chunks_chunking_method_check,
    add constraint chunks_chunking_method_check check (chunking_method <> '');
alter table embedding_models
    drop constraint embedding_models_provider_check,
    add constraint embedding_models_provider_check check (provider <> '');

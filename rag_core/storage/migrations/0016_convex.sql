-- A model's fusion may weigh both legs by how far their scores tell candidates apart.

alter table embedding_models
    drop constraint embedding_models_fusion_method_check,
    add constraint embedding_models_fusion_method_check check (fusion_method in ('rrf', 'relative_score', 'convex'));

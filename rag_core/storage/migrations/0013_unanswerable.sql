-- Golden queries that the notes do not answer, and that are right when they are refused.

alter table golden_queries add column is_answerable boolean not null default true;

-- Weights of the embedded re-ranker fitted on a tenant's own golden set; a tenant without a row uses the shipped ones.

create table rerankers (
    tenant_id text not null references tenants on delete cascade,
    version text not null check (version <> ''),
    weights jsonb not null,
    -- On which queries, when, and how well: as in the shipped file.
    fitted_on jsonb not null,
    state text not null check (state in ('active', 'retired')),
    created_at timestamptz not null default now(),
    primary key (tenant_id, version)
);
create unique index rerankers_one_active on rerankers (tenant_id) where state = 'active';

alter table rerankers enable row level security;
create policy tenant on rerankers using (tenant_id = (select current_setting('brain.tenant', true)));
grant select, insert, update, delete on rerankers to brain_app;

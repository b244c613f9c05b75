-- name: lock_configurations
-- Until the transaction ends nobody else numbers a configuration or a promotion of the tenant.
select pg_advisory_xact_lock(hashtextextended('brain.configurations:' || %(tenant)s, 0));

-- name: fetch_served_configuration
-- What the last promotion serves, with the weights it names; nulls when it went back to the defaults, no row before the first.
select p.number, c.number, c.override, c.embedding_model, c.reranker_version, r.weights
from promotions p
left join configurations c on c.tenant_id = p.tenant_id and c.configuration_id = p.configuration_id
left join rerankers r on r.tenant_id = c.tenant_id and r.version = c.reranker_version
where p.tenant_id = %(tenant)s
order by p.number desc
limit 1;

-- name: fetch_configuration
-- One configuration by its number.
select configuration_id, number, override, embedding_model, reranker_version, origin, evidence, created_at
from configurations
where tenant_id = %(tenant)s and number = %(number)s;

-- name: list_configurations
-- The newest configurations, those not promoted included.
select configuration_id, number, override, embedding_model, reranker_version, origin, evidence, created_at
from configurations
where tenant_id = %(tenant)s
order by number desc
limit %(limit)s;

-- name: find_same_configuration
-- The newest configuration that says exactly this.
select configuration_id, number, override, embedding_model, reranker_version, origin, evidence, created_at
from configurations
where tenant_id = %(tenant)s and origin = %(origin)s and override = %(override)s
    and embedding_model is not distinct from %(embedding_model)s
    and reranker_version is not distinct from %(reranker_version)s
order by number desc
limit 1;

-- name: insert_configuration
-- The next number's configuration; lock_configurations comes before.
insert into configurations (tenant_id, number, override, embedding_model, reranker_version, origin, evidence)
select %(tenant)s, coalesce(max(number), 0) + 1, %(override)s, %(embedding_model)s, %(reranker_version)s, %(origin)s, %(evidence)s
from configurations
where tenant_id = %(tenant)s
returning configuration_id, number, override, embedding_model, reranker_version, origin, evidence, created_at;

-- name: fetch_reranker_weights
-- Stored weights by their version.
select weights from rerankers where tenant_id = %(tenant)s and version = %(version)s;

-- name: store_reranker_weights
-- Weights under their version, which is made of their numbers; fitted again they keep their row, with the later provenance.
insert into rerankers (tenant_id, version, weights, fitted_on)
values (%(tenant)s, %(version)s, %(weights)s, %(fitted_on)s)
on conflict (tenant_id, version) do update set weights = excluded.weights, fitted_on = excluded.fitted_on;

-- name: list_promotions
-- What was served when, newest first; a limit of null gives all.
select p.number, c.number as configuration, p.action, p.reason, p.evidence, p.promoted_at
from promotions p
left join configurations c on c.tenant_id = p.tenant_id and c.configuration_id = p.configuration_id
where p.tenant_id = %(tenant)s
order by p.number desc
limit %(limit)s;

-- name: insert_promotion
-- The next promotion, if the last one is still the one expected (null: there is none); lock_configurations comes before.
insert into promotions (tenant_id, number, configuration_id, action, reason, evidence)
select %(tenant)s, coalesce(%(expected)s::integer, 0) + 1,
    (select configuration_id from configurations where tenant_id = %(tenant)s and number = %(configuration)s::integer),
    %(action)s, %(reason)s, %(evidence)s
where (select max(number) from promotions where tenant_id = %(tenant)s) is not distinct from %(expected)s::integer
returning number, evidence, promoted_at;

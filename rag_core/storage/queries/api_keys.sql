-- API keys: made, listed and revoked over all tenants by the owner's connection; the application reads one by showing its secret.

-- name: find_api_key
-- As the application, before any tenant is known: only whoever has the secret's hash gets a row.
select tenant_id, name, scopes, departments, questions_per_minute, questions_per_hour, expires_at, revoked_at
from find_api_key(%(key_id)s, %(secret_hash)s);

-- name: make_tenant
-- One row where the tenant is new.
insert into brain.tenants (tenant_id) values (%(tenant)s)
on conflict do nothing
returning tenant_id;

-- name: insert_api_key
insert into brain.api_keys (
    key_id, tenant_id, name, secret_hash, scopes, departments, questions_per_minute, questions_per_hour, expires_at
) values (
    %(key_id)s, %(tenant)s, %(name)s, %(secret_hash)s, %(scopes)s, %(departments)s, %(questions_per_minute)s,
    %(questions_per_hour)s, %(expires_at)s
)
returning created_at;

-- name: list_api_keys
-- Of one tenant, or of all where it is null: live ones first, then in the order they were made.
select key_id, tenant_id, name, scopes, departments, questions_per_minute, questions_per_hour, expires_at, revoked_at, created_at,
    last_used_at
from brain.api_keys
where %(tenant)s::text is null or tenant_id = %(tenant)s
order by revoked_at is not null, tenant_id, created_at, key_id;

-- name: revoke_api_key
-- The moment it was revoked, which stays the first one.
update brain.api_keys set revoked_at = coalesce(revoked_at, now())
where key_id = %(key_id)s
returning revoked_at;

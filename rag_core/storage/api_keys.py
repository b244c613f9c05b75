"""Stored API keys. Making, listing and revoking is the owner's; the application can read a key by its secret's hash alone."""

from dataclasses import replace
from typing import Any

import psycopg

from rag_core.errors import ConflictError
from rag_core.model.access import ApiKey, KeyGrant, PresentedKey
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query

NO_TENANT = TenantId("")
"""Tenant of a transaction that does not know its tenant yet; no row is visible to it."""


def find_key(database: Database, shown: PresentedKey, *, timeout_ms: int) -> ApiKey | None:
    """The key that was shown, expired and revoked ones too; None where there is none, or its secret is another.

    Its limits are its own, else its tenant's. That it was used is kept to the minute, so reading it twice changes nothing more.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError: see ``Database.transaction``.
    """

    def find(connection: Connection) -> tuple[Any, ...] | None:
        parameters = {"key_id": shown.key_id, "secret_hash": shown.secret_hash}
        return connection.execute(query("find_api_key"), parameters).fetchone()

    row = database.read(NO_TENANT, find, timeout_ms=timeout_ms)
    if row is None:
        return None
    tenant, name, scopes, departments, per_minute, per_hour, expires_at, revoked_at = row
    return ApiKey(
        key_id=shown.key_id,
        tenant=TenantId(tenant),
        name=name,
        scopes=frozenset(scopes),
        departments=None if departments is None else tuple(departments),
        questions_per_minute=per_minute,
        questions_per_hour=per_hour,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )


def insert_key(connection: Connection, grant: KeyGrant, shown: PresentedKey) -> tuple[ApiKey, bool]:
    """Store a key, with its tenant where that is new; the key as stored, and whether the tenant was made.

    Raises:
        ConflictError: the tenant has a key of that name that is not revoked.
    """
    parameters = {
        "key_id": shown.key_id,
        "secret_hash": shown.secret_hash,
        "tenant": grant.tenant,
        "name": grant.name,
        "scopes": list(grant.scopes),
        "departments": None if grant.departments is None else list(grant.departments),
        "questions_per_minute": grant.questions_per_minute,
        "questions_per_hour": grant.questions_per_hour,
        "expires_at": grant.expires_at,
    }
    try:
        with connection.transaction():
            is_new_tenant = connection.execute(query("make_tenant"), parameters).fetchone() is not None
            row = connection.execute(query("insert_api_key"), parameters).fetchone()
    except psycopg.errors.UniqueViolation as error:
        raise ConflictError(
            f"{grant.tenant} has a key named {grant.name!r}; choose another name, or revoke that one with "
            f"`brain key revoke {grant.name!r} --tenant {grant.tenant}`"
        ) from error
    assert row is not None
    stored = ApiKey(
        key_id=shown.key_id,
        tenant=grant.tenant,
        name=grant.name,
        scopes=frozenset(grant.scopes),
        departments=grant.departments,
        questions_per_minute=grant.questions_per_minute,
        questions_per_hour=grant.questions_per_hour,
        expires_at=grant.expires_at,
        revoked_at=None,
        created_at=row[0],
    )
    return stored, is_new_tenant


def list_keys(connection: Connection, tenant: TenantId | None = None) -> list[ApiKey]:
    """The keys of one tenant, or of all: live ones first, in the order they were made. Limits are the keys' own."""
    return [
        ApiKey(
            key_id=row[0],
            tenant=TenantId(row[1]),
            name=row[2],
            scopes=frozenset(row[3]),
            departments=None if row[4] is None else tuple(row[4]),
            questions_per_minute=row[5],
            questions_per_hour=row[6],
            expires_at=row[7],
            revoked_at=row[8],
            created_at=row[9],
            last_used_at=row[10],
        )
        for row in connection.execute(query("list_api_keys"), {"tenant": tenant}).fetchall()
    ]


def revoke_key(connection: Connection, key: ApiKey) -> ApiKey:
    """Let a key open nothing any more; one that was revoked before stays revoked since then."""
    row = connection.execute(query("revoke_api_key"), {"key_id": key.key_id}).fetchone()
    return key if row is None else replace(key, revoked_at=row[0])

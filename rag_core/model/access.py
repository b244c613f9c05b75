"""Keys and callers: who may ask for what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from rag_core.model.note import TenantId

Scope = Literal["read", "write", "evaluate", "admin"]
"""Rights of a key: search and questions; changes to notes; golden sets, evaluations and configurations; everything of the tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedKey:
    """A key as somebody shows it: which one it says it is, and the SHA-256 of its secret."""

    key_id: str
    secret_hash: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyGrant:
    """Checked rights of a new key: see ``check_grant``."""

    tenant: TenantId
    name: str
    scopes: tuple[Scope, ...]
    departments: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    questions_per_minute: int | None = None
    questions_per_hour: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A stored key. ``departments`` None sees all of the tenant's notes; limits None are as the tenant or the settings say."""

    key_id: str
    tenant: TenantId
    name: str
    scopes: frozenset[Scope]
    departments: tuple[str, ...] | None
    questions_per_minute: int | None
    questions_per_hour: int | None
    expires_at: datetime | None
    revoked_at: datetime | None
    created_at: datetime | None = None
    last_used_at: datetime | None = None

    def is_usable(self, now: datetime) -> bool:
        """Tell whether the key is valid at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSummary:
    """A tenant: its limits (None: as the settings say, or none), how many notes it has, and how many keys open something."""

    name: TenantId
    created_at: datetime
    max_notes: int | None
    questions_per_minute: int | None
    questions_per_hour: int | None
    notes: int
    keys: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantDetails:
    """Tenant with the rows of every table that has any, and the number of notes that each department may see.

    Of ``audiences`` None is everybody, "" only who sees all of the tenant's notes.
    """

    summary: TenantSummary
    rows: Mapping[str, int]
    audiences: Mapping[str | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedTenant:
    """Result of deleting a tenant: rows by table, without empty tables, and the keys of its batches."""

    name: TenantId
    rows: Mapping[str, int]
    batches: tuple[str, ...]

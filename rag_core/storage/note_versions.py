"""Versions of notes: what they were before they were changed or deleted. A trigger on ``notes`` keeps them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from rag_core.model.note import DatedBy, Language, NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_value

MAX_DELETED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVersion:
    """A note as it was until ``changed_at``, when it was changed or deleted."""

    note_id: NoteId
    version_id: UUID
    changed_at: datetime
    is_deletion: bool
    source: str
    external_id: str
    title: str | None
    content: str
    language: Language
    metadata: Mapping[str, Any]
    created_at: datetime
    dated_by: DatedBy


def kept_since(days: int) -> datetime:
    """The moment before which versions are kept no longer."""
    return datetime.now(UTC) - timedelta(days=days)


def list_versions(connection: Connection, tenant: TenantId, note: NoteId, *, since: datetime) -> list[NoteVersion]:
    """The versions of a note, newest first."""
    return fetch_all(connection, NoteVersion, "list_versions", {"tenant": tenant, "note": note, "since": since})


def list_deleted(
    connection: Connection, tenant: TenantId, *, since: datetime, names: Collection[str] | None = None
) -> list[NoteVersion]:
    """The last versions of deleted notes, or of those of these external ids, source:id or uuids; the last deleted first."""
    parameters = {"since": since, "names": None if names is None else list(names), "limit": MAX_DELETED}
    return fetch_all(connection, NoteVersion, "list_deleted", {"tenant": tenant} | parameters)


def count_deleted(connection: Connection, tenant: TenantId, notes: Sequence[UUID]) -> int:
    """Number of deletions of these notes that are kept."""
    return int(fetch_value(connection, "count_deleted", {"tenant": tenant, "notes": list(notes)}))


def purge_versions(database: Database, tenant: TenantId, *, before: datetime) -> int:
    """Delete versions of notes changed before a moment; their number."""
    with database.transaction(tenant) as connection:
        return int(fetch_value(connection, "purge_versions", {"tenant": tenant, "before": before}))


def forget_versions(connection: Connection, tenant: TenantId, notes: Sequence[UUID]) -> None:
    """Delete all versions of notes."""
    connection.execute(query("forget_versions"), {"tenant": tenant, "notes": list(notes)})

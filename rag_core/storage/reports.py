"""Queries of the evaluation pages beside the runs: titles of notes, and events between runs."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteTitle:
    """Title, source and date of a note."""

    title: str | None
    source: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionAlert:
    """An alert that a nightly evaluation was worse than its baseline; not resolved while it lasts."""

    title: str
    message: str
    first_seen_at: datetime
    resolved_at: datetime | None


def fetch_note_titles(connection: Connection, tenant: TenantId, notes: Collection[NoteId]) -> dict[NoteId, NoteTitle]:
    """The notes that still exist, by their ids."""
    rows = connection.execute(query("note_titles"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return {
        note_id: NoteTitle(title=title, source=source, created_at=created_at)
        for note_id, title, source, created_at in rows
    }


def list_regression_alerts(owner: Connection, tenant: TenantId, *, limit: int) -> list[RegressionAlert]:
    """The alerts of one tenant's evaluations, newest first."""
    return fetch_all(owner, RegressionAlert, "list_regression_alerts", {"tenant": tenant, "limit": limit})

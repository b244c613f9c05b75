"""Counts and first rows of batches, for whoever watches the pipeline."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.rows import dict_row

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one, fetch_value

PreviewName = Literal[
    "preview_notes", "preview_staged_chunks", "preview_staged_vectors", "preview_live_chunks", "preview_relations"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOverview:
    """Contents of a batch; ``damaged`` notes are those whose text does not match their hash."""

    batch: str
    notes: int
    stale: int
    characters: int
    damaged: int
    oldest: datetime
    newest: datetime


def fetch_batch_overviews(
    database: Database, tenant: TenantId, batches: Sequence[str], *, fingerprint: str
) -> list[BatchOverview]:
    """One overview a batch, by key; a batch whose notes are all deleted has none."""
    parameters = {"tenant": tenant, "batches": list(batches), "fingerprint": fingerprint}
    with database.transaction(tenant) as connection:
        return fetch_all(connection, BatchOverview, "batch_overviews", parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """A tenant's batches, and those without a stale note."""

    batches: int
    done: int


def fetch_progress(database: Database, tenant: TenantId, *, fingerprint: str) -> BatchProgress:
    """Fetch how much of the tenant's batches this pipeline indexed, in one query."""
    with database.transaction(tenant) as connection:
        progress = fetch_one(
            connection, BatchProgress, "index_progress", {"tenant": tenant, "fingerprint": fingerprint}
        )
    assert progress is not None  # it counts
    return progress


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCount:
    """Number of documents of one status, format and parser, with their blocks and warnings."""

    status: str
    format: str | None
    parser: str | None
    documents: int
    blocks: int
    warnings: int


def count_documents(database: Database) -> list[DocumentCount]:
    """Count the files and uploads of all tenants, for the operator's tools."""
    with database.owner() as connection:
        return fetch_all(connection, DocumentCount, "count_documents")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePreview:
    """The beginning of a document's first page, as Markdown."""

    path: str
    checked_at: datetime
    text: str


def fetch_page_preview(database: Database, tenant: TenantId) -> PagePreview | None:
    """The first page of the tenant's newest document; None where it has none."""
    with database.transaction(tenant) as connection:
        return fetch_one(connection, PagePreview, "preview_page", {"tenant": tenant})


def count_pending(database: Database, tenant: TenantId) -> int:
    """Count the tenant's legacy notes that are not chunked yet."""
    with database.transaction(tenant) as connection:
        return int(fetch_value(connection, "count_pending_notes", {"tenant": tenant}))


def fetch_newest_stale_change(database: Database, tenant: TenantId, *, fingerprint: str) -> tuple[int, datetime | None]:
    """Count the stale notes that a run would take, and return the time of their last change; None without any."""
    parameters = {"tenant": tenant, "fingerprint": fingerprint, "most_attempts": MAX_ATTEMPTS}
    with database.transaction(tenant) as connection:
        row = connection.execute(query("newest_stale_change"), parameters).fetchone()
    assert row is not None
    return row[0], row[1]


def fetch_preview(
    database: Database, tenant: TenantId, name: PreviewName, batches: Sequence[str], *, fingerprint: str
) -> list[dict[str, Any]]:
    """The first rows of what a stage of the pipeline made of the batches, at most ten, by column name."""
    parameters = {"tenant": tenant, "batches": list(batches), "fingerprint": fingerprint}
    with database.transaction(tenant) as connection, connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query(name), parameters).fetchall()


def count_totals(database: Database, tenant: TenantId) -> tuple[int, int]:
    """Count the tenant's notes and chunks."""
    with database.transaction(tenant) as connection:
        row = connection.execute(query("totals"), {"tenant": tenant}).fetchone()
    assert row is not None
    return row[0], row[1]

"""Uploaded files: their originals, and the state of the documents that are made of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from rag_core.model.document import PageUnit
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one, fetch_value

SOURCE = "uploads"


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadState:
    """An upload: what it became, and the last job that parsed it. ``note_id`` is None before it was parsed."""

    path: str
    note_id: NoteId | None
    status: Literal["queued", "imported", "refused", "failed"]
    error: str | None
    format: str | None
    file_size: int
    pages: int | None
    page_unit: PageUnit
    parser: str | None
    parser_confidence: float | None
    warnings: list[str]
    checked_at: datetime
    title: str | None
    is_indexed: bool
    job_id: UUID | None
    job_state: Literal["queued", "running", "completed", "failed", "cancelled"] | None
    stage: str | None
    done: int | None
    total: int | None
    job_error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFile:
    """An uploaded file as it came."""

    path: str
    format: str
    content: bytes


def hold_upload_name(connection: Connection, tenant: TenantId, name: str, digest: bytes) -> str:
    """A name for an upload: that of the upload with the same name and content, else one that no other has (``name (2).pdf``).

    Nobody else gets it until the transaction ends.
    """
    connection.execute(query("lock_uploads"), {"tenant": tenant})
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, f".{suffix}") if dot else (name, "")
    escaped = stem.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    parameters = {"tenant": tenant, "source": SOURCE, "name": name, "pattern": f"{escaped} (%){suffix}"}
    taken: dict[str, bytes] = dict(connection.execute(query("fetch_upload_names"), parameters).fetchall())
    candidates = (name, *(f"{stem} ({number}){suffix}" for number in range(2, len(taken) + 3)))
    return next(one for one in candidates if taken.get(one, digest) == digest)


def insert_upload(
    connection: Connection,
    tenant: TenantId,
    *,
    path: str,
    file_format: str,
    content: bytes,
    digest: bytes,
    modified_ns: int,
) -> None:
    """Store an original and queue its document; one that was queued or parsed before is queued again."""
    connection.execute(query("insert_original"), {"tenant": tenant, "hash": digest, "content": content})
    parameters = {
        "tenant": tenant,
        "source": SOURCE,
        "path": path,
        "format": file_format,
        "hash": digest,
        "size": len(content),
        "modified": modified_ns,
    }
    connection.execute(query("insert_upload"), parameters)


def fetch_original(connection: Connection, tenant: TenantId, digest: bytes) -> bytes | None:
    """An original by its SHA-256; None where the upload was deleted."""
    content: bytes | None = fetch_value(connection, "fetch_original", {"tenant": tenant, "hash": digest})
    return content


def fetch_original_of(connection: Connection, tenant: TenantId, note: NoteId) -> OriginalFile | None:
    """The uploaded file that a note was made of; None for other notes."""
    row = connection.execute(query("fetch_original_of_note"), {"tenant": tenant, "note": note}).fetchone()
    return None if row is None else OriginalFile(path=row[0], format=row[1], content=row[2])


def fetch_upload_path(connection: Connection, tenant: TenantId, note: NoteId) -> str | None:
    """Name of the upload that a note was made of; None for other notes."""
    path: str | None = fetch_value(connection, "fetch_upload_of_note", {"tenant": tenant, "note": note})
    return path


def list_uploads(connection: Connection, tenant: TenantId, *, limit: int) -> list[UploadState]:
    """The newest uploads."""
    return fetch_all(connection, UploadState, "list_uploads", {"tenant": tenant, "path": None, "limit": limit})


def fetch_upload(connection: Connection, tenant: TenantId, path: str) -> UploadState | None:
    """One upload; None where there is none of that name."""
    return fetch_one(connection, UploadState, "list_uploads", {"tenant": tenant, "path": path, "limit": 1})

"""Uploaded files: their originals, and the state of the documents that are made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from rag_core.model.document import PageUnit, WarningKind
from rag_core.model.note import Note, NoteId, TenantId, content_hash, note_id_for
from rag_core.storage.database import Connection
from rag_core.storage.notes import delete_notes
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one, fetch_value

SOURCE = "uploads"


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadState:
    """An upload: what it became, and the job that parses it. ``note_id`` is None before it was parsed; then it is ``document_id``.

    ``done`` of ``total`` are steps of the job's stage.
    """

    path: str
    document_id: NoteId
    note_id: NoteId | None
    status: Literal["queued", "imported", "refused", "failed", "archived"]
    error: str | None
    file_hash: bytes | None
    pages: int | None
    page_unit: PageUnit
    parser: str | None
    parser_confidence: float | None
    warnings: list[str]
    warning_kinds: list[WarningKind | None]
    checked_at: datetime
    job_state: Literal["queued", "running", "completed", "failed", "cancelled"] | None
    stage: str | None
    done: int | None
    total: int | None
    job_error: str | None


def hold_upload_name(connection: Connection, tenant: TenantId, name: str, digest: bytes | None) -> str:
    """A name for an upload: that of the upload with the same name and content, else one that no other has (``name (2).pdf``).

    Nobody else gets it until the transaction ends. Without ``digest`` no other upload has it.
    """
    connection.execute(query("lock_uploads"), {"tenant": tenant})
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, f".{suffix}") if dot else (name, "")
    escaped = stem.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    parameters = {"tenant": tenant, "source": SOURCE, "name": name, "pattern": f"{escaped} (%){suffix}"}
    taken: dict[str, bytes] = dict(connection.execute(query("fetch_upload_names"), parameters).fetchall())
    candidates = (name, *(f"{stem} ({number}){suffix}" for number in range(2, len(taken) + 3)))
    return next(one for one in candidates if one not in taken or (digest is not None and taken[one] == digest))


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedBefore:
    """A document that was fetched from the same address or path before, with the number of its chunks."""

    path: str
    document_id: NoteId
    chunks: int


def hold_upload_of_url(
    connection: Connection, tenant: TenantId, url: str, departments: Sequence[str] | None
) -> FetchedBefore | None:
    """The document that these departments fetch from an address or path, if there is one.

    Nobody else begins one until the transaction ends.
    """
    connection.execute(query("lock_uploads"), {"tenant": tenant})
    parameters = {"tenant": tenant, "url": url, "departments": None if departments is None else list(departments)}
    row = connection.execute(query("hold_upload_of_url"), parameters).fetchone()
    return None if row is None else FetchedBefore(path=row[0], document_id=row[1], chunks=row[2])


def free_document_id(connection: Connection, tenant: TenantId, path: str) -> NoteId:
    """The id that the note of an upload has or gets."""
    proposed = note_id_for(tenant, SOURCE, path)
    found: NoteId = fetch_value(
        connection, "free_document_id", {"tenant": tenant, "source": SOURCE, "path": path, "proposed": proposed}
    )
    return found


def insert_original(connection: Connection, tenant: TenantId, digest: bytes, content: bytes) -> None:
    """Store an original, once its document is recorded: who sees some departments' notes sees it by that."""
    connection.execute(query("insert_original"), {"tenant": tenant, "hash": digest, "content": content})


def insert_upload(
    connection: Connection,
    tenant: TenantId,
    *,
    path: str,
    document_id: NoteId,
    modified_ns: int,
    file_format: str | None = None,
    file_size: int = 0,
    digest: bytes | None = None,
    url: str | None = None,
    departments: Sequence[str] | None = None,
    uploaded_by: str | None = None,
) -> None:
    """Queue a document; one that was queued or parsed before is queued again. Without ``url`` its content is known."""
    parameters = {
        "tenant": tenant,
        "source": SOURCE,
        "path": path,
        "document": document_id,
        "format": file_format,
        "hash": digest,
        "size": file_size,
        "modified": modified_ns,
        "url": url,
        "departments": None if departments is None else list(departments),
        "uploaded_by": uploaded_by,
    }
    connection.execute(query("insert_upload"), parameters)


def settle_upload(
    connection: Connection,
    tenant: TenantId,
    path: str,
    *,
    status: Literal["imported", "refused", "failed"],
    job: UUID,
    error: str | None = None,
) -> None:
    """Record that a document that is fetched by a job stays as it was, and why."""
    parameters = {"tenant": tenant, "source": SOURCE, "path": path, "status": status, "job": job, "error": error}
    connection.execute(query("settle_upload"), parameters)


def set_upload_job(connection: Connection, tenant: TenantId, path: str, document: NoteId, job_id: UUID) -> None:
    """Record the job that parses an upload; an earlier one that is unfinished is cancelled."""
    connection.execute(query("cancel_upload_job"), {"tenant": tenant, "document": document, "departments": None})
    parameters = {"tenant": tenant, "source": SOURCE, "path": path, "job": job_id}
    connection.execute(query("set_upload_job"), parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSums:
    """Number of uploads, of their bytes, and of the pages of those that were parsed."""

    files: int
    bytes: int
    pages: int


def sum_uploads(connection: Connection, tenant: TenantId, *, but: str) -> UploadSums:
    """Sums of all uploads of a tenant but the one with that path."""
    (sums,) = fetch_all(connection, UploadSums, "sum_uploads", {"tenant": tenant, "path": but})
    return sums


def hold_upload(connection: Connection, tenant: TenantId, path: str, job: UUID) -> bool:
    """Keep an upload until the transaction ends; False where it was deleted or archived, or another job has it."""
    parameters = {"tenant": tenant, "source": SOURCE, "path": path, "job": job}
    return connection.execute(query("hold_upload"), parameters).fetchone() is not None


def hold_unedited(connection: Connection, tenant: TenantId, note: Note) -> bool:
    """Keep a document's note until the transaction ends; False where its text, title or language is not this one any more."""
    found = connection.execute(query("hold_note"), {"tenant": tenant, "note": note.id}).fetchone()
    return found == (content_hash(note.language, note.title, note.content),)


def has_edited_text(connection: Connection, tenant: TenantId, path: str) -> bool:
    """Tell whether somebody edited the text that was read from an upload."""
    return bool(fetch_value(connection, "has_edited_text", {"tenant": tenant, "source": SOURCE, "path": path}))


def queue_outdated_upload(owner: Connection, formats: Mapping[str, tuple[str, str]]) -> bool:
    """Queue one upload to be parsed anew that was read by another version of its parser; False where there is none.

    ``formats`` has today's version and the suffix of each. Uploads whose text was edited are left, and for a day those that this
    version failed at.
    """
    versions, suffixes = zip(*formats.values(), strict=True)
    parameters = {"formats": list(formats), "versions": list(versions), "suffixes": list(suffixes)}
    return owner.execute(query("queue_outdated_upload"), parameters).fetchone() is not None


def fetch_archived_metadata(connection: Connection, tenant: TenantId, path: str) -> dict[str, Any] | None:
    """Metadata that the note of an upload had when it was archived; None once there is a note again."""
    parameters = {"tenant": tenant, "source": SOURCE, "path": path}
    row = connection.execute(query("fetch_archived_metadata"), parameters).fetchone()
    return row[0] if row else None


def forget_archived_metadata(connection: Connection, tenant: TenantId, path: str) -> None:
    """Forget the metadata of an archived note, as there is a note again."""
    connection.execute(query("forget_archived_metadata"), {"tenant": tenant, "source": SOURCE, "path": path})


def delete_upload(
    connection: Connection, tenant: TenantId, document: NoteId, departments: Sequence[str] | None = None
) -> bool:
    """Delete an upload with its note, its original and its job's work; False where none is there for these departments alone."""
    seen = None if departments is None else list(departments)
    parameters = {"tenant": tenant, "document": document, "departments": seen}
    connection.execute(query("cancel_upload_job"), parameters)
    row = connection.execute(query("delete_upload"), parameters).fetchone()
    if row is not None and row[0] is not None:
        delete_notes(connection, tenant, [row[0]])
    return row is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedUpload:
    """An archived upload: its file, the job that parsed it last, and the metadata that its note had."""

    path: str
    format: str
    file_hash: bytes
    job_id: UUID
    metadata: dict[str, Any]


def archive_upload(
    connection: Connection, tenant: TenantId, document: NoteId, departments: Sequence[str] | None = None
) -> bool:
    """Delete the note of an active upload with all that was made of it, and keep the original; False as ``delete_upload``."""
    seen = None if departments is None else list(departments)
    parameters = {"tenant": tenant, "document": document, "departments": seen}
    row = connection.execute(query("archive_upload"), parameters).fetchone()
    if row is not None:
        delete_notes(connection, tenant, [row[0]])
    return row is not None


def restore_upload(
    connection: Connection, tenant: TenantId, document: NoteId, departments: Sequence[str] | None = None
) -> ArchivedUpload | None:
    """Queue an archived upload again; None where there is none, or none for these departments alone."""
    seen = None if departments is None else list(departments)
    parameters = {"tenant": tenant, "document": document, "departments": seen}
    return fetch_one(connection, ArchivedUpload, "restore_upload", parameters)


def count_chunks(connection: Connection, tenant: TenantId, note: NoteId) -> int:
    """Number of the live chunks of a note."""
    return int(fetch_value(connection, "count_chunks_of_note", {"tenant": tenant, "note": note}))


def fetch_original(connection: Connection, tenant: TenantId, digest: bytes) -> bytes | None:
    """An original by its SHA-256; None where the upload was deleted."""
    parameters = {"tenant": tenant, "hash": digest}
    row = connection.execute(query("fetch_original"), parameters, binary=True).fetchone()
    return None if row is None else bytes(row[0])


def list_uploads(connection: Connection, tenant: TenantId, *, limit: int) -> list[UploadState]:
    """The newest uploads."""
    return fetch_all(connection, UploadState, "list_uploads", {"tenant": tenant, "document": None, "limit": limit})


def fetch_upload(connection: Connection, tenant: TenantId, document: NoteId) -> UploadState | None:
    """One upload; None where there is none of that id."""
    return fetch_one(connection, UploadState, "list_uploads", {"tenant": tenant, "document": document, "limit": 1})

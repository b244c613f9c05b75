"""State of an upload in one vocabulary, for all contracts and pages."""

from dataclasses import dataclass
from typing import Literal

from rag_core.errors import NotFoundError
from rag_core.model.note import NoteId, TenantId, note_id_for
from rag_core.storage.database import Connection
from rag_core.storage.uploads import SOURCE, UploadState, fetch_upload, fetch_upload_path, list_uploads

DocumentStatus = Literal["queued", "parsing", "indexing", "completed", "failed"]
SHARES = {"queued": 0, "parsing": 10, "indexing": 60}
"""Per cent that are done when a step begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """An upload with its status and progress in per cent; ``error`` says why it failed or was refused."""

    document_id: NoteId
    status: DocumentStatus
    progress: int
    error: str | None
    upload: UploadState


def document_state(tenant: TenantId, upload: UploadState) -> DocumentState:
    """The state of an upload, by its last job and what became of its file."""
    status = _status(upload)
    return DocumentState(
        document_id=upload.note_id or note_id_for(tenant, SOURCE, upload.path),
        status=status,
        progress=SHARES.get(status, 100),
        error=upload.error or upload.job_error if status == "failed" else None,
        upload=upload,
    )


def _status(upload: UploadState) -> DocumentStatus:
    if upload.job_state == "queued":
        return "queued"
    if upload.job_state == "running":
        return "indexing" if upload.stage == "indexing" else "parsing"
    if upload.status == "imported":
        return "completed"
    return (
        "failed" if upload.status in {"refused", "failed"} or upload.job_state in {"failed", "cancelled"} else "queued"
    )


def list_documents(connection: Connection, tenant: TenantId, *, limit: int) -> list[DocumentState]:
    """The newest uploads."""
    return [document_state(tenant, upload) for upload in list_uploads(connection, tenant, limit=limit)]


def find_document(connection: Connection, tenant: TenantId, document: NoteId) -> DocumentState:
    """One upload by its document's id, which is known before the document is parsed.

    Raises:
        NotFoundError: the tenant has none.
    """
    path = fetch_upload_path(connection, tenant, document)
    upload = fetch_upload(connection, tenant, path) if path else None
    if upload is not None:
        return document_state(tenant, upload)
    for waiting in list_uploads(connection, tenant, limit=MAX_WAITING):
        state = document_state(tenant, waiting)
        if state.document_id == document:
            return state
    raise NotFoundError(f"no document {document}")


MAX_WAITING = 1000
"""Uploads without a note that a document is looked for among."""

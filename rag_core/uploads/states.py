"""State of an upload in one vocabulary, for all contracts and pages."""

from dataclasses import dataclass
from typing import Literal

from rag_core.errors import NotFoundError
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.uploads import UploadState, fetch_upload, list_uploads

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


def document_state(upload: UploadState) -> DocumentState:
    """The state of an upload, by its job and what became of its file."""
    status = _status(upload)
    return DocumentState(
        document_id=upload.document_id,
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
    return [document_state(upload) for upload in list_uploads(connection, tenant, limit=limit)]


def find_document(connection: Connection, tenant: TenantId, document: NoteId) -> DocumentState:
    """One upload by its document's id, which is known before the document is parsed.

    Raises:
        NotFoundError: the tenant has none.
    """
    upload = fetch_upload(connection, tenant, document)
    if upload is None:
        raise NotFoundError(f"no document {document}")
    return document_state(upload)

"""State of an upload in one vocabulary, for all contracts and pages; contracts with words of their own map them."""

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from rag_core.errors import NotFoundError
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.jobs import fetch_job
from rag_core.storage.uploads import UploadState, count_chunks, fetch_upload, list_uploads

DocumentStatus = Literal["queued", "parsing", "chunking", "indexing", "graphing", "completed", "failed", "archived"]
FETCHING, PARSING, CHUNKING, EMBEDDING, EXTRACTING = "fetching", "parsing", "chunking", "embedding", "extracting"
"""Stages of the job."""
_STAGES: dict[str | None, tuple[DocumentStatus, int, int]] = {
    FETCHING: ("parsing", 0, 5),
    PARSING: ("parsing", 5, 40),
    CHUNKING: ("chunking", 40, 45),
    EMBEDDING: ("indexing", 45, 95),
    EXTRACTING: ("graphing", 95, 100),
}
"""Of each stage the status, and the per cent that are done when it begins and when it ends."""

IngestStatus = Literal["queued", "chunking", "embedding", "extracting", "complete", "failed"]
INGEST_STATUSES: dict[DocumentStatus, IngestStatus] = {
    "queued": "queued",
    "parsing": "chunking",
    "chunking": "chunking",
    "indexing": "embedding",
    "graphing": "extracting",
    "completed": "complete",
    "failed": "failed",
    "archived": "complete",
}
"""The words of the hybrid pipeline for each status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """An upload with its status and progress in per cent; ``error`` says why it failed or was refused.

    Of ``chunks`` so many are ``embedded``; both are None before the document is cut.
    """

    document_id: NoteId
    status: DocumentStatus
    progress: int
    error: str | None
    upload: UploadState
    chunks: int | None = None
    embedded: int | None = None

    @property
    def step(self) -> str:
        """The stage of the running job, else the status."""
        return (self.upload.job_state == "running" and self.upload.stage) or self.status


def document_state(upload: UploadState) -> DocumentState:
    """The state of an upload, by its job and what became of its file."""
    status, progress = _status(upload)
    is_embedding = status == "indexing"
    return DocumentState(
        document_id=upload.document_id,
        status=status,
        progress=progress,
        error=upload.error or upload.job_error if status == "failed" else None,
        upload=upload,
        chunks=upload.total if is_embedding else None,
        embedded=upload.done if is_embedding else None,
    )


def _status(upload: UploadState) -> tuple[DocumentStatus, int]:
    if upload.status == "archived":
        return "archived", 100
    if upload.job_state == "queued":
        return "queued", 0
    if upload.job_state == "running":
        status, begin, end = _STAGES.get(upload.stage, ("parsing", 0, 0))
        return status, begin + (end - begin) * (upload.done or 0) // (upload.total or 1)
    if upload.status == "imported":
        return "completed", 100
    has_failed = upload.status in {"refused", "failed"} or upload.job_state in {"failed", "cancelled"}
    return ("failed", 100) if has_failed else ("queued", 0)


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


def find_ingestion(connection: Connection, tenant: TenantId, job_id: UUID) -> DocumentState:
    """The state of a document as one of its jobs left it, with the number of its chunks.

    Raises:
        NotFoundError: the tenant has no such job, or its document was deleted.
    """
    job = fetch_job(connection, tenant, job_id)
    upload = (
        fetch_upload(connection, tenant, NoteId(UUID(job.parameters["document_id"])))
        if job.kind == "ingestion"
        else None
    )
    if upload is None:
        raise NotFoundError(f"no job {job_id}; it was given when the job was asked for")
    of_job = replace(upload, job_state=job.state, stage=job.stage, done=job.done, total=job.total, job_error=job.error)
    if job.state == "completed":
        of_job = replace(of_job, status="imported")
    elif job.state in {"failed", "cancelled"}:
        of_job = replace(of_job, status="failed", error=None)
    state = document_state(of_job)
    if state.status in {"graphing", "completed"} and upload.note_id is not None:
        chunks = count_chunks(connection, tenant, upload.note_id)
        return replace(state, chunks=chunks, embedded=chunks)
    return state

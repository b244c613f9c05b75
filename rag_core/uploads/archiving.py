"""Archiving of uploads: the note and all that was made of it goes at once, the original and its state stay, and it can come back."""

from pathlib import PurePosixPath
from typing import Any

from rag_core.errors import ConflictError, NotFoundError
from rag_core.model.note import NoteId, TenantId
from rag_core.parsing import FORMATS
from rag_core.parsing.recognising import suffix_of, suffixes
from rag_core.storage.database import Database
from rag_core.storage.jobs import fetch_job
from rag_core.storage.notes import hold_tenant
from rag_core.storage.uploads import ArchivedUpload, archive_upload, restore_upload
from rag_core.uploads.receiving import Upload, submit_ingestion
from rag_core.uploads.states import find_document


def archive(database: Database, tenant: TenantId, document: NoteId) -> None:
    """Archive a document: from the end of the transaction no search, graph, cache or structure has it.

    Raises:
        NotFoundError: there is none, or none for the caller's departments alone.
        ConflictError: it is not active.
    """
    with database.transaction(tenant) as connection:
        is_archived = archive_upload(connection, tenant, document, database.departments)
    if not is_archived:
        raise _refusal(database, tenant, document, wanted="completed")


def restore(database: Database, tenant: TenantId, document: NoteId) -> Upload:
    """Queue an archived document: it is parsed from its original, for whom it was before.

    Raises:
        NotFoundError, ConflictError: as ``archive``; it is not archived.
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    everything = database.seen_by(None)  # the job is seen once the document names it
    with everything.transaction(tenant) as connection:
        hold_tenant(everything, connection, tenant)
        found = restore_upload(connection, tenant, document, database.departments)
        if found is not None:
            asked = fetch_job(connection, tenant, found.job_id).parameters
            given: dict[str, Any] = {"hash": found.file_hash.hex(), "name": _name(found), "metadata": found.metadata}
            given |= {"title": asked.get("title"), "options": asked.get("options", {})}
            job_id = submit_ingestion(connection, tenant, found.path, document, given)
            return Upload(document_id=document, job_id=job_id, path=found.path)
    raise _refusal(database, tenant, document, wanted="archived")


def _name(found: ArchivedUpload) -> str:
    """The file's name, with a suffix that tells its format: what was fetched may have none."""
    name = PurePosixPath(found.path).name
    return name if suffix_of(name) in suffixes() else f"{name}{FORMATS.get(found.format).suffixes[0]}"


def _refusal(database: Database, tenant: TenantId, document: NoteId, *, wanted: str) -> Exception:
    with database.transaction(tenant) as connection:
        state = find_document(connection, tenant, document)
    if state.status == wanted:  # for others too than the caller
        return NotFoundError(f"no document {document}")
    return ConflictError(f"the document is {state.status}, not {wanted}; nothing was changed")

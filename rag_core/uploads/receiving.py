"""Receiving of uploads: what can be refused at once is refused, all else is queued."""

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from rag_core.errors import AccessDeniedError, DocumentRefusedError, DocumentTooLargeError, TenantFullError
from rag_core.evaluation.jobs.queue import submit_in
from rag_core.folders.opening import parsing_limits
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.validation import audience, checked_name, checked_text
from rag_core.parsing import SourceFile
from rag_core.parsing.recognising import format_of
from rag_core.settings import Settings
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import hold_tenant
from rag_core.storage.uploads import (
    free_document_id,
    hold_upload_name,
    insert_upload,
    set_upload_job,
    sum_uploads,
)

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
MAX_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was taken: the document it becomes, and the job that parses it."""

    document_id: NoteId
    job_id: UUID
    path: str


def receive(
    database: Database,
    tenant: TenantId,
    settings: Settings,
    *,
    name: str,
    content: bytes,
    metadata: Mapping[str, Any] | None = None,
) -> Upload:
    """Store a file and queue its document. The same file again is the same document; another one of its name gets a number.

    Raises:
        DocumentTooLargeError: the file has more bytes than are taken.
        DocumentRefusedError: it has no format that is taken.
        InvalidInputError: the metadata cannot be taken.
        AccessDeniedError: the caller sees some departments' notes only.
        TenantFullError: the tenant's uploads have as many bytes as they may.
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    if database.departments is not None:
        raise AccessDeniedError("uploads need a key without departments; what they hold is for all until it is parsed")
    limit = parsing_limits(settings).max_bytes
    if len(content) > limit:
        raise DocumentTooLargeError(
            f"the file has {len(content) / 1e6:,.1f} MB, and {limit / 1e6:,.0f} are allowed; split it, or raise BRAIN_DOCUMENT_MAX_MB"
        )
    facts = {
        name: checked_text(value, name, max_characters=MAX_NAME_CHARACTERS) for name, value in (metadata or {}).items()
    }
    audience(facts)
    name = plain_name(name)
    file_format = format_of(SourceFile(name=name, data=content))
    digest = hashlib.sha256(content).digest()
    with database.transaction(tenant) as connection:
        hold_tenant(database, connection, tenant)
        path = hold_upload_name(connection, tenant, name, digest)
        _check_room(connection, tenant, settings, len(content))
        document_id = free_document_id(connection, tenant, path)
        insert_upload(
            connection,
            tenant,
            path=path,
            document_id=document_id,
            file_format=file_format,
            content=content,
            digest=digest,
            modified_ns=time.time_ns(),
        )
        parameters = {"path": path, "hash": digest.hex(), "document_id": str(document_id), "metadata": facts}
        job_id = submit_in(connection, tenant, "ingestion", parameters)
        set_upload_job(connection, tenant, path, job_id)
    return Upload(document_id=document_id, job_id=job_id, path=path)


def _check_room(connection: Connection, tenant: TenantId, settings: Settings, size: int) -> None:
    limit = settings.uploads_max_mb * 1_000_000
    if sum_uploads(connection, tenant) + size > limit:
        raise TenantFullError(
            f"{tenant} has uploads of {settings.uploads_max_mb:,} MB, as many as it may; delete some, or raise BRAIN_UPLOADS_MAX_MB",
            limit=settings.uploads_max_mb,
        )


def plain_name(name: str) -> str:
    """The name of a file without folders and control characters, shortened before its suffix.

    Raises:
        DocumentRefusedError: nothing is left of it.
    """
    last = PurePosixPath(_CONTROLS.sub("", name).replace("\\", "/")).name.strip()
    if not last or last in {".", ".."}:
        raise DocumentRefusedError("the file has no name; give it one")
    stem, suffix = PurePosixPath(last).stem, PurePosixPath(last).suffix
    return checked_name(f"{stem[: MAX_NAME_CHARACTERS - len(suffix)]}{suffix}", "name")

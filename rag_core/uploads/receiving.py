"""Receiving of uploads: what can be refused at once is refused, all else is queued."""

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from rag_core.errors import AccessDeniedError, DocumentRefusedError, DocumentTooLargeError
from rag_core.evaluation.jobs.queue import submit_in
from rag_core.folders.opening import parsing_limits
from rag_core.model.note import NoteId, TenantId, note_id_for
from rag_core.notes.validation import audience, checked_name
from rag_core.parsing import SourceFile
from rag_core.parsing.recognising import format_of
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.notes import find_notes, hold_tenant
from rag_core.storage.uploads import SOURCE, hold_upload_name, insert_upload

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
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    if database.departments is not None:
        raise AccessDeniedError("uploads need a key without departments; what they hold is for all until it is parsed")
    limit = parsing_limits(settings).max_bytes
    if len(content) > limit:
        raise DocumentTooLargeError(
            f"the file has {len(content) / 1e6:,.1f} MB, and {limit / 1e6:,.0f} are allowed; split it, or raise BRAIN_DOCUMENT_MAX_MB"
        )
    facts = dict(metadata or {})
    audience(facts)
    name = plain_name(name)
    file_format = format_of(SourceFile(name=name, data=content))
    digest = hashlib.sha256(content).digest()
    with database.transaction(tenant) as connection:
        hold_tenant(database, connection, tenant)
        path = hold_upload_name(connection, tenant, name, digest)
        known = find_notes(connection, tenant, [f"{SOURCE}:{path}"]).get(f"{SOURCE}:{path}")
        document_id = note_id_for(tenant, SOURCE, path) if known is None else NoteId(known)  # type: ignore[arg-type]
        insert_upload(
            connection,
            tenant,
            path=path,
            file_format=file_format,
            content=content,
            digest=digest,
            modified_ns=time.time_ns(),
        )
        parameters = {"path": path, "hash": digest.hex(), "document_id": str(document_id), "metadata": facts}
        job_id = submit_in(connection, tenant, "ingestion", parameters)
    return Upload(document_id=document_id, job_id=job_id, path=path)


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

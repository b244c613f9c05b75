"""Receiving of uploads: what can be refused at once is refused, all else is queued."""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from rag_core.errors import (
    ConflictError,
    DocumentRefusedError,
    DocumentTooLargeError,
    InvalidInputError,
    TenantFullError,
)
from rag_core.evaluation.jobs.queue import submit_in
from rag_core.folders.opening import open_parser, parsing_limits
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.validation import audience, checked_heading, checked_metadata, checked_name, checked_text
from rag_core.parsing import SourceFile
from rag_core.parsing.recognising import format_of
from rag_core.settings import Settings
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import hold_tenant
from rag_core.storage.uploads import (
    free_document_id,
    has_edited_text,
    hold_upload_name,
    hold_upload_of_url,
    insert_original,
    insert_upload,
    set_upload_job,
    sum_uploads,
)
from rag_core.uploads.fetching import check_document_url, fetch_limits, is_address

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_RESERVED = str.maketrans({"%": "%25", "/": "%2F", ",": "%2C"})
MAX_NAME_CHARACTERS = 200
MAX_FOLDER_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was taken: the document it becomes, and the job that parses it; ``chunks`` are those it has already."""

    document_id: NoteId
    job_id: UUID
    path: str
    chunks: int | None = None


def receive(
    database: Database,
    tenant: TenantId,
    settings: Settings,
    *,
    name: str,
    content: bytes,
    metadata: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    uploaded_by: str | None = None,
) -> Upload:
    """Store a file and queue its document. The same file again is the same document; another one of its name gets a number.

    What a caller sends who sees some departments' notes is for these departments. ``options`` are ``ParserOptions``, or a part;
    ``uploaded_by`` is the name of the caller's key.

    Raises:
        DocumentTooLargeError: the file has more bytes than are taken.
        DocumentRefusedError: it has no format that is taken.
        InvalidInputError: the metadata cannot be taken.
        ParserOptionError: an option cannot be honoured.
        ConflictError: it is there already, and its text was edited.
        TenantFullError: the tenant has as many uploads as it may, or these as many bytes.
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    limit = parsing_limits(settings).max_bytes
    if len(content) > limit:
        raise DocumentTooLargeError(
            f"the file has {len(content) / 1e6:,.1f} MB, and {limit / 1e6:,.0f} are allowed; split it, or raise BRAIN_DOCUMENT_MAX_MB"
        )
    facts = _facts(
        {
            name: checked_text(value, name, max_characters=MAX_NAME_CHARACTERS)
            for name, value in (metadata or {}).items()
        },
        database.departments,
    )
    open_parser(settings, given=options, classification=facts.get("classification"))
    name = plain_name(name)
    file_format = format_of(SourceFile(name=name, data=content))
    digest = hashlib.sha256(content).digest()
    everything = database.seen_by(None)  # names are the tenant's
    with everything.transaction(tenant) as connection:
        hold_tenant(everything, connection, tenant)
        path = hold_upload_name(connection, tenant, f"{folder_of(database.departments)}{name}", digest)
        if has_edited_text(connection, tenant, path):
            raise ConflictError(
                f"the text of {path} was edited; delete the document to read the file again, or give the file another name"
            )
        check_room(connection, tenant, settings, path=path, files=1, size=len(content))
        document_id = free_document_id(connection, tenant, path)
        insert_upload(
            connection,
            tenant,
            path=path,
            document_id=document_id,
            file_format=file_format,
            file_size=len(content),
            digest=digest,
            modified_ns=time.time_ns(),
            departments=database.departments,
            uploaded_by=uploaded_by,
        )
        insert_original(connection, tenant, digest, content)
        job_id = submit_ingestion(
            connection,
            tenant,
            path,
            document_id,
            {"hash": digest.hex(), "metadata": facts, "options": dict(options or {})},
        )
    return Upload(document_id=document_id, job_id=job_id, path=path)


def receive_address(
    database: Database,
    tenant: TenantId,
    settings: Settings,
    *,
    document_url: str,
    title: str | None = None,
    wanted: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    uploaded_by: str | None = None,
) -> Upload:
    """Queue a document that the job fetches from an address or a path; the same one again is the same document.

    ``wanted`` is the name of the format that it must have.

    Raises:
        InvalidInputError: the operator does not allow to fetch it, or the title or the metadata cannot be taken.
        TenantFullError: the tenant has as many uploads as it may.
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    limits = fetch_limits(settings)
    url = check_document_url(document_url, limits)
    facts = _facts(checked_metadata(metadata), database.departments)
    heading = checked_heading(title)
    everything = database.seen_by(None)
    with everything.transaction(tenant) as connection:
        hold_tenant(everything, connection, tenant)
        before = hold_upload_of_url(connection, tenant, url, database.departments)
        name = f"{folder_of(database.departments)}{plain_name(name_of(url))}"
        path = before.path if before else hold_upload_name(connection, tenant, name, None)
        check_room(connection, tenant, settings, path=path, files=1)
        document_id = before.document_id if before else free_document_id(connection, tenant, path)
        insert_upload(
            connection,
            tenant,
            path=path,
            document_id=document_id,
            modified_ns=time.time_ns(),
            url=url,
            departments=database.departments,
            uploaded_by=uploaded_by,
        )
        parameters = {"url": url, "metadata": facts, "title": heading, "wanted": wanted}
        job_id = submit_ingestion(connection, tenant, path, document_id, parameters)
    return Upload(document_id=document_id, job_id=job_id, path=path, chunks=(before.chunks or None) if before else None)


def submit_ingestion(
    connection: Connection, tenant: TenantId, path: str, document_id: NoteId, parameters: Mapping[str, Any]
) -> UUID:
    """Queue the job that parses an upload, in the caller's transaction, instead of an earlier one that is unfinished.

    ``parameters`` tell its file and its metadata.

    Raises:
        TooManyJobsError: the tenant has as many unfinished jobs as it may.
    """
    given = {"path": path, "document_id": str(document_id), **parameters}
    job_id = submit_in(connection, tenant, "ingestion", given)
    set_upload_job(connection, tenant, path, document_id, job_id)
    return job_id


def _facts(metadata: Mapping[str, Any], departments: Sequence[str] | None) -> dict[str, Any]:
    """Metadata that say whom a document is for: where a caller sees some departments' notes, these departments.

    Raises:
        InvalidInputError: they say otherwise, or cannot be taken.
    """
    facts = dict(metadata)
    if departments is not None:
        if facts.get("visibility", "department") != "department" or "department" in facts or "departments" in facts:
            raise InvalidInputError(
                "a key for departments uploads for all of these; leave out whom the document is for"
            )
        facts |= {"visibility": "department", "departments": list(departments)}
    audience(facts)
    return facts


def folder_of(departments: Sequence[str] | None) -> str:
    """The folder that departments' uploads have in their names, so that names of others are never met; "" for nobody's own."""
    if departments is None:
        return ""
    folder = ", ".join(name.translate(_RESERVED) for name in departments)
    return f"{folder if len(folder) <= MAX_FOLDER_CHARACTERS else hashlib.sha256(folder.encode()).hexdigest()}/"


def name_of(url: str) -> str:
    """The name of what an address or path leads to: its last part, else the host's."""
    if not is_address(url):
        return url
    parts = urlsplit(url)
    return PurePosixPath(unquote(parts.path)).name or parts.hostname or ""


def check_room(
    connection: Connection,
    tenant: TenantId,
    settings: Settings,
    *,
    path: str,
    files: int = 0,
    size: int = 0,
    pages: int = 0,
) -> None:
    """Keep room for so much of an upload of the tenant; what stands at its path is replaced.

    Raises:
        TenantFullError: there is none.
    """
    used = sum_uploads(connection, tenant, but=path)
    if files and used.files + files > settings.uploads_max_files:
        raise TenantFullError(
            f"{tenant} has {settings.uploads_max_files:,} uploads, as many as it may; delete some, or raise BRAIN_UPLOADS_MAX_FILES",
            limit=settings.uploads_max_files,
        )
    if size and used.bytes + size > settings.uploads_max_mb * 1_000_000:
        raise TenantFullError(
            f"{tenant} has uploads of {settings.uploads_max_mb:,} MB, as many as it may; delete some, or raise BRAIN_UPLOADS_MAX_MB",
            limit=settings.uploads_max_mb,
        )
    if pages and used.pages + pages > settings.uploads_max_pages:
        raise TenantFullError(
            f"the uploads of {tenant} would have more than {settings.uploads_max_pages:,} pages; delete some, or raise "
            "BRAIN_UPLOADS_MAX_PAGES",
            limit=settings.uploads_max_pages,
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

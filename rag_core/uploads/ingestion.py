"""The job that fetches or takes an upload, parses it, stores its note and indexes it."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from rag_core.errors import ConflictError, DocumentFailedError, DocumentRefusedError, InvalidInputError, NotFoundError
from rag_core.evaluation.jobs.queue import JobProgress, register
from rag_core.folders.opening import file_reading, open_parser
from rag_core.folders.reading import ReadFile
from rag_core.indexing.one_note import store_and_index
from rag_core.model.document import StoredFile
from rag_core.model.note import Note, NoteId, TenantId
from rag_core.notes.validation import audience, tags_in, with_asked_facts
from rag_core.parsing import FORMATS, SourceFile
from rag_core.parsing.recognising import format_of, parser_version, suffix_of, suffixes
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Connection
from rag_core.storage.documents import has_blocks, store_files
from rag_core.storage.notes import fetch_note
from rag_core.storage.uploads import (
    SOURCE,
    fetch_archived_metadata,
    fetch_original,
    fetch_upload,
    forget_archived_metadata,
    has_edited_text,
    hold_unedited,
    hold_upload,
    insert_original,
    queue_outdated_upload,
    settle_upload,
)
from rag_core.uploads.fetching import FetchedFile, fetch_document, fetch_limits
from rag_core.uploads.receiving import check_room
from rag_core.uploads.states import CHUNKING, EMBEDDING, EXTRACTING, FETCHING, PARSING


def ingest(engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress) -> dict[str, Any]:
    """Parse one upload and index its note; the note, its blocks, chunks and vectors are stored in one transaction.

    A document with an address is fetched first; one that did not change since is left as it is. One of ``queue_outdated`` whose text
    was edited is left as it is too, and so is one that cannot be parsed any more.

    Raises:
        DocumentRefusedError, DocumentFailedError, InvalidInputError: the file cannot be taken; the document's state says why, and
            the note of an earlier version stays.
        NotFoundError: the upload was deleted, archived or sent again meanwhile; nothing is stored.
        TenantFullError: what was fetched, or the document's pages, find no room among the tenant's uploads.
    """
    run = _ingest_fetched if "url" in parameters else _ingest_again if "parser" in parameters else _ingest_sent
    return run(engine, tenant, parameters, progress)


def queue_outdated(owner: Connection) -> bool:
    """Queue the next upload that an earlier version of its parser read, and whose text nobody edited; False without one."""
    formats = {name: (parser_version(name), known.suffixes[0]) for name, known in FORMATS.all().items()}
    return queue_outdated_upload(owner, formats)


def _ingest_sent(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress
) -> dict[str, Any]:
    path, digest = str(parameters["path"]), bytes.fromhex(parameters["hash"])
    with engine.database.transaction(tenant) as connection:
        content = fetch_original(connection, tenant, digest)
    if content is None:
        raise NotFoundError(f"the upload {path} was deleted, archived or sent again")
    source = SourceFile(name=parameters.get("name", PurePosixPath(path).name), data=content)
    stored = _stored(path, content)
    try:
        read = _parsed(engine, source, path, parameters, progress)
    except (InvalidInputError, DocumentFailedError) as error:
        failed = replace(stored, status=_ending(error), error=str(error))
        record = partial(_record, tenant=tenant, file=failed, read=None, job=progress.job_id)
        engine.database.write(tenant, record, has_copy=True)
        raise
    return _store(engine, tenant, stored, _as_archived(engine, tenant, path, read), progress)


def _ingest_fetched(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress
) -> dict[str, Any]:
    path = str(parameters["path"])
    settle = partial(settle_upload, tenant=tenant, path=path, job=progress.job_id)
    progress.report(FETCHING, 0, 1)
    try:
        fetched = fetch_document(parameters["url"], fetch_limits(engine.settings))
        source, stored = _named(fetched, parameters["wanted"]), _stored(path, fetched.content)
        if _is_unchanged(engine, tenant, stored, parameters):
            engine.database.write(tenant, partial(settle, status="imported"))
            return {"documentId": parameters["document_id"], "isUnchanged": True}
        read = _parsed(engine, source, path, parameters, progress)
    except (InvalidInputError, DocumentFailedError) as error:
        engine.database.write(tenant, partial(settle, status=_ending(error), error=str(error)))
        raise
    return _store(engine, tenant, stored, _as_archived(engine, tenant, path, read), progress, original=fetched.content)


def _ingest_again(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress, *, tries: int = 3
) -> dict[str, Any]:
    """Parse an upload anew; title, language, date, metadata and audience of its note stay.

    Raises:
        ConflictError: the note was edited meanwhile at each of so many tries.
    """
    path, document = str(parameters["path"]), NoteId(UUID(parameters["document_id"]))
    with engine.database.transaction(tenant) as connection:
        content = fetch_original(connection, tenant, bytes.fromhex(parameters["hash"]))
        known = fetch_note(connection, tenant, document) if has_blocks(connection, tenant, document) else None
    if content is None or known is None:
        return {"documentId": str(document), "isUnchanged": True}
    source = SourceFile(name=parameters["name"], data=content)
    read = _parsed(engine, source, path, {**parameters, "metadata": known.metadata}, progress)
    note = replace(
        read.note,
        title=known.title,
        language=known.language,
        created_at=None,
        dated_by=None,
        keeps_metadata=True,
        keeps_audience=True,
    )
    try:
        return _store(engine, tenant, _stored(path, content), replace(read, note=note), progress, known=known)
    except ConflictError:
        if tries == 1:
            raise
        return _ingest_again(engine, tenant, parameters, progress, tries=tries - 1)


def _as_archived(engine: Engine, tenant: TenantId, path: str, read: ReadFile) -> ReadFile:
    """The file of a document that was archived, with its metadata and for whom it was where the job says nothing else."""
    with engine.database.transaction(tenant) as connection:
        kept = fetch_archived_metadata(connection, tenant, path)
    if kept is None:
        return read
    facts = with_asked_facts(kept, read.note.metadata)
    note = replace(read.note, metadata=facts, tags=tags_in(facts), departments=audience(facts))
    return replace(read, note=note)


def _ending(error: Exception) -> Any:
    return "failed" if isinstance(error, DocumentFailedError) else "refused"


def _stored(path: str, content: bytes) -> StoredFile:
    digest = hashlib.sha256(content).digest()
    return StoredFile(
        path=path, status="imported", file_size=len(content), modified_ns=time.time_ns(), file_hash=digest
    )


def _named(fetched: FetchedFile, wanted: str | None) -> SourceFile:
    """The file under a name whose suffix tells the format of text.

    Raises:
        DocumentRefusedError: it has another format than the one that is wanted.
    """
    suffix = suffix_of(fetched.name)
    if wanted is not None:
        suffix = FORMATS.get(wanted).suffixes[0]
    elif suffix not in suffixes():
        suffix = fetched.suffix
    file = SourceFile(name=f"{PurePosixPath(fetched.name).stem or 'document'}{suffix}", data=fetched.content)
    if wanted is not None and (found := format_of(file)) != wanted:
        raise DocumentRefusedError(f"the file is {found}, not {wanted}; leave the format out, or name the right one")
    return file


def _is_unchanged(engine: Engine, tenant: TenantId, file: StoredFile, parameters: Mapping[str, Any]) -> bool:
    """Tell whether a document has a note of the same bytes whose text was edited, or by today's parser with what is asked for."""
    with engine.database.transaction(tenant) as connection:
        known = fetch_upload(connection, tenant, NoteId(UUID(parameters["document_id"])))
        if known is None or known.note_id is None or known.parser is None or known.file_hash != file.file_hash:
            return False
        if has_edited_text(connection, tenant, file.path):
            return True
        note = fetch_note(connection, tenant, known.note_id)
    asked, title = parameters["metadata"], parameters["title"]
    is_told = title in {None, note.title} and all(note.metadata.get(name) == value for name, value in asked.items())
    return is_told and known.parser.partition("+")[0] == parser_version(known.parser.partition("/")[0])


def _parsed(
    engine: Engine, source: SourceFile, path: str, parameters: Mapping[str, Any], progress: JobProgress
) -> ReadFile:
    progress.report(PARSING, 0, 1)
    reading = file_reading(engine.settings, source=SOURCE)
    tell = partial(progress.report, PARSING)
    asked = parameters["metadata"].get("classification")
    given = parameters.get("options", {})
    with open_parser(engine.settings, given=given, classification=asked, workers=1, on_page=tell) as parser:
        read = reading.read(source, path, None, parser)
    facts = with_asked_facts(read.note.metadata, parameters["metadata"])
    note = replace(
        read.note,
        kind="document",
        note_id=NoteId(UUID(parameters["document_id"])),
        title=parameters.get("title") or read.note.title,
        metadata=facts,
        tags=tags_in(facts),
        departments=audience(facts),
        keeps_audience="visibility" not in facts,
    )
    return replace(read, note=note)


def _store(
    engine: Engine,
    tenant: TenantId,
    file: StoredFile,
    read: ReadFile,
    progress: JobProgress,
    *,
    original: bytes | None = None,
    known: Note | None = None,
) -> dict[str, Any]:
    """Store what was read; with ``known`` only as long as the note is this one.

    Raises:
        ConflictError: it is another by now.
    """

    def before(connection: Connection) -> None:
        _hold(connection, tenant, file.path, progress.job_id)
        if known is not None and not hold_unedited(connection, tenant, known):
            raise ConflictError(f"the note of {file.path} was edited meanwhile")

    def beside(connection: Connection) -> None:
        recorded = read.recorded(file)
        if known is None:
            size, pages = len(original or b""), recorded.pages or 0
            check_room(connection, tenant, engine.settings, path=file.path, size=size, pages=pages)
        _record(connection, tenant=tenant, file=recorded, read=read, job=progress.job_id)
        if original is not None and file.file_hash is not None:
            insert_original(connection, tenant, file.file_hash, original)

    progress.report(CHUNKING, 0, 1)
    indexed = store_and_index(
        engine.database,
        tenant,
        read.note,
        engine.pipeline,
        file_format=read.recorded(file).format,
        before=before,
        beside=beside,
        on_embedded=partial(progress.report, EMBEDDING),
        on_stored=partial(progress.report, EXTRACTING, 0, 1),
    )
    return {"documentId": str(indexed.note_id), "isEmbedded": indexed.is_embedded}


def _record(connection: Connection, *, tenant: TenantId, file: StoredFile, read: ReadFile | None, job: UUID) -> None:
    _hold(connection, tenant, file.path, job)
    if read is not None:
        forget_archived_metadata(connection, tenant, file.path)
    store_files(connection, tenant, SOURCE, [file], {} if read is None else {file.path: read.contents})


def _hold(connection: Connection, tenant: TenantId, path: str, job: UUID) -> None:
    if not hold_upload(connection, tenant, path, job):
        raise NotFoundError(f"the upload {path} was deleted, archived or sent again")


register("ingestion", ingest)

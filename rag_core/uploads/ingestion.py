"""The job that parses an upload, stores its note and indexes it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from rag_core.errors import DocumentFailedError, InvalidInputError, NotFoundError
from rag_core.evaluation.jobs.queue import JobProgress, register
from rag_core.folders.opening import file_reading, parsing_limits
from rag_core.folders.reading import ReadFile
from rag_core.indexing.one_note import store_and_index
from rag_core.model.document import StoredFile
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.validation import audience
from rag_core.parsing import SourceFile
from rag_core.parsing.working import DocumentParser
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Connection
from rag_core.storage.documents import store_files
from rag_core.storage.uploads import SOURCE, fetch_original, hold_upload

PARSING, INDEXING = "parsing", "indexing"


def ingest(engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress) -> dict[str, Any]:
    """Parse one upload and index its note; the note, its blocks, chunks and vectors are stored in one transaction.

    Raises:
        DocumentRefusedError, DocumentFailedError, InvalidInputError: the file cannot be parsed; the document's state says why, and
            the note of an earlier version stays.
        NotFoundError: the upload was deleted meanwhile; nothing is stored.
    """
    path, digest = str(parameters["path"]), bytes.fromhex(parameters["hash"])
    with engine.database.transaction(tenant) as connection:
        content = fetch_original(connection, tenant, digest)
    if content is None:
        raise NotFoundError(f"the upload {path} was deleted")
    progress.report(PARSING, 0, 1)
    stored = StoredFile(path=path, status="imported", file_size=len(content), modified_ns=0, file_hash=digest)
    try:
        read, stored = _parsed(engine, SourceFile(name=path, data=content), stored, parameters)
    except (InvalidInputError, DocumentFailedError) as error:
        is_failure = isinstance(error, DocumentFailedError)
        failed = replace(stored, status="failed" if is_failure else "refused", error=str(error))
        engine.database.write(tenant, partial(_record, tenant=tenant, file=failed, read=None), has_copy=True)
        raise
    progress.report(INDEXING, 0, 1)
    beside = partial(_record, tenant=tenant, file=stored, read=read)
    indexed = store_and_index(
        engine.database, tenant, read.note, engine.pipeline, file_format=stored.format, beside=beside
    )
    progress.report(INDEXING, 1, 1)
    return {"documentId": str(indexed.note_id), "isEmbedded": indexed.is_embedded}


def _parsed(
    engine: Engine, source: SourceFile, stored: StoredFile, parameters: Mapping[str, Any]
) -> tuple[ReadFile, StoredFile]:
    reading = file_reading(engine.settings, source=SOURCE)
    with DocumentParser(parsing_limits(engine.settings), workers=1) as parser:
        read = reading.read(source, stored.path, None, parser)
    facts = {**read.note.metadata, **parameters["metadata"]}
    note = replace(
        read.note,
        kind="document",
        note_id=NoteId(UUID(parameters["document_id"])),
        metadata=facts,
        departments=audience(facts),
        keeps_audience="visibility" not in facts,
    )
    return replace(read, note=note), read.recorded(stored)


def _record(connection: Connection, *, tenant: TenantId, file: StoredFile, read: ReadFile | None) -> None:
    assert file.file_hash is not None
    if not hold_upload(connection, tenant, file.path, file.file_hash):
        raise NotFoundError(f"the upload {file.path} was deleted")
    store_files(connection, tenant, SOURCE, [file], {} if read is None else {file.path: read.contents})


register("ingestion", ingest)

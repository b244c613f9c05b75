"""``/api/v2/documents``: uploads, their state, structure, graph and originals. Errors are in German."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Form, Path, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.document_graph import DocumentGraph, EntitySummary, document_graph_to_wire, entities_to_wire
from rag_core.api.rag_v2.enriched_metadata import EnrichedMetadata, metadata_to_wire
from rag_core.api.rag_v2.sections import (
    blocks_to_wire,
    contents_to_wire,
    place_in_hierarchy,
    sections_to_wire,
    warnings_to_wire,
)
from rag_core.api.schemas import LEVEL, PARENT, Moment, failures
from rag_core.errors import ConflictError, DocumentRefusedError, NotFoundError, ParserOptionError, TenantFullError
from rag_core.folders.opening import parsing_limits
from rag_core.model.document import PageUnit, WarningKind, reader_of
from rag_core.model.note import NoteId
from rag_core.parsing.services.options import read_options
from rag_core.storage.cited_pages import fetch_file_of_note
from rag_core.storage.database import Connection
from rag_core.storage.documents import StoredBlock, StoredChunkSpan, fetch_blocks, fetch_chunk_spans
from rag_core.storage.note_enrichments import fetch_enrichment, fetch_file_facts
from rag_core.storage.note_graph import fetch_mentions, fetch_relations
from rag_core.storage.notes import fetch_note
from rag_core.storage.uploads import delete_upload
from rag_core.translation import MessageTranslator, document_catalogue
from rag_core.uploads.archiving import archive, restore
from rag_core.uploads.originals import read_original as read_file
from rag_core.uploads.receiving import receive
from rag_core.uploads.states import DocumentState, DocumentStatus, find_document
from rag_core.wire.values import moment_to_wire

NO_SUCH_DOCUMENT = "Dieses Dokument gibt es nicht"
NOT_ACTIVE = "Nur ein fertiges Dokument (completed) kann archiviert werden"
NOT_ARCHIVED = "Das Dokument ist nicht archiviert"
CHANGED = "Die Datei ist nicht mehr da oder wurde geändert, seit sie gelesen wurde; bitte ihren Ordner neu importieren"

router = APIRouter(prefix="/api/v2/documents", tags=["rag v2"])
DocumentPath = Annotated[UUID, Path(description="`documentId` of the upload.")]


class _Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class DocumentQueued(_Body):
    """An upload that was taken."""

    document_id: str
    job_id: str
    status: Literal["queued"]


class DocumentStatusOut(_Body):
    """State of an upload."""

    document_id: str
    name: str
    status: DocumentStatus
    progress: int = Field(ge=0, le=100)
    current_step: str = Field(
        description="While the job runs `fetching`, `parsing`, `chunking`, `embedding` or `extracting`, else as `status`."
    )
    parser_used: str | None
    pages: int | None
    warnings: list[str]
    error: str | None
    updated_at: Moment


class SectionOut(_Body):
    """A heading, and the text from it to the next one of its level or above."""

    id: str
    parent_id: str = Field(description="The section around it, else the document.")
    path: list[str] = Field(description="Titles from the outermost section to this one.")
    title: str
    level: int
    start: int
    end: int
    page: int | None


class TableData(_Body):
    """Cells of a table."""

    headers: list[str]
    rows: list[list[str]]


class BlockOut(_Body):
    """A block: `content[start:end]` of the note, in code points."""

    id: str
    parent_id: str | None = Field(description="The heading that it stands under; null before the first.")
    type: Literal["heading", "paragraph", "list", "table", "code", "image"]
    start: int
    end: int
    level: int | None
    page_number: int | None
    bounding_box: list[float] | None = Field(description="Left, top, right, bottom in points.")
    confidence: float | None
    table_data: TableData | None = Field(description="Of a table.")
    extraction_method: Literal["native", "docling", "llamaparse", "validated"] | None = Field(
        description="Of a table: what read it; `validated` where a second parser agreed."
    )


class ContentsEntry(_Body):
    """A heading in the table of contents."""

    title: str
    level: int
    block_id: str
    page: int | None


class ParserWarning(_Body):
    """A doubt about what was read."""

    type: WarningKind | None = Field(description="Null for a document that was read before types were kept.")
    message: str = Field(description="In German.")
    page: int | None
    block_id: str | None = Field(description="First block of that page.")


class ParserMetadata(_Body):
    """Facts about the parser's work."""

    parser_used: str | None
    parsing_confidence: float | None
    pages: int | None
    page_unit: PageUnit
    warnings: list[ParserWarning]


class ChunkSummary(_Body):
    """A chunk without its text."""

    chunk_id: str
    index: int
    start: int
    end: int
    tokens: int
    method: str
    level: Literal[0, 2] = LEVEL
    parent_id: str | None = PARENT
    section_path: list[str] = Field(description="Titles of the sections that it begins in, the outermost first.")
    start_page: int | None
    end_page: int | None
    has_table: bool
    has_code: bool
    sentences: int | None = Field(description="Sentences that it has a part of; null until it is chunked.")
    semantic_density: float | None = Field(
        description="Mean cosine of neighbouring sentences; null for one sentence, and without a vector for each."
    )


class DocumentStructure(_Body):
    """Structure of a document that was parsed."""

    document_id: str
    title: str | None
    sections: list[SectionOut]
    table_of_contents: list[ContentsEntry]
    blocks: list[BlockOut]
    chunks: list[ChunkSummary]
    entities: list[EntitySummary] = Field(description="As the nodes of the document's graph.")
    parser_metadata: ParserMetadata
    metadata: EnrichedMetadata


@router.post("/upload", status_code=202, response_model=DocumentQueued, responses=failures(400, 409, 413, 415, 503))
def upload(
    file: UploadFile,
    context: Context,
    classification: Annotated[str | None, Form()] = None,
    visibility: Annotated[str | None, Form()] = None,
    parse_options: Annotated[str | None, Form(alias="parseOptions")] = None,
) -> dict[str, Any]:
    """Take a file at once; it is parsed and indexed in the background.

    The same file again is the same document. `visibility` is `tenant` or `private`; `classification` is kept with the document.
    `parseOptions` is JSON that chooses among the parsers that are set up.
    """
    given = {"classification": classification, "visibility": visibility}
    try:
        taken = receive(
            context.database,
            context.writing_tenant,
            context.settings,
            name=file.filename or "",
            content=file.file.read(parsing_limits(context.settings).max_bytes + 1),
            metadata={name: value for name, value in given.items() if value},
            options=read_options(parse_options),
            uploaded_by=context.caller.key_name,
        )
    except (ConflictError, DocumentRefusedError, ParserOptionError, TenantFullError) as error:
        raise ExplainedError(_german().translate(str(error)), kind=type(error)) from error
    return {"documentId": str(taken.document_id), "jobId": str(taken.job_id), "status": "queued"}


@cache
def _german() -> MessageTranslator:
    return MessageTranslator(document_catalogue("de"))


@router.get("/{document_id}/status", response_model=DocumentStatusOut, responses=failures(400, 404, 503))
def read_status(document_id: DocumentPath, context: Context) -> dict[str, Any]:
    """Status and progress of an upload."""
    state = _state(context, document_id)
    upload = state.upload
    return {
        "documentId": str(state.document_id),
        "name": upload.path,
        "status": state.status,
        "progress": state.progress,
        "currentStep": state.step,
        "parserUsed": reader_of(upload.parser),
        "pages": upload.pages,
        "warnings": [_german().translate(warning) for warning in upload.warnings],
        "error": None if state.error is None else _german().translate(state.error),
        "updatedAt": moment_to_wire(upload.checked_at),
    }


@router.get("/{document_id}/structure", response_model=DocumentStructure, responses=failures(400, 404, 503))
def read_structure(document_id: DocumentPath, context: Context) -> dict[str, Any]:
    """Sections, blocks, chunks and entities of a document, and what is told of it."""
    wanted = NoteId(document_id)
    state = _state(context, document_id)
    tenant = context.writing_tenant
    with explained(NotFoundError, NO_SUCH_DOCUMENT), _transaction(context) as connection:
        note = fetch_note(connection, tenant, wanted)
        blocks = fetch_blocks(connection, tenant, wanted)
        chunks = fetch_chunk_spans(connection, tenant, wanted, model=context.engine.model)
        mentions = fetch_mentions(connection, tenant, wanted)
        file = fetch_file_facts(connection, tenant, wanted)
        told = fetch_enrichment(connection, tenant, wanted)
    upload, sections = state.upload, sections_to_wire(note, blocks)
    shown = blocks_to_wire(note, blocks, parser=upload.parser)
    paths = {section["id"]: section["path"] for section in sections}
    return {
        "documentId": str(wanted),
        "title": note.title,
        "sections": sections,
        "tableOfContents": contents_to_wire(sections, shown),
        "blocks": shown,
        "chunks": [_chunk(wanted, chunk, paths, blocks) for chunk in chunks],
        "entities": entities_to_wire(note, mentions),
        "parserMetadata": {
            "parserUsed": reader_of(upload.parser),
            "parsingConfidence": upload.parser_confidence,
            "pages": upload.pages,
            "pageUnit": upload.page_unit,
            "warnings": warnings_to_wire(upload, shown, _german().translate),
        },
        "metadata": metadata_to_wire(note, upload, file, told, translate=_german().translate),
    }


@router.get("/{document_id}/graph", response_model=DocumentGraph, responses=failures(400, 404, 503))
def read_graph(document_id: DocumentPath, context: Context) -> dict[str, Any]:
    """Entities that a document speaks of, and the relations that it states between them."""
    wanted = _state(context, document_id).document_id
    tenant = context.writing_tenant
    with explained(NotFoundError, NO_SUCH_DOCUMENT), _transaction(context) as connection:
        note = fetch_note(connection, tenant, wanted)
        mentions = fetch_mentions(connection, tenant, wanted)
        relations = fetch_relations(connection, tenant, wanted)
    return document_graph_to_wire(note, mentions, relations)


@router.get("/{document_id}/original", responses=failures(400, 404, 409, 503))
def read_original(document_id: DocumentPath, context: Context) -> Response:
    """The file as it was read, to be saved: an upload, or a file of a folder that is still what its note was made of."""
    with _transaction(context) as connection:
        file = fetch_file_of_note(connection, context.writing_tenant, NoteId(document_id))
    if file is None:
        raise ExplainedError(NO_SUCH_DOCUMENT, kind=NotFoundError)
    max_bytes = parsing_limits(context.settings).max_bytes
    with explained(ConflictError, CHANGED):
        content = read_file(context.database, context.writing_tenant, file, max_bytes=max_bytes)
    return Response(
        content,
        media_type="application/octet-stream",
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(PurePosixPath(file.path).name)}",
            "X-Content-Type-Options": "nosniff",
        },
    )


@router.post("/{document_id}/archive", status_code=204, responses=failures(400, 404, 409, 503))
def archive_document(document_id: DocumentPath, context: Context) -> None:
    """Archive a document that is `completed`: nothing finds it from now on, its original is kept."""
    with explained(NotFoundError, NO_SUCH_DOCUMENT), explained(ConflictError, NOT_ACTIVE):
        archive(context.database, context.writing_tenant, NoteId(document_id))


@router.post(
    "/{document_id}/restore",
    status_code=202,
    response_model=DocumentQueued,
    responses=failures(400, 404, 409, 429, 503),
)
def restore_document(document_id: DocumentPath, context: Context) -> dict[str, Any]:
    """Queue an archived document again: it is parsed from its original, for whom it was before."""
    with explained(NotFoundError, NO_SUCH_DOCUMENT), explained(ConflictError, NOT_ARCHIVED):
        taken = restore(context.database, context.writing_tenant, NoteId(document_id))
    return {"documentId": str(taken.document_id), "jobId": str(taken.job_id), "status": "queued"}


@router.delete("/{document_id}", status_code=204, responses=failures(400, 404, 503))
def delete_document(document_id: DocumentPath, context: Context) -> None:
    """Delete an upload with its note and its original, whatever its state."""
    tenant = context.writing_tenant
    with context.database.transaction(tenant) as connection:
        is_deleted = delete_upload(connection, tenant, NoteId(document_id), context.database.departments)
    if not is_deleted:
        raise ExplainedError(NO_SUCH_DOCUMENT, kind=NotFoundError)


def _state(context: RequestContext, document_id: UUID) -> DocumentState:
    with explained(NotFoundError, NO_SUCH_DOCUMENT), _transaction(context) as connection:
        return find_document(connection, context.writing_tenant, NoteId(document_id))


def _transaction(context: RequestContext) -> AbstractContextManager[Connection]:
    """A transaction of the tenant that uploads go to, though a reader may see the demo's notes until it has some."""
    return context.database.transaction(context.writing_tenant, timeout_ms=context.timeout_ms)


def _chunk(
    note: NoteId, chunk: StoredChunkSpan, paths: Mapping[str, list[str]], blocks: Sequence[StoredBlock]
) -> dict[str, Any]:
    place = place_in_hierarchy(note, chunk.chunk_id, chunk.section)
    first = bisect_right(blocks, chunk.start, key=lambda block: block.end)
    touched = blocks[first : bisect_left(blocks, chunk.end, key=lambda block: block.start)]
    return {
        "chunkId": str(chunk.chunk_id),
        "index": chunk.chunk_index,
        "start": chunk.start,
        "end": chunk.end,
        "tokens": chunk.token_count,
        "method": chunk.chunking_method,
        **place,
        "sectionPath": paths.get(place["parentId"], []),
        "startPage": touched[0].page if touched else None,
        "endPage": touched[-1].page if touched else None,
        "hasTable": any(block.kind == "table" for block in touched),
        "hasCode": any(block.kind == "code" for block in touched),
        "sentences": chunk.sentences,
        "semanticDensity": chunk.semantic_density,
    }

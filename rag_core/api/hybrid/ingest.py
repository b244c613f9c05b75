"""``/api/ingest``: documents that the server fetches from an address or a path, and how far they are."""

from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError, explained, tongue_for
from rag_core.api.schemas import Given, Text, failures
from rag_core.errors import InvalidFieldError, InvalidInputError, NotFoundError, TenantFullError
from rag_core.model.note import Language
from rag_core.translation import MessageTranslator, document_catalogue
from rag_core.uploads.receiving import receive_address
from rag_core.uploads.states import INGEST_STATUSES, IngestStatus, find_ingestion

NO_SUCH_JOB: dict[Language, str] = {
    "en": "There is no such job; the jobId is in the answer to POST /api/ingest",
    "es": "No existe ese trabajo; el jobId está en la respuesta a POST /api/ingest",
    "de": "Diesen Auftrag gibt es nicht; die jobId steht in der Antwort auf POST /api/ingest",
}
_FORMATS = {"markdown": "md", "pdf": "pdf", "text": "txt"}

router = APIRouter(prefix="/api/ingest", tags=["documents"])
JobPath = Annotated[UUID, Path(description="`jobId` of the answer to the POST.")]


class IngestRequest(BaseModel):
    """A document to fetch."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    document_url: Annotated[Text, Field(min_length=1, max_length=2000)] = Field(
        description="An address (http, https) of a host in `BRAIN_INGEST_HOSTS`, or a path below a folder of `BRAIN_INGEST_FOLDERS`.",
        examples=["https://example.org/guide.pdf"],
    )
    title: Given | None = Field(None, description="Default: what the document itself says.")
    format: Literal["markdown", "pdf", "text"] | None = Field(
        None, description="Refused where the content is another; default: what the content shows, of all formats."
    )
    metadata: dict[str, Any] | None = Field(None, description="As of a note.")


class IngestQueued(BaseModel):
    """A document that is to be fetched."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    job_id: str
    document_id: str
    status: Literal["queued"]
    estimated_chunks: int | None = Field(description="The chunks it has now; null for a document that is new.")


class IngestStatusOut(BaseModel):
    """State of a job."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    job_id: str
    document_id: str
    status: IngestStatus
    progress: int = Field(ge=0, le=100)
    total_chunks: int | None
    processed_chunks: int | None
    error_message: str | None


@router.post("", status_code=202, response_model=IngestQueued, responses=failures(400, 409, 413, 415, 429, 503))
def ingest(body: IngestRequest, request: Request, context: Context) -> dict[str, Any]:
    """Queue a document: it is fetched, parsed and indexed in the background.

    The same address or path again is the same document: left as it is where nothing changed, else made anew.
    """
    try:
        taken = receive_address(
            context.database,
            context.writing_tenant,
            context.settings,
            document_url=body.document_url,
            title=body.title,
            wanted=None if body.format is None else _FORMATS[body.format],
            metadata=body.metadata,
            uploaded_by=context.caller.key_name,
        )
    except InvalidFieldError:
        raise
    except (InvalidInputError, TenantFullError) as error:
        raise ExplainedError(_told(str(error), tongue_for(request)), kind=type(error)) from error
    return {
        "jobId": str(taken.job_id),
        "documentId": str(taken.document_id),
        "status": "queued",
        "estimatedChunks": taken.chunks,
    }


@router.get("/{job_id}", response_model=IngestStatusOut, responses=failures(400, 404, 503))
def read_job(job_id: JobPath, request: Request, context: Context) -> dict[str, Any]:
    """Status and progress of a job, of uploads to `/api/v2/documents/upload` too."""
    language, tenant = tongue_for(request), context.writing_tenant
    with (
        explained(NotFoundError, NO_SUCH_JOB.get(language, NO_SUCH_JOB["en"])),
        context.database.transaction(tenant, timeout_ms=context.timeout_ms) as connection,
    ):
        state = find_ingestion(connection, tenant, job_id)
    return {
        "jobId": str(job_id),
        "documentId": str(state.document_id),
        "status": INGEST_STATUSES[state.status],
        "progress": state.progress,
        "totalChunks": state.chunks,
        "processedChunks": state.embedded,
        "errorMessage": None if state.error is None else _told(state.error, language),
    }


def _told(message: str, language: Language) -> str:
    return _translator(language).translate(message)


@cache
def _translator(language: Language) -> MessageTranslator:
    return MessageTranslator(document_catalogue(language))

"""``/documentos``: uploads with their state, and the folders that notes come from.

It works without JavaScript; with it files can be dropped, their progress is shown, and the list renews itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.search import as_uuid, read_shelf
from rag_core.api.pages.texts import Texts, grouped, localised, tr
from rag_core.api.pages.web import render
from rag_core.errors import ConflictError, NotFoundError, RagError
from rag_core.folders.opening import parsing_limits
from rag_core.model.note import NoteId
from rag_core.parsing.recognising import suffixes
from rag_core.storage.documents import FileState, StoredFolder, list_file_states, list_folders
from rag_core.storage.uploads import delete_upload
from rag_core.uploads.archiving import archive, restore
from rag_core.uploads.receiving import receive
from rag_core.uploads.states import DocumentState, list_documents

PAGE = "/documentos"
LISTED = 100
MAX_FILES = 200

router = APIRouter(include_in_schema=False)
_STATUSES = Texts(
    {
        "queued": "en espera",
        "parsing": "leyendo",
        "chunking": "dividiendo",
        "indexing": "indexando",
        "graphing": "relacionando",
        "completed": "listo",
        "failed": "ha fallado",
        "archived": "archivado",
    }
)
_SHOWN: Mapping[str, Literal["done", "failed", "archived"]] = {
    "completed": "done",
    "failed": "failed",
    "archived": "archived",
}
_PROBLEMS = Texts(
    {
        "unknown": "No existe ningún documento con ese identificador",
        "state": "El documento está ya en otro estado; actualiza la página",
    }
)
_STATES = Texts({"refused": "rechazado", "failed": "con error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCard:
    """An upload as the page shows it; without ``address`` it is no note yet."""

    document_id: str
    name: str
    address: str | None
    original: str | None
    status: str
    state: Literal["waiting", "done", "failed", "archived"]
    progress: int
    pages: str
    problems: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCard:
    """A file of a folder that no note was made of."""

    path: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCard:
    """A folder as the page shows it."""

    folder: StoredFolder
    problem: str
    files: list[FileCard]


@router.get(PAGE)
def show_documents(context: Context) -> Response:
    """The form for uploads, what became of them, and folders."""
    return _page(context, [])


@router.post(PAGE)
async def take_documents(request: Request, context: Context) -> Response:
    """Take files, and go on to the list; each that is refused is told with its reason."""
    async with request.form(max_files=MAX_FILES) as form:
        files = [file for file in form.getlist("archivos") if isinstance(file, UploadFile) and file.filename]
        problems = await run_in_threadpool(lambda: [problem for file in files if (problem := _taken(file, context))])
    if not files:
        problems = [tr("No se ha elegido ningún archivo.")]
    return await run_in_threadpool(_page, context, problems) if problems else RedirectResponse(PAGE, status_code=303)


@router.post(f"{PAGE}/{{document_id}}/borrar")
def forget_document(document_id: str, context: Context) -> Response:
    """Delete an upload with its note and its original."""
    wanted, tenant = _id(document_id), context.writing_tenant
    with context.database.transaction(tenant) as connection:
        if not delete_upload(connection, tenant, wanted, context.database.departments):
            raise ExplainedError(_PROBLEMS["unknown"], kind=NotFoundError)
    return RedirectResponse(PAGE, status_code=303)


@router.post(f"{PAGE}/{{document_id}}/archivar")
def put_document_away(document_id: str, context: Context) -> Response:
    """Archive an upload."""
    with explained(NotFoundError, _PROBLEMS["unknown"]), explained(ConflictError, _PROBLEMS["state"]):
        archive(context.database, context.writing_tenant, _id(document_id))
    return RedirectResponse(PAGE, status_code=303)


@router.post(f"{PAGE}/{{document_id}}/recuperar")
def bring_document_back(document_id: str, context: Context) -> Response:
    """Queue an archived upload again."""
    with explained(NotFoundError, _PROBLEMS["unknown"]), explained(ConflictError, _PROBLEMS["state"]):
        restore(context.database, context.writing_tenant, _id(document_id))
    return RedirectResponse(PAGE, status_code=303)


def _id(document_id: str) -> NoteId:
    wanted = as_uuid(document_id)
    if wanted is None:
        raise ExplainedError(_PROBLEMS["unknown"], kind=NotFoundError)
    return NoteId(wanted)


def _page(context: RequestContext, problems: Sequence[str]) -> Response:
    tenant = context.writing_tenant  # a reader may see the demo until it has notes
    with context.database.transaction(tenant, timeout_ms=context.timeout_ms) as connection:
        documents = list_documents(connection, tenant, limit=LISTED)
        folders = list_folders(connection, tenant)
        files = {
            folder.source: list_file_states(connection, tenant, folder.source, is_problem=True)
            for folder in folders
            if folder.refused or folder.failed
        }
    cards = [_document(state) for state in documents]
    return render(
        "documents.html",
        shelf=read_shelf(context),
        page=PAGE,
        command="brain folder add ~/Notas",
        accepted=",".join(sorted(suffixes())),
        formats=", ".join(sorted(suffix[1:] for suffix in suffixes())),
        megabytes=grouped(context.settings.document_max_mb),
        documents=cards,
        is_waiting=any(card.state == "waiting" for card in cards),
        folders=[_folder(folder, files.get(folder.source, ())) for folder in folders],
        problems=problems,
    )


def _taken(file: UploadFile, context: RequestContext) -> str | None:
    """The problem of a file that was not taken."""
    name = file.filename or ""
    try:
        receive(
            context.database,
            context.writing_tenant,
            context.settings,
            name=name,
            content=file.file.read(parsing_limits(context.settings).max_bytes + 1),
            uploaded_by=context.caller.key_name,
        )
    except RagError as error:
        return f"{name}: {localised(str(error))}"
    return None


def _document(state: DocumentState) -> DocumentCard:
    upload = state.upload
    is_note = upload.note_id is not None
    return DocumentCard(
        document_id=str(state.document_id),
        name=upload.path,
        address=f"/notas/{upload.note_id}" if is_note else None,
        original=f"/api/v2/documents/{upload.note_id}/original" if is_note else None,
        status=_STATUSES[state.status],
        state=_SHOWN.get(state.status, "waiting"),
        progress=state.progress,
        pages=_pages(upload.pages, upload.page_unit),
        problems=[localised(text) for text in (*upload.warnings, *filter(None, [state.error]))],
    )


def _pages(count: int | None, unit: str) -> str:
    if count is None:
        return ""
    one, many = {
        "page": (tr("página"), tr("páginas")),
        "slide": (tr("diapositiva"), tr("diapositivas")),
        "sheet": (tr("hoja"), tr("hojas")),
        "section": (tr("sección"), tr("secciones")),
    }[unit]
    return f"{grouped(count)} {one if count == 1 else many}"


def _folder(folder: StoredFolder, files: Sequence[FileState]) -> FolderCard:
    return FolderCard(
        folder=folder,
        problem=localised(folder.problem or ""),
        files=[
            FileCard(path=file.path, state=_STATES[file.state], reason=localised(file.error))
            for file in files
            if file.error and file.state in {"refused", "failed"}
        ],
    )

"""``GET /api/folders``: folders that notes come from, and the state of their files. Problems are told in Spanish."""

from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError
from rag_core.api.schemas import Moment, failures
from rag_core.errors import NotFoundError
from rag_core.storage.documents import FileState, StoredFolder, list_file_states, list_folders
from rag_core.translation import MessageTranslator, document_catalogue
from rag_core.wire.values import moment_to_wire

NO_SUCH_FOLDER = "No existe ninguna carpeta con esa fuente"

router = APIRouter(prefix="/api/folders", tags=["notes"])
Count = Annotated[int, Field(ge=0)]


class _Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class FolderOut(_Body):
    """A folder, with the numbers of its files by state."""

    source: str
    path: str
    is_watched: bool = Field(description="Whether changes in it are followed.")
    problem: str | None = Field(description="What the last import left undone, and why.")
    imported_at: Moment
    indexed: Count
    waiting: Count = Field(description="Found by their words, not by their meaning yet.")
    refused: Count
    failed: Count


class FileOut(_Body):
    """A file of a folder."""

    path: str = Field(description="Relative to the folder, with `/`; the note's `externalId`.")
    state: Literal["indexed", "waiting", "refused", "failed"]
    note_id: str | None
    parser: str | None
    pages: int | None
    warnings: list[str]
    error: str | None


class FolderList(_Body):
    """Folders by their sources."""

    folders: list[FolderOut]


class FolderFiles(FolderOut):
    """A folder with its files by their paths."""

    files: list[FileOut]


@router.get("", response_model=FolderList, responses=failures(400, 503))
def list_all(context: Context) -> dict[str, Any]:
    """The folders that notes come from."""
    with context.transaction() as connection:
        folders = list_folders(connection, context.tenant)
    return {"folders": [_folder(folder) for folder in folders]}


@router.get("/{source}", response_model=FolderFiles, responses=failures(400, 404, 503))
def read_folder(source: Annotated[str, Path(description="The folder's source.")], context: Context) -> dict[str, Any]:
    """One folder with the state of each file."""
    with context.transaction() as connection:
        folder = next((one for one in list_folders(connection, context.tenant) if one.source == source), None)
        files = list_file_states(connection, context.tenant, source)
    if folder is None:
        raise ExplainedError(NO_SUCH_FOLDER, kind=NotFoundError)
    return _folder(folder) | {"files": [_file(file) for file in files]}


def _folder(folder: StoredFolder) -> dict[str, Any]:
    return {
        "source": folder.source,
        "path": folder.path,
        "isWatched": folder.is_watched,
        "problem": _told(folder.problem),
        "importedAt": moment_to_wire(folder.imported_at),
        "indexed": folder.indexed,
        "waiting": folder.waiting,
        "refused": folder.refused,
        "failed": folder.failed,
    }


def _file(file: FileState) -> dict[str, Any]:
    return {
        "path": file.path,
        "state": file.state,
        "noteId": None if file.note_id is None else str(file.note_id),
        "parser": file.parser,
        "pages": file.pages,
        "warnings": [_spanish().translate(warning) for warning in file.warnings],
        "error": _told(file.error),
    }


def _told(problem: str | None) -> str | None:
    return None if problem is None else _spanish().translate(problem)


@cache
def _spanish() -> MessageTranslator:
    return MessageTranslator(document_catalogue("es"))

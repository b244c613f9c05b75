"""Pages that are cited: where a passage stands in its document, and the file that the document was made of."""

from dataclasses import dataclass

from rag_core.model.document import PageUnit, PlacedBlock
from rag_core.model.note import NoteId, Span, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOfNote:
    """The file that a note was made of: an upload, or one of the folder of its source. ``file_hash`` is its SHA-256.

    With ``is_current`` false the file was changed since, and what it holds now could not be taken.
    """

    source: str
    path: str
    format: str | None
    file_hash: bytes | None
    pages: int | None
    page_unit: PageUnit
    is_upload: bool
    is_current: bool


def fetch_placed_blocks(connection: Connection, tenant: TenantId, note: NoteId, span: Span) -> list[PlacedBlock]:
    """The blocks with pages that hold a span of a document's text, as ``place_of`` takes them."""
    parameters = {"tenant": tenant, "note": note, "start": span[0], "end": span[1]}
    return fetch_all(connection, PlacedBlock, "fetch_placed_blocks", parameters)


def fetch_file_of_note(connection: Connection, tenant: TenantId, note: NoteId) -> FileOfNote | None:
    """The file that a note was made of; None for other notes."""
    return fetch_one(connection, FileOfNote, "fetch_file_of_note", {"tenant": tenant, "note": note})


def fetch_place_of_folder(database: Database, tenant: TenantId, source: str) -> str | None:
    """Path of a source's folder, for reading what a note of it was made of; its policies hide it from callers with departments."""
    with database.owner() as connection:
        row = connection.execute(query("fetch_place_of_folder"), {"tenant": tenant, "source": source}).fetchone()
    return None if row is None else str(row[0])

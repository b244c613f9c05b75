"""Files of folders: their state, the blocks of their text, their names and links."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from psycopg.types.json import Jsonb

from rag_core.model.document import BlockKind, DocumentBlock, NoteLink, NoteName, StoredFile
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.enrichment import DocumentType
from rag_core.model.note import ChunkId, Language, NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import delete_notes
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_value

_FILE_TYPES = (
    "text",
    "text",
    "int8",
    "int8",
    "text",
    "text",
    "bytea",
    "text",
    "float8",
    "text",
    "int4",
    "text",
    "jsonb",
)
MAX_BACKLINKS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContents:
    """Blocks, links and names that belong to a note's text."""

    blocks: Sequence[DocumentBlock] = ()
    links: Sequence[NoteLink] = ()
    names: Sequence[NoteName] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedNote:
    """A note at the other end of a link."""

    note_id: NoteId
    external_id: str
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedLink:
    """A link of a note, and the note it means; the last three are None where there is none."""

    start: int
    end: int
    target: str
    heading: str | None
    note_id: NoteId | None
    external_id: str | None
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBlock:
    """A block as stored; ``box`` is left, top, right and bottom."""

    kind: BlockKind
    start: int
    end: int
    level: int | None
    page: int | None
    box: list[float] | None
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunkSpan:
    """A chunk of a note, without its text, from ``section`` on where that is not None.

    ``semantic_density`` is the mean cosine of its neighbouring sentences; None for one sentence, and without their vectors.
    """

    chunk_id: ChunkId
    chunk_index: int
    start: int
    end: int
    token_count: int
    chunking_method: str
    section: int | None
    sentences: int | None
    semantic_density: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFolder:
    """A folder that a source's notes come from, with the numbers of its files by state.

    ``problem`` says what the last import left undone and why.
    """

    source: str
    path: str
    is_watched: bool
    exclude: list[str]
    language: Language | None
    problem: str | None
    imported_at: datetime
    indexed: int
    waiting: int
    refused: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file of a folder: indexed, waiting for it, refused or failed, the last two with ``error``."""

    path: str
    state: Literal["indexed", "waiting", "refused", "failed"]
    note_id: NoteId | None
    parser: str | None
    pages: int | None
    warnings: list[str]
    error: str | None
    document_type: DocumentType | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFolder:
    """A folder that is followed, and whose notes are made of it."""

    tenant: TenantId
    source: str
    path: str
    exclude: tuple[str, ...]
    language: Language | None


@contextmanager
def folder_lock(database: Database, tenant: TenantId, source: str, *, waits: bool) -> Iterator[bool]:
    """Keep other imports of a source out while the block runs; False where one goes on and this one does not wait for it."""
    parameters = {"tenant": tenant, "source": source}
    with database.owner() as connection:
        row = connection.execute(query("lock_folder" if waits else "try_folder"), parameters).fetchone()
        yield waits or row == (True,)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFolder:
    """A source's folder as stored: the most notes it had within a day, and the database's time."""

    path: str
    device: str
    most_notes: int
    moment: datetime


def hold_folder(connection: Connection, tenant: TenantId, *, source: str, path: str, device: str) -> HeldFolder:
    """The source's folder: as stored before, else with the path and device given. Its row is held until the transaction ends."""
    parameters = {"tenant": tenant, "source": source, "path": path, "device": device}
    row = connection.execute(query("hold_folder"), parameters).fetchone()
    assert row is not None
    return HeldFolder(path=row[0], device=row[1], most_notes=row[2], moment=row[3])


def lock_folders(connection: Connection, tenant: TenantId) -> None:
    """Keep others from following folders of the tenant until the transaction ends."""
    connection.execute(query("lock_folders"), {"tenant": tenant})


def watch_folder(
    connection: Connection,
    tenant: TenantId,
    *,
    source: str,
    path: str,
    device: str,
    exclude: Sequence[str],
    language: Language | None,
) -> None:
    """Have the source's folder followed from now on."""
    parameters = {"tenant": tenant, "source": source, "path": path, "device": device}
    connection.execute(query("watch_folder"), parameters | {"exclude": list(exclude), "language": language})


def unwatch_folder(connection: Connection, tenant: TenantId, source: str) -> bool:
    """Follow the source's folder no longer; False where it was not followed."""
    row = connection.execute(query("unwatch_folder"), {"tenant": tenant, "source": source}).fetchone()
    return row is not None


def forget_folder(connection: Connection, tenant: TenantId, source: str) -> int:
    """Delete a source's folder with its notes and all that was made of them; return their number."""
    files = fetch_files(connection, tenant, source)
    delete_files(connection, tenant, source, list(files), before=datetime.max.replace(tzinfo=UTC))
    connection.execute(query("delete_folder"), {"tenant": tenant, "source": source})
    return sum(1 for file in files.values() if file.note_id is not None)


def record_folder_problem(connection: Connection, tenant: TenantId, source: str, problem: str | None) -> None:
    """Record why the last import of a folder left something undone, or that it did not."""
    connection.execute(query("record_folder_problem"), {"tenant": tenant, "source": source, "problem": problem})


def fetch_folder_problem(connection: Connection, tenant: TenantId, source: str) -> str | None:
    """Reason why the last import of a folder left something undone; None where it did not."""
    found: str | None = fetch_value(connection, "fetch_folder_problem", {"tenant": tenant, "source": source})
    return found


def list_folders(connection: Connection, tenant: TenantId) -> list[StoredFolder]:
    """The tenant's folders by their sources."""
    return fetch_all(connection, StoredFolder, "list_folders", {"tenant": tenant})


def list_file_states(
    connection: Connection, tenant: TenantId, source: str, *, is_problem: bool = False
) -> list[FileState]:
    """The files of a source by their paths; with ``is_problem`` those that were refused or failed."""
    parameters = {"tenant": tenant, "source": source, "is_problem": is_problem}
    return fetch_all(connection, FileState, "list_file_states", parameters)


def list_watched_folders(database: Database) -> list[WatchedFolder]:
    """Followed folders of all tenants."""
    with database.owner() as connection:
        rows = connection.execute(query("list_watched_folders")).fetchall()
    return [
        WatchedFolder(tenant=TenantId(tenant), source=source, path=path, exclude=tuple(exclude), language=language)
        for tenant, source, path, exclude, language in rows
    ]


def fetch_folder(connection: Connection, tenant: TenantId, source: str) -> HeldFolder | None:
    """The source's folder as stored; None where there is none."""
    row = connection.execute(query("fetch_folder"), {"tenant": tenant, "source": source}).fetchone()
    return None if row is None else HeldFolder(path=row[0], device=row[1], most_notes=row[2], moment=row[3])


def fetch_moment(connection: Connection) -> datetime:
    """The database's time."""
    moment: datetime = fetch_value(connection, "fetch_moment")
    return moment


def move_folder(connection: Connection, tenant: TenantId, *, source: str, path: str, device: str) -> None:
    """Record where the source's folder stands now."""
    parameters = {"tenant": tenant, "source": source, "path": path, "device": device}
    connection.execute(query("move_folder"), parameters)


def fetch_files(connection: Connection, tenant: TenantId, source: str) -> dict[str, StoredFile]:
    """All files of a source, as last imported, by path."""
    found = fetch_all(connection, StoredFile, "fetch_files", {"tenant": tenant, "source": source})
    return {file.path: file for file in found}


def store_files(
    connection: Connection,
    tenant: TenantId,
    source: str,
    files: Sequence[StoredFile],
    contents: Mapping[str, FileContents],
) -> None:
    """Record files, each path once; the notes of their paths are stored already.

    ``contents`` by path replace the blocks, links and names of the notes.
    """
    connection.execute(query("create_seen_files"))
    with connection.cursor().copy(query("copy_seen_files")) as copy:
        copy.set_types(_FILE_TYPES)
        for file in files:
            copy.write_row(_file_row(file))
    parameters = {"tenant": tenant, "source": source}
    stored = connection.execute(query("store_seen_files"), parameters).fetchall()
    connection.execute("drop table seen_files")
    store_contents(connection, tenant, source, [(note, contents[path]) for path, note in stored if path in contents])


def _file_row(file: StoredFile) -> tuple[Any, ...]:
    kinds = file.warning_kinds or [None] * len(file.warnings)
    told = [{"type": kind, "text": text} for kind, text in zip(kinds, file.warnings, strict=True)]
    warnings = Jsonb(told, dumps=lambda value: json.dumps(value, ensure_ascii=False))
    return (
        *(file.path, file.status, file.file_size, file.modified_ns),
        *(file.error, file.format, file.file_hash, file.parser),
        *(file.parser_confidence, file.author, file.pages, file.page_unit, warnings),
    )


def store_contents(
    connection: Connection, tenant: TenantId, source: str, stored: Sequence[tuple[NoteId, FileContents]]
) -> None:
    """Replace the blocks, links and names of notes."""
    connection.execute(query("delete_contents"), {"tenant": tenant, "notes": [note for note, _ in stored]})
    blocks = [(note, place, block) for note, one in stored for place, block in enumerate(one.blocks)]
    links = [(note, place, link) for note, one in stored for place, link in enumerate(one.links)]
    names = [(note, name) for note, one in stored for name in one.names]
    connection.execute(
        query("insert_blocks"),
        _placed(tenant, blocks)
        | {
            "levels": [block.level for _, _, block in blocks],
            "pages": [block.page for _, _, block in blocks],
            "boxes": [None if block.box is None else f"{{{','.join(map(str, block.box))}}}" for _, _, block in blocks],
            "confidences": [block.confidence for _, _, block in blocks],
        },
    )
    connection.execute(
        query("insert_note_links"),
        _placed(tenant, links)
        | {
            "targets": [link.target for _, _, link in links],
            "keys": [link.target_key for _, _, link in links],
            "headings": [link.heading for _, _, link in links],
        },
    )
    named = {
        "notes": [note for note, _ in names],
        "keys": [name.key for _, name in names],
        "ranks": [name.rank for _, name in names],
    }
    connection.execute(query("insert_note_names"), {"tenant": tenant, "source": source} | named)


def _placed(tenant: TenantId, spans: Sequence[tuple[NoteId, int, DocumentBlock | NoteLink]]) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "notes": [note for note, _, _ in spans],
        "places": [place for _, place, _ in spans],
        "kinds": [span.kind for _, _, span in spans],
        "starts": [span.start for _, _, span in spans],
        "ends": [span.end for _, _, span in spans],
    }


def rename_files(
    connection: Connection, tenant: TenantId, source: str, renamed: Mapping[str, str], *, before: datetime
) -> set[str]:
    """Give files and their notes new paths, by the former ones; nothing is embedded anew. Return those that were renamed.

    Where another note has the new path already, the file keeps its own; files that were refused make room.
    """
    delete_files(connection, tenant, source, list(renamed.values()), before=before)
    parameters = {"tenant": tenant, "source": source, "before": list(renamed), "after": list(renamed.values())}
    return {row[0] for row in connection.execute(query("rename_files"), parameters).fetchall()}


def delete_files(
    connection: Connection, tenant: TenantId, source: str, paths: Sequence[str], *, before: datetime
) -> list[str]:
    """Delete files that were last compared before a moment, with their notes and all that was made of them; return their paths."""
    parameters = {"tenant": tenant, "source": source, "paths": list(paths), "before": before}
    rows = connection.execute(query("delete_files"), parameters).fetchall()
    delete_notes(connection, tenant, [note for _, note in rows if note])
    return [path for path, _ in rows]


def count_chunks(connection: Connection, tenant: TenantId, source: str) -> dict[str, int]:
    """Number of chunks of each file of a source whose note is indexed, by path."""
    parameters = {"tenant": tenant, "source": source}
    return dict(connection.execute(query("count_chunks_of_files"), parameters).fetchall())


def fetch_blocks(connection: Connection, tenant: TenantId, note: NoteId) -> list[StoredBlock]:
    """The blocks of a document in the order of its text."""
    return fetch_all(connection, StoredBlock, "fetch_blocks", {"tenant": tenant, "note": note})


def has_blocks(connection: Connection, tenant: TenantId, note: NoteId) -> bool:
    """Tell whether a note was read from a file, and not changed since."""
    return bool(fetch_value(connection, "has_blocks", {"tenant": tenant, "note": note}))


def fetch_chunk_spans(
    connection: Connection, tenant: TenantId, note: NoteId, *, model: EmbeddingModel
) -> list[StoredChunkSpan]:
    """The live chunks of a note in the order of its text."""
    has_sentences = model.searched_vectors == "sentences"
    parameters = {"model": model.id if has_sentences else None, "dimensions": model.dimensions}
    return fetch_all(connection, StoredChunkSpan, "fetch_chunk_spans", {"tenant": tenant, "note": note} | parameters)


def fetch_links(connection: Connection, tenant: TenantId, note: NoteId) -> list[ResolvedLink]:
    """The links of a note in the order of its text."""
    return fetch_all(connection, ResolvedLink, "fetch_links", {"tenant": tenant, "note": note})


def fetch_backlinks(connection: Connection, tenant: TenantId, note: NoteId) -> list[LinkedNote]:
    """The notes that link to this one, at most ``MAX_BACKLINKS``."""
    parameters = {"tenant": tenant, "note": note, "limit": MAX_BACKLINKS}
    return fetch_all(connection, LinkedNote, "fetch_backlinks", parameters)

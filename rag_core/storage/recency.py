"""Dates of the notes found, and the newest notes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from psycopg import sql

from rag_core.model.note import WRITTEN_DAYS, ChunkId, Language, NoteId, TenantId
from rag_core.model.retrieval import Filters
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.search import filter_conditions, filter_parameters

MAX_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChunk:
    """The first chunk of a note, and the facts of the note."""

    chunk_id: ChunkId
    note_id: NoteId
    external_id: str
    source: str
    title: str | None
    created_at: datetime
    language: Language
    start_char: int
    content: str
    is_dated: bool = True


def fetch_created_at(
    database: Database, tenant: TenantId, chunks: Sequence[ChunkId], *, timeout_ms: int
) -> dict[ChunkId, datetime]:
    """The ``created_at`` of each chunk's note; chunks deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        return dict(
            connection.execute(query("fetch_created_at"), {"tenant": tenant, "chunks": list(chunks)}).fetchall()
        )


def fetch_recent_chunks(
    database: Database, tenant: TenantId, *, filters: Filters, limit: int, timeout_ms: int
) -> list[RecentChunk]:
    """The beginnings of the newest notes that pass the filters, newest first; of a note that is not chunked yet 20,000 characters."""
    statement = sql.SQL(query("fetch_recent_chunks")).format(
        filters=filter_conditions(replace(filters, tables_only=False))
    )
    parameters = {"tenant": tenant, "limit": limit, "characters": MAX_CHARACTERS}
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(statement, parameters | filter_parameters(filters)).fetchall()
    return [_recent_chunk(row) for row in rows]


def _recent_chunk(row: tuple[Any, ...]) -> RecentChunk:
    chunk_id, note_id, external_id, source, title, created_at, dated_by, language, start_char, content = row
    return RecentChunk(
        chunk_id=chunk_id,
        note_id=note_id,
        external_id=external_id,
        source=source,
        title=title,
        created_at=created_at,
        language=language,
        start_char=start_char,
        content=content,
        is_dated=dated_by in WRITTEN_DAYS,
    )

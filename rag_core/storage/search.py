"""The searches: both legs, and the texts of what they found."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector
from psycopg import sql

from rag_core.embedding import EmbeddingModel
from rag_core.model import ChunkId, EmbeddingKind, Language, NoteId, Span, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.vector_index import EXACT_SCAN_CHUNKS

Ranking = list[tuple[ChunkId, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSpan:
    """Where a chunk and the window of sentences around it stand in their note."""

    chunk_id: ChunkId
    note_id: NoteId
    chunk_index: int
    span: Span
    is_whole_note: bool
    window: Span
    content_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowText:
    """The text of a window with the facts of its note."""

    external_id: str
    source: str
    title: str | None
    created_at: datetime
    language: Language
    text: str


def search_fulltext(database: Database, tenant: TenantId, text: str, *, limit: int, timeout_ms: int) -> Ranking:
    """Chunks by BM25, best first; scores are positive and unbounded. A query of stop words gives []."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        return connection.execute(
            query("search_fulltext"), {"tenant": tenant, "query": text, "limit": limit}
        ).fetchall()


def search_semantic(
    database: Database,
    tenant: TenantId,
    vector: NDArray[np.float32],
    *,
    model: EmbeddingModel,
    kind: EmbeddingKind,
    limit: int,
    timeout_ms: int,
    exact_scan_chunks: int = EXACT_SCAN_CHUNKS,
) -> Ranking:
    """Chunks by cosine similarity in [-1, 1], best first: exact while the tenant is small, by HNSW otherwise."""
    parameters = {"tenant": tenant, "vector": Vector(vector), "limit": limit}
    settings: dict[str, str | int] = {"hnsw.ef_search": max(100, limit), "hnsw.iterative_scan": "strict_order"}
    with database.transaction(tenant, timeout_ms=timeout_ms, local=settings) as connection:
        name = "search_semantic_exact" if _count(connection, tenant) <= exact_scan_chunks else "search_semantic_index"
        return connection.execute(_for_model(name, model, kind), parameters).fetchall()


def _count(connection: Connection, tenant: TenantId) -> int:
    row = connection.execute(query("corpus_size"), {"tenant": tenant}).fetchone()
    assert row is not None
    return int(row[0])


def _for_model(name: str, model: EmbeddingModel, kind: EmbeddingKind) -> sql.Composed:
    """Registry values enter as literals: a partial index whose predicate is a parameter is not used."""
    return sql.SQL(query(name)).format(
        dimensions=sql.Literal(model.dimensions), model=sql.Literal(model.id), kind=sql.Literal(kind)
    )


def fetch_spans(
    database: Database, tenant: TenantId, chunks: Sequence[ChunkId], *, before: int, after: int, timeout_ms: int
) -> dict[ChunkId, ChunkSpan]:
    """Where the chunks and their windows stand; chunks deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(
            query("fetch_spans"), {"tenant": tenant, "chunks": list(chunks), "before": before, "after": after}
        ).fetchall()
    return {row[0]: _chunk_span(row) for row in rows}


def _chunk_span(row: tuple[Any, ...]) -> ChunkSpan:
    chunk_id, note_id, index, start, end, method, window_start, window_end, content_hash = row
    return ChunkSpan(
        chunk_id=chunk_id,
        note_id=note_id,
        chunk_index=index,
        span=(start, end),
        is_whole_note=method == "whole_note",
        window=(window_start, window_end),
        content_hash=content_hash,
    )


def fetch_windows(
    database: Database, tenant: TenantId, windows: Sequence[tuple[NoteId, bytes, Span]], *, timeout_ms: int
) -> dict[int, WindowText]:
    """The texts of windows by their position; windows of notes deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(
            query("fetch_windows"),
            {
                "tenant": tenant,
                "positions": list(range(len(windows))),
                "notes": [note for note, _, _ in windows],
                "hashes": [digest for _, digest, _ in windows],
                "starts": [span[0] for _, _, span in windows],
                "ends": [span[1] for _, _, span in windows],
            },
        ).fetchall()
    return {row[0]: _window_text(row) for row in rows}


def _window_text(row: tuple[Any, ...]) -> WindowText:
    _, external_id, source, title, created_at, language, text = row
    return WindowText(
        external_id=external_id, source=source, title=title, created_at=created_at, language=language, text=text
    )

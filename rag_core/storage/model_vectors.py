"""The vectors of a model that is not active: filled in beside the live ones, and removed when it is retired."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector
from psycopg import sql

from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import EmbeddingKind, EmbeddingModel, ModelState
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.models import fetch_state, hold_model
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_column
from rag_core.storage.staging import chunk_text, lock_notes
from rag_core.storage.vector_index import EXACT_SCAN_CHUNKS, index_name, vector_kind

_TYPES = ("uuid", "uuid", "timestamptz", "text", "bytea", "vector")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWithoutVectors:
    """A live chunk, and the kinds of vectors it lacks."""

    chunk_id: ChunkId
    note_id: NoteId
    created_at: datetime
    text: ChunkText
    kinds: tuple[EmbeddingKind, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVector:
    """One of a chunk's vectors; None where it is stored under its hash already."""

    chunk: ChunkWithoutVectors
    kind: EmbeddingKind
    input_hash: bytes
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVectors:
    """Number of vectors written, and the state of the model; none when it is retired."""

    count: int
    state: ModelState


def fetch_chunks_without_vectors(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str] | None,
    model_id: int,
    *,
    after: UUID,
    limit: int,
    max_characters: int,
) -> list[ChunkWithoutVectors]:
    """The next page of chunks that lack vectors, of the batches or (None) of all notes; the first one whatever its length."""
    of_notes = query("of_every_note" if batches is None else "of_batches")
    statement = sql.SQL(query("fetch_chunks_without_vectors")).format(batches=sql.SQL(of_notes))
    parameters = {
        "tenant": tenant,
        "model": model_id,
        "after": after,
        "limit": limit,
        "characters": max_characters,
        **({} if batches is None else {"batches": list(batches)}),
    }
    with database.transaction(tenant) as connection:
        rows = connection.execute(statement, parameters).fetchall()
    return [
        ChunkWithoutVectors(
            chunk_id=chunk_id,
            note_id=note_id,
            created_at=created_at,
            text=chunk_text(*text),
            kinds=_kinds(standard=standard, contextual=contextual),
        )
        for chunk_id, note_id, created_at, standard, contextual, *text in rows
    ]


def _kinds(*, standard: bool, contextual: bool) -> tuple[EmbeddingKind, ...]:
    lacking: dict[EmbeddingKind, bool] = {"standard": standard, "contextual": contextual}
    return tuple(kind for kind, is_lacking in lacking.items() if is_lacking)


def list_batches_without_vectors(database: Database, tenant: TenantId, model_id: int) -> list[str]:
    """Batches with a live chunk that lacks one of the model's vectors, newest first."""
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "list_batches_without_vectors", {"tenant": tenant, "model": model_id})


def write_model_vectors(
    database: Database,
    tenant: TenantId,
    model: EmbeddingModel,
    vectors: Sequence[ModelVector],
    *,
    is_held: bool = False,
) -> WrittenVectors:
    """Write vectors in one transaction; those of chunks that were deleted or replaced meanwhile are passed over.

    ``is_held`` is for a promotion, which waits for this and keeps everybody else from changing the model.
    """

    def write(connection: Connection) -> WrittenVectors:
        state = fetch_state(connection, model) if is_held else hold_model(connection, model)
        if state == "retired":
            return WrittenVectors(count=0, state=state)
        lock_notes(connection, tenant, sorted({item.chunk.note_id for item in vectors}))
        connection.execute(query("create_model_vectors"))
        with connection.cursor().copy(query("copy_model_vectors")) as copy:
            copy.set_types(_TYPES)
            for item in vectors:
                copy.write_row(_row(item))
        parameters = {"tenant": tenant, "model": model.id}
        written = connection.execute(query("insert_model_vectors"), parameters).rowcount
        connection.execute(query("drop_live_copies"), parameters)
        return WrittenVectors(count=written, state=state)

    return database.write(tenant, write, has_copy=True)


def _row(item: ModelVector) -> tuple[object, ...]:
    chunk, vector = item.chunk, None if item.vector is None else Vector(item.vector)
    return chunk.chunk_id, chunk.note_id, chunk.created_at, item.kind, item.input_hash, vector


def is_index_due(database: Database, model: EmbeddingModel, *, exact_scan_chunks: int = EXACT_SCAN_CHUNKS) -> bool:
    """Tell whether the model has more vectors than a search compares one by one, and no complete index over them."""
    kind = vector_kind(model)
    with database.owner() as connection:
        state = connection.execute(query("vector_index_state"), {"name": index_name(model, kind)}).fetchone()
        count = connection.execute(query("count_vectors"), {"model": model.id, "kind": kind}).fetchone()
    assert count is not None
    return state != (True,) and bool(count[0] > exact_scan_chunks)


def delete_model_vectors(connection: Connection, tenant: TenantId, model_id: int, *, limit: int) -> int:
    """Delete so many of the model's vectors; how many there were. For the owner's connection."""
    parameters = {"tenant": tenant, "model": model_id, "limit": limit}
    return connection.execute(query("delete_model_vectors"), parameters).rowcount


def delete_cached_vectors(connection: Connection, tenant: TenantId, dimensions: int, *, limit: int) -> int:
    """Delete so many cached vectors of that length unless a model in use has it; how many. For the owner's connection."""
    connection.execute("set search_path = brain, public, extensions")
    parameters = {"tenant": tenant, "dimensions": dimensions, "limit": limit}
    return connection.execute(query("delete_cached_vectors"), parameters).rowcount

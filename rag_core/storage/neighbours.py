"""Neighbours of notes and entities: what notes name together, and notes that are near by their vectors."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector
from psycopg import sql
from psycopg.rows import class_row

from rag_core.model.embedding import EmbeddingModel
from rag_core.model.entity import EntityKind
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.entities import shown_name
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_value
from rag_core.storage.vector_index import vector_kind

MOST_MENTIONS = 5_000
"""Mentions of one name that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteOfEntities:
    """A note and the asked entities that it names, rare ones first."""

    id: UUID
    title: str | None
    created_at: datetime
    entities: list[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOfNotes:
    """An entity and the asked notes that name it."""

    id: UUID
    kind: EntityKind
    name: str
    notes: list[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteOfChunk:
    """The note that a chunk is of."""

    chunk_id: ChunkId
    id: UUID
    title: str | None
    created_at: datetime


def fetch_notes_naming(
    connection: Connection, tenant: TenantId, entities: Collection[UUID], *, besides: Collection[UUID] = (), limit: int
) -> list[NoteOfEntities]:
    """Notes that name any of the entities, those that have most in common with all of them first."""
    parameters = {
        "tenant": tenant,
        "entities": list(entities),
        "besides": list(besides),
        "most": MOST_MENTIONS,
        "limit": limit,
    }
    return fetch_all(connection, NoteOfEntities, "fetch_notes_naming", parameters)


def fetch_entities_named(
    connection: Connection,
    tenant: TenantId,
    notes: Collection[UUID],
    *,
    besides: Collection[UUID] = (),
    limit: int,
    sees_all: bool,
) -> list[EntityOfNotes]:
    """Entities that any of the notes names, those of most notes first, without dates and amounts."""
    statement = sql.SQL(query("fetch_entities_named")).format(name=shown_name(sees_all=sees_all))
    parameters = {"tenant": tenant, "notes": list(notes), "besides": list(besides), "limit": limit}
    return connection.cursor(row_factory=class_row(EntityOfNotes)).execute(statement, parameters).fetchall()


def fetch_note_direction(
    connection: Connection, tenant: TenantId, note: NoteId, model: EmbeddingModel
) -> NDArray[np.float32] | None:
    """The mean direction of a note's chunks, of length 1; None for a note without vectors."""
    parameters = {"tenant": tenant, "note": note, "model": model.id, "kind": vector_kind(model)}
    found = fetch_value(connection, "fetch_note_direction", parameters)
    if found is None:
        return None
    summed = np.asarray(found.to_numpy() if isinstance(found, Vector) else found, dtype=np.float32)
    return summed / max(float(np.linalg.norm(summed)), 1e-12)


def fetch_notes_of_chunks(
    connection: Connection, tenant: TenantId, chunks: Collection[ChunkId]
) -> dict[ChunkId, NoteOfChunk]:
    """Notes of chunks; a chunk deleted meanwhile is absent."""
    parameters = {"tenant": tenant, "chunks": list(chunks)}
    return {row.chunk_id: row for row in fetch_all(connection, NoteOfChunk, "fetch_notes_of_chunks", parameters)}

"""Vectors of whole notes: which notes lack theirs, which inputs are known, and the vectors written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector

from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.migration_control import MAX_ATTEMPTS
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column
from rag_core.storage.staging import NoteToStage


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVector:
    """The vector of a whole note, valid for the text with that content hash."""

    note_id: NoteId
    content_hash: bytes
    input_hash: bytes
    vector: NDArray[np.float32]


def fetch_notes_without_vector(
    database: Database, tenant: TenantId, batches: Sequence[str], *, model_id: int, after: UUID, limit: int
) -> list[NoteToStage]:
    """The next page of whole notes that lack the model's vectors and are to stay whole."""
    parameters = {
        "tenant": tenant,
        "batches": list(batches),
        "model": model_id,
        "most_attempts": MAX_ATTEMPTS,
        "after": after,
        "limit": limit,
    }
    with database.transaction(tenant) as connection:
        return fetch_all(connection, NoteToStage, "fetch_notes_without_vector", parameters)


def list_batches_without_vector(database: Database, tenant: TenantId) -> list[str]:
    """Batches whose whole notes a rollback left to embed, newest first; without a rollback none."""
    parameters = {"tenant": tenant, "most_attempts": MAX_ATTEMPTS}
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "list_batches_without_vector", parameters)


def fetch_vectors(database: Database, tenant: TenantId, hashes: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
    """The vectors, live or cached, of these inputs; an input without one is absent."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(query("fetch_vectors"), {"tenant": tenant, "hashes": list(hashes)}).fetchall()
    return {digest: np.asarray(_numbers(vector), dtype=np.float32) for digest, vector in rows}


def _numbers(vector: object) -> object:
    return vector.to_numpy() if isinstance(vector, Vector) else vector


def write_note_vectors(
    connection: Connection, tenant: TenantId, vectors: Sequence[NoteVector], *, model_id: int
) -> None:
    """Give whole notes their vectors, both kinds alike; a note that is no longer whole, or has another text, is passed over.

    The failures of embedding that this ends are forgotten. The model is held before (``models.hold_model``).
    """
    notes = [one.note_id for one in vectors]
    connection.execute(query("lock_notes"), {"tenant": tenant, "notes": notes})
    rows = [
        {
            "tenant": tenant,
            "model": model_id,
            "note": one.note_id,
            "content_hash": one.content_hash,
            "input_hash": one.input_hash,
            "vector": Vector(one.vector),
        }
        for one in vectors
    ]
    connection.cursor().executemany(query("insert_note_vector"), rows)
    connection.execute(query("clear_embedding_failures"), {"tenant": tenant, "notes": notes})

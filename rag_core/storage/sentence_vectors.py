"""Vectors of the sentences of chunks, as a model that searches sentences has them in its index."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pgvector import Vector

from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import EmbeddingModel, FloatMatrix
from rag_core.model.note import NoteId, Span, TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.staging import chunk_text


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVectors:
    """A chunk's text, from ``start_char`` of its note, and its sentences' vectors in a row, shape (sentences · dimensions,)."""

    note_id: NoteId
    start_char: int
    text: ChunkText
    vectors: FloatMatrix


def fetch_sentence_vectors(
    database: Database,
    tenant: TenantId,
    model: EmbeddingModel,
    windows: Sequence[tuple[NoteId, Span]],
    *,
    timeout_ms: int,
) -> list[SentenceVectors]:
    """Those of all chunks that have a part in one of the windows of notes; a chunk without a vector is absent."""
    parameters = {
        "tenant": tenant,
        "model": model.id,
        "notes": [note for note, _ in windows],
        "starts": [start for _, (start, _) in windows],
        "ends": [end for _, (_, end) in windows],
    }
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(query("fetch_sentence_vectors"), parameters, binary=True).fetchall()
    return [
        SentenceVectors(note_id=note_id, start_char=start, text=chunk_text(*text), vectors=_numbers(vector))
        for note_id, start, vector, *text in rows
    ]


def _numbers(vector: object) -> FloatMatrix:
    return np.asarray(vector.to_numpy() if isinstance(vector, Vector) else vector, dtype=np.float32)

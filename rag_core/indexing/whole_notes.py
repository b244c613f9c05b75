"""Vectors for notes that are found whole: what a rollback or a migration that has not come so far leaves to embed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rag_core.chunking import count_tokens, sentence_spans
from rag_core.embedding.pieces import PiecewiseEmbedder
from rag_core.embedding.vectors import unit_rows
from rag_core.errors import EmbeddingError
from rag_core.indexing.failures import record_failures
from rag_core.indexing.isolation import Embedded, embed_apart
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.staging import EmbedReport, visible_spans
from rag_core.model.embedding import input_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import note_vectors as store
from rag_core.storage.database import Database
from rag_core.storage.staging import ComputedVector, NoteToStage, hold_active_model, write_vectors

WHOLE_NOTES = 100
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """A note, the hash of all of its text, and the texts its vector is made from by their hashes: itself or its chunks."""

    note: NoteToStage
    input_hash: bytes
    pieces: Mapping[bytes, str]


def embed_whole_notes(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    pipeline: Pipeline,
    *,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> EmbedReport:
    """Give the batches' whole notes their own vectors, where they are to stay whole; elsewhere there is nothing to do.

    After a rollback these are all notes without one; at any other time legacy notes that wait for the migration and are
    not about to be chunked. The vector of a text longer than the model's context is the mean of its chunks' vectors, at
    length one. A note whose text the provider refuses is recorded.

    Raises:
        EmbeddingError: the provider failed, whatever the texts; what was computed stays.
        ModelChangedError: another model was promoted meanwhile.
    """
    embedded = reused = failed = 0
    after = _FIRST
    while page := store.fetch_notes_without_vector(
        database, tenant, batches, model_id=pipeline.model.id, after=after, limit=WHOLE_NOTES
    ):
        notes = [_whole(note, pipeline, tenant) for note in page]
        texts = {digest: text for note in notes for digest, text in note.pieces.items()}
        known = store.fetch_vectors(database, tenant, texts)
        missing = {digest: (text,) for digest, text in texts.items() if digest not in known}
        found = embed_apart(missing, PiecewiseEmbedder(pipeline.embedder))
        failed += _store_page(database, tenant, notes, known, found, pipeline=pipeline)
        if found.error is not None:
            raise found.error
        embedded, reused = embedded + len(found.vectors), reused + len(known)
        after = page[-1].note_id
        on_progress(len(page))
    return EmbedReport(embedded=embedded, reused=reused, failed=failed)


def _whole(note: NoteToStage, pipeline: Pipeline, tenant: TenantId) -> _Whole:
    digest = input_hash(pipeline.model, note.content, role="document")
    return _Whole(note=note, input_hash=digest, pieces=_pieces(note, digest, pipeline, tenant))


def _pieces(note: NoteToStage, digest: bytes, pipeline: Pipeline, tenant: TenantId) -> dict[bytes, str]:
    if count_tokens(note.content) <= pipeline.model.context_tokens:
        return {digest: note.content}
    spans = visible_spans(note, sentence_spans(note.content, note.language), pipeline, tenant)
    texts = [note.content[span.start : span.end] for span in spans]
    return {input_hash(pipeline.model, text, role="document"): text for text in texts}


def _store_page(
    database: Database,
    tenant: TenantId,
    notes: Sequence[_Whole],
    known: Mapping[bytes, NDArray[np.float32]],
    found: Embedded,
    *,
    pipeline: Pipeline,
) -> int:
    """Keep what was computed; how many notes failed."""
    pieces = [
        ComputedVector(input_hash=digest, note_id=note.note.note_id, vector=found.vectors[digest])
        for note in notes
        for digest in note.pieces
        if digest != note.input_hash and digest in found.vectors
    ]
    if pieces:  # the same as when the note is chunked one day
        write_vectors(database, tenant, pieces)
    vectors, reasons = _note_vectors(notes, {**known, **found.vectors}, found.refused, source=pipeline.model.name)
    if vectors:
        with database.transaction(tenant) as connection:
            hold_active_model(connection, pipeline.model)
            store.write_note_vectors(connection, tenant, vectors, model_id=pipeline.model.id)
    return record_failures(database, tenant, reasons, stage="embedding", fingerprint=pipeline.fingerprint)


def _note_vectors(
    notes: Sequence[_Whole],
    vectors: Mapping[bytes, NDArray[np.float32]],
    refused: Mapping[bytes, str],
    *,
    source: str,
) -> tuple[list[store.NoteVector], dict[NoteId, str]]:
    """The vectors of notes whose every piece has one, and why others have none."""
    complete, reasons = [], {}
    for note in notes:
        reason = next((refused[digest] for digest in note.pieces if digest in refused), None)
        if reason is not None:
            reasons[note.note.note_id] = reason
        elif note.pieces.keys() <= vectors.keys():
            try:
                vector = _mean([vectors[digest] for digest in note.pieces], source=source)
            except EmbeddingError as error:
                reasons[note.note.note_id] = str(error)
            else:
                complete.append(
                    store.NoteVector(
                        note_id=note.note.note_id,
                        content_hash=note.note.content_hash,
                        input_hash=note.input_hash,
                        vector=vector,
                    )
                )
    return complete, reasons


def _mean(vectors: Sequence[NDArray[np.float32]], *, source: str) -> NDArray[np.float32]:
    """The mean at length one; a single vector is its own."""
    rows = np.asarray(vectors, dtype=np.float64)
    unit: NDArray[np.float32] = unit_rows(rows.mean(axis=0, keepdims=True), source=source)[0]
    return unit

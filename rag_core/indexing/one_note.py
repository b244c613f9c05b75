"""One note, stored and indexed at once: what the API does for a note that is created or changed."""

from dataclasses import dataclass
from typing import Literal

from rag_core.embedding.context import with_context
from rag_core.errors import ConflictError, EmbeddingError, NotFoundError
from rag_core.indexing.graph import relate_note
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.staging import stage_note
from rag_core.model import NewNote, NoteId, TenantId
from rag_core.notes import content_hash, note_id_for
from rag_core.storage import staging as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import StoredBatch, ensure_tenant, is_indexed, store_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedNote:
    """The note's id, and whether it is searchable by meaning already (by full text it is in any case)."""

    note_id: NoteId
    is_embedded: bool


def store_and_index(
    database: Database,
    tenant: TenantId,
    note: NewNote,
    pipeline: Pipeline,
    *,
    expected: Literal["new", "known", "either"] = "either",
) -> IndexedNote:
    """Store the note with its chunks, vectors and postings in one transaction, then what it says led to what.

    The vectors are computed before the transaction begins. When the embedding provider fails, the note is stored all
    the same, found by full text, and the next run of the pipeline embeds it. A graph that cannot be written leaves the note
    stored too, and to be read by the next run. No chat model is asked: where the pipeline has a summariser, its next run
    summarises the note.

    Raises:
        ConflictError: a new note was expected and its source has one with that id.
        NotFoundError: a known note was expected and there is none.
    """
    note_id = note_id_for(tenant, note.source, note.external_id)
    staged = stage_note(_to_stage(note_id, note), pipeline)
    vectors = _vectors(database, tenant, staged, pipeline)

    def write(connection: Connection) -> None:
        ensure_tenant(connection, tenant)
        _check(store_notes(connection, tenant, [note]), note, expected)
        if vectors is not None and not is_indexed(connection, tenant, note_id, fingerprint=pipeline.fingerprint):
            store.copy_staged(connection, tenant, [staged])
            store.copy_vectors(connection, tenant, vectors)
            store.publish_notes(
                connection, tenant, [note_id], model_id=pipeline.model.id, fingerprint=staged.fingerprint
            )

    database.write(tenant, write, has_copy=True)
    if vectors is None:
        return IndexedNote(note_id=note_id, is_embedded=False)
    digest = content_hash(note.language, note.title, note.content)
    relate_note(database, tenant, note_id, content=note.content, language=note.language, content_hash=digest)
    return IndexedNote(note_id=note_id, is_embedded=True)


def _check(stored: StoredBatch, note: NewNote, expected: str) -> None:
    if expected == "new" and not stored.imported:
        raise ConflictError(f"{note.source}:{note.external_id} exists already")
    if expected == "known" and stored.imported:
        raise NotFoundError(f"there is no note {note.source}:{note.external_id}")


def _to_stage(note_id: NoteId, note: NewNote) -> store.NoteToStage:
    return store.NoteToStage(
        note_id=note_id,
        title=note.title,
        content=note.content,
        language=note.language,
        content_hash=content_hash(note.language, note.title, note.content),
    )


def _vectors(
    database: Database, tenant: TenantId, staged: store.StagedNote, pipeline: Pipeline
) -> list[store.ComputedVector] | None:
    """The vectors that are neither live nor cached; None when the provider fails."""
    texts: dict[bytes, str] = {}
    for chunk in staged.chunks:
        texts[chunk.standard_hash] = chunk.content
        texts[chunk.contextual_hash] = with_context(chunk.context, chunk.content)
    known = store.fetch_known_hashes(database, tenant, list(texts))
    missing = {digest: text for digest, text in texts.items() if digest not in known}
    if not missing:
        return []
    try:
        vectors = pipeline.embedder.embed(list(missing.values()), role="document")
    except EmbeddingError:
        return None
    return [
        store.ComputedVector(input_hash=digest, note_id=staged.note_id, vector=vector)
        for digest, vector in zip(missing, vectors, strict=True)
    ]

"""Staged notes, chunks and vectors: what the pipeline prepares beside the live index, and its publication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector

from rag_core.errors import IndexingError, ModelChangedError
from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import ChunkId, ChunkKind, Language, NoteId, NoteKind, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.migration_control import MAX_ATTEMPTS, hold_state
from rag_core.storage.models import hold_model
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column

_NOTE_TYPES = ("text", "uuid", "bytea", "text", "int4[]", "int4[]", "timestamptz")
_CHUNK_TYPES = (
    *("text", "uuid", "int4", "uuid", "int4", "int4", "text", "text", "int4", "text", "bytea", "bytea"),
    *("text", "int4", "text[]", "text"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToStage:
    """A stale note as the chunker needs it."""

    note_id: NoteId
    title: str | None
    content: str
    language: Language
    content_hash: bytes
    kind: NoteKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedChunk:
    """A chunk of the next generation; its text is a slice of the note. Of a part of a table also where that starts in the note."""

    chunk_index: int
    chunk_id: ChunkId
    start_char: int
    end_char: int
    content: str
    context: str
    token_count: int
    chunking_method: str
    standard_hash: bytes
    contextual_hash: bytes
    kind: ChunkKind
    table_start: int | None
    headers: list[str] | None
    caption: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedNote:
    """A note's next generation, valid for the text with that hash."""

    note_id: NoteId
    content_hash: bytes
    fingerprint: str
    sentence_starts: list[int]
    section_starts: list[int]
    chunks: list[StagedChunk]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingInput:
    """A staged chunk and the hashes of the inputs that have no vector yet."""

    note_id: NoteId
    chunk_index: int
    text: ChunkText
    standard_hash: bytes | None
    contextual_hash: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedVector:
    """A vector under the hash of what it was made from; it lives and goes with the note."""

    input_hash: bytes
    note_id: NoteId
    vector: NDArray[np.float32]


def fetch_notes_to_stage(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    fingerprint: str,
    *,
    after: UUID,
    is_full: bool,
    limit: int,
) -> list[NoteToStage]:
    """The next page of stale notes that are not staged yet, nor failed too often, nor are to be left whole."""
    parameters = {
        "tenant": tenant,
        "batches": list(batches),
        "fingerprint": fingerprint,
        "full": is_full,
        "most_attempts": MAX_ATTEMPTS,
        "after": after,
        "limit": limit,
    }
    with database.transaction(tenant) as connection:
        return fetch_all(connection, NoteToStage, "fetch_notes_to_stage", parameters)


def lock_notes(connection: Connection, tenant: TenantId, notes: Sequence[UUID]) -> None:
    """Lock the notes in the order everybody locks them, until the caller's transaction ends."""
    connection.execute(query("lock_notes"), {"tenant": tenant, "notes": list(notes)})


def drop_other_generations(database: Database, tenant: TenantId, batches: Sequence[str], fingerprint: str) -> None:
    """Forget what another pipeline staged of these batches and never published."""
    with database.transaction(tenant) as connection:
        connection.execute(
            query("drop_other_generations"),
            {"tenant": tenant, "batches": list(batches), "fingerprint": fingerprint},
        )


def write_staged(
    database: Database, tenant: TenantId, notes: Sequence[StagedNote], *, is_full: bool = False
) -> list[StagedNote]:
    """Replace what is staged of these notes, in one transaction; the notes it was done for.

    Left out are notes that went live as they are staged meanwhile, unless ``is_full``, and those that the migration's
    state now wants left whole.
    """
    with database.transaction(tenant, has_copy=True) as connection:
        hold_state(connection, tenant)
        lock_notes(connection, tenant, [note.note_id for note in notes])
        stageable = _fetch_stageable(connection, tenant, notes, is_full=is_full)
        wanted = [note for note in notes if note.note_id in stageable]
        copy_staged(connection, tenant, wanted)
    return wanted


def _fetch_stageable(
    connection: Connection, tenant: TenantId, notes: Sequence[StagedNote], *, is_full: bool
) -> set[NoteId]:
    rows = connection.execute(
        query("fetch_stageable"),
        {
            "tenant": tenant,
            "notes": [note.note_id for note in notes],
            "fingerprints": [note.fingerprint for note in notes],
            "full": is_full,
        },
    ).fetchall()
    return {row[0] for row in rows}


def copy_staged(connection: Connection, tenant: TenantId, notes: Sequence[StagedNote]) -> None:
    """Replace what is staged of these notes within the caller's transaction."""
    connection.execute(query("unstage_notes"), {"tenant": tenant, "notes": [note.note_id for note in notes]})
    connection.execute(query("create_new_notes"))
    connection.execute(query("create_new_chunks"))
    with connection.cursor().copy(query("copy_new_notes")) as copy:
        copy.set_types(_NOTE_TYPES)
        for note in notes:
            copy.write_row(_note_row(tenant, note))
    with connection.cursor().copy(query("copy_new_chunks")) as copy:
        copy.set_types(_CHUNK_TYPES)
        for note in notes:
            for chunk in note.chunks:
                copy.write_row(_chunk_row(tenant, note.note_id, chunk))
    connection.execute(query("insert_staged"), {"tenant": tenant})
    connection.execute("drop table new_notes, new_chunks")


def _note_row(tenant: TenantId, note: StagedNote) -> tuple[object, ...]:
    staged_at = datetime.now(UTC)
    return (
        tenant,
        note.note_id,
        note.content_hash,
        note.fingerprint,
        note.sentence_starts,
        note.section_starts,
        staged_at,
    )


def _chunk_row(tenant: TenantId, note_id: NoteId, chunk: StagedChunk) -> tuple[object, ...]:
    return (
        tenant,
        note_id,
        chunk.chunk_index,
        chunk.chunk_id,
        chunk.start_char,
        chunk.end_char,
        chunk.content,
        chunk.context,
        chunk.token_count,
        chunk.chunking_method,
        chunk.standard_hash,
        chunk.contextual_hash,
        chunk.kind,
        chunk.table_start,
        chunk.headers,
        chunk.caption,
    )


def fetch_missing_inputs(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    fingerprint: str,
    *,
    after: tuple[UUID, int],
    limit: int,
) -> list[MissingInput]:
    """The next page of staged chunks after (note, chunk index), each with the hashes of the vectors it lacks."""
    parameters = {
        "tenant": tenant,
        "batches": list(batches),
        "fingerprint": fingerprint,
        "after_note": after[0],
        "after_index": after[1],
        "limit": limit,
    }
    with database.transaction(tenant) as connection:
        rows = connection.execute(query("fetch_missing_inputs"), parameters).fetchall()
    return [
        MissingInput(
            note_id=note_id,
            chunk_index=index,
            text=chunk_text(*text),
            standard_hash=standard,
            contextual_hash=contextual,
        )
        for note_id, index, standard, contextual, *text in rows
    ]


def chunk_text(*row: Any) -> ChunkText:
    """The text of a chunk from the columns that queries select it by, in their order."""
    content, context, title, language, method, kind, headers, caption = row
    return ChunkText(
        content=content,
        context=context,
        title=title,
        language=language,
        chunking_method=method,
        kind=kind,
        headers=None if headers is None else tuple(headers),
        caption=caption,
    )


def count_staged_chunks(
    database: Database, tenant: TenantId, batches: Sequence[str], fingerprints: Sequence[str]
) -> int:
    """Number of the batches' chunks that are staged under the fingerprints."""
    parameters = {"tenant": tenant, "batches": list(batches), "fingerprints": list(fingerprints)}
    with database.transaction(tenant) as connection:
        row = connection.execute(query("count_staged_chunks"), parameters).fetchone()
    assert row is not None
    return int(row[0])


def fetch_known_hashes(database: Database, tenant: TenantId, hashes: Sequence[bytes]) -> set[bytes]:
    """Return those of the inputs that have a vector, live or cached."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(query("fetch_known_hashes"), {"tenant": tenant, "hashes": list(hashes)}).fetchall()
    return {row[0] for row in rows}


def write_vectors(database: Database, tenant: TenantId, vectors: Sequence[ComputedVector]) -> None:
    """Put vectors into the cache, in one transaction."""
    with database.transaction(tenant, has_copy=True) as connection:
        copy_vectors(connection, tenant, vectors)


def copy_vectors(connection: Connection, tenant: TenantId, vectors: Sequence[ComputedVector]) -> None:
    """Put vectors into the cache within the caller's transaction."""
    connection.execute(query("create_computed"))
    with connection.cursor().copy(query("copy_cache")) as copy:
        copy.set_types(("bytea", "uuid", "vector"))
        for item in vectors:
            copy.write_row((item.input_hash, item.note_id, Vector(item.vector)))
    connection.execute(query("insert_computed"), {"tenant": tenant})
    connection.execute("drop table computed")


def fetch_staged_note_ids(
    database: Database, tenant: TenantId, batches: Sequence[str], fingerprint: str
) -> list[NoteId]:
    """Notes of the batches that this pipeline staged, in the order they are published."""
    parameters = {"tenant": tenant, "batches": list(batches), "fingerprint": fingerprint}
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "fetch_staged_note_ids", parameters)


def publish_notes(
    connection: Connection,
    tenant: TenantId,
    notes: Sequence[NoteId],
    *,
    model: EmbeddingModel,
    fingerprint: str,
    is_waiting: bool = True,
) -> dict[NoteId, int]:
    """Make the staged generation of these notes the live one within the caller's transaction.

    The notes published, each with the number of its live chunks that are no more. Left out are notes whose text changed
    since they were staged, notes of which a vector is missing, notes that another pipeline staged, those that the
    migration's state wants left whole, and, unless ``is_waiting``, those that somebody else has locked.

    The model and the migration's state are held before the notes are locked; a caller that locks notes earlier holds the
    model (``models.hold_model``) before that.

    Raises:
        ModelChangedError: the model is not the active one any more; nothing is published.
        IndexingError: a note's live chunks are not as many as were made; the transaction must not be committed.
    """
    hold_active_model(connection, model)
    hold_state(connection, tenant)
    locked = _lock(connection, tenant, notes, is_waiting=is_waiting)
    wanted = {"tenant": tenant, "notes": locked, "fingerprint": fingerprint}
    ready = fetch_column(connection, "fetch_publishable", wanted)
    if not ready:
        return {}
    parameters = {"tenant": tenant, "notes": ready, "model": model.id}
    replaced: dict[NoteId, int] = dict(connection.execute(query("count_replaced_chunks"), parameters).fetchall())
    for name in _CHUNK_PUBLICATION:
        connection.execute(query(name), parameters)
    _require_every_chunk(connection, parameters)
    for name in _VECTOR_PUBLICATION:
        connection.execute(query(name), parameters)
    return {note: replaced.get(note, 0) for note in ready}


_CHUNK_PUBLICATION = ("copy_shared_vectors", "keep_vectors", "delete_chunks", "insert_staged_chunks")
_VECTOR_PUBLICATION = (
    "insert_staged_embeddings",
    "drop_published_cache",
    "mark_published",
    "clear_failures",
    "unstage_notes",
)


def hold_active_model(connection: Connection, model: EmbeddingModel) -> None:
    """Keep promotions out until the caller's transaction ends.

    Raises:
        ModelChangedError: the model is not the active one any more.
    """
    if hold_model(connection, model) != "active":
        raise ModelChangedError("another model was promoted meanwhile; run it again")


def _lock(connection: Connection, tenant: TenantId, notes: Sequence[NoteId], *, is_waiting: bool) -> list[NoteId]:
    if is_waiting:
        lock_notes(connection, tenant, notes)
        return list(notes)
    return fetch_column(connection, "lock_free_notes", {"tenant": tenant, "notes": list(notes)})


def _require_every_chunk(connection: Connection, parameters: Mapping[str, object]) -> None:
    row = connection.execute(query("find_count_mismatch"), parameters).fetchone()
    if row is not None:
        _, expected, got = row
        raise IndexingError(f"Chunk count mismatch: expected {expected}, got {got}")

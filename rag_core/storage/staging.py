"""Staged notes, chunks and vectors: what the pipeline prepares beside the live index, and its publication."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector

from rag_core.model import ChunkId, Language, NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query

_NOTE_TYPES = ("text", "uuid", "bytea", "text", "int4[]", "timestamptz")
_CHUNK_TYPES = ("text", "uuid", "int4", "uuid", "int4", "int4", "text", "text", "int4", "text", "bytea", "bytea")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToStage:
    """A stale note as the chunker needs it."""

    note_id: NoteId
    title: str | None
    content: str
    language: Language
    content_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedChunk:
    """A chunk of the next generation; its text is a slice of the note."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedNote:
    """A note's next generation, valid for the text with that hash."""

    note_id: NoteId
    content_hash: bytes
    fingerprint: str
    sentence_starts: list[int]
    chunks: list[StagedChunk]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingInput:
    """A staged chunk and the hashes of the inputs that have no vector yet."""

    note_id: NoteId
    chunk_index: int
    content: str
    context: str
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
    """The next page of stale notes that are not staged yet."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(
            query("fetch_notes_to_stage"),
            {
                "tenant": tenant,
                "batches": list(batches),
                "fingerprint": fingerprint,
                "full": is_full,
                "after": after,
                "limit": limit,
            },
        ).fetchall()
    return [
        NoteToStage(note_id=note_id, title=title, content=content, language=language, content_hash=digest)
        for note_id, title, content, language, digest in rows
    ]


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


def write_staged(database: Database, tenant: TenantId, notes: Sequence[StagedNote]) -> None:
    """Replace what is staged of these notes, in one transaction."""
    with database.transaction(tenant, has_copy=True) as connection:
        lock_notes(connection, tenant, [note.note_id for note in notes])
        copy_staged(connection, tenant, notes)


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
    return tenant, note.note_id, note.content_hash, note.fingerprint, note.sentence_starts, staged_at


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
    )


def count_staged(database: Database, tenant: TenantId, batches: Sequence[str], fingerprint: str) -> tuple[int, int]:
    """Notes and chunks of this pipeline that are staged in the batches."""
    parameters = {"tenant": tenant, "batches": list(batches), "fingerprint": fingerprint}
    with database.transaction(tenant) as connection:
        row = connection.execute(query("count_staged"), parameters).fetchone()
    assert row is not None
    return row[0], row[1]


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
    with database.transaction(tenant) as connection:
        rows = connection.execute(
            query("fetch_missing_inputs"),
            {
                "tenant": tenant,
                "batches": list(batches),
                "fingerprint": fingerprint,
                "after_note": after[0],
                "after_index": after[1],
                "limit": limit,
            },
        ).fetchall()
    return [
        MissingInput(
            note_id=note,
            chunk_index=index,
            content=content,
            context=context,
            standard_hash=standard,
            contextual_hash=contextual,
        )
        for note, index, content, context, standard, contextual in rows
    ]


def fetch_known_hashes(database: Database, tenant: TenantId, hashes: Sequence[bytes]) -> set[bytes]:
    """Which of these inputs have a vector, live or cached."""
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
        rows = connection.execute(query("fetch_staged_note_ids"), parameters).fetchall()
    return [row[0] for row in rows]


def count_replaced_chunks(connection: Connection, tenant: TenantId, notes: Sequence[NoteId]) -> dict[NoteId, int]:
    """How many live chunks of each note its staged generation does not have again; notes without any are absent."""
    rows = connection.execute(query("count_replaced_chunks"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return dict(rows)


def publish_notes(
    connection: Connection, tenant: TenantId, notes: Sequence[NoteId], *, model_id: int, fingerprint: str
) -> list[NoteId]:
    """Make the staged generation of these notes the live one within the caller's transaction; the notes published.

    Left out are notes whose text changed since they were staged, notes of which a vector is missing, and notes that
    another pipeline staged.
    """
    wanted = {"tenant": tenant, "notes": list(notes), "fingerprint": fingerprint}
    lock_notes(connection, tenant, notes)
    rows = connection.execute(query("fetch_publishable"), wanted).fetchall()
    ready = [row[0] for row in rows]
    parameters = {"tenant": tenant, "notes": ready, "model": model_id}
    if ready:
        for name in _PUBLICATION:
            connection.execute(query(name), parameters)
    return ready


_PUBLICATION = (
    "copy_shared_vectors",
    "keep_vectors",
    "delete_chunks",
    "insert_staged_chunks",
    "insert_staged_embeddings",
    "drop_published_cache",
    "mark_published",
    "unstage_notes",
)

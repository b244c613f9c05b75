"""One note, stored and indexed at once: what the API does for a note that is created or changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag_core.errors import ConflictError, EmbeddingError, NotFoundError, TenantFullError
from rag_core.indexing.enriching import enriched, store_enriched
from rag_core.indexing.graph import relate_note
from rag_core.indexing.inputs import vector_texts
from rag_core.indexing.isolation import embed_joined
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.scanning import scanned, store_scans
from rag_core.indexing.staging import stage_note, text_of
from rag_core.model.embedding import EmbeddingKind, input_hash
from rag_core.model.note import NewNote, NoteId, NoteKind, TenantId, content_hash
from rag_core.notes.importing import full_tenant
from rag_core.storage import note_vectors
from rag_core.storage import staging as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.migration_control import fetch_standing, hold_state
from rag_core.storage.note_enrichments import NoteToEnrich
from rag_core.storage.note_vectors import NoteVector
from rag_core.storage.notes import StoredBatch, free_note_id, hold_tenant, is_indexed, store_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedNote:
    """The note's id, and whether it is searchable by meaning already (by full text it is in any case)."""

    note_id: NoteId
    is_embedded: bool


EMBED_CHUNKS = 16
"""Chunks whose vectors are computed before it is told: a model of meaning takes two seconds for as many."""
OnEmbedded = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The id a note has or gets, its kind so far, and whether the tenant's migration wants it left whole."""

    note_id: NoteId
    kind: NoteKind
    stays_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunked:
    """A note's chunks, with the vectors that are neither live nor cached."""

    staged: store.StagedNote
    vectors: list[store.ComputedVector]


def store_and_index(
    database: Database,
    tenant: TenantId,
    note: NewNote,
    pipeline: Pipeline,
    *,
    expected: Literal["new", "known", "either"] = "either",
    lock_timeout_ms: int | None = None,
    file_format: str | None = None,
    before: Callable[[Connection], None] = lambda _connection: None,
    beside: Callable[[Connection], None] = lambda _connection: None,
    on_embedded: OnEmbedded = lambda _done, _total: None,
    on_stored: Callable[[], None] = lambda: None,
) -> IndexedNote:
    """Store the note with its chunks, vectors and postings in one transaction, then what it says led to what.

    ``before`` and ``beside`` are called in that transaction, before and once the note is stored; ``file_format`` is that of the file
    it was made of. ``on_embedded`` is told how many chunks of how many have their vectors, from 0 on; ``on_stored`` is called when the
    transaction has ended.

    The vectors are computed before the transaction begins. When the embedding provider fails, the note is stored all
    the same, found by full text, and the next run of the pipeline embeds it. A graph that cannot be written leaves the note
    stored too, and to be read by the next run. No chat model is asked: where the pipeline has a summariser, its next run
    summarises the note.

    A note that is there keeps its id. After a rollback of the migration, and while it is stopped for a legacy note it has
    not come to, the note is stored whole, with a vector of its own.

    Raises:
        ConflictError: a new note was expected and its source has one with that id.
        NotFoundError: a known note was expected and there is none.
        TenantFullError: the note is new and the tenant has as many as it may.
        ModelChangedError: another embedding model was promoted meanwhile; nothing was stored.
        DeadlineExceededError: others, such as a promotion, held something for longer than ``lock_timeout_ms``; nothing was stored.
    """
    stored, local = None, {} if lock_timeout_ms is None else {"lock_timeout": lock_timeout_ms}
    while stored is None:  # the note or the migration changed while vectors were computed
        with database.transaction(tenant, local=local) as connection:
            standing = _fetch_standing(connection, tenant, note)
        stored = _store(
            database,
            tenant,
            note,
            standing,
            pipeline,
            expected=expected,
            local=local,
            file_format=file_format,
            before=before,
            beside=beside,
            on_embedded=on_embedded,
        )
    on_stored()
    if stored.is_embedded:
        digest = content_hash(note.language, note.title, note.content)
        relate_note(database, tenant, stored.note_id, content=note.content, language=note.language, content_hash=digest)
    return stored


def _fetch_standing(connection: Connection, tenant: TenantId, note: NewNote) -> _Standing:
    """Fetch the state of the note, which the migration does not change until the caller's transaction ends."""
    state = hold_state(connection, tenant)
    known = fetch_standing(connection, tenant, source=note.source, external_id=note.external_id)
    note_id, is_pending, kind = known or (free_note_id(connection, tenant, note), False, "note")
    is_whole = state == "rolled_back" or (state == "stopped" and is_pending)
    return _Standing(note_id=note_id, kind=kind, stays_whole=is_whole)


def _store(
    database: Database,
    tenant: TenantId,
    note: NewNote,
    standing: _Standing,
    pipeline: Pipeline,
    *,
    expected: str,
    local: Mapping[str, int],
    file_format: str | None,
    before: Callable[[Connection], None],
    beside: Callable[[Connection], None],
    on_embedded: OnEmbedded,
) -> IndexedNote | None:
    """Store the note as it is to be; None, and nothing stored, when it stands otherwise by now."""
    to_stage = _to_stage(standing, note)
    found: NoteVector | _Chunked | None = (
        _whole(database, tenant, to_stage, pipeline)
        if standing.stays_whole
        else _chunked(database, tenant, to_stage, pipeline, on_embedded)
    )

    scan, told = scanned(to_stage), enriched(_to_enrich(to_stage, file_format))

    def write(connection: Connection) -> IndexedNote | None:
        if found is not None:
            store.hold_active_model(connection, pipeline.model)
        if _fetch_standing(connection, tenant, note) != standing:
            return None
        hold_tenant(database, connection, tenant)
        before(connection)
        _check(store_notes(connection, tenant, [replace(note, note_id=standing.note_id)]), note, expected, tenant)
        beside(connection)
        store_scans(connection, tenant, [scan])
        store_enriched(connection, tenant, [told])
        if isinstance(found, NoteVector):
            note_vectors.write_note_vectors(connection, tenant, [found], model_id=pipeline.model.id)
        elif found is not None:
            _publish(connection, tenant, found, pipeline)
        return IndexedNote(note_id=standing.note_id, is_embedded=found is not None)

    return database.write(tenant, write, has_copy=True, local=local)


def _publish(connection: Connection, tenant: TenantId, found: _Chunked, pipeline: Pipeline) -> None:
    note_id = found.staged.note_id
    if is_indexed(connection, tenant, note_id, fingerprint=pipeline.fingerprint):
        return
    store.copy_staged(connection, tenant, [found.staged])
    store.copy_vectors(connection, tenant, found.vectors)
    store.publish_notes(connection, tenant, [note_id], model=pipeline.model, fingerprint=found.staged.fingerprint)


def _whole(database: Database, tenant: TenantId, note: store.NoteToStage, pipeline: Pipeline) -> NoteVector | None:
    """The vector of all of the note's text; None when the provider fails."""
    digest = input_hash(pipeline.model, note.content, role="document")
    vector = note_vectors.fetch_vectors(database, tenant, [digest]).get(digest)
    try:
        if vector is None:
            vector = pipeline.embedder.embed([note.content], role="document")[0]
    except EmbeddingError:
        return None
    return NoteVector(note_id=note.note_id, content_hash=note.content_hash, input_hash=digest, vector=vector)


def _chunked(
    database: Database, tenant: TenantId, note: store.NoteToStage, pipeline: Pipeline, on_embedded: OnEmbedded
) -> _Chunked | None:
    """The note's chunks and vectors; None when the provider fails."""
    try:
        staged = stage_note(note, pipeline, tenant)
    except EmbeddingError:  # the chunker asks for vectors of sentences
        return None
    vectors = _vectors(database, tenant, note, staged, pipeline, on_embedded=on_embedded)
    return None if vectors is None else _Chunked(staged=staged, vectors=vectors)


def _check(stored: StoredBatch, note: NewNote, expected: str, tenant: TenantId) -> None:
    if stored.refused:
        raise TenantFullError(full_tenant(tenant, stored.max_notes), limit=stored.max_notes or 0)
    if expected == "new" and not stored.imported:
        raise ConflictError(f"{note.source}:{note.external_id} exists already")
    if expected == "known" and stored.imported:
        raise NotFoundError(f"there is no note {note.source}:{note.external_id}")


def _to_stage(standing: _Standing, note: NewNote) -> store.NoteToStage:
    return store.NoteToStage(
        note_id=standing.note_id,
        title=note.title,
        content=note.content,
        language=note.language,
        content_hash=content_hash(note.language, note.title, note.content),
        kind=note.kind or standing.kind,
    )


def _to_enrich(note: store.NoteToStage, file_format: str | None) -> NoteToEnrich:
    return NoteToEnrich(
        note_id=note.note_id,
        title=note.title,
        content=note.content,
        language=note.language,
        content_hash=note.content_hash,
        file_format=file_format,
    )


def _vectors(
    database: Database,
    tenant: TenantId,
    note: store.NoteToStage,
    staged: store.StagedNote,
    pipeline: Pipeline,
    *,
    on_embedded: OnEmbedded,
) -> list[store.ComputedVector] | None:
    """The vectors that are neither live nor cached; None when the provider fails."""
    chunks = staged.chunks
    hashes = [digest for chunk in chunks for digest in (chunk.standard_hash, chunk.contextual_hash)]
    known = set(store.fetch_known_hashes(database, tenant, hashes))
    computed: list[store.ComputedVector] = []
    on_embedded(0, len(chunks))
    for place in range(0, len(chunks), EMBED_CHUNKS):
        part = chunks[place : place + EMBED_CHUNKS]
        missing = {digest: texts for digest, texts in _inputs(part, note, pipeline) if digest not in known}
        try:
            vectors = embed_joined(list(missing.values()), pipeline.embedder) if missing else []
        except EmbeddingError:
            return None
        computed += [
            store.ComputedVector(input_hash=digest, note_id=staged.note_id, vector=vector)
            for digest, vector in zip(missing, vectors, strict=True)
        ]
        known.update(missing)
        on_embedded(place + len(part), len(chunks))
    return computed


def _inputs(
    chunks: Sequence[store.StagedChunk], note: store.NoteToStage, pipeline: Pipeline
) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The texts of the chunks' vectors by their hash."""
    for chunk in chunks:
        hashes: dict[EmbeddingKind, bytes] = {"standard": chunk.standard_hash, "contextual": chunk.contextual_hash}
        for kind, digest in hashes.items():
            yield digest, vector_texts(pipeline.model, kind, text_of(note, chunk))

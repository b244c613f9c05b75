"""The generation beside the live one: chunks of stale notes, and their vectors in the cache."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from rag_core.chunking import ChunkSpan, chunk_spans, sentence_spans
from rag_core.configuration import Chunking
from rag_core.embedding import Embedder, EmbeddingModel, input_hash
from rag_core.embedding.context import contextual_info, template_summary, with_context
from rag_core.indexing.pipeline import Pipeline
from rag_core.model import ChunkId, FloatMatrix, NoteId, Span, TenantId
from rag_core.storage import staging as store
from rag_core.storage.database import Database

STAGE_NOTES = 200
EMBED_CHUNKS = 512
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """Counts of one staging run."""

    notes: int
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedReport:
    """Vectors computed, and vectors that were live or cached already."""

    embedded: int
    reused: int


def stage_notes(
    database: Database, tenant: TenantId, batches: Sequence[str], pipeline: Pipeline, *, is_full: bool = False
) -> StageReport:
    """Chunk the batches' stale notes (all of them if ``is_full``) into the staging tables, a page a transaction."""
    store.drop_other_generations(database, tenant, batches, pipeline.fingerprint)
    notes = chunks = 0
    after = _FIRST
    while page := store.fetch_notes_to_stage(
        database, tenant, batches, pipeline.fingerprint, after=after, is_full=is_full, limit=STAGE_NOTES
    ):
        staged = [stage_note(note, pipeline) for note in page]
        store.write_staged(database, tenant, staged)
        notes += len(staged)
        chunks += sum(len(note.chunks) for note in staged)
        after = page[-1].note_id
    return StageReport(notes=notes, chunks=chunks)


def stage_note(note: store.NoteToStage, pipeline: Pipeline) -> store.StagedNote:
    """Sentences, chunks, context and input hashes of one note; pure."""
    sentences = sentence_spans(note.content, note.language)
    return store.StagedNote(
        note_id=note.note_id,
        content_hash=note.content_hash,
        fingerprint=pipeline.fingerprint,
        sentence_starts=[start for start, _ in sentences],
        chunks=_staged_chunks(note, sentences, pipeline.chunking, pipeline.model),
    )


def _staged_chunks(
    note: store.NoteToStage, sentences: Sequence[Span], sizes: Chunking, model: EmbeddingModel
) -> list[store.StagedChunk]:
    spans = _visible_spans(note, sentences, sizes)
    summary = template_summary(note.title, note.content)
    repeats: dict[str, int] = {}
    staged = []
    for index, span in enumerate(spans):
        content = note.content[span.start : span.end]
        context = contextual_info(summary=summary, index=index, total=len(spans), language=note.language)
        repeats[content] = repeats.get(content, 0) + 1
        staged.append(
            store.StagedChunk(
                chunk_index=index,
                chunk_id=chunk_id_for(note.note_id, content, repeats[content]),
                start_char=span.start,
                end_char=span.end,
                content=content,
                context=context,
                token_count=span.token_count,
                chunking_method="sentence",
                standard_hash=input_hash(model, content, role="document"),
                contextual_hash=input_hash(model, with_context(context, content), role="document"),
            )
        )
    return staged


def _visible_spans(note: store.NoteToStage, sentences: Sequence[Span], sizes: Chunking) -> list[ChunkSpan]:
    """Chunk spans without those of white space alone, which have no meaning to embed."""
    spans = chunk_spans(
        note.content,
        sentences,
        max_tokens=sizes.max_chunk_size,
        overlap_tokens=sizes.overlap_size,
        min_tokens=sizes.min_chunk_size,
    )
    return [span for span in spans if not note.content[span.start : span.end].isspace()]


def chunk_id_for(note_id: NoteId, content: str, occurrence: int) -> ChunkId:
    """The id of a chunk: derived from its note, its text and how often the note had that text before.

    Re-indexing an unchanged chunk gives the same id, so references to it hold and ties break the same way.
    """
    return ChunkId(uuid.uuid5(note_id, f"{occurrence}\n{content}"))


def embed_staged(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    pipeline: Pipeline,
    *,
    on_progress: Callable[[int], None] = lambda _vectors: None,
) -> EmbedReport:
    """Compute the vectors that staged chunks lack and put them into the cache, a page a transaction.

    What was computed before a failure stays, so a second try goes on from there.

    Raises:
        EmbeddingError: the provider failed; nothing live was touched.
    """
    _, chunks = store.count_staged(database, tenant, batches, pipeline.fingerprint)
    embedded = 0
    after = (_FIRST, -1)
    while page := store.fetch_missing_inputs(
        database, tenant, batches, pipeline.fingerprint, after=after, limit=EMBED_CHUNKS
    ):
        computed = _embed(page, pipeline.embedder)
        if computed:
            store.write_vectors(database, tenant, computed)
        embedded += len(computed)
        after = (page[-1].note_id, page[-1].chunk_index)
        on_progress(2 * len(page))
    return EmbedReport(embedded=embedded, reused=2 * chunks - embedded)


def _embed(page: Sequence[store.MissingInput], embedder: Embedder) -> list[store.ComputedVector]:
    wanted: dict[bytes, tuple[NoteId, str]] = {}
    for item in page:
        if item.standard_hash is not None:
            wanted.setdefault(item.standard_hash, (item.note_id, item.content))
        if item.contextual_hash is not None:
            wanted.setdefault(item.contextual_hash, (item.note_id, with_context(item.context, item.content)))
    if not wanted:
        return []
    vectors: FloatMatrix = embedder.embed([text for _, text in wanted.values()], role="document")
    return [
        store.ComputedVector(input_hash=digest, note_id=note_id, vector=np.asarray(vector))
        for (digest, (note_id, _)), vector in zip(wanted.items(), vectors, strict=True)
    ]

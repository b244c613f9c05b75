"""The generation beside the live one: chunks of stale notes, and their vectors in the cache."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rag_core.chunking import DEFAULT_CHUNKER, ChunkSpan, sentence_spans
from rag_core.chunking.breaks import far_from_previous
from rag_core.chunking.structure import structure_of
from rag_core.embedding import reads_together as can_read_together
from rag_core.embedding.context import contextual_info, template_summary
from rag_core.embedding.pieces import PiecewiseEmbedder
from rag_core.embedding.summaries import needs_summary
from rag_core.errors import EmbeddingError, RagError
from rag_core.indexing.enriching import enrich_notes
from rag_core.indexing.failures import record_failures
from rag_core.indexing.inputs import vector_hash, vector_texts
from rag_core.indexing.isolation import embed_apart, together_or_alone
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.scanning import scan_notes
from rag_core.indexing.summarising import PageSummaries, Patience, summarise_page
from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import EmbeddingKind, EmbeddingModel
from rag_core.model.note import ChunkId, NoteId, NoteKind, Span, TenantId
from rag_core.storage import staging as store
from rag_core.storage.database import Database
from rag_core.storage.summaries import fetch_indexed_as

STAGE_NOTES = 200
EMBED_CHUNKS = 64
"""Chunks a transaction; a model of meaning takes some ten seconds for the vectors of as many."""
_FIRST = UUID(int=0)
_CHUNKING_FAILURES = (RagError, ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError, ValueError)
"""Exceptions of the chunker that a note's text may cause; lack of memory and the like are not the note's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """Counts of one staging run: notes and chunks staged, summaries made, notes that wait for theirs, and that failed.

    ``flagged`` are notes whose text holds instructions to a model, ``enriched`` those enriched anew.
    """

    notes: int
    chunks: int
    summarised: int = 0
    without_summary: int = 0
    failed: int = 0
    flagged: int = 0
    enriched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedReport:
    """Vectors computed, vectors that were live or cached already, and notes with a text that the provider refused."""

    embedded: int
    reused: int
    failed: int = 0


def stage_notes(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    pipeline: Pipeline,
    *,
    is_full: bool = False,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> StageReport:
    """Chunk the batches' stale notes (all of them if ``is_full``) into the staging tables, a page a transaction.

    With a summariser the notes of a page are summarised first. A note without its summary is staged with the template,
    unless it is live with that already. A note that cannot be chunked is recorded, and stays as it is. Then all notes of the batches
    that are not enriched as they stand are, stale or not.
    """
    store.drop_other_generations(database, tenant, batches, pipeline.fingerprint)
    patience = Patience()
    reports = []
    after = _FIRST
    while page := store.fetch_notes_to_stage(
        database, tenant, batches, pipeline.fingerprint, after=after, is_full=is_full, limit=STAGE_NOTES
    ):
        summaries = _summaries(database, tenant, page, pipeline, patience, on_progress=on_progress)
        reports.append(_stage_page(database, tenant, page, pipeline, summaries, is_full=is_full))
        on_progress(len(page) - summaries.made)
        after = page[-1].note_id
    return StageReport(
        notes=sum(report.notes for report in reports),
        chunks=sum(report.chunks for report in reports),
        summarised=sum(report.summarised for report in reports),
        without_summary=sum(report.without_summary for report in reports),
        failed=sum(report.failed for report in reports),
        flagged=sum(report.flagged for report in reports),
        enriched=enrich_notes(database, tenant, batches, summariser=pipeline.summariser),
    )


def _summaries(
    database: Database,
    tenant: TenantId,
    page: Sequence[store.NoteToStage],
    pipeline: Pipeline,
    patience: Patience,
    *,
    on_progress: Callable[[int], None],
) -> PageSummaries:
    if pipeline.summariser is None:
        return PageSummaries(texts={}, made=0)
    return summarise_page(
        database, tenant, page, pipeline.summariser, patience=patience, on_made=lambda: on_progress(1)
    )


def _stage_page(
    database: Database,
    tenant: TenantId,
    page: Sequence[store.NoteToStage],
    pipeline: Pipeline,
    summaries: PageSummaries,
    *,
    is_full: bool,
) -> StageReport:
    staged, reasons = _chunk_page(page, pipeline, tenant, summaries)
    waiting = [note.note_id for note in staged if note.fingerprint != pipeline.fingerprint]
    if waiting and not is_full:
        live = fetch_indexed_as(database, tenant, waiting, fingerprint=pipeline.template_fingerprint)
        staged = [note for note in staged if note.note_id not in live]
    written, refused = together_or_alone(
        staged, lambda notes: store.write_staged(database, tenant, notes, is_full=is_full)
    )
    reasons |= {note.note_id: reason for note, reason in refused}
    return StageReport(
        notes=sum(len(notes) for notes in written),
        chunks=sum(len(note.chunks) for notes in written for note in notes),
        summarised=summaries.made,
        without_summary=len(waiting),
        failed=record_failures(database, tenant, reasons, stage="chunking", fingerprint=pipeline.fingerprint),
        flagged=scan_notes(database, tenant, page),
    )


def _chunk_page(
    page: Sequence[store.NoteToStage], pipeline: Pipeline, tenant: TenantId, summaries: PageSummaries
) -> tuple[list[store.StagedNote], dict[NoteId, str]]:
    """The notes' next generations; notes that could not be chunked, with the reason."""
    staged, reasons = [], {}
    for note in page:
        try:
            staged.append(stage_note(note, pipeline, tenant, summary=summaries.texts.get(note.content_hash)))
        except EmbeddingError:  # of the provider, not of the note
            raise
        except _CHUNKING_FAILURES as error:
            reasons[note.note_id] = f"{type(error).__name__}: {error}"
    return staged, reasons


def stage_note(
    note: store.NoteToStage, pipeline: Pipeline, tenant: TenantId, *, summary: str | None = None
) -> store.StagedNote:
    """Sentences, sections, chunks, context and input hashes of one note; asks the embedder where the chunker needs vectors.

    Without a summary the context is the template's. Where the pipeline would have one, the fingerprint says so.
    """
    sentences = sentence_spans(note.content, note.language)
    is_waiting = pipeline.summariser is not None and summary is None and needs_summary(note.content)
    spans = visible_spans(note, sentences, pipeline, tenant)
    return store.StagedNote(
        note_id=note.note_id,
        content_hash=note.content_hash,
        fingerprint=pipeline.template_fingerprint if is_waiting else pipeline.fingerprint,
        sentence_starts=[start for start, _ in sentences],
        section_starts=list(structure_of(note.content).heading_starts),
        chunks=_staged_chunks(
            note,
            spans,
            pipeline.model,
            method=method_of(pipeline, tenant, note.kind),
            summary=summary or template_summary(note.title, note.content),
        ),
    )


def method_of(pipeline: Pipeline, tenant: TenantId, kind: NoteKind) -> str:
    """Name of the chunker as it is recorded: the default one where the model cannot read sentences together."""
    name, chunker = pipeline.chunker_of(tenant, kind)
    return DEFAULT_CHUNKER if chunker.reads_together and not can_read_together(pipeline.model) else name


def _staged_chunks(
    note: store.NoteToStage, spans: Sequence[ChunkSpan], model: EmbeddingModel, *, method: str, summary: str
) -> list[store.StagedChunk]:
    repeats: dict[str, int] = {}
    staged = []
    for index, span in enumerate(spans):
        content = note.content[span.start : span.end]
        repeats[content] = repeats.get(content, 0) + 1
        head = span.table
        chunk = store.StagedChunk(
            chunk_index=index,
            chunk_id=chunk_id_for(note.note_id, content, repeats[content]),
            start_char=span.start,
            end_char=span.end,
            content=content,
            context=contextual_info(summary=summary, index=index, total=len(spans), language=note.language),
            token_count=span.token_count,
            chunking_method=method,
            standard_hash=b"",
            contextual_hash=b"",
            kind=span.kind,
            table_start=None if head is None else head.start,
            headers=None if head is None else list(head.headers),
            caption=None if head is None else head.caption,
        )
        text = text_of(note, chunk)
        staged.append(
            replace(
                chunk,
                standard_hash=vector_hash(model, vector_texts(model, "standard", text)),
                contextual_hash=vector_hash(model, vector_texts(model, "contextual", text)),
            )
        )
    return staged


def text_of(note: store.NoteToStage, chunk: store.StagedChunk) -> ChunkText:
    """Return what the vectors of a note's staged chunk are made of."""
    return ChunkText(
        content=chunk.content,
        context=chunk.context,
        title=note.title,
        language=note.language,
        chunking_method=chunk.chunking_method,
        kind=chunk.kind,
        headers=None if chunk.headers is None else tuple(chunk.headers),
        caption=chunk.caption,
    )


def visible_spans(
    note: store.NoteToStage, sentences: Sequence[Span], pipeline: Pipeline, tenant: TenantId
) -> list[ChunkSpan]:
    """Chunk spans without those of white space alone, which have no meaning to embed."""
    sizes = pipeline.chunking
    _, chunker = pipeline.chunker_of(tenant, note.kind)
    breaks: dict[str, Any] = {"breaks": _breaks(note.content, sentences, pipeline)} if chunker.needs_breaks else {}
    spans = chunker.spans(
        note.content,
        sentences,
        max_tokens=sizes.max_chunk_size,
        overlap_tokens=sizes.overlap_size,
        min_tokens=sizes.min_chunk_size,
        **breaks,
    )
    return [span for span in spans if not note.content[span.start : span.end].isspace()]


def _breaks(content: str, sentences: Sequence[Span], pipeline: Pipeline) -> list[int]:
    """Starts of the sentences with which the meaning changes.

    Raises:
        EmbeddingError: the provider failed.
    """
    visible = [(start, content[start:end].strip()) for start, end in sentences]
    visible = [(start, text) for start, text in visible if text]
    if len(visible) < 2:
        return []
    vectors = PiecewiseEmbedder(pipeline.embedder).embed([text for _, text in visible], role="document")
    return [visible[at][0] for at in far_from_previous(np.asarray(vectors), pipeline.breaks)]


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
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> EmbedReport:
    """Compute the vectors that staged chunks lack and put them into the cache, a page a transaction.

    ``on_progress`` is told after each how many chunks of how many have theirs.

    A note with a text that the provider refuses is recorded and no longer staged; all others get their vectors. What was
    computed before an outage stays, so a second try goes on from there.

    Raises:
        EmbeddingError: the provider failed, whatever the texts; nothing live was touched.
    """
    embedded = reused = failed = done = 0
    total = store.count_staged_chunks(database, tenant, batches, pipeline.fingerprints)
    for fingerprint in pipeline.fingerprints:
        for page in _pages_to_embed(database, tenant, batches, fingerprint):
            inputs = _inputs(page, pipeline.model)
            found = embed_apart({digest: texts for digest, (_, texts) in inputs.items()}, pipeline.embedder)
            _keep(database, tenant, inputs, found.vectors)
            reasons = _reasons(page, found.refused)
            failed += record_failures(database, tenant, reasons, stage="embedding", fingerprint=fingerprint)
            if found.error is not None:
                raise found.error
            embedded += len(found.vectors)
            reused += 2 * len(page) - len(inputs)
            done += len(page)
            on_progress(done, total)
    return EmbedReport(embedded=embedded, reused=reused, failed=failed)


def _pages_to_embed(
    database: Database, tenant: TenantId, batches: Sequence[str], fingerprint: str
) -> Iterator[list[store.MissingInput]]:
    after = (_FIRST, -1)
    while page := store.fetch_missing_inputs(database, tenant, batches, fingerprint, after=after, limit=EMBED_CHUNKS):
        yield page
        after = (page[-1].note_id, page[-1].chunk_index)


def _inputs(page: Sequence[store.MissingInput], model: EmbeddingModel) -> dict[bytes, tuple[NoteId, tuple[str, ...]]]:
    """The texts of the missing vectors by their hash, each with the first note that has it."""
    wanted: dict[bytes, tuple[NoteId, tuple[str, ...]]] = {}
    for item in page:
        hashes: dict[EmbeddingKind, bytes | None] = {"standard": item.standard_hash, "contextual": item.contextual_hash}
        for kind, digest in hashes.items():
            if digest is not None and digest not in wanted:
                texts = vector_texts(model, kind, item.text)
                wanted[digest] = (item.note_id, texts)
    return wanted


def _keep(
    database: Database,
    tenant: TenantId,
    inputs: Mapping[bytes, tuple[NoteId, tuple[str, ...]]],
    vectors: Mapping[bytes, NDArray[np.float32]],
) -> None:
    if vectors:
        computed = [
            store.ComputedVector(input_hash=digest, note_id=inputs[digest][0], vector=vector)
            for digest, vector in vectors.items()
        ]
        store.write_vectors(database, tenant, computed)


def _reasons(page: Sequence[store.MissingInput], refused: Mapping[bytes, str]) -> dict[NoteId, str]:
    """The notes that have a refused text, each with the first reason."""
    reasons: dict[NoteId, str] = {}
    for item in page:
        for digest in (item.standard_hash, item.contextual_hash):
            if digest is not None and digest in refused:
                reasons.setdefault(item.note_id, refused[digest])
    return reasons

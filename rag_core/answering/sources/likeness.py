"""Similarities of a question to the sentences of what was found, read from the vectors that the index has of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_core.errors import RagError
from rag_core.indexing.inputs import parts_of
from rag_core.model.embedding import MAX_STORED_NUMBERS, FloatMatrix
from rag_core.model.note import NoteId, Span, TenantId
from rag_core.model.retrieval import Hit
from rag_core.runtime.engine import Engine
from rag_core.storage.sentence_vectors import SentenceVectors, fetch_sentence_vectors
from rag_core.telemetry.logs import log_degraded


def with_likeness(
    engine: Engine, tenant: TenantId, question: str, hits: Sequence[Hit], *, timeout_ms: int
) -> tuple[Hit, ...]:
    """The hits with the cosine of the question to each part of their windows that has a vector, in one round trip.

    Without them where the model has no vectors of sentences, or they cannot be read: then words alone decide what is quoted.
    """
    if engine.model.searched_vectors != "sentences" or not hits or not question.strip():
        return tuple(hits)
    windows = [(hit.note_id, (hit.start_char, hit.start_char + len(hit.expanded_content))) for hit in hits]
    try:
        vector = engine.embedder.embed([question], role="query")[0]
        found = fetch_sentence_vectors(engine.database, tenant, engine.model, windows, timeout_ms=timeout_ms)
    except RagError as error:
        log_degraded("likeness", error)
        return tuple(hits)
    of_note: dict[NoteId, list[tuple[Span, float]]] = {}
    for chunk in found:
        of_note.setdefault(chunk.note_id, []).extend(_similarities(chunk, vector))
    return tuple(replace(hit, likeness=_within(hit, of_note.get(hit.note_id, ()))) for hit in hits)


def _similarities(chunk: SentenceVectors, vector: FloatMatrix) -> Iterator[tuple[Span, float]]:
    """The spans of a chunk's sentences in its note with their cosines; none where the vectors are of other sentences."""
    rows = chunk.vectors.reshape(-1, len(vector))
    parts = parts_of(chunk.text, most=MAX_STORED_NUMBERS // len(vector))
    if len(parts) != len(rows):
        return
    for part, similarity in zip(parts, rows @ vector, strict=True):
        start, end = part.span
        yield (chunk.start_char + start, chunk.start_char + end), float(similarity)


def _within(hit: Hit, parts: Sequence[tuple[Span, float]]) -> tuple[tuple[Span, float], ...]:
    """The parts of a note that its window has something of, by their spans in the window."""
    length = len(hit.expanded_content)
    moved = (((start - hit.start_char, end - hit.start_char), similarity) for (start, end), similarity in parts)
    return tuple(sorted((span, similarity) for span, similarity in moved if span[1] > 0 and span[0] < length))

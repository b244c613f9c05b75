"""Chunks that end where the meaning changes: sentences are parted where neighbours are far from each other."""

from collections.abc import Sequence
from typing import Any

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.packing import ChunkSpan
from rag_core.chunking.regions import chunks_by_region
from rag_core.model.note import Span


def semantic_spans(text: str, sentences: Sequence[Span], **sizes: Any) -> list[ChunkSpan]:
    """Chunks by ``chunks_by_region``, cut at the breaks too; sizes as there, but there is no overlap."""
    return chunks_by_region(text, sentences, **sizes | {"overlap_tokens": 0})


CHUNKERS.register("semantic")(Chunker(spans=semantic_spans, version="2", needs_breaks=True))

"""Notes into chunks: sentences first, then as many of them as fit.

Here: sentence boundaries, packing with overlap, the token estimate, the sentence window around a chunk.
Spans in, spans out, all in code points of the stored text.
Not here: embedding, storage, any I/O. Imports nothing but ``rag_core.language`` and ``rag_core.model``.
"""

from rag_core.chunking.packing import ChunkSpan, chunk_spans, count_tokens, estimate_tokens
from rag_core.chunking.sentences import sentence_spans, window_bounds

CHUNKER_VERSION = "2"
"""To be raised with any change of the spans these functions give: stored chunks are then stale."""

__all__ = [
    "CHUNKER_VERSION",
    "ChunkSpan",
    "chunk_spans",
    "count_tokens",
    "estimate_tokens",
    "sentence_spans",
    "window_bounds",
]

"""Notes into chunks: sentences first, then as many of them as fit, within sections and tables.

Here: sentence boundaries, packing with overlap, headings and tables of Markdown, one file a chunker (``chunkers``), the token
estimate, the sentence window around a chunk.
Spans in, spans out, all in code points of the stored text.
Not here: embedding, storage, any I/O.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rag_core.chunking.choice import DEFAULT_CHUNKER, ChunkerChoice, parse_choice
from rag_core.chunking.packing import ChunkSpan, chunk_spans, count_tokens, estimate_tokens
from rag_core.chunking.sentences import sentence_spans, window_bounds
from rag_core.model.note import Span
from rag_core.plugins.registry import Registry


class Spans(Protocol):
    """Function that cuts a text into chunks, given its sentences and the sizes in tokens (``estimate_tokens``)."""

    def __call__(
        self,
        text: str,
        sentences: Sequence[Span],
        *,
        max_tokens: int,
        overlap_tokens: int,
        min_tokens: int,
    ) -> list[ChunkSpan]:
        """Chunks whose starts and ends rise strictly, none longer than ``max_tokens``; '' gives [].

        One of a chunker that needs breaks is also given ``breaks``, starts of sentences with which the meaning changes.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker:
    """A way to cut texts; ``version`` is raised with any change of the spans, so that stored chunks are stale.

    Where it ``needs_breaks`` the sentences are embedded before. Sentences of chunks of one that ``reads_together`` get their
    vectors from the whole chunk, of a model that can do so. Search shows the whole section around chunks of one that
    ``shows_section``.
    """

    spans: Spans
    version: str
    needs_breaks: bool = False
    reads_together: bool = False
    shows_section: bool = False


CHUNKERS: Registry[Chunker] = Registry("chunker", folder="rag_core.chunking.chunkers")

__all__ = [
    "CHUNKERS",
    "DEFAULT_CHUNKER",
    "ChunkSpan",
    "Chunker",
    "ChunkerChoice",
    "chunk_spans",
    "count_tokens",
    "estimate_tokens",
    "parse_choice",
    "sentence_spans",
    "window_bounds",
]

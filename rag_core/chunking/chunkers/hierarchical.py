"""Chunks of one paragraph, list or row group each; search shows the section they are in."""

from collections.abc import Sequence
from typing import Any

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.packing import ChunkSpan
from rag_core.chunking.regions import PARAGRAPH, chunks_by_region
from rag_core.model.note import Span

_LEAST_CHARACTERS = 80
"""A shorter paragraph, mostly a heading, goes with the next."""


def paragraph_spans(text: str, sentences: Sequence[Span], **sizes: Any) -> list[ChunkSpan]:
    """Chunks by ``chunks_by_region``, cut at every blank line; sizes as there, but there is no overlap."""
    breaks = [match.end() for match in PARAGRAPH.finditer(text)]
    wanted = sizes | {"overlap_tokens": 0, "min_tokens": 0, "breaks": breaks}
    return chunks_by_region(text, sentences, least_characters=_LEAST_CHARACTERS, **wanted)


CHUNKERS.register("hierarchical")(Chunker(spans=paragraph_spans, version="2", shows_section=True))

"""Chunks of so many tokens, cut between words whatever the text is: what the others are compared with."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.packing import ChunkSpan, chunk_spans
from rag_core.model.note import Span

_WORD_START = re.compile(r"(?<=\s)\S")


def fixed_spans(text: str, sentences: Sequence[Span], **sizes: Any) -> list[ChunkSpan]:  # noqa: ARG001  of the protocol
    """Chunks of as many words as fit, by ``chunk_spans``; sizes as there."""
    starts = [0] if text else []
    starts += [match.start() for match in _WORD_START.finditer(text) if match.start()]
    return chunk_spans(text, list(pairwise([*starts, len(text)])), **sizes)


CHUNKERS.register("fixed")(Chunker(spans=fixed_spans, version="1"))

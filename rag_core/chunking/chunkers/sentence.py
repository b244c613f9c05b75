"""The chunker of prose: whole sentences, as many as fit."""

from rag_core.chunking import CHUNKERS, Chunker, chunk_spans

CHUNKERS.register("sentence")(Chunker(spans=chunk_spans, version="2"))

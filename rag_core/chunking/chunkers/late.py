"""Chunks of sentences whose vectors are pooled from all of the chunk: each sentence is read with those around it."""

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.regions import chunks_by_region

CHUNKERS.register("late")(Chunker(spans=chunks_by_region, version="2", reads_together=True))

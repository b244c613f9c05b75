"""The chunker of prose: whole sentences, as many as fit, within sections and tables."""

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.regions import chunks_by_region

CHUNKERS.register("sentence")(Chunker(spans=chunks_by_region, version="4"))

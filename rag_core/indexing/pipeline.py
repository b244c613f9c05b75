"""What a note's chunks and vectors depend on, as one fingerprint."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from rag_core.chunking import CHUNKER_VERSION
from rag_core.configuration import Chunking
from rag_core.embedding import Embedder, EmbeddingModel
from rag_core.embedding.context import CONTEXT_VERSION


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """Chunk sizes, the context template and the embedding model, with the means to run it."""

    chunking: Chunking
    model: EmbeddingModel
    embedder: Embedder

    @cached_property
    def fingerprint(self) -> str:
        """First 16 hex digits of SHA-256 over everything a change of which makes notes stale."""
        parts = {
            "chunker": CHUNKER_VERSION,
            "chunking": self.chunking.model_dump(mode="json"),
            "context": CONTEXT_VERSION,
            "model": [self.model.name, self.model.version, self.model.dimensions, self.model.document_prefix],
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

"""Text into vectors: the interface, the registered model, and the key a vector is stored under.

Here: one file a provider (``hashing``, ``ollama``), what every provider's vectors must hold (``vectors``), texts longer than
a model's context (``pieces``), the prefixes of known models (``prefixes``), and the words put before a chunk (``context``,
``summaries``).
Not here: the tables of models and cached vectors (``rag_core.storage``), and which model is active.
Imports point to ``model``, ``errors``, ``language``, ``chunking`` and ``chat``. A provider's file is imported when a
model of it is built, so that a machine without Ollama loads no HTTP client.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from rag_core.errors import EmbeddingError
from rag_core.model import EmbeddingRole, FloatMatrix

ModelState = Literal["candidate", "backfilling", "ready", "active", "retired"]


class Embedder(Protocol):
    """What turns texts into vectors; the same for every provider."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Raises:
            EmbeddingError: a text is blank, the provider failed, or a vector would be zero or not finite.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """A row of the registry.

    ``version`` is that of the algorithm: vectors of two versions are not comparable. An Ollama model of
    version ``mrl-N`` (Matryoshka) gives N numbers, of which the first ``dimensions`` are kept.
    ``similarity_threshold`` is None where no similarity tells relevant from irrelevant; ``fusion_method`` and
    the weights are the ones that measured best.
    """

    id: int
    name: str
    provider: Literal["hashing", "ollama"]
    version: str
    dimensions: int
    query_prefix: str
    document_prefix: str
    context_tokens: int
    similarity_threshold: float | None
    fusion_method: Literal["rrf", "relative_score"]
    semantic_weight: float
    fulltext_weight: float
    uses_contextual: bool
    state: ModelState

    @property
    def knows_meaning(self) -> bool:
        """Whether near vectors mean near meanings; hashed n-grams are near where words are spelled alike."""
        return self.provider != "hashing"

    def is_same_as(self, other: "EmbeddingModel") -> bool:
        """Whether both are one model that is used in one way, in whatever states; after a restore an id may be another's."""
        return replace(self, state=other.state) == other

    def has_same_vectors_as(self, other: "EmbeddingModel") -> bool:
        """The same, though one of them may have been calibrated anew."""
        return replace(self, similarity_threshold=other.similarity_threshold).is_same_as(other)


def build_embedder(model: EmbeddingModel, *, ollama_host: str, timeout_seconds: float = 30) -> Embedder:
    """Build the embedder of a registered model; contacts nobody.

    ``timeout_seconds`` is for one request to a server.

    Raises:
        EmbeddingError: this program has no such provider or version.
        ConfigurationError: the host is no address.
    """
    if model.provider == "hashing":
        from rag_core.embedding.hashing import build_hashing_embedder

        return build_hashing_embedder(model)
    if model.provider == "ollama":
        from rag_core.embedding.ollama import OllamaEmbedder

        return OllamaEmbedder(model, host=ollama_host, timeout_seconds=timeout_seconds)
    raise EmbeddingError(
        f"model {model.name!r} has provider {model.provider!r}; expected hashing or ollama. "
        "Register it again with one of these."
    )


def prefix_of(model: EmbeddingModel, role: EmbeddingRole) -> str:
    """Look up what the model wants before a text in this role; '' for most models."""
    return model.query_prefix if role == "query" else model.document_prefix


def input_hash(model: EmbeddingModel, text: str, *, role: EmbeddingRole) -> bytes:
    """SHA-256 over all that the vector of ``text`` depends on: 32 bytes, the key of a stored vector.

    Model name, version, dimensions, role, prefix and text are hashed as one JSON array, whose quoting keeps
    the fields apart: no two different inputs are written alike.
    """
    parts = [model.name, model.version, model.dimensions, role, prefix_of(model, role), text]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).digest()

"""Text into vectors: the interface, the registered model, and the key a vector is stored under.

Here: one file a provider (``hashing``, ``ollama``), what every provider's vectors must hold (``vectors``), texts longer than
a model's context (``pieces``), the prefixes of known models (``prefixes``), and the words put before a chunk (``context``,
``summaries``).
Not here: the tables of models and cached vectors (``rag_core.storage``), and which model is active.
A provider's file is imported when a model of it is built, so that a machine without Ollama loads no HTTP client.
"""

from collections.abc import Sequence
from typing import Protocol

from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix


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

"""Texts that a model reads together, each getting the mean of its own tokens: late chunking.

Source: Günther et al., "Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding Models", 2024.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from rag_core.model.embedding import FloatMatrix


class ReadTogether(tuple[str, ...]):
    """A title, '' where there is none, and texts in the order they stand in; the title is read and gets no vector."""

    __slots__ = ()


@runtime_checkable
class TogetherEmbedder(Protocol):
    """Embedder that gives vectors of a text's parts."""

    def embed_together(self, inputs: Sequence[ReadTogether]) -> list[FloatMatrix]:
        """Embed each input's texts as read with one another: unit vectors, shape (texts without the title, dimensions).

        Raises:
            EmbeddingError: as ``embed``.
        """
        ...

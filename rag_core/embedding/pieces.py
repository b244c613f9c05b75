"""Texts that a model's context cannot hold: the mean of their pieces."""

from collections.abc import Sequence

import numpy as np

from rag_core.embedding import Embedder
from rag_core.embedding.together import ReadTogether, TogetherEmbedder
from rag_core.embedding.vectors import unit_rows
from rag_core.errors import TextTooLongError
from rag_core.model.embedding import EmbeddingRole, FloatMatrix

SHORTEST_PIECE = 64
"""Characters; a text that is too long and no longer than this is the provider's error."""


class PiecewiseEmbedder:
    """An embedder that no text is too long for.

    A text that the model refuses for its length is parted in the middle, between words where there are any, and each part
    again until it fits; its vector is the mean of its pieces' vectors, scaled to length one. What fits is embedded as it is.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._embedder = embedder

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Raises:
            EmbeddingError: a text is blank, the provider failed, or the pieces of a text cancel each other out.
        """
        try:
            return self._embedder.embed(texts, role=role)
        except TextTooLongError:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self.embed(texts[:middle], role=role), self.embed(texts[middle:], role=role)])
            return self._mean(texts[0], role)

    def embed_together(self, inputs: Sequence[ReadTogether]) -> list[FloatMatrix]:
        """Embed as the embedder does, which must be able to and reads texts of any length in windows of its own."""
        assert isinstance(self._embedder, TogetherEmbedder), f"{self.name} cannot read texts together"
        return self._embedder.embed_together(inputs)

    def _mean(self, text: str, role: EmbeddingRole) -> FloatMatrix:
        rows = np.concatenate([self._pieces(half, role) for half in halves(text)])
        return unit_rows(rows.mean(axis=0, keepdims=True, dtype=np.float64), source=self.name)

    def _pieces(self, text: str, role: EmbeddingRole) -> FloatMatrix:
        """The vectors of the longest pieces of a text that fit, all of which count alike in its mean."""
        try:
            return self._embedder.embed([text], role=role)
        except TextTooLongError:
            if len(text) <= SHORTEST_PIECE:
                raise
            return np.concatenate([self._pieces(half, role) for half in halves(text)])


def halves(text: str) -> list[str]:
    """The text in two, parted at the white space nearest before its middle, else in the middle; blank parts left out."""
    middle = len(text) // 2
    spaces = [text.rfind(space, 1, middle + 1) for space in (" ", "\n", "\t")]
    cut = max(spaces)
    cut = cut if cut > len(text) // 4 else middle
    return [part for part in (text[:cut].strip(), text[cut:].strip()) if part]

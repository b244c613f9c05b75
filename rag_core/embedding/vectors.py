"""Requirements for the vectors of every provider: a vector a text, of length one, and never zero or NaN.

pgvector gives NaN as the distance to a zero vector, and NaN passes every threshold and sorts first.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_core.errors import EmbeddingError
from rag_core.model.embedding import FloatMatrix


def require_visible(texts: Sequence[str]) -> None:
    """Raise unless every text has a character that is not white space.

    Raises:
        EmbeddingError: a text is blank; the message counts from 1.
    """
    for position, text in enumerate(texts, start=1):
        if not text or text.isspace():
            raise EmbeddingError(
                f"text {position} of {len(texts)} is blank ({text[:20]!r}); expected at least one visible "
                "character. Leave blank texts out."
            )


def unit_rows(vectors: NDArray[np.float64], *, source: str) -> FloatMatrix:
    """Scale each row to length one: v / ‖v‖₂, shape kept; no rows give no rows.

    ``source`` names the model in the message. Numbers up to the largest float64 are taken without overflow.

    Raises:
        EmbeddingError: a row is zero, or holds NaN or infinity; the message counts from 1.
    """
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    unusable = np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))
    if unusable.size:
        raise EmbeddingError(
            f"{source} gave a vector that is zero or not finite for text {unusable[0] + 1} of {len(vectors)} "
            "asked together; expected finite numbers, not all zero. Leave the text out or take another model."
        )
    scaled = vectors / largest[:, np.newaxis]
    unit: FloatMatrix = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return unit

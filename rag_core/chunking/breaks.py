"""Where the meaning of a text changes: sentences that are further from the one before them than most. Pure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_core.errors import ConfigurationError

FloatVector = NDArray[np.floating]
_THRESHOLDS: Mapping[str, Callable[[FloatVector, float], float]] = {
    "percentile": lambda distances, amount: float(np.percentile(distances, amount)),
    "standard_deviation": lambda distances, amount: float(distances.mean() + amount * distances.std()),
    "interquartile": lambda distances, amount: float(
        distances.mean() + amount * np.subtract(*np.percentile(distances, [75, 25]))
    ),
}
_LIMITS = {"percentile": 100.0, "standard_deviation": 10.0, "interquartile": 10.0}


class Threshold(NamedTuple):
    """Distance above which neighbours are parted: the percentile, or so many deviations or quartile ranges above the mean."""

    kind: str
    amount: float


def parse_threshold(written: str) -> Threshold:
    """A threshold such as ``percentile:95``, ``standard_deviation:3`` or ``interquartile:1.5``.

    Raises:
        ConfigurationError: it is none of these, or its number is out of bounds.
    """
    kind, _, amount = written.partition(":")
    try:
        threshold = Threshold(kind, float(amount))
    except ValueError:
        threshold = Threshold(kind, -1)
    if not 0 < threshold.amount <= _LIMITS.get(kind, 0):
        bounds = ", ".join(f"{name}:N with N up to {most:g}" for name, most in _LIMITS.items())
        raise ConfigurationError(f"BRAIN_CHUNKER_BREAKS={written!r}; expected one of: {bounds}")
    return threshold


def distances_between(vectors: NDArray[np.float32]) -> FloatVector:
    """1 - cosine of each vector and the next, shape (n - 1,); the vectors have length one, shape (n, dimensions)."""
    distances: FloatVector = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    return distances


def far_from_previous(vectors: NDArray[np.float32], threshold: Threshold) -> list[int]:
    """Positions of sentences that are further than the threshold from the one before; of fewer than two sentences none.

    The threshold is taken over all distances of the text.
    """
    if len(vectors) < 2:
        return []
    distances = distances_between(vectors)
    limit = _THRESHOLDS[threshold.kind](distances, threshold.amount)
    return [int(at) + 1 for at in np.flatnonzero(distances > limit)]

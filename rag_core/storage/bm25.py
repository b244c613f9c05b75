"""BM25 over packed posting lists.

Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; k1 = 1.2, b = 0.75.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

POSTING_BYTES = 8
_PACKED = np.dtype(">i8")
_SPARSE = 16
"""From so many times as many numbers as postings on, an array with a place for every number costs more than sorting the postings."""
_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Forms of one word: they count as one term, whose frequency in a chunk is the weighted sum over the forms.

    ``lists`` has the postings of each form with its weight. ``weight`` is the most that the word can add to a score.
    """

    weight: float
    average_length: float
    lists: Sequence[tuple[float, Numbers]]


def unpack(blocks: Sequence[bytes]) -> Numbers:
    """The postings in blocks, each as one number."""
    return np.frombuffer(b"".join(blocks), dtype=_PACKED).astype(np.int64)


def pack(postings: Numbers) -> bytes:
    """A block of postings."""
    return postings.astype(_PACKED).tobytes()


def merge(added: Sequence[bytes], removed: Sequence[bytes]) -> Numbers:
    """The postings that were added and not removed."""
    postings = unpack(added)
    return postings[~np.isin(postings, unpack(removed))] if removed else postings


def numbers_of(postings: Numbers) -> Numbers:
    """The numbers of their chunks."""
    return postings >> 32


def word_weight(documents: float, frequency: float, *, repetitions: int) -> float:
    """The most that a word can add to a score: idf · (k1 + 1) · repetitions in the query.

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)) with a df of at most N, so it is never negative.
    """
    frequency = min(frequency, documents)
    return 2.2 * repetitions * math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def add_up(families: Sequence[Family]) -> tuple[Numbers, Scores]:
    """The numbers of all chunks in the lists, ascending, and their scores."""
    parts = [part for family in families for _, part in family.lists]
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0)
    postings = np.concatenate(parts)
    numbers, places = _places(postings >> 32)
    lengths = (postings >> 8 & 0xFFFFFF).astype(np.float64)
    counts = (postings & 0xFF).astype(np.float64)
    totals, held, start = np.zeros(len(numbers)), np.zeros(len(numbers)), 0
    for family in families:
        end = start
        for weight, part in family.lists:
            form = slice(end, end + len(part))
            held[places[form]] += weight * counts[form]
            end = form.stop
        at = places[start:end]
        frequencies = held[at]
        held[at] = 0
        factor = 0.9 / max(family.average_length, 1)
        # A chunk in two of the lists has its sum in both places, and gets it once.
        totals[at] = totals[at] + family.weight * frequencies / (frequencies + 0.3 + factor * lengths[start:end])
        start = end
    found = np.flatnonzero(totals)
    return numbers[found], totals[found]


def _places(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Numbers ascending with all that are given among them, and where each of the given ones is."""
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, -1)
    if high - low > _SPARSE * len(numbers):
        found, places = np.unique(numbers, return_inverse=True)
        return found, places
    return np.arange(low, high + 1), numbers - low


def best(scores: Scores, count: int) -> NDArray[np.intp]:
    """Where the best ``count`` are, in any order, with all that are as good as the last of them but for rounding."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count] - _ROUNDING)

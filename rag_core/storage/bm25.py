"""BM25 over packed posting lists.

Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; k1 = 1.2, b = 0.75.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

POSTING_BYTES = 8
_PACKED = np.dtype(">i8")
_SPARSE = 16
"""Numbers in a range for a posting from which on a place for every number costs more than sorting."""
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
    parts = [part for family in families for _, part in family.lists if len(part)]
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0)
    low, high = (int(extreme) >> 32 for extreme in (min(map(np.min, parts)), max(map(np.max, parts))))
    numbers: Numbers | None = None
    if high - low > _SPARSE * sum(map(len, parts)):
        numbers = np.unique(numbers_of(np.concatenate(parts)))
    totals = np.zeros(high - low + 1 if numbers is None else len(numbers))
    held = np.zeros(len(totals))
    for family in families:
        postings = np.concatenate([part for _, part in family.lists])
        of = numbers_of(postings)
        places = of - low if numbers is None else np.searchsorted(numbers, of)
        weights, sizes = [weight for weight, _ in family.lists], [len(part) for _, part in family.lists]
        frequencies = (postings & 0xFF) * np.repeat(weights, sizes)
        if len(sizes) > 1:  # a chunk in two of the lists has their sum in both places, and gets its share once
            for start, end in pairwise(accumulate(sizes, initial=0)):
                held[places[start:end]] += frequencies[start:end]
            frequencies = held[places]
            held[places] = 0
        norms = (postings >> 8 & 0xFFFFFF) * (0.9 / max(family.average_length, 1)) + 0.3
        totals[places] = totals[places] + family.weight * frequencies / (frequencies + norms)
    found = np.flatnonzero(totals > 0)
    return (found + low if numbers is None else numbers[found]), totals[found]


def best(scores: Scores, count: int) -> NDArray[np.intp]:
    """Where the best ``count`` are, in any order, with all that are as good as the last of them but for rounding."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, -count)[-count] - _ROUNDING)

"""Names that are nearly another one: misspelt, with invisible characters, or with letters of another script."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from rag_core.language.lookalikes import LOOKALIKES

_COMPARED_LETTERS = 100
"""Letters of a name that are compared: more than any known name has, with the tolerated edits."""
_LOOKALIKES = str.maketrans(dict(LOOKALIKES))


def folded_name(name: str) -> str:
    """A name as names are compared: letters and digits alone, in small letters, without accents, lookalikes as Latin letters."""
    latin = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", latin)))


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one may be meant to be; None where it is one of them, or like none.

    Folded they are equal or differ by one edit, by two from eight letters on; names of less than three letters must be equal.
    """
    names = tuple(known)
    return None if name in names else _nearest(folded_name(name)[:_COMPARED_LETTERS], names)


@lru_cache(maxsize=1000)
def _nearest(folded: str, names: tuple[str, ...]) -> str | None:
    distances = {one: edit_distance(folded, folded_name(one)) for one in names}
    near = [one for one in names if distances[one] <= _tolerated_edits(one)]
    return min(near, key=distances.__getitem__, default=None)


def _tolerated_edits(name: str) -> int:
    return 0 if len(name) < 3 else 1 if len(name) < 8 else 2


def edit_distance(first: str, second: str) -> int:
    """Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment distance).

    O(|first|·|second|) time. Two names whose lengths differ by more than three are not compared: the difference is given.
    Source: Damerau, CACM 1964.
    """
    if abs(len(first) - len(second)) > 3:
        return abs(len(first) - len(second))
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, other) == (second[j - 2], first[i - 2]):
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]

"""Two rankings as one, so that readers choose between them without knowing. No I/O."""

from collections.abc import Collection, Hashable, Sequence
from random import Random
from typing import TypeVar

from rag_core.model.experiment import Side

Item = TypeVar("Item", bound=Hashable)


def team_draft(
    control: Sequence[Item], candidate: Sequence[Item], *, depth: int, random: Random
) -> list[tuple[Item, Side]]:
    """Interleave two rankings: the side that has picked less, a coin when both have as much, picks its best that is left.

    At most ``depth`` items, each once and with the side that picked it. When one side has nothing left the other goes on, so that
    readers get a whole list. Which side begins a round is a coin's, so that under equal rankings every place is either side's
    as often. Two empty rankings give [].

    Raises:
        ValueError: ``depth`` is negative, or a ranking repeats an item.
    Source: Radlinski, Kurup & Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM 2008, section 4.2.
    """
    rankings: dict[Side, Sequence[Item]] = {"control": control, "candidate": candidate}
    if depth < 0 or any(len(set(ranking)) != len(ranking) for ranking in rankings.values()):
        raise ValueError(f"depth is {depth}, expected 0 or more; and a ranking names each item once")
    drafted: dict[Item, Side] = {}
    picks: dict[Side, int] = {"control": 0, "candidate": 0}
    while len(drafted) < depth:
        left = {side: _first_left(ranking, drafted) for side, ranking in rankings.items()}
        able = [side for side, item in left.items() if item is not None]
        if not able:
            break
        side = _next_side(able, picks, random)
        chosen = left[side]
        assert chosen is not None
        drafted[chosen] = side
        picks[side] += 1
    return list(drafted.items())


def _first_left(ranking: Sequence[Item], drafted: Collection[Item]) -> Item | None:
    return next((item for item in ranking if item not in drafted), None)


def _next_side(able: Sequence[Side], picks: dict[Side, int], random: Random) -> Side:
    fewest = min(picks[side] for side in able)
    return random.choice([side for side in able if picks[side] == fewest])


def credit(served: Sequence[Item], teams: Sequence[Side], liked: Collection[Item]) -> dict[Side, int]:
    """Count the liked items that each side put into the list; items that were not served count for neither."""
    counts: dict[Side, int] = {"control": 0, "candidate": 0}
    for item, side in zip(served, teams, strict=True):
        counts[side] += item in liked
    return counts

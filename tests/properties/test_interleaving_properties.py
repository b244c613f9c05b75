"""Team-draft interleaving: fair to both sides, and every result is somebody's, once."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.experiments.agreement import rank_biased_overlap
from rag_core.experiments.interleaving import credit, team_draft

items = st.integers(min_value=1, max_value=20)
rankings = st.lists(items, unique=True, max_size=10)
seeds = st.integers(min_value=0, max_value=2**64)
DEPTH = 6
ROUNDS = DEPTH // 2
long_rankings = st.lists(items, unique=True, min_size=DEPTH, max_size=10)


class Coins(Random):
    """Coins that fall as they are told; a choice of one is no coin."""

    def __init__(self, sides: Sequence[int]) -> None:
        super().__init__(0)
        self.sides: Iterator[int] = iter(sides)

    def choice(self, seq: Any) -> Any:
        return seq[0] if len(seq) == 1 else seq[next(self.sides)]


def all_drafts(control: Sequence[int], candidate: Sequence[int]) -> list[list[tuple[int, str]]]:
    return [
        team_draft(control, candidate, depth=DEPTH, random=Coins(sides)) for sides in product((0, 1), repeat=ROUNDS)
    ]


@settings(max_examples=200)
@given(rankings, rankings, st.integers(min_value=0, max_value=12), seeds)
def test_every_result_is_served_once_and_is_one_sides(control, candidate, depth, seed) -> None:
    draft = team_draft(control, candidate, depth=depth, random=Random(seed))

    served = [item for item, _ in draft]
    assert len(served) == len(set(served)) == min(depth, len({*control, *candidate}))
    assert all(item in (control if side == "control" else candidate) for item, side in draft)


@settings(max_examples=200)
@given(rankings, rankings, st.integers(min_value=0, max_value=12), seeds, st.sets(items))
def test_every_liked_result_is_credited_once(control, candidate, depth, seed, liked) -> None:
    draft = team_draft(control, candidate, depth=depth, random=Random(seed))
    served, teams = [item for item, _ in draft], [side for _, side in draft]

    counts = credit(served, teams, liked)

    assert counts["control"] + counts["candidate"] == len(liked & set(served))


@settings(max_examples=100)
@given(long_rankings, long_rankings)
def test_every_place_is_either_sides_under_half_of_the_coins(control, candidate) -> None:
    drafts = all_drafts(control, candidate)

    for place in range(DEPTH):
        assert sum(draft[place][1] == "candidate" for draft in drafts) == len(drafts) / 2


@settings(max_examples=100)
@given(long_rankings, items)
def test_a_reader_of_equal_rankings_prefers_nobody(ranking, liked) -> None:
    taken = [
        credit([item for item, _ in draft], [side for _, side in draft], {liked})
        for draft in all_drafts(ranking, ranking)
    ]

    assert sum(counts["control"] for counts in taken) == sum(counts["candidate"] for counts in taken)


@settings(max_examples=200)
@given(rankings, rankings, seeds)
def test_each_side_gets_its_best_that_is_left(control, candidate, seed) -> None:
    draft = team_draft(control, candidate, depth=20, random=Random(seed))

    for place, (item, side) in enumerate(draft):
        before = {earlier for earlier, _ in draft[:place]}
        ranking = control if side == "control" else candidate
        assert item == next(other for other in ranking if other not in before)


@settings(max_examples=100)
@given(rankings, rankings, st.uuids())
def test_the_same_coins_give_the_same_list_again(control, candidate, query_id: UUID) -> None:
    drafts = [team_draft(control, candidate, depth=10, random=Random(query_id.int)) for _ in range(2)]

    assert drafts[0] == drafts[1]


@settings(max_examples=300)
@given(rankings, rankings, st.floats(min_value=0.05, max_value=0.99))
def test_overlap_is_symmetric_within_the_unit_interval_and_one_for_equal_rankings(one, other, p) -> None:
    found = rank_biased_overlap(one, other, p=p)

    assert 0 <= found <= 1
    assert found == rank_biased_overlap(other, one, p=p)
    assert abs(rank_biased_overlap(one, one, p=p) - 1) < 1e-9

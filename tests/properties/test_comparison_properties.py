"""Properties of every comparison of two runs."""

import random
from dataclasses import replace
from uuid import UUID

from builders import make_query_result
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import sentences

from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.significance import PairedResult, paired_test
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId
from rag_core.model.run_comparison import Comparison, parse_comparison

EXAMPLES = settings(max_examples=100)
FIGURES = st.sampled_from((0.0, 0.25, 0.3869, 0.5, 0.6309, 1.0)) | st.floats(0, 1)
PAIRS = st.lists(st.tuples(FIGURES, FIGURES), max_size=40)
RANKS = st.none() | st.integers(1, 20)
BASELINE = UUID(int=1)


def paired(pairs: list[tuple[float, float]]) -> PairedResult:
    return paired_test([before for before, _ in pairs], [after for _, after in pairs], resamples=500)


def compared(before: list[QueryResult], after: list[QueryResult]) -> Comparison:
    return compare(BASELINE, before, after, resamples=500)


def answered(number: int, rank: int | None, *, query: str = "", is_degraded: bool = False) -> QueryResult:
    """A query whose one relevant note was found at a rank."""
    relevant = NoteId(UUID(int=1))
    others = tuple(NoteId(UUID(int=other)) for other in range(2, 22))
    return make_query_result(
        number,
        query=query or f"¿Pregunta {number}?",
        relevant_note_ids=(relevant,),
        ranked_note_ids=others if rank is None else (*others[: rank - 1], relevant),
        is_degraded=is_degraded,
    )


def run_of(ranks: list[int | None]) -> list[QueryResult]:
    return [answered(number, rank) for number, rank in enumerate(ranks)]


@EXAMPLES
@given(pairs=PAIRS)
def test_a_p_lies_above_0_and_is_at_most_1(pairs) -> None:
    found = paired(pairs)

    assert 0 < found.p_value <= 1
    assert 0 < found.p_worse <= 1


@EXAMPLES
@given(pairs=PAIRS)
def test_swapped_runs_differ_as_much_the_other_way(pairs) -> None:
    found, swapped = paired(pairs), paired([(after, before) for before, after in pairs])

    assert swapped.difference == -found.difference
    assert swapped.p_value == found.p_value


@EXAMPLES
@given(pairs=PAIRS, seed=st.integers(0, 1000))
def test_the_order_of_the_queries_does_not_matter(pairs, seed) -> None:
    shuffled = random.Random(seed).sample(pairs, len(pairs))

    assert paired(shuffled) == paired(pairs)


@EXAMPLES
@given(pairs=PAIRS.filter(bool))
def test_the_interval_lies_between_the_least_and_the_greatest_difference(pairs) -> None:
    low, high = paired(pairs).interval

    gains = [after - before for before, after in pairs]
    assert min(gains) - 1e-12 <= low <= high <= max(gains) + 1e-12


@EXAMPLES
@given(ranks=st.lists(RANKS, max_size=40))
def test_a_run_is_no_regression_of_itself(ranks) -> None:
    found = compared(run_of(ranks), run_of(ranks))

    assert (found.is_regression, found.is_significant, found.losses) == (False, False, ())
    assert (found.difference, found.p_value) == (0.0, 1.0)


@EXAMPLES
@given(count=st.integers(10, 40), rank=st.integers(1, 9), slide=st.integers(1, 5))
def test_the_same_drop_on_ten_queries_or_more_is_a_regression(count, rank, slide) -> None:
    before, after = run_of([rank] * count), run_of([rank + slide] * count)
    drop = before[0].ndcg_at_10 - after[0].ndcg_at_10
    assume(drop >= 0.02)

    found = compared(before, after)

    assert found.is_regression
    assert not compared(after, before).is_regression


@EXAMPLES
@given(ranks=st.lists(st.tuples(RANKS, RANKS), max_size=9))
def test_on_fewer_than_ten_queries_there_is_no_verdict(ranks) -> None:
    found = compared(run_of([before for before, _ in ranks]), run_of([after for _, after in ranks]))

    assert (found.obstacle, found.is_regression, found.is_significant) == ("too_few_queries", False, False)
    common = "1 query" if len(ranks) == 1 else f"{len(ranks)} queries"
    assert found.objection == f"no verdict: {common} in common with the baseline, 10 are needed"


@EXAMPLES
@given(
    ranks=st.lists(st.tuples(RANKS, RANKS), min_size=10, max_size=30),
    added=st.lists(RANKS, max_size=20),
    removed=st.lists(RANKS, max_size=20),
)
def test_queries_of_one_run_only_change_no_figure(ranks, added, removed) -> None:
    before, after = run_of([before for before, _ in ranks]), run_of([after for _, after in ranks])
    new = [answered(1000 + number, rank) for number, rank in enumerate(added)]
    old = [answered(2000 + number, rank) for number, rank in enumerate(removed)]

    found = compared([*before, *old], [*after, *new])

    assert found == replace(compared(before, after), left_out=len(added) + len(removed))


@EXAMPLES
@given(
    ranks=st.lists(st.tuples(RANKS, RANKS, st.booleans()), min_size=1, max_size=30),
)
def test_degraded_queries_are_not_compared_and_more_than_a_tenth_leave_no_verdict(ranks) -> None:
    before = run_of([rank for rank, _, _ in ranks])
    after = [answered(number, rank, is_degraded=is_down) for number, (_, rank, is_down) in enumerate(ranks)]

    found = compared(before, after)

    down = sum(is_down for _, _, is_down in ranks)
    assert (found.disturbed, found.queries) == (down, len(ranks) - down)
    assert (found.obstacle == "degraded") == (down > len(ranks) / 10)
    assert not (found.is_regression and found.obstacle)


@EXAMPLES
@given(ranks=st.lists(st.tuples(RANKS, RANKS), max_size=30), text=sentences())
def test_a_comparison_is_read_back_as_it_was_written(ranks, text) -> None:
    before = [answered(number, rank, query=text) for number, (rank, _) in enumerate(ranks)]
    after = [answered(number, rank, query=text) for number, (_, rank) in enumerate(ranks)]

    found = compared(before, after)

    assert parse_comparison(found.to_json()) == found
    assert isinstance(found, Comparison)

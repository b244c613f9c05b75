"""What counts as a regression, at its borders."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from rag_core.evaluation.comparison import Comparison, compare
from rag_core.evaluation.results import QueryResult
from rag_core.model import NoteId

RELEVANT = NoteId(UUID(int=1))
OTHERS = tuple(NoteId(UUID(int=number)) for number in range(2, 22))


def queries(ranks: Sequence[int | None]) -> list[QueryResult]:
    """A query a rank, its one relevant note found there or not at all."""
    return [
        QueryResult(
            query_id=UUID(int=number),
            query=f"¿Pregunta {number}?",
            category="factual",
            difficulty=3,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=OTHERS if rank is None else (*OTHERS[: rank - 1], RELEVANT),
            latency_ms=1.0,
            is_degraded=False,
            error=None,
        )
        for number, rank in enumerate(ranks)
    ]


def compared(before: Sequence[int | None], after: Sequence[int | None]) -> Comparison:
    return compare(UUID(int=99), queries(before), queries(after))


@pytest.mark.parametrize(("lost", "is_regression"), [(4, False), (5, True)])
def test_five_of_74_queries_lost_outright_are_a_regression_and_four_are_not(lost: int, is_regression: bool) -> None:
    found = compared([1] * 74, [None] * lost + [1] * (74 - lost))

    # one pattern of 2^4 is 0.0625, one of 2^5 is 0.03125
    assert found.metrics["ndcg_at_10"].p_worse == 1 / 2**lost
    assert found.is_regression == is_regression


def test_a_sure_drop_of_less_than_two_hundredths_is_none() -> None:
    # nDCG 1 / log2(10) = 0.3010 to 1 / log2(11) = 0.2891
    found = compared([9] * 30, [10] * 30)

    assert found.difference == pytest.approx(-0.0120, abs=1e-4)
    assert (found.is_significant, found.is_regression) == (True, False)


def test_a_drop_of_two_hundredths_is_enough_however_it_is_rounded() -> None:
    found = compared([1] * 12, [2] * 12)
    decisive = replace(found.metrics["ndcg_at_10"], difference=0.8 - 0.82)

    assert replace(found, metrics={**found.metrics, "ndcg_at_10": decisive}).is_regression


def test_nine_queries_are_too_few_however_bad_it_is() -> None:
    found = compared([1] * 9, [None] * 9)

    assert (found.obstacle, found.is_regression) == ("too_few_queries", False)


def test_the_queries_that_lost_most_come_first_and_winners_not_at_all() -> None:
    found = compared([1, 1, 3, 5], [2, None, 3, 1])

    assert [(loss.query, loss.current_rank) for loss in found.losses] == [("¿Pregunta 1?", None), ("¿Pregunta 0?", 2)]


def test_ten_losses_are_kept_at_most() -> None:
    assert len(compared([1] * 30, [2] * 30).losses) == 10

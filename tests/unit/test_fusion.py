from uuid import UUID

import pytest

from rag_core.model.note import ChunkId
from rag_core.retrieval.fusion import (
    found_by_leg,
    highest_rrf_score,
    normalised,
    reciprocal_rank_fusion,
    relative_score_fusion,
)

A, B, C = (ChunkId(UUID(int=n)) for n in (1, 2, 3))


def test_rrf_adds_the_weighted_reciprocal_ranks() -> None:
    fused = dict(reciprocal_rank_fusion([[A, B], [B, C]], weights=[0.5, 0.5], k=60))

    assert fused[A] == pytest.approx(0.5 / 61)
    assert fused[B] == pytest.approx(0.5 / 62 + 0.5 / 61)
    assert fused[C] == pytest.approx(0.5 / 62)


def test_rrf_puts_what_both_lists_found_first() -> None:
    fused = reciprocal_rank_fusion([[A, B], [B, C]], weights=[0.5, 0.5])

    assert [chunk for chunk, _ in fused] == [B, A, C]


def test_rrf_breaks_ties_by_id() -> None:
    fused = reciprocal_rank_fusion([[C], [A]], weights=[0.5, 0.5])

    assert [chunk for chunk, _ in fused] == [A, C]


def test_rrf_of_nothing_is_nothing() -> None:
    assert reciprocal_rank_fusion([], weights=[]) == []
    assert reciprocal_rank_fusion([[], []], weights=[0.5, 0.5]) == []


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.1, 0.5], [-0.1, 0.5], [float("nan"), 0.5]])
def test_weights_outside_their_bounds_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        reciprocal_rank_fusion([[A], [B]], weights=weights)


def test_a_ranking_that_repeats_a_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="repeats"):
        reciprocal_rank_fusion([[A, A]], weights=[1.0])


def test_k_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        reciprocal_rank_fusion([[A]], weights=[1.0], k=0)


def test_the_highest_rrf_score_is_that_of_the_leader_of_every_list() -> None:
    [(leader, score)] = reciprocal_rank_fusion([[A], [A]], weights=[0.3, 0.7])

    assert leader == A
    assert score == pytest.approx(highest_rrf_score([0.3, 0.7]))


def test_relative_scores_keep_the_distances_within_a_leg() -> None:
    fused = dict(relative_score_fusion([[(A, 0.8), (B, 0.4)], [(B, 20.0), (C, 5.0)]], weights=[0.5, 0.5]))

    assert fused == {A: pytest.approx(0.5), B: pytest.approx(0.25 + 0.5), C: pytest.approx(0.125)}


def test_what_only_one_leg_found_gets_that_legs_weight_at_most() -> None:
    assert relative_score_fusion([[], [(A, 7.0)]], weights=[0.25, 0.75]) == [(A, 0.75)]
    assert relative_score_fusion([[(A, 0.1)], []], weights=[0.25, 0.75]) == [(A, 0.25)]


def test_equal_scores_count_full_and_one_result_counts_full() -> None:
    assert normalised([(A, 0.3), (B, 0.3)]) == [(A, 1.0), (B, 1.0)]
    assert normalised([(A, 0.3)]) == [(A, 1.0)]


def test_negative_and_zero_scores_count_as_nothing() -> None:
    assert normalised([(A, 0.0), (B, -0.5)]) == [(A, 0.0), (B, 0.0)]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        relative_score_fusion([[(A, score)]], weights=[1.0])


def test_ranks_and_scores_are_told_by_leg() -> None:
    legs = {"semantic": [(A, 0.9), (B, 0.8)], "fulltext": [(B, 12.0)]}

    assert found_by_leg(legs) == {A: {"semantic": (1, 0.9)}, B: {"semantic": (2, 0.8), "fulltext": (1, 12.0)}}


def test_every_ranking_needs_a_weight() -> None:
    with pytest.raises(ValueError, match="2 rankings but 1 weights"):
        reciprocal_rank_fusion([[A], [B]], weights=[0.5])

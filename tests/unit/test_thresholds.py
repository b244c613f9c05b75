"""Hits that a similarity threshold keeps and drops, counted by hand."""

import pytest

from rag_core.evaluation.tuning.thresholds import highest_keeping


def test_without_anything_relevant_found_there_is_no_threshold() -> None:
    assert highest_keeping([], 0.99) == 0.0


def test_all_are_kept_where_none_may_be_lost() -> None:
    assert highest_keeping([0.9, 0.35, 0.6], 1.0) == 0.35


def test_one_of_a_hundred_may_be_lost_at_99_percent() -> None:
    similarities = [0.1, *[0.4] * 99]

    assert highest_keeping(similarities, 0.99) == 0.4
    assert highest_keeping(similarities[:99], 0.99) == 0.1


def test_a_threshold_is_rounded_down_so_that_it_drops_no_more() -> None:
    assert highest_keeping([0.3499, 0.8], 1.0) == 0.34


@pytest.mark.parametrize("similarity", [0.07, 0.29, 0.57, 0.58, 1.0])
def test_a_similarity_that_is_a_whole_step_is_kept_by_itself(similarity) -> None:
    assert highest_keeping([similarity], 1.0) == similarity


def test_similarities_below_0_give_no_threshold() -> None:
    assert highest_keeping([-0.2, 0.5], 1.0) == 0.0

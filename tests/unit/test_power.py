"""Number of queries that a difference needs, against the textbook's formula and against simulation."""

import numpy as np
import pytest

from rag_core.evaluation.comparison.significance import paired_test
from rag_core.model.power import detectable_difference, deviation_of, queries_needed

DRAWS = 400


def test_a_difference_of_half_a_deviation_needs_34_queries() -> None:
    # (1.95996 + 0.84162)² / 0.25 = 31.40, + 1.92
    assert queries_needed(0.5, deviation=1.0) == 34


def test_half_the_difference_needs_four_times_the_queries() -> None:
    assert [queries_needed(difference, deviation=0.3) for difference in (0.05, 0.025)] == [285, 1133]


def test_ten_queries_are_needed_for_any_verdict() -> None:
    assert queries_needed(1.0, deviation=0.1) == 10


def test_what_so_many_queries_show_needs_so_many_queries() -> None:
    shown = detectable_difference(285, deviation=0.3)

    assert shown == pytest.approx(0.05, abs=1e-4)


def test_where_the_noise_is_not_known_nothing_is_told() -> None:
    assert queries_needed(0.02, deviation=None) is None
    assert detectable_difference(100, deviation=None) is None


def test_without_noise_any_difference_is_shown_by_ten_queries() -> None:
    assert queries_needed(0.02, deviation=0.0) == 10
    assert detectable_difference(100, deviation=0.0) == 0


def test_fewer_than_ten_queries_show_nothing() -> None:
    assert detectable_difference(9, deviation=0.3) is None


@pytest.mark.parametrize("difference", [0.0, -0.1])
def test_a_difference_is_above_0(difference: float) -> None:
    with pytest.raises(ValueError, match="expected more than 0"):
        queries_needed(difference, deviation=0.3)


def test_the_deviation_of_fewer_than_two_is_unknown() -> None:
    assert (deviation_of([]), deviation_of([0.3]), deviation_of([0.1, 0.3])) == (
        None,
        None,
        pytest.approx(0.1414, abs=1e-4),
    )


@pytest.mark.parametrize("difference", [0.06, 0.15])
def test_with_so_many_queries_four_tests_of_five_find_the_difference(difference: float) -> None:
    # most queries do not change, some move a rank or are lost, as between two ways to search
    moves = np.array([0.0] * 12 + [0.3691, -0.3691, 0.1309, -0.1309, 0.5, -0.5, 1.0, -1.0])
    needed = queries_needed(difference, deviation=float(moves.std()))
    assert needed is not None
    draws = np.random.default_rng(5)

    found = 0
    for _ in range(DRAWS):
        gains = draws.choice(moves, needed) + difference
        found += paired_test([0.0] * needed, list(gains), resamples=400).p_value < 0.05

    # 0.8 ± three standard errors of 400 draws
    assert 0.74 < found / DRAWS < 0.86

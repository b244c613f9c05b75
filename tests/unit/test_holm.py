"""Holm's adjustment on p-values whose products are worked out in sight."""

import pytest

from rag_core.evaluation.comparison.holm import holm, holm_of_testable


def test_the_least_p_is_multiplied_by_their_number_the_next_by_one_less() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))


def test_an_adjusted_p_is_never_below_that_of_a_lesser_p() -> None:
    # 3 · 0.02 = 0.06, 2 · 0.025 = 0.05
    assert holm([0.02, 0.025, 0.9]) == pytest.approx((0.06, 0.06, 0.9))


def test_it_is_at_most_1() -> None:
    assert holm([0.6, 0.7]) == (1.0, 1.0)


def test_one_alone_stays_as_it_is() -> None:
    assert holm([0.04]) == (0.04,)


def test_none_gives_none() -> None:
    assert holm([]) == ()


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="expected numbers in"):
        holm([p])


def test_a_test_that_cannot_reach_alpha_is_not_counted() -> None:
    found = holm_of_testable([(0.03, 0.001), (0.0625, 0.0625), (1.0, 1.0)], alpha=0.05)

    assert found == (0.03, 0.0625, 1.0)


def test_a_test_that_could_reach_alpha_counts_whatever_it_found() -> None:
    found = holm_of_testable([(0.03, 0.001), (0.9, 0.001)], alpha=0.05)

    assert found == (0.06, 0.9)


def test_a_p_below_the_least_possible_is_refused() -> None:
    with pytest.raises(ValueError, match="least one possible"):
        holm_of_testable([(0.01, 0.05)], alpha=0.05)

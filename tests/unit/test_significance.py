"""The paired randomisation test, on differences small enough to count by hand."""

import numpy as np
import pytest
from scipy import stats

from rag_core.evaluation.comparison.significance import PairedResult, paired_test


def test_of_five_equal_drops_one_pattern_of_thirty_two_is_as_low() -> None:
    found = paired_test([1.0] * 5, [0.9] * 5)

    assert found == PairedResult(
        difference=pytest.approx(-0.1),
        p_value=2 / 32,
        p_worse=1 / 32,
        interval=(pytest.approx(-0.1),) * 2,
        pairs=5,
        least_p_worse=1 / 32,
        least_p_value=2 / 32,
    )


def test_queries_that_did_not_change_say_nothing() -> None:
    found = paired_test([1.0, 1.0, 1.0, 0.5, 0.3], [0.0, 0.0, 0.0, 0.5, 0.3])

    assert (found.difference, found.p_value, found.p_worse, found.pairs) == (-0.6, 2 / 8, 1 / 8, 5)


def test_the_least_p_possible_depends_on_how_many_queries_differ_and_not_on_who_won() -> None:
    won, lost = paired_test([0.5] * 6, [0.6] * 4 + [0.5] * 2), paired_test([0.5] * 6, [0.4] * 4 + [0.5] * 2)

    assert (won.least_p_worse, won.least_p_value) == (1 / 16, 2 / 16)
    assert (lost.least_p_worse, lost.least_p_value) == (1 / 16, 2 / 16)


def test_gains_and_losses_that_cancel_out_are_chance() -> None:
    found = paired_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.4, 0.3])

    # sums of ±1 ±1 ±1 ±1: 16 patterns, 6 of them 0, 5 below
    assert (found.difference, found.p_value, found.p_worse) == (0.0, 1.0, 11 / 16)


def test_sums_that_are_equal_but_for_rounding_tie() -> None:
    # 0.3 = 0.1 + 0.2 but for the last bit: of the patterns of 0.1, 0.2, 0.3, those summing to 0 are two of eight
    found = paired_test([0.3, 0.0, 0.0], [0.0, 0.1, 0.2])

    assert (found.difference, found.p_value, found.p_worse) == (0.0, 1.0, 5 / 8)


def test_reciprocal_ranks_that_hardly_lose_enough_are_not_significant() -> None:
    # of 256 patterns of eight differences 14 sum to as little; 12 if sums that are equal did not tie
    found = paired_test(
        [0.1, 0.1, 0.25, 0.5, 0.1, 1.0, 0.2, 0.1, 1.0, 0.1], [0.0, 0.1, 0.2, 0.2, 0.0, 0.2, 0.5, 0.0, 0.0, 0.0]
    )

    assert found.p_worse == 28 / 512


def test_a_gain_is_not_worse() -> None:
    found = paired_test([0.5] * 10, [0.6] * 10)

    assert (found.p_worse, found.p_value) == (1.0, 2 / 1024)


def test_many_pairs_are_sampled_and_the_observed_one_counts() -> None:
    found = paired_test([1.0] * 40, [0.5] * 40, resamples=999)

    assert (found.p_worse, found.p_value) == (1 / 1000, 1 / 1000)


def test_the_interval_holds_95_in_100_means_of_drawn_queries() -> None:
    # half of 100 queries lose 0.2: mean -0.1, its standard error 0.01
    found = paired_test([1.0] * 100, [0.8, 1.0] * 50)

    assert found.interval == (pytest.approx(-0.12, abs=0.003), pytest.approx(-0.08, abs=0.003))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.1, 0.9]])
def test_nothing_changed_is_no_difference_at_p_1(values: list[float]) -> None:
    found = paired_test(values, values)

    assert found == PairedResult(
        difference=0.0,
        p_value=1.0,
        p_worse=1.0,
        interval=(0.0, 0.0),
        pairs=len(values),
        least_p_worse=1.0,
        least_p_value=1.0,
    )


def test_a_single_query_can_prove_nothing() -> None:
    assert paired_test([1.0], [0.0]).p_worse == 0.5


@pytest.mark.parametrize(
    ("before", "after", "resamples", "message"),
    [
        ([0.1], [0.1, 0.2], 10, "1 values before and 2 after"),
        ([float("nan")], [0.1], 10, "not finite"),
        ([0.1], [0.2], 0, "resamples is 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(before, after, resamples, message) -> None:
    with pytest.raises(ValueError, match=message):
        paired_test(before, after, resamples=resamples)


def mean_difference(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(first - second, axis=axis)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1.0, 0.5, 0.3869, 0.0, 1.0, 0.6309, 0.25], [0.6309, 0.5, 1.0, 0.3333, 0.0, 1.0, 0.1]),
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0], [0.5, 0.9, 0.2, 0.6, 0.1, 0.7, 0.0, 0.1, 0.0, 0.4]),
    ],
)
def test_small_samples_give_exactly_the_p_of_scipy(before: list[float], after: list[float]) -> None:
    found = paired_test(before, after)

    for p, alternative in ((found.p_value, "two-sided"), (found.p_worse, "less")):
        theirs = stats.permutation_test(
            (np.array(after), np.array(before)), mean_difference, permutation_type="samples", alternative=alternative
        )
        assert p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, -0.03, -0.06])
def test_large_samples_give_the_p_of_scipy_but_for_the_draw(shift: float) -> None:
    draws = np.random.default_rng(3)
    before = draws.choice([0.0, 0.3869, 0.5, 0.6309, 1.0], 80)
    after = np.clip(before + shift + draws.normal(0, 0.2, 80), 0, 1)

    found = paired_test(list(before), list(after))

    theirs = stats.permutation_test(
        (after, before), mean_difference, permutation_type="samples", alternative="less", rng=draws
    )
    # 10,000 draws each: standard error of a difference at most sqrt(2 · 0.25 / 10,000) = 0.007
    assert found.p_worse == pytest.approx(theirs.pvalue, abs=0.025)


def test_the_interval_is_that_of_scipy_but_for_the_draw() -> None:
    draws = np.random.default_rng(4)
    gains = draws.choice([0.0, 0.0, 0.0, 0.3691, -0.1309, -0.5], 90)

    low, high = paired_test([0.0] * 90, list(gains)).interval

    theirs = stats.bootstrap((gains,), np.mean, method="percentile", rng=draws).confidence_interval
    assert (low, high) == (pytest.approx(theirs.low, abs=0.004), pytest.approx(theirs.high, abs=0.004))

"""Intervals of the means of a run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_core.evaluation.comparison.intervals import mean_intervals


def test_it_is_scipys_percentile_bootstrap() -> None:
    values = list(np.random.default_rng(7).random(80))

    found = mean_intervals({"mrr": values})["mrr"]

    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.006)


def test_values_that_are_all_one_leave_no_doubt() -> None:
    found = mean_intervals({"hit": [1.0] * 20})["hit"]

    assert (found.low, found.mean, found.high, found.queries) == (1.0, 1.0, 1.0, 20)


def test_more_queries_make_the_interval_narrower() -> None:
    few = mean_intervals({"m": [0.0, 1.0] * 10})["m"]
    many = mean_intervals({"m": [0.0, 1.0] * 250})["m"]

    assert many.high - many.low < (few.high - few.low) / 3


def test_a_metric_that_no_query_defines_has_no_interval() -> None:
    assert list(mean_intervals({"u": [], "mrr": [0.5, 1.0]})) == ["mrr"]


def test_the_same_values_give_the_same_interval_whatever_else_is_asked() -> None:
    values = [0.1, 0.9, 0.4, 0.7]

    assert mean_intervals({"a": values})["a"] == mean_intervals({"b": [1.0, 0.0], "a": values, "c": [0.0] * 4})["a"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_mean_lies_within(values: list[float]) -> None:
    found = mean_intervals({"m": values}, resamples=200)["m"]

    assert found.low <= found.mean <= found.high
    assert min(values) - 1e-9 <= found.low
    assert found.high <= max(values) + 1e-9


def test_about_ninety_five_of_a_hundred_intervals_hold_the_true_mean() -> None:
    rng = np.random.default_rng(11)
    samples = {str(number): list(rng.random(60) < 0.8) for number in range(400)}

    found = mean_intervals({name: [float(value) for value in values] for name, values in samples.items()})

    covered = np.mean([one.low <= 0.8 <= one.high for one in found.values()])
    assert 0.91 <= covered <= 0.98

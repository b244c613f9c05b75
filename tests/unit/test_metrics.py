"""The formulas, on rankings small enough to work out by hand."""

import pytest

from rag_core.model.ranking_metrics import (
    all_found_at,
    average_precision,
    first_relevant_rank,
    hit_rate_at,
    ndcg_at,
    precision_at,
    precision_ceiling_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)
from rag_core.model.statistics import mean, percentile

RANKING = ["b", "a", "c", "d", "e"]


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 1.0), (3, 1.0), (10, 1.0)])
def test_a_query_is_a_hit_from_the_rank_of_its_first_relevant_note_on(k: int, expected: float) -> None:
    assert hit_rate_at(RANKING, {"a", "e"}, k) == expected


def test_the_reciprocal_rank_is_that_of_the_first_relevant_note() -> None:
    assert reciprocal_rank(RANKING, {"c", "e"}) == 1 / 3


def test_a_ranking_without_a_relevant_note_scores_nothing() -> None:
    assert first_relevant_rank(RANKING, {"z"}) is None
    assert reciprocal_rank(RANKING, {"z"}) == 0.0
    assert hit_rate_at(RANKING, {"z"}, 5) == 0.0
    assert ndcg_at(RANKING, {"z"}, 5) == 0.0
    assert recall_at(RANKING, {"z"}, 5) == 0.0
    assert average_precision(RANKING, {"z"}) == 0.0


def test_an_empty_ranking_is_a_miss() -> None:
    assert reciprocal_rank([], {"a"}) == 0.0
    assert ndcg_at([], {"a"}, 10) == 0.0
    assert recall_at([], {"a"}, 20) == 0.0


def test_ndcg_discounts_by_the_logarithm_of_the_rank_plus_one() -> None:
    # relevant at ranks 2 and 5: 1/log2(3) + 1/log2(6) = 0.6309 + 0.3869; ideal at 1 and 2: 1 + 0.6309
    assert ndcg_at(RANKING, {"a", "e"}, 5) == pytest.approx((0.63093 + 0.38685) / (1 + 0.63093), abs=1e-5)


def test_ndcg_of_one_relevant_note_at_rank_three_is_a_half() -> None:
    # at rank 3 the gain is divided by log2(4), which is 2
    assert ndcg_at(RANKING, {"c"}, 10) == 0.5


def test_ndcg_does_not_see_below_its_depth() -> None:
    assert ndcg_at(RANKING, {"e"}, 4) == 0.0


def test_the_ideal_of_ndcg_holds_no_more_than_k_notes() -> None:
    assert ndcg_at(["a", "b"], {"a", "b", "c"}, 2) == 1.0


def test_recall_is_over_all_relevant_notes() -> None:
    assert recall_at(RANKING, {"a", "c", "z", "y"}, 3) == 0.5


def test_all_are_found_only_where_none_is_missing() -> None:
    assert all_found_at(RANKING, set(RANKING[:3]), 3) == 1
    assert all_found_at(RANKING, set(RANKING[:3]), 2) == 0
    assert all_found_at(RANKING, {RANKING[0], "z"}, 20) == 0
    assert all_found_at(RANKING, set(), 5) is None


def test_precision_is_over_k_even_when_the_ranking_is_shorter() -> None:
    assert precision_at(["a", "b"], {"a", "b"}, 5) == 0.4


@pytest.mark.parametrize(("relevant", "expected"), [("a", 0.2), ("abc", 0.6), ("abcdefg", 1.0)])
def test_precision_at_five_has_a_ceiling_where_fewer_than_five_notes_are_relevant(
    relevant: str, expected: float
) -> None:
    assert precision_ceiling_at(set(relevant), 5) == expected


def test_r_precision_reaches_one_however_few_notes_are_relevant() -> None:
    assert r_precision(["a", "b", "c", "d", "e"], {"a"}) == 1.0
    assert r_precision(RANKING, {"a", "e"}) == 0.5


def test_average_precision_is_over_all_relevant_notes() -> None:
    # precision 1/2 at rank 2 and 2/3 at rank 3, and one relevant note not found
    assert average_precision(RANKING, {"a", "c", "z"}) == pytest.approx((1 / 2 + 2 / 3) / 3)


def test_a_note_found_twice_counts_once_and_takes_one_rank() -> None:
    ranking = ["a", "a", "a", "b"]

    assert recall_at(ranking, {"a"}, 3) == 1.0
    assert precision_at(ranking, {"a"}, 3) == pytest.approx(1 / 3)
    assert first_relevant_rank(ranking, {"b"}) == 2
    assert hit_rate_at(ranking, {"b"}, 3) == 1.0
    assert average_precision(ranking, {"a"}) == 1.0


def test_a_relevant_note_named_twice_counts_once() -> None:
    assert recall_at(RANKING, ["a", "a", "z"], 5) == 0.5
    assert ndcg_at(["a"], ["a", "a"], 5) == 1.0
    assert precision_ceiling_at(["a", "a"], 5) == 0.2


@pytest.mark.parametrize(
    "metric",
    [
        reciprocal_rank,
        r_precision,
        average_precision,
        lambda ranking, relevant: hit_rate_at(ranking, relevant, 1),
        lambda ranking, relevant: ndcg_at(ranking, relevant, 10),
        lambda ranking, relevant: recall_at(ranking, relevant, 20),
        lambda ranking, relevant: precision_at(ranking, relevant, 5),
        lambda _, relevant: precision_ceiling_at(relevant, 5),
    ],
)
def test_without_relevant_notes_a_metric_is_undefined(metric) -> None:
    assert metric(RANKING, set()) is None


def test_the_mean_leaves_out_what_is_undefined() -> None:
    assert mean([1.0, None, 0.5]) == 0.75


@pytest.mark.parametrize("values", [[], [None, None]])
def test_the_mean_of_nothing_is_undefined(values: list[float | None]) -> None:
    assert mean(values) is None


def test_the_mean_of_many_tenths_is_a_tenth() -> None:
    assert mean([0.1] * 10) == 0.1


@pytest.mark.parametrize(("p", "expected"), [(0.05, 1), (0.50, 10), (0.51, 11), (0.95, 19), (0.99, 20), (1.0, 20)])
def test_a_percentile_is_the_value_at_the_nearest_rank(p: float, expected: int) -> None:
    values = [20, *range(1, 20)]

    assert percentile(values, p) == expected


def test_the_median_of_two_is_the_lower_one() -> None:
    assert percentile([2.0, 1.0], 0.5) == 1.0


def test_rounding_of_the_fraction_does_not_move_the_rank() -> None:
    # 0.07 * 100 is 7.000000000000001 in binary
    assert percentile(range(1, 101), 0.07) == 7


def test_a_percentile_of_nothing_is_undefined() -> None:
    assert percentile([], 0.95) is None


@pytest.mark.parametrize("p", [0, -0.1, 1.01, 95])
def test_a_percentile_outside_its_range_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="fraction"):
        percentile([1.0], p)


@pytest.mark.parametrize("metric", [hit_rate_at, ndcg_at, recall_at, precision_at])
def test_a_depth_below_one_is_refused(metric) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        metric(RANKING, {"a"}, 0)

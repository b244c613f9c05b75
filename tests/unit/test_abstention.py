"""Separation of questions that are answered from those that are not, by a score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.trade_offs import OperatingPoint, cheapest, risk_coverage, roc_auc, trade_off

SCORES = st.lists(st.floats(0, 1, width=16), min_size=1, max_size=12)


def test_the_area_is_the_share_of_pairs_in_order_with_ties_for_half() -> None:
    assert roc_auc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert roc_auc([0.1], [0.9]) == 0.0
    assert roc_auc([0.9, 0.5], [0.5, 0.1]) == (1 + 1 + 0.5 + 1) / 4


def test_one_kind_alone_has_no_area() -> None:
    assert roc_auc([], [0.5]) is None
    assert roc_auc([0.5], []) is None


@given(SCORES, SCORES)
def test_the_area_is_what_counting_pairs_gives(one, other) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in one for b in other]

    assert roc_auc(one, other) == pytest.approx(sum(pairs) / len(pairs))


def test_a_score_that_reaches_the_threshold_is_answered() -> None:
    points = trade_off([0.5, 0.9], [0.1, 0.5], thresholds=[0.0, 0.5, 1.0])

    assert [(point.answered, point.refused) for point in points] == [(1.0, 0.0), (1.0, 0.5), (0.0, 1.0)]


def test_no_questions_of_a_kind_have_no_share() -> None:
    assert trade_off([], [0.1], thresholds=[0.5]) == [OperatingPoint(threshold=0.5, answered=None, refused=1.0)]


@given(SCORES, SCORES)
def test_a_higher_threshold_answers_no_more_and_refuses_no_less(one, other) -> None:
    points = trade_off(one, other, thresholds=[0.1, 0.4, 0.7])

    assert [point.answered for point in points] == sorted((point.answered for point in points), reverse=True)
    assert [point.refused for point in points] == sorted(point.refused for point in points)


def test_risk_is_of_the_best_scored_share_and_ties_are_answered_together() -> None:
    curve = risk_coverage([0.9, 0.5, 0.5, 0.1], [True, False, True, False])

    assert curve == [(0.25, 0.0), (0.75, pytest.approx(1 / 3)), (1.0, 0.5)]


def test_no_questions_have_no_curve() -> None:
    assert risk_coverage([], []) == []


def test_a_verdict_for_each_score_is_needed() -> None:
    with pytest.raises(ValueError, match="2 scores but 1 verdicts"):
        risk_coverage([0.1, 0.2], [True])


def test_the_cheapest_point_weighs_a_wrong_refusal_as_told() -> None:
    points = [
        OperatingPoint(threshold=0.1, answered=1.0, refused=0.2),
        OperatingPoint(threshold=0.5, answered=0.8, refused=0.9),
    ]

    assert cheapest(points, refusal_cost=1).threshold == 0.5  # 0.2 + 0.1 against 0.8
    assert cheapest(points, refusal_cost=4).threshold == 0.1  # 0.8 against 0.8 + 0.1


def test_without_both_kinds_nothing_is_cheapest() -> None:
    with pytest.raises(ValueError, match="no point has both"):
        cheapest(trade_off([], [0.1], thresholds=[0.5]), refusal_cost=1)

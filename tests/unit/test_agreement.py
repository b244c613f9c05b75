"""Likeness of two rankings, worked out by hand."""

import pytest

from rag_core.experiments.agreement import overlap_at, rank_biased_overlap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abc", "abc", 1.0),
        ("abc", "xyz", 0.0),
        # X = 0, 2: 1/9 · (2/2 · 0.81) + 2/2 · 0.81
        ("ab", "ba", 0.9),
        # as far as both go they agree
        ("a", "ab", 1.0),
        # X = 0, 1, 1; s = 2, l = 3: 1/9 · (1/2 · 0.81 + 1/3 · 0.729 + 1 · 1/6 · 0.729) + 1/2 · 0.729
        ("xa", "abc", 0.45),
        ("", "", 1.0),
        ("", "a", 0.0),
    ],
)
def test_rank_biased_overlap(one: str, other: str, expected: float) -> None:
    assert rank_biased_overlap(one, other) == pytest.approx(expected)
    assert rank_biased_overlap(other, one) == pytest.approx(expected)


def test_a_difference_at_the_top_weighs_more_than_one_below() -> None:
    top, bottom = rank_biased_overlap("bacdef", "abcdef"), rank_biased_overlap("abcdfe", "abcdef")

    assert top < bottom < 1


def test_less_patient_readers_see_less_of_what_is_below() -> None:
    assert rank_biased_overlap("abx", "aby", p=0.5) > rank_biased_overlap("abx", "aby", p=0.99)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1])
def test_a_persistence_outside_of_the_open_unit_interval_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="expected within"):
        rank_biased_overlap("a", "a", p=p)


def test_overlap_counts_what_both_beginnings_hold() -> None:
    assert overlap_at("abcd", "badc", 2) == 1.0
    assert overlap_at("abcd", "axyz", 2) == 0.5
    assert overlap_at("a", "ab", 2) == 0.5
    assert overlap_at("", "", 10) is None

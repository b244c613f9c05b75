"""Ranges of partitions."""

from rag_assets.partitions import BatchRange, merge_ranges

ORDER = ["a", "b", "c", "d", "e", "f"]


def test_nothing_wanted_gives_no_range() -> None:
    assert merge_ranges(ORDER, [], max_gap=1, max_wanted=10) == []


def test_neighbours_are_one_range() -> None:
    assert merge_ranges(ORDER, ["c", "b"], max_gap=0, max_wanted=10) == [BatchRange(start="b", end="c", wanted=2)]


def test_a_gap_within_bounds_is_run_over() -> None:
    assert merge_ranges(ORDER, ["a", "c"], max_gap=1, max_wanted=10) == [BatchRange(start="a", end="c", wanted=2)]


def test_a_wider_gap_divides() -> None:
    found = merge_ranges(ORDER, ["a", "d"], max_gap=1, max_wanted=10)

    assert found == [BatchRange(start="a", end="a", wanted=1), BatchRange(start="d", end="d", wanted=1)]


def test_a_gap_that_may_not_be_touched_divides() -> None:
    found = merge_ranges(ORDER, ["a", "c"], passable=["a", "c"], max_gap=5, max_wanted=10)

    assert [batch_range.start for batch_range in found] == ["a", "c"]


def test_a_range_ends_when_it_has_enough() -> None:
    found = merge_ranges(ORDER, ORDER, max_gap=5, max_wanted=4)

    assert found == [BatchRange(start="a", end="d", wanted=4), BatchRange(start="e", end="f", wanted=2)]


def test_keys_that_are_no_partition_are_left_out() -> None:
    assert merge_ranges(ORDER, ["z"], max_gap=1, max_wanted=10) == []

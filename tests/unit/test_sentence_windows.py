"""Windows of whole sentences around a span."""

import pytest

from rag_core.chunking import window_bounds

STARTS = [0, 10, 20, 30, 40]


@pytest.mark.parametrize(
    ("span", "before", "after", "window"),
    [
        ((20, 30), 0, 0, (20, 30)),
        ((20, 30), 1, 1, (10, 40)),
        ((20, 30), 2, 2, (0, 50)),
        ((20, 30), 9, 9, (0, 50)),
        ((20, 30), 0, 1, (20, 40)),
        ((20, 30), 1, 0, (10, 30)),
        ((24, 26), 0, 0, (20, 30)),
        ((15, 35), 0, 0, (10, 40)),
        ((0, 10), 2, 0, (0, 10)),
        ((40, 50), 0, 2, (40, 50)),
        ((0, 50), 0, 0, (0, 50)),
    ],
)
def test_a_window_is_whole_sentences_around_the_span(
    span: tuple[int, int], before: int, after: int, window: tuple[int, int]
) -> None:
    assert window_bounds(STARTS, 50, span, before=before, after=after) == window


@pytest.mark.parametrize(
    ("max_tokens", "window"),
    [
        (13, (0, 50)),
        (10, (0, 40)),
        (8, (10, 40)),
        (5, (10, 30)),
        (4, (20, 30)),
        (1, (20, 30)),
    ],
)
def test_a_window_has_as_many_sentences_on_either_side_as_fit(max_tokens: int, window: tuple[int, int]) -> None:
    assert window_bounds(STARTS, 50, (20, 30), before=2, after=2, max_tokens=max_tokens) == window


def test_a_window_leaves_out_the_rest_of_a_sentence_that_does_not_fit() -> None:
    assert window_bounds([0, 5_000], 5_100, (4_900, 5_040), before=2, after=2, max_tokens=50) == (4_900, 5_100)


def test_the_sentences_wanted_and_the_next_one_are_all_a_window_needs() -> None:
    assert window_bounds([10, 20, 30, 40], 32, (20, 30), before=1, after=1) == (10, 40)


def test_a_window_without_sentences_is_the_span() -> None:
    assert window_bounds([], 50, (3, 9), before=2, after=2) == (3, 9)

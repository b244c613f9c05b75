"""A function over items with several threads, in order."""

import time
from collections.abc import Iterator

import pytest

from rag_core.resilience.ordered import map_in_order


def test_results_come_in_the_order_of_the_items() -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.05 * (item == 0))
        return item

    assert list(map_in_order(slow_first, range(5), workers=3)) == [0, 1, 2, 3, 4]


def test_few_items_are_read_ahead() -> None:
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        for item in range(8):
            read += 1
            yield item

    ahead = [read - taken for taken, _ in enumerate(map_in_order(str, items(), workers=2))]

    assert read == len(ahead) == 8
    assert max(ahead) == 3


def test_an_exception_is_raised_in_its_place() -> None:
    results = map_in_order(lambda item: 1 // item, [1, 0, 1], workers=2)

    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)

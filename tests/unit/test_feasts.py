"""When feasts are, against a table of the church's calendar."""

from datetime import date

import pytest

from rag_core.query.feasts import easter_sunday


@pytest.mark.parametrize(
    "day",
    [
        *("1900-04-15", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23", "2008-03-23"),
        *("2011-04-24", "2016-03-27", "2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25", "2285-03-22"),
    ],
)
def test_easter_is_when_the_churches_of_the_west_keep_it(day: str) -> None:
    expected = date.fromisoformat(day)

    assert easter_sunday(expected.year) == expected

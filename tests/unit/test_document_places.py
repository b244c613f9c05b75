"""Where a passage stands in a document: page, block and box agree."""

import pytest

from rag_core.model.document import PagePlace, PlacedBlock, place_of
from rag_core.model.note import Span

BLOCKS = [
    PlacedBlock(index=0, start=0, end=10, page=1, box=(10, 10, 50, 20)),
    PlacedBlock(index=1, start=12, end=20, page=1, box=(20, 30, 90, 40)),
    PlacedBlock(index=2, start=22, end=30, page=1, box=None),
    PlacedBlock(index=3, start=32, end=40, page=2, box=(15, 5, 60, 9)),
]


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((2, 5), PagePlace(page=1, block=0, box=(10, 10, 50, 20))),
        ((9, 13), PagePlace(page=1, block=0, box=(10, 10, 90, 40))),
        ((24, 26), PagePlace(page=1, block=2)),
        ((15, 35), PagePlace(page=1, block=1, box=(20, 30, 90, 40))),
        ((32, 33), PagePlace(page=2, block=3, box=(15, 5, 60, 9))),
        ((30, 32), PagePlace(page=1)),
        ((40, 50), PagePlace(page=2)),
    ],
)
def test_a_passage_has_the_page_it_begins_on_and_the_box_of_its_blocks_there(span: Span, expected: PagePlace) -> None:
    assert place_of(BLOCKS, span) == expected


def test_a_page_that_is_given_is_kept_with_what_of_the_passage_stands_there() -> None:
    assert place_of(BLOCKS, (15, 35), page=2) == PagePlace(page=2, block=3, box=(15, 5, 60, 9))
    assert place_of(BLOCKS, (2, 5), page=2) == PagePlace(page=2)


def test_a_text_without_pages_has_no_place() -> None:
    assert place_of([], (2, 5)) == PagePlace()


def test_a_passage_before_the_first_block_is_on_its_page() -> None:
    assert place_of(BLOCKS[3:], (2, 5)) == PagePlace(page=2)

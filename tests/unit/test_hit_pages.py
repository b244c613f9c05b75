"""The page of a hit whose passage stands on several."""

import pytest

from rag_core.model.document import PlacedBlock
from rag_core.retrieval.hit_pages import page_of_hit

TEXT = "El huerto se riega los martes. Los tomates se siembran en marzo. Las patatas se guardan en el sótano."
PAGES = [
    PlacedBlock(index=page - 1, start=start, end=end, page=page, box=None)
    for page, (start, end) in enumerate([(0, 30), (31, 64), (65, len(TEXT))], 1)
]


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("¿Cuándo se riega el huerto?", 1),
        ("¿Cuándo siembro los tomates?", 2),
        ("¿Dónde guardamos las patatas?", 3),
        ("¿Quién vino ayer?", 1),
    ],
)
def test_it_is_the_one_that_says_what_was_asked(query: str, page: int) -> None:
    assert page_of_hit(PAGES, TEXT, (0, len(TEXT)), query=query, language="es") == page


def test_pages_beside_the_passage_do_not_count() -> None:
    passage = TEXT[31:64]

    assert page_of_hit(PAGES, passage, (31, 64), query="¿Cuándo se riega el huerto?", language="es") == 2


def test_without_pages_there_is_none() -> None:
    assert page_of_hit([], TEXT, (0, len(TEXT)), query="huerto", language="es") is None

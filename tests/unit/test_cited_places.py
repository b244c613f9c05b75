"""Places of cited sources: the page of what holds the first citation, in labels too, however many citations follow."""

from itertools import permutations, product

import pytest
from builders import make_citation, make_source

from rag_core.answering.events import SentenceReady
from rag_core.answering.rendering import render
from rag_core.answering.sources.places import in_order_of_citation, placed
from rag_core.model.answer import CheckedCitation, CheckedText, Source
from rag_core.model.document import PlacedBlock
from rag_core.wire.answers import sentence_text

BLOCKS = tuple(
    PlacedBlock(index=page - 1, start=10 * page - 10, end=10 * page, page=page, box=(0.0, 0.0, float(page), 1.0))
    for page in (1, 2)
)
SENTENCE = "Es steht dort [{number}]. "


def source(number: int, page: int) -> Source:
    return make_source(
        "x" * 20, number, title="Plan", page=page, block=page - 1, box=BLOCKS[page - 1].box, blocks=BLOCKS
    )


def citation(number: int, page: int | None, start: int = 0) -> CheckedCitation:
    """A citation in the sentence that begins at ``start``, held by a page."""
    mark = (start + 14, start + 17)
    evidence = None if page is None else (10 * page - 8, 10 * page - 2)
    return make_citation(number=number, mark=mark, claim=(start, start + 18), evidence=evidence)


@pytest.mark.parametrize(("pages", "page"), [([2], 2), ([2, 1], 2), ([None], 1), ([None, 2], 1), ([], 1)], ids=str)
def test_a_source_is_at_the_place_of_what_holds_its_first_citation(pages: list[int | None], page: int) -> None:
    (found,) = placed([source(1, page=1)], [citation(1, page) for page in pages])

    assert (found.page, found.block, found.box) == (page, page - 1, BLOCKS[page - 1].box)


def test_a_source_that_is_not_cited_stays_where_it_is() -> None:
    first, second = placed([source(1, page=1), source(2, page=1)], [citation(2, 2)])

    assert (first.page, second.page) == (1, 2)


def test_cited_sources_stand_before_others_in_the_order_of_the_text() -> None:
    sources = [source(number, page=1) for number in (1, 2, 3, 4)]

    ordered = in_order_of_citation(sources, [citation(3, 1), citation(1, 1), citation(3, 1)])

    assert [one.number for one in ordered] == [3, 1, 2, 4]


@pytest.mark.parametrize("numbers", [*permutations((1, 2, 3)), (2, 2, 1), (1, 2, 1)])
def test_marks_that_were_streamed_are_those_of_the_whole_answer(numbers: tuple[int, ...]) -> None:
    """Of each of 27 ways in which three citations are held, though the sources share a title and have pages alike."""
    sources = [source(1, page=1), source(2, page=2), source(3, page=1)]
    length = len(SENTENCE.format(number=1))

    for pages in product((1, 2, None), repeat=3):
        citations = [
            citation(number, page, at * length) for at, (number, page) in enumerate(zip(numbers, pages, strict=True))
        ]
        said = ""
        for at, number in enumerate(numbers):
            known = citations[: at + 1]
            sentence = SentenceReady(
                text=SENTENCE.format(number=number), start=at * length, citations=tuple(known[-1:])
            )
            said += sentence_text(sentence, in_order_of_citation(placed(sources, known), known), "german")
        text = "".join(SENTENCE.format(number=number) for number in numbers)
        checked = CheckedText(text=text, citations=tuple(citations), uncited=(), removed=0)

        whole = render(checked, in_order_of_citation(placed(sources, citations), citations), "german")

        assert said == whole.text

"""Plain text: the author's own, with its paragraphs as blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_files import blocks_of, parsed_text

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits


def test_blank_lines_part_paragraphs_and_the_text_stays_as_it_is() -> None:
    text = "\n  Título\n\nPrimera línea  \nsegunda línea \n \t\n\nFin.\n"

    document = parsed_text("a.txt", text)

    assert document.text == text
    assert blocks_of(document) == [
        ("paragraph", "Título"),
        ("paragraph", "Primera línea  \nsegunda línea"),
        ("paragraph", "Fin."),
    ]


def test_text_says_no_title() -> None:
    assert parsed_text("a.txt", "INFORME\n\nTodo bien.").title is None


def test_text_is_composed_and_its_line_ends_are_line_feeds() -> None:
    assert parsed_text("a.txt", "an\u0303o\r\nuno\rdos").text == "año\nuno\ndos"


@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_blank_text_is_refused(content: str) -> None:
    with pytest.raises(DocumentRefusedError, match="holds no text"):
        parsed_text("a.txt", content)


def test_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="more than 3 characters"):
        parsed_text("a.txt", "cuatro", ParsingLimits(max_characters=3))


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.just("\n"), min_size=1))
def test_blocks_hold_all_that_is_not_blank(text: str) -> None:
    try:
        document = parsed_text("a.txt", text)
    except DocumentRefusedError:
        assert not text.removeprefix("\ufeff").strip()
        return

    assert "".join("".join(written for _, written in blocks_of(document)).split()) == "".join(document.text.split())

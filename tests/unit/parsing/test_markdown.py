"""Markdown: blocks and tables are spans of the author's own text."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_files import blocks_of, likeness, parsed_text

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits
from rag_core.parsing.markdown import markdown_document

NOTE = """\
Informe *anual* de `ventas`
===========================

Un párrafo
en dos líneas.

- uno
  - dos

  sigue
- tres

1. paso

## Segundo ##

```python
x = 1

y = 2
```

    código

<div>
**html**
</div>

![gráfico](g.png)

***

Fin."""


def test_text_is_kept_and_blocks_are_found_in_it() -> None:
    document = parsed_text("a.md", NOTE)

    assert document.text == NOTE
    assert blocks_of(document) == [
        ("heading", "Informe *anual* de `ventas`\n==========================="),
        ("paragraph", "Un párrafo\nen dos líneas."),
        ("list", "- uno\n  - dos\n\n  sigue\n- tres"),
        ("list", "1. paso"),
        ("heading", "## Segundo ##"),
        ("code", "```python\nx = 1\n\ny = 2\n```"),
        ("code", "    código"),
        ("paragraph", "<div>\n**html**\n</div>"),
        ("image", "![gráfico](g.png)"),
        ("paragraph", "Fin."),
    ]


def test_text_is_composed_and_its_line_ends_are_line_feeds() -> None:
    assert parsed_text("a.md", "an\u0303o\r\nuno").text == "año\nuno"


def test_white_space_that_markdown_takes_for_text_is_no_block() -> None:
    assert blocks_of(parsed_text("a.md", "uno\n\n\x0b")) == [("paragraph", "uno")]


def test_headings_have_levels_and_the_first_is_the_title() -> None:
    document = parsed_text("a.md", NOTE)

    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2]
    assert document.title == "Informe anual de ventas"


def test_a_text_without_headings_has_no_title() -> None:
    assert parsed_text("a.md", "Hola.").title is None


def test_tables_have_cells_and_the_spans_of_their_rows() -> None:
    text = "Antes\n\n| a | |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |\n\nDespués"

    document = parsed_text("a.md", text)

    (table,) = document.tables
    assert blocks_of(document)[table.block][0] == "table"
    assert table.headers == ("a", "2")
    assert table.rows == (("1", "x|y"), ("2", ""))
    assert [document.text[start:end] for start, end in table.row_spans] == ["| 1 | x\\|y |", "| 2 |"]


def test_blocks_within_a_quotation_are_blocks() -> None:
    document = parsed_text("a.md", "> # Cita\n> uno\n>\n> | a |\n> |---|\n> | 1 |")

    assert [kind for kind, _ in blocks_of(document)] == ["heading", "paragraph", "table"]
    assert document.tables[0].rows == (("1",),)


def test_definitions_of_links_are_in_a_block() -> None:
    assert blocks_of(parsed_text("a.md", "Véase [web].\n\n[web]: http://example.com\n")) == [
        ("paragraph", "Véase [web]."),
        ("paragraph", "[web]: http://example.com"),
    ]


def test_very_deep_quotations_are_in_a_block() -> None:
    assert "hondo" in blocks_of(parsed_text("a.md", ">" * 500 + " hondo"))[-1][1]


def test_front_matter_is_left_to_the_caller() -> None:
    assert markdown_document("---\ntitle: x\n---\n", max_characters=99).text.startswith("---")


@pytest.mark.parametrize(("text", "limit", "problem"), [(" \n", 9, "holds no text"), ("# largo", 6, "more than 6")])
def test_blank_and_long_texts_are_refused(text: str, limit: int, problem: str) -> None:
    with pytest.raises(DocumentRefusedError, match=problem):
        parsed_text("a.md", text, ParsingLimits(max_characters=limit))


@given(st.text(st.sampled_from("ab1 \n\t#>-*`|=[]:\\<>_~\u2028\x0b"), min_size=1, max_size=200))
def test_blocks_follow_each_other_and_hold_every_word(text: str) -> None:
    try:
        document = parsed_text("a.md", text)
    except DocumentRefusedError:
        return

    places = [(block.start, block.end) for block in document.blocks]
    assert places == sorted(places)
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    outside = set(range(len(text))) - {place for start, end in places for place in range(start, end)}
    assert not any(text[place].isalnum() for place in outside)
    assert all(len(row) == len(table.headers) for table in document.tables for row in table.rows)


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
@pytest.mark.parametrize("name", ["nested.md", "wiki.md"])
def test_real_files_have_the_words_expected(name: str) -> None:
    assert likeness(Path(os.environ["BRAIN_TEST_DATA"]) / "documents", name) > 0.99

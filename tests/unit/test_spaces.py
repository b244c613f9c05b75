"""Long runs of spaces and rulers cost no more than their length, wherever Markdown is read."""

import pytest
from growth import MOST_GROWTH, growth

from rag_core.answering.quoting.markup import without_markup
from rag_core.api.pages.rendering import rendered_note
from rag_core.enrichment.structure import count_structure


@pytest.mark.parametrize("piece", [" ", "-", "| ", "-|", "> "])
def test_tables_are_counted_in_proportion(piece) -> None:
    assert growth(lambda text: count_structure(f"a | b\n{text}x"), piece, characters=20_000) < MOST_GROWTH


@pytest.mark.parametrize("piece", [" ", "-", "| ", "> "])
def test_marks_are_taken_out_in_proportion(piece) -> None:
    assert growth(lambda text: without_markup(f"a | b\n{text}x"), piece, characters=20_000) < MOST_GROWTH


@pytest.mark.parametrize("piece", [" ", "| ", "> "])
def test_a_marked_line_is_rendered_in_proportion(piece) -> None:
    def rendered(text: str) -> None:
        note = f"a{text}x"
        rendered_note(note, [(0, len(note))], (), links=(), anchor="aqui")

    assert growth(rendered, piece, characters=8_000) < MOST_GROWTH

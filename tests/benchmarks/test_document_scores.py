"""Likeness of a parsed document to what it should be."""

import io
import json
from pathlib import Path

import pytest
from pptx import Presentation

from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder

from .document_scores import (
    CellScore,
    expected_tables,
    found_tables,
    like_with_like,
    score_cells,
    similarity,
    unspaced,
    without_notes,
)
from .recognised_pages import missed_recognition

EXPECTED = {(0, 0): "a", (0, 1): "b", (1, 0): "c", (1, 1): "d"}


def test_marks_targets_and_comments_are_no_words() -> None:
    assert similarity(
        "# One *two* [three](http://x.y/z) &amp; <!-- image -->", "one\n\n| One | two |\n|---|---|\n- three"
    ) == (pytest.approx(2 * 3 / 7))


def likeness(found: str, expected: str) -> float:
    return similarity(like_with_like(found), like_with_like(expected))


@pytest.mark.parametrize(
    "found",
    [
        "a\n\n| n | kind | 3 |\n| --- | --- | --- |\n| 6 | one | x |\n|  | two | y |",
        "a\n\n| n | kind | kind |\n|-|-|-|\n| 6 | one two | x y |",
        "a\n\n| n | kind | 3 |\n| :-- | --: | - |\n| 6 | one | x |\n| 6 | two | y |",
    ],
    ids=["blank", "joined", "repeated"],
)
def test_conventions_of_tables_are_no_differences(found: str) -> None:
    expected = "a\n\n| n | kind | kind |\n| - | - | - |\n| 6 | one | x |\n| 6 | two | y |"

    assert likeness(found, expected) == 1
    assert likeness(expected, expected) == 1


@pytest.mark.parametrize(
    "row",
    ["| 1 | b |", "| a1 |  |", "| a1 | b | c |", "| b | a1 |", "| a1 b |  |\n| c | d |"],
    ids=["another", "lost", "added", "swapped", "moved"],
)
def test_faults_within_tables_are_differences(row: str) -> None:
    table = "before\n\n| x | y |\n| - | - |\n{}\n| d | e \\| f |\n\nafter"

    assert likeness(table.format(row), table.format("| a1 | b |")) < 1


def test_text_beside_tables_is_compared_in_its_order() -> None:
    assert likeness("one\ntwo two\n| three", "one\ntwo two\n| three") == 1
    assert likeness("one\ntwo\n| three", "one\ntwo two\n| three") == pytest.approx(2 * 3 / 7)


def test_speaker_notes_are_left_out_of_their_slide_alone() -> None:
    deck = Presentation()
    for text, note in [("first", "second"), ("second", "a note\nof two lines"), ("third", None)]:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "title"
        slide.shapes.add_textbox(0, 0, 100, 100).text_frame.text = text
        if note:
            slide.notes_slide.notes_text_frame.text = note
    data = io.BytesIO()
    deck.save(data)
    document = FORMATS.get("pptx").parse(SourceFile(name="a.pptx", data=data.getvalue()), ParsingLimits())

    text = without_notes(document, data.getvalue())

    assert text == "\n\n".join(f"## title\n\n{name}" for name in ("first", "second", "third"))


def test_spaces_may_be_disregarded() -> None:
    assert unspaced([{(0, 0): "a b", (0, 1): "c"}]) == [{(0, 0): "ab", (0, 1): "c"}]


def test_a_cell_is_right_at_its_place_alone() -> None:
    score = score_cells([{(0, 0): "a", (0, 1): "x", (1, 0): "d"}], [EXPECTED])

    assert score == CellScore(precision=1 / 3, recall=1 / 4, f1=2 / 7, f1_shifted=2 / 7)


def test_a_shifted_table_is_right_but_for_its_offset() -> None:
    shifted = {(row + 1, column): text for (row, column), text in EXPECTED.items()} | {(0, 0): "caption"}

    assert score_cells([shifted], [EXPECTED]) == CellScore(precision=0, recall=0, f1=0, f1_shifted=8 / 9)


def test_each_found_table_stands_for_one_expected_table() -> None:
    score = score_cells([{(0, 0): "other"}, EXPECTED], [EXPECTED, EXPECTED])

    assert score.recall == 1 / 2
    assert score.precision == 4 / 5


def test_no_found_table_scores_nothing() -> None:
    assert score_cells([], [EXPECTED]) == CellScore(precision=0, recall=0, f1=0, f1_shifted=0)


def test_numbers_that_stand_for_headers_are_no_cells() -> None:
    builder = DocumentBuilder(max_characters=1_000)
    builder.table([["a", "b"], ["c", "d"]], has_headers=False)
    builder.table([["", "b"], ["c", "d"]])

    assert found_tables(builder.build().tables) == [EXPECTED, {(0, 1): "b", (1, 0): "c", (1, 1): "d"}]


def test_tables_are_read_from_annotations_and_from_csv(tmp_path: Path) -> None:
    cells = [{"row": row, "col": column, "text": f" {text}\n"} for (row, column), text in EXPECTED.items()]
    annotation, lines = tmp_path / "a.json", tmp_path / "a.csv"
    annotation.write_text(json.dumps({"tables": [{"regions": [{"cells": cells}]}]}))
    lines.write_text("a,b\nc, d\n")

    assert expected_tables(annotation) == expected_tables(lines) == [EXPECTED]


def test_wrong_characters_above_one_in_a_hundred_are_missed_and_pages_nobody_recognised_are_not() -> None:
    assert list(missed_recognition({"wrong_share": 0.011}))
    assert not [*missed_recognition({"wrong_share": 0.01}), *missed_recognition({})]

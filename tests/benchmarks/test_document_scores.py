"""Likeness of a parsed document to what it should be."""

import json
from pathlib import Path

import pytest

from rag_core.parsing.building import DocumentBuilder

from .document_scores import CellScore, expected_tables, found_tables, score_cells, similarity

EXPECTED = {(0, 0): "a", (0, 1): "b", (1, 0): "c", (1, 1): "d"}


def test_marks_targets_and_comments_are_no_words() -> None:
    assert similarity(
        "# One *two* [three](http://x.y/z) &amp; <!-- image -->", "one\n\n| One | two |\n|---|---|\n- three"
    ) == (pytest.approx(2 * 3 / 7))


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

"""PDF: real files, read as their annotations say."""

import csv
import json
import os
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from pdfs import rows_of

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile

pytestmark = pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")


def parsed_file(name: str) -> ParsedDocument:
    data = (Path(os.environ["BRAIN_TEST_DATA"]) / "documents/files" / name).read_bytes()
    return FORMATS.get("pdf").parse(SourceFile(name=name, data=data), ParsingLimits())


def expected_file(name: str) -> str:
    return (Path(os.environ["BRAIN_TEST_DATA"]) / "documents/expected" / name).read_text(encoding="utf-8")


def without_spaces(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows to compare: some annotations leave out the spaces."""
    return [["".join(text.split()) for text in row] for row in rows]


@pytest.mark.parametrize("name", ["eu-003.pdf", "eu-015.pdf"])
def test_annotated_tables_are_read_cell_by_cell(name: str) -> None:
    tables = json.loads(expected_file(f"{name}.tables.json"))["tables"]
    cells = [[cell for region in table["regions"] for cell in region["cells"]] for table in tables]
    expected = [{(cell["row"], cell["col"]): "".join(cell["text"].split()) for cell in table} for table in cells]

    found = [without_spaces(rows_of(table)) for table in parsed_file(name).tables]

    assert [
        {(at, place): text for at, row in enumerate(rows) for place, text in enumerate(row) if text} for rows in found
    ] == expected


def test_rows_of_a_vote_are_read() -> None:
    expected = list(csv.reader(expected_file("argentina_diputados_voting_record.pdf.csv").splitlines()))

    *_, table = parsed_file("argentina_diputados_voting_record.pdf").tables

    assert [list(row) for row in table.rows] == [[text.strip() for text in row] for row in expected]


def test_spanning_rows_are_read() -> None:
    expected = list(csv.reader(expected_file("spanning_cells.pdf.csv").splitlines()))

    tables = parsed_file("spanning_cells.pdf").tables

    assert [row for table in tables for row in rows_of(table)] == expected
    assert all((table.caption or "").startswith("Table A4-1") for table in tables)


def test_pages_of_prose_are_read_in_order() -> None:
    sources = parsed_file("multi_page.pdf").text, expected_file("multi_page.pdf.expected.md")

    words, expected = (re.findall(r"\w+", source) for source in sources)

    assert SequenceMatcher(None, words, expected, autojunk=False).ratio() > 0.99

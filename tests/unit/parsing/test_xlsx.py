"""Workbooks: a sheet a page, tables where cells lie together."""

import os
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import BILLION_LAUGHS, changed, missing_words, parsed, saved
from openpyxl import Workbook

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.sheets import SheetCell, write_sheet

SHEET = "xl/worksheets/sheet1.xml"


def parsed_cells(cells: dict[str, Any], *, merged: Sequence[str] = ()) -> ParsedDocument:
    """A workbook with one sheet named Hoja."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Hoja"
    for place, value in cells.items():
        sheet[place] = value
    for area in merged:
        sheet.merge_cells(area)
    return parsed("libro.xlsx", saved(book))


def tables(document: ParsedDocument) -> list[list[tuple[str, ...]]]:
    return [[table.headers, *table.rows] for table in document.tables]


def rows(*texts: str, start: int = 1, columns: str = "ABCDEFGH") -> dict[str, str]:
    """Cells from rows in which a bar parts the texts; a blank text leaves a cell out."""
    return {
        f"{column}{number}": text
        for number, row in enumerate(texts, start)
        for column, text in zip(columns, row.split("|"), strict=False)
        if text
    }


def test_each_sheet_is_a_page_with_its_name() -> None:
    book = Workbook()
    book.active.title = "Ventas"
    book.active.append(["mes", "euros"])
    book.active.append(["enero", 5])
    book.create_sheet("Vacía")
    book.create_sheet("Gastos").append(["nada"])

    document = parsed("libro.xlsx", saved(book))

    assert document.text == "## Ventas\n\n| mes | euros |\n| --- | --- |\n| enero | 5 |\n\n## Gastos\n\nnada"
    assert [block.page for block in document.blocks] == [1, 1, 3, 3]
    assert (document.pages, document.page_unit) == (3, "sheet")


@pytest.mark.parametrize(("state", "warned"), [("hidden", [2]), ("veryHidden", [2]), ("visible", [])])
def test_hidden_sheets_are_taken_with_a_warning(state: str, warned: list[int]) -> None:
    book = Workbook()
    book.create_sheet("Oculta").append(["dato"])
    book["Oculta"].sheet_state = state

    document = parsed("libro.xlsx", saved(book))

    assert "## Oculta" in document.text
    assert [warning.page for warning in document.warnings if warning.kind == "hidden"] == warned


@pytest.mark.parametrize(
    ("rows", "columns", "warned"),
    [([2], [], [1]), ([], ["B"], [1]), ([1, 2], ["A"], [1]), ([3], ["C"], []), ([], [], [])],
)
def test_text_of_hidden_rows_and_columns_is_taken_with_one_warning(
    rows: list[int], columns: list[str], warned: list[int]
) -> None:
    book = Workbook()
    book.active.append(["mes", "euros"])
    book.active.append(["enero", 5])
    book.active.cell(3, 3).value = ""
    for number in rows:
        book.active.row_dimensions[number].hidden = True
    for letter in columns:
        book.active.column_dimensions[letter].hidden = True

    document = parsed("libro.xlsx", saved(book))

    assert document.tables[0].rows == (("enero", "5"),)
    assert [warning.page for warning in document.warnings if warning.kind == "hidden"] == warned


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.1 + 0.2, "General", "0.3"),
        (5.0, "General", "5"),
        (1234.5, "#,##0.00 €", "1234.5"),
        (0.125, "0.0%", "12.5%"),
        (1, "0%", "100%"),
        (34944123456, "General", "34944123456"),
        (1e300, "General", "1e+300"),
        (True, "General", "TRUE"),
        (datetime(2024, 5, 6, tzinfo=None), "dd/mm/yyyy", "2024-05-06"),  # noqa: DTZ001  Excel knows no time zone
        (datetime(2024, 5, 6, 7, 8, tzinfo=None), "dd/mm/yyyy hh:mm", "2024-05-06 07:08:00"),  # noqa: DTZ001
        (datetime(2024, 5, 6, tzinfo=None), "yyyy\\-mm\\-dd\\ h:mm:ss", "2024-05-06 00:00:00"),  # noqa: DTZ001
        (datetime(2024, 5, 6, tzinfo=None), '[$-sah]d "th" mmmm\\h', "2024-05-06"),  # noqa: DTZ001
        (date(2024, 5, 6), "dd/mm/yyyy", "2024-05-06"),
        (time(7, 8), "hh:mm", "07:08:00"),
        ("#N/A", "General", "#N/A"),
        ("1.10", "@", "1.10"),
    ],
)
def test_values_are_shown_without_noise(value: object, number_format: str, text: str) -> None:
    book = Workbook()
    book.active["A1"] = value
    book.active["A1"].number_format = number_format

    assert parsed("libro.xlsx", saved(book)).text == f"## Sheet\n\n{text}"


def test_formulas_have_the_value_last_computed() -> None:
    book = Workbook()
    book.active["A1"] = "=1+1"
    computed = {SHEET: lambda xml: re.sub(rb"<v ?/>|<v></v>", b"<v>2</v>", xml)}

    assert parsed("libro.xlsx", changed(saved(book), computed)).text.endswith("\n\n2")


def test_blank_rows_and_columns_part_tables() -> None:
    cells = rows("a|b||x|y", "1|2||7|8", "", "c|d", "3|4")

    document = parsed_cells(cells)

    assert tables(document) == [[("a", "b"), ("1", "2")], [("x", "y"), ("7", "8")], [("c", "d"), ("3", "4")]]


@pytest.mark.parametrize("texts", [("a|b", "1|2", "||c|d", "||3|4"), ("||a|b", "||1|2", "c|d", "3|4")])
def test_tables_that_touch_at_no_side_are_parted(texts: tuple[str, ...]) -> None:
    document = parsed_cells(rows(*texts))

    assert tables(document) == [[("a", "b"), ("1", "2")], [("c", "d"), ("3", "4")]]


def test_a_table_may_have_blank_cells() -> None:
    document = parsed_cells(rows("|b|c", "x||1", "y|2|"))

    assert tables(document) == [[("1", "b", "c"), ("x", "", "1"), ("y", "2", "")]]


@pytest.mark.parametrize("texts", [("Patos", "año|n", "2024|7"), ("Patos", "", "año|n", "2024|7")])
def test_a_title_above_a_table_is_its_caption(texts: tuple[str, ...]) -> None:
    document = parsed_cells(rows(*texts))

    assert document.text.startswith("## Hoja\n\nPatos\n\n| año | n |")
    assert document.tables[0].caption == "Patos"


def test_a_header_without_its_first_cell_is_no_title() -> None:
    document = parsed_cells(rows("|euros", "pan|2", "sal|1"))

    assert tables(document) == [[("1", "euros"), ("pan", "2"), ("sal", "1")]]


def test_a_line_further_up_is_no_caption() -> None:
    document = parsed_cells(rows("Patos", "año|n", "2024|7", "", "mes|m", "mayo|8"))

    assert [table.caption for table in document.tables] == ["Patos", None]


def test_a_single_row_is_a_line_of_text() -> None:
    assert parsed_cells(rows("Total|500")).text == "## Hoja\n\nTotal | 500"


def test_a_column_of_values_is_a_table() -> None:
    assert tables(parsed_cells(rows("nombre", "Ana", "Luis"))) == [[("nombre",), ("Ana",), ("Luis",)]]


def test_merged_cells_part_nothing_and_have_their_text_once() -> None:
    cells = rows("concepto||euros", "pan||1", "sal||2")

    document = parsed_cells(cells, merged=["A1:B1", "A2:B2", "A3:B3"])

    assert tables(document) == [[("concepto", "euros"), ("pan", "1"), ("sal", "2")]]


def test_without_merged_cells_a_blank_column_parts() -> None:
    assert len(parsed_cells(rows("concepto||euros", "pan||1", "sal||2")).tables) == 2


def test_bars_and_line_breaks_in_cells_keep_the_table_whole() -> None:
    document = parsed_cells({"A1": "a|b", "B1": "c\nd", "A2": "1", "B2": "2"})

    assert document.text.endswith("| a\\|b | c d |\n| --- | --- |\n| 1 | 2 |")


def test_stated_dimensions_are_not_believed() -> None:
    book = Workbook()
    book.active.append(["a", "b"])
    book.active.append(["1", "2"])
    data = changed(saved(book), {SHEET: lambda xml: xml.replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"')})
    started = monotonic()

    document = parsed("libro.xlsx", data)

    assert tables(document) == [[("a", "b"), ("1", "2")]]
    assert monotonic() - started < 5


def test_a_row_number_beyond_all_sheets_ends_the_sheet() -> None:
    book = Workbook()
    book.active.append(["a"])
    row = b'<row r="2000000000"><c r="A2000000000" t="inlineStr"><is><t>z</t></is></c></row></sheetData>'
    data = changed(saved(book), {SHEET: lambda xml: xml.replace(b"</sheetData>", row)})

    assert parsed("libro.xlsx", data).text == "## Sheet\n\na"


def test_a_sparse_sheet_that_would_be_huge_as_a_table_is_refused() -> None:
    book = Workbook()
    for place in range(1, 700):
        book.active.cell(place, 1, "x")
        book.active.cell(1, place, "x")

    with pytest.raises(DocumentRefusedError, match="more than 1,000,000 characters"):
        parsed("libro.xlsx", saved(book))


def test_text_beyond_the_limit_is_refused() -> None:
    book = Workbook()
    book.active.append(["x" * 11])

    with pytest.raises(DocumentRefusedError, match="more than 10 characters"):
        parsed("libro.xlsx", saved(book), ParsingLimits(max_characters=10))


def test_areas_within_areas_end() -> None:
    cells = [
        cell
        for place in range(1, 2_400, 2)
        for cell in (
            SheetCell("a", place, place, place, 9_000),
            SheetCell("b", place + 2, place, 9_000, place),
        )
    ]
    builder = DocumentBuilder(max_characters=100_000_000)

    write_sheet(builder, "Hoja", cells, page=1, max_characters=100_000_000)

    assert builder.build().text.count("a") == 1_200 + 1


def test_cells_that_cascade_are_read() -> None:
    book = Workbook()
    for step in range(1, 300, 2):
        book.active.cell(step, 600 - step, "a")
        book.active.cell(600 - step, step, "b")

    document = parsed("libro.xlsx", saved(book))

    assert (document.text.count("a"), document.text.count("b")) == (150, 150)


def test_too_many_sheets_are_refused() -> None:
    book = Workbook()
    book.create_sheet()

    with pytest.raises(DocumentRefusedError, match="2 sheets, and 1 are allowed"):
        parsed("libro.xlsx", saved(book), ParsingLimits(max_pages=1))


def test_the_properties_are_read() -> None:
    book = Workbook()
    book.active.append(["a"])
    book.properties.title, book.properties.creator = "El libro", "Ana"
    book.properties.created = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC).replace(tzinfo=None)

    document = parsed("libro.xlsx", saved(book))

    assert (document.title, document.author) == ("El libro", "Ana")
    assert document.created_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_a_program_is_no_author() -> None:
    book = Workbook()
    book.active.append(["a"])

    assert book.properties.creator == "openpyxl"
    assert parsed("libro.xlsx", saved(book)).author is None


def test_macros_are_left_out_with_a_warning() -> None:
    book = Workbook()
    book.active.append(["a"])

    document = parsed("libro.xlsm", changed(saved(book), {"xl/vbaProject.bin": lambda _: b"\xd0\xcf\x11\xe0"}))

    assert [warning.kind for warning in document.warnings] == ["left_out"]


def test_formulas_that_were_never_computed_are_told() -> None:
    book = Workbook()
    book.active.append(["precio", "doble"])
    book.active.append([2, "=A2*2"])

    document = parsed("libro.xlsx", saved(book))

    assert [(warning.kind, warning.page) for warning in document.warnings] == [("left_out", 1)]
    assert document.warnings[0].message.startswith("1 formulas have no stored result")


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/sharedStrings.xml"])
def test_entities_are_refused(part: str) -> None:
    book = Workbook()
    book.active.append(["a"])

    with pytest.raises(DocumentRefusedError, match="document type"):
        parsed("libro.xlsx", changed(saved(book), {part: lambda _: BILLION_LAUGHS}))


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/styles.xml", "[Content_Types].xml"])
def test_a_broken_part_is_refused(part: str) -> None:
    book = Workbook()
    book.active.append(["a"])

    with pytest.raises(DocumentRefusedError, match="not as its format demands"):
        parsed("libro.xlsx", changed(saved(book), {part: lambda xml: xml[:-10]}))


places = st.tuples(st.integers(1, 12), st.integers(1, 12))


@given(st.dictionaries(places, st.from_regex(r"[a-z]{1,3}", fullmatch=True), min_size=1, max_size=30))
def test_no_cell_is_lost_or_repeated(cells: dict[tuple[int, int], str]) -> None:
    book = Workbook()
    for (row, column), text in cells.items():
        book.active.cell(row, column, text)

    text = parsed("libro.xlsx", saved(book)).text.partition("\n\n")[2]

    written = [word for word in text.replace("|", " ").split() if word.isalpha()]
    assert sorted(written) == sorted(cells.values())


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
@pytest.mark.parametrize(
    "name", ["xlsx_02_sample_sales_data.xlsm", "xlsx_05_table_with_title.xlsx", "xlsx_06_edge_cases_.xlsx"]
)
def test_real_workbooks_have_the_words_expected(name: str) -> None:
    assert missing_words(name) - {"00"} == set()

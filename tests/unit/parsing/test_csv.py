"""Tables in text files, whatever parts their cells."""

import csv
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_files import blocks_of, likeness, parsed_text

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import DocumentTable
from rag_core.parsing import ParsingLimits


def table_of(content: str) -> DocumentTable:
    document = parsed_text("a.csv", content)
    assert [kind for kind, _ in blocks_of(document)] == ["table"]
    return document.tables[0]


@pytest.mark.parametrize(
    "content",
    [
        "nombre;importe;nota\nPérez, Juan;1.234,50 €;x\nDíaz, Ana;2,5;y\n",
        "nombre\timporte\tnota\nPérez, Juan\t1.234,50 €\tx\nDíaz, Ana\t2,5\ty\n",
        "nombre|importe|nota\nPérez, Juan|1.234,50 €|x\nDíaz, Ana|2,5|y\n",
        'nombre,importe,nota\n"Pérez, Juan","1.234,50 €",x\n"Díaz, Ana","2,5",y\n',
        'nombre, importe, nota\n"Pérez, Juan", "1.234,50 €", x\n"Díaz, Ana", "2,5", y\n',
        "sep=;\nnombre;importe;nota\nPérez, Juan;1.234,50 €;x\nDíaz, Ana;2,5;y\n",
    ],
)
def test_the_delimiter_is_found(content: str) -> None:
    table = table_of(content)

    assert table.headers == ("nombre", "importe", "nota")
    assert table.rows == (("Pérez, Juan", "1.234,50 €", "x"), ("Díaz, Ana", "2,5", "y"))


def test_decimal_commas_do_not_part_cells() -> None:
    assert table_of("1,5;2,3\n1,6;2,4\n").rows == (("1,5", "2,3"), ("1,6", "2,4"))


def test_commas_of_prose_in_one_column_do_not_part_cells() -> None:
    assert table_of("texto\nHola, qué tal, bien\nSí; no\n").rows == (("Hola, qué tal, bien",), ("Sí; no",))


def test_quoted_line_breaks_stay_within_their_cell() -> None:
    assert table_of('a,b\n"uno\n\ndos","dice ""sí"""\n').rows == (("uno dos", 'dice "sí"'),)


def test_a_stray_quotation_mark_takes_in_no_further_rows() -> None:
    assert table_of('id,nota\n1,"suelta\n2,bien\n').rows == (("1", '"suelta'), ("2", "bien"))


def test_quotation_marks_within_quoted_cells_are_borne() -> None:
    assert table_of('id,nota\n1,"Juan "el rápido" Paz"\n2,"a, b"\n').rows[1] == ("2", "a, b")


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("País;2019;2020", True),
        (";2019;2020", True),
        ("1;2;3", False),
        ("a;b;b", False),
        ("a;;c", False),
        ("a;b;juan@example.com", False),
    ],
)
def test_the_first_row_names_the_columns_if_it_looks_like_names(first: str, is_header: bool) -> None:
    table = table_of(f"{first}\nEspaña;1,5;2,5\n")

    assert (len(table.rows) == 1) == is_header
    assert table.headers[1:] == (tuple(first.split(";")[1:]) if is_header else ("2", "3"))


def test_lines_above_the_table_are_paragraphs() -> None:
    document = parsed_text("a.csv", "Extracto de 2024;;\n\nFecha;Concepto;Importe\n01/02/2024;Pago;1,00\n")

    assert blocks_of(document)[0] == ("paragraph", "Extracto de 2024")
    assert document.tables[0].headers == ("Fecha", "Concepto", "Importe")


def test_rows_are_as_long_as_the_longest_and_have_their_spans() -> None:
    document = parsed_text("a.csv", "a,b,c\n1,2\n3,x|y,5,6\n")

    (table,) = document.tables
    assert table.rows == (("1", "2", "", ""), ("3", "x|y", "5", "6"))
    assert [document.text[start:end] for start, end in table.row_spans] == ["| 1 | 2 |  |  |", "| 3 | x\\|y | 5 | 6 |"]


@pytest.mark.parametrize(
    ("content", "limit", "problem"),
    [
        ("", 99, "holds no text"),
        (",\n" * 50, 99, "more than 99 characters"),
        ("a,b\n1,2\n", 5, "more than 5 characters"),
        pytest.param("x" * 140_000, 200_000, "more than 131,072", id="cell"),
        pytest.param("a,b\n" * 20 + "x," * 100, 1_000, "more than 1,000", id="short rows"),
    ],
)
def test_blank_and_large_files_are_refused(content: str, limit: int, problem: str) -> None:
    with pytest.raises(DocumentRefusedError, match=problem):
        parsed_text("a.csv", content, ParsingLimits(max_characters=limit))


def test_rows_of_one_cell_are_a_list_and_no_paragraphs() -> None:
    document = parsed_text("a.csv", "persona 1,,\npersona 2,,\npersona 3,,\n")

    assert [block.kind for block in document.blocks] == ["table"]
    assert [row[0] for row in document.tables[0].rows] == ["persona 1", "persona 2", "persona 3"]


CELL = st.text(st.sampled_from("abñ ,;|\"'\n"), max_size=8).map(lambda text: f"c{text}")


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=2, max_size=6), st.sampled_from(",;\t|"))
def test_what_a_library_writes_with_all_cells_quoted_is_read_back(rows: list[tuple[str, ...]], delimiter: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([("uno", "dos", "tres"), *rows])

    table = table_of(file.getvalue())

    assert table.headers == ("uno", "dos", "tres")
    assert table.rows == tuple(tuple(" ".join(cell.split()) for cell in row) for row in rows)


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_a_real_file_has_the_cells_expected() -> None:
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "documents"
    lines = (folder / "files" / "csv-semicolon.csv").read_text(encoding="utf-8").splitlines()

    (table,) = parsed_text("a.csv", "\n".join(lines)).tables

    assert [table.headers, *table.rows] == [tuple(row) for row in csv.reader(lines, delimiter=";")]
    assert likeness(folder, "csv-semicolon.csv") == 1

"""PDF: tables with and without rules, cells over several rows or columns, tables over pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdfs import PdfFile, parsed, rows_of, texts, width, wrapped

from rag_core.parsing.pages import alignment, drawing, grids

ROWS = [
    ["Producto", "Cantidad", "Precio"],
    ["Aceite de oliva", "12", "3,50 €"],
    ["Jamón ibérico", "4", "25,00 €"],
    ["Vino tinto", "120", "8,90 €"],
]
WIDTHS = [150, 100, 90]


@pytest.fixture
def file() -> PdfFile:
    file = PdfFile()
    file.page()
    return file


def only_table(file: PdfFile) -> list[list[str]]:
    (table,) = parsed(file).tables
    return rows_of(table)


@pytest.mark.parametrize("is_ruled", [True, False])
def test_cells_are_where_they_stand(file: PdfFile, is_ruled: bool) -> None:
    file.table(72, 100, ROWS, WIDTHS, is_ruled=is_ruled)

    assert only_table(file) == ROWS


@pytest.mark.parametrize("is_ruled", [True, False])
def test_cells_of_a_table_are_in_no_paragraph(file: PdfFile, is_ruled: bool) -> None:
    file.text(72, 60, "Ventas del año pasado en miles de euros.")
    y = file.table(72, 100, ROWS, WIDTHS, is_ruled=is_ruled)
    file.text(72, y + 30, "Las cifras son provisionales.")

    document = parsed(file)

    before, table, after = texts(document)
    assert (before, after) == ("Ventas del año pasado en miles de euros.", "Las cifras son provisionales.")
    assert table.startswith("| Producto | Cantidad | Precio |")
    assert document.tables[0].block == 1


def test_box_of_a_table_is_that_of_its_rules(file: PdfFile) -> None:
    file.table(72, 100, ROWS, WIDTHS)

    assert parsed(file).blocks[0].box == pytest.approx((72, 100, 412, 172), abs=1)


@pytest.mark.parametrize("missing", ["left", "right", "top", "bottom"])
def test_table_may_lack_an_outer_rule(file: PdfFile, missing: str) -> None:
    file.table(72, 100, ROWS, WIDTHS)
    rules = {"left": "72 742 m 72 670 l S", "right": "412 742 m 412 670 l S", "top": "72 742 m 412 742 l S"}
    rule = {**rules, "bottom": "72 670 m 412 670 l S"}[missing]
    assert rule in file.pages[0]
    file.pages[0].remove(rule)

    assert only_table(file) == ROWS


def test_rules_may_be_thin_rectangles(file: PdfFile) -> None:
    file.table(72, 100, ROWS, WIDTHS, is_ruled=False)
    for y in range(100, 173, 18):
        file.pages[0].append(f"72 {842 - y} 340 0.5 re f")
    for x in (72, 222, 322, 412):
        file.pages[0].append(f"{x} 670 0.5 72 re f")

    assert parsed(file).blocks[0].box == pytest.approx((72, 100, 412, 172), abs=1)


def test_text_of_a_cell_over_columns_or_rows_is_in_the_first(file: PdfFile) -> None:
    rows = [
        ["Región", "Ventas", "", "Nota"],
        ["", "2022", "2023", ""],
        ["Norte", "10", "12", "a"],
        ["Sur", "9", "8", "b"],
    ]
    file.table(72, 100, rows, [80, 80, 80, 80])
    for rule in ("72 724 m 392 724 l S", "232 742 m 232 670 l S"):
        file.pages[0].remove(rule)
    file.rule(152, 118, 312, 118)
    file.rule(232, 118, 232, 172)

    assert only_table(file) == rows


def test_rows_of_figures_need_no_rules_between(file: PdfFile) -> None:
    file.table(72, 100, ROWS, WIDTHS)
    for y in (136, 154):
        file.pages[0].remove(f"72 {842 - y} m 412 {842 - y} l S")

    assert only_table(file) == ROWS


def test_lines_of_a_ruled_cell_are_one_text(file: PdfFile) -> None:
    file.table(72, 100, [["Concepto", "Importe"], ["", "12"], ["", ""]], [90, 60])
    file.lines(76, 130, ["Transporte y mon-", "taje en el domicilio"], size=8)
    file.pages[0].remove("72 706 m 222 706 l S")

    assert only_table(file) == [["Concepto", "Importe"], ["Transporte y montaje en el domicilio", "12"]]


def test_lines_of_a_cell_without_rules_are_one_text(file: PdfFile) -> None:
    y = 100
    for product, count, note in (
        ("Producto", "Cantidad", "Nota"),
        ("Aceite", "12", "Se entrega a los quince días"),
        ("Vino", "7", ""),
    ):
        lines = wrapped(note, 80)
        file.text(72, y, product)
        file.text(160, y, count)
        file.lines(240, y, lines)
        y += 12 * max(len(lines), 1) + 6

    assert only_table(file)[1:] == [["Aceite", "12", "Se entrega a los quince días"], ["Vino", "7", ""]]


def test_columns_without_rules_may_be_aligned_to_the_right(file: PdfFile) -> None:
    for place, row in enumerate(ROWS):
        file.text(72, 100 + 15 * place, row[0])
        for right, text in ((260, row[1]), (330, row[2])):
            file.text(right - width(text), 100 + 15 * place, text)

    assert only_table(file) == ROWS


@pytest.mark.parametrize("is_ruled", [True, False])
def test_turned_headers_are_read(file: PdfFile, is_ruled: bool) -> None:
    body = [["Aceite", "12", "3,50"], ["Jamón", "4", "25,00"], ["Vino", "120", "8,90"]]
    for place, header in enumerate(("Producto", "Cantidad pedida", "Precio")):
        file.text(102 + 60 * place, 178, header, degrees=90)
    for at, row in enumerate(body):
        for place, text in enumerate(row):
            file.text(76 + 60 * place, 195 + 18 * at, text)
    if is_ruled:
        for y in (90, 182, 200, 218, 236):
            file.rule(72, y, 252, y)
        for x in (72, 132, 192, 252):
            file.rule(x, 90, x, 236)

    assert only_table(file) == [["Producto", "Cantidad pedida", "Precio"], *body]


def test_tables_side_by_side_are_two(file: PdfFile) -> None:
    file.table(50, 100, ROWS, [100, 60, 60])
    file.table(310, 100, ROWS, [100, 60, 60])

    assert [rows_of(table) for table in parsed(file).tables] == [ROWS, ROWS]


@pytest.mark.parametrize("caption", ["Tabla 3. Ventas", "Table A4-12. Sales", "Tabelle 2: Umsatz", "Cuadro IV. Ventas"])
def test_line_above_may_be_the_caption(file: PdfFile, caption: str) -> None:
    file.text(72, 80, caption, bold=True)
    file.table(72, 100, ROWS, WIDTHS)

    document = parsed(file)

    assert document.tables[0].caption == caption
    assert texts(document)[0] == caption


def test_other_line_above_is_no_caption(file: PdfFile) -> None:
    file.text(72, 80, "Tablas de madera")
    file.table(72, 100, ROWS, WIDTHS)

    assert parsed(file).tables[0].caption is None


@pytest.mark.parametrize("is_ruled", [True, False])
@pytest.mark.parametrize("is_repeated", [True, False])
def test_table_over_pages_is_one(is_repeated: bool, is_ruled: bool) -> None:
    file = PdfFile()
    header = ROWS[0]
    bodies = [[[f"{city} {row}", str(row), "1,00 €"] for row in range(5)] for city in ("Bilbao", "Soria", "Cuenca")]
    for page, body in enumerate(bodies):
        file.page()
        file.table(72, 60, [header, *body] if page == 0 or is_repeated else body, WIDTHS, is_ruled=is_ruled)

    document = parsed(file)

    (table,) = document.tables
    assert rows_of(table) == [header, *(row for body in bodies for row in body)]
    assert [block.page for block in document.blocks] == [1, 2, 3]
    assert [document.text[block.start : block.end] for block in document.blocks[1:]] == [
        "\n".join(f"| {' | '.join(row)} |" for row in body) for body in bodies[1:]
    ]


def test_header_of_two_rows_is_dropped_from_the_next_page(file: PdfFile) -> None:
    header = [["", "Ventas", ""], ["Ciudad", "2022", "2023"]]
    file.table(72, 60, [*header, ["Bilbao", "1", "2"]], WIDTHS)
    file.page()
    file.table(72, 60, [*header, ["Bilbao", "1", "2"]], WIDTHS)

    assert only_table(file) == [*header, ["Bilbao", "1", "2"], ["Bilbao", "1", "2"]]


def test_other_table_on_the_next_page_is_its_own(file: PdfFile) -> None:
    file.table(72, 100, ROWS, WIDTHS)
    file.page()
    other = [["Ciudad", "Habitantes", "Año"], ["Bilbao", "345", "2020"]]
    file.table(72, 60, other, WIDTHS)

    assert [rows_of(table) for table in parsed(file).tables] == [ROWS, other]


def test_frame_around_text_is_no_table(file: PdfFile) -> None:
    for y in (90, 150):
        file.rule(60, y, 500, y)
    for x in (60, 500):
        file.rule(x, 90, x, 150)
    file.text(72, 110, "Aviso: la oficina cierra en agosto.")

    document = parsed(file)

    assert (texts(document), document.tables) == (["Aviso: la oficina cierra en agosto."], ())


def test_drawing_of_many_lines_is_no_table(file: PdfFile) -> None:
    file.text(72, 110, "Plano de la planta baja.")
    for place in range(1_100):
        file.rule(72 + place * 0.4, 200, 72 + place * 0.4, 500)
        file.rule(72, 200 + place * 0.3, 500, 200 + place * 0.3)
    file.rule(72, 200, 72, 100)

    assert texts(parsed(file)) == ["Plano de la planta baja."]


@pytest.mark.parametrize(
    ("module", "bound", "is_ruled"),
    [
        (drawing, "MAX_OBJECTS", True),
        (grids, "MAX_RULES", True),
        (grids, "MAX_CELLS", True),
        (alignment, "MAX_ROWS", False),
    ],
)
def test_beyond_the_bounds_there_is_no_table(
    file: PdfFile, monkeypatch: pytest.MonkeyPatch, module: object, bound: str, is_ruled: bool
) -> None:
    file.table(
        72, 100, [["a", "b"], ["c", "d"]] if is_ruled else ROWS, WIDTHS[:2] if is_ruled else WIDTHS, is_ruled=is_ruled
    )
    monkeypatch.setattr(module, bound, 3)

    assert parsed(file).tables == ()


def test_bullet_belongs_to_the_first_cell(file: PdfFile) -> None:
    for place, (product, count) in enumerate((("Aceite", "12"), ("Jamón", "4"), ("Vino", "120"))):
        for x, text in ((72, "•"), (86, product), (200, count)):
            file.text(x, 100 + 14 * place, text)

    assert only_table(file) == [["• Aceite", "12"], ["• Jamón", "4"], ["• Vino", "120"]]


def test_text_with_wide_spaces_is_no_table(file: PdfFile) -> None:
    left, right = "en la villa de la corte y", "de cuyo nombre no me acuerdo vivía un hidalgo"
    for place in range(4):
        file.text(72, 100 + 12 * place, left)
        file.text(72 + width(left) + 6.5, 100 + 12 * place, right)

    assert parsed(file).tables == ()


def test_text_in_a_typewriters_font_is_no_table(file: PdfFile) -> None:
    for place, line in enumerate(("let one be nil", "let two be nil", "let six be one", "let ten be two")):
        file.text(72, 100 + 12 * place, line, font="M")

    assert parsed(file).tables == ()


def test_number_of_a_heading_is_no_cell(file: PdfFile) -> None:
    file.text(76, 95, "4.1", size=14)
    file.text(226, 95, "Resultados", size=14)
    file.table(72, 100, ROWS, WIDTHS, is_ruled=False)
    file.text(72, 250, "Las cifras son provisionales.")

    document = parsed(file)

    assert texts(document)[0] == "# 4.1 Resultados"
    assert [rows_of(table) for table in document.tables] == [ROWS]


def test_form_is_no_table(file: PdfFile) -> None:
    for place, name in enumerate(("Ana Núñez", "José Ibáñez", "Íñigo Peña")):
        file.text(72, 100 + 40 * place, f"Nombre: {name}")
        file.text(300, 100 + 40 * place, f"Fecha: {place + 1}/3/2024")
        file.text(72, 120 + 40 * place, "Domicilio: Avenida del Mar 3, Málaga, segundo piso")

    assert parsed(file).tables == ()


def test_bold_lines_of_a_header_are_one_row(file: PdfFile) -> None:
    for y, row, bold in (
        (100, ("Precio", "Fecha"), True),
        (112, ("unitario", "de entrega"), True),
        (130, ("3,50 €", "enero"), False),
        (148, ("8,90 €", "marzo"), False),
    ):
        for x, text in zip((72, 200), row, strict=True):
            file.text(x, y, text, bold=bold)

    assert only_table(file) == [["Precio unitario", "Fecha de entrega"], ["3,50 €", "enero"], ["8,90 €", "marzo"]]


def test_header_over_columns_is_a_row_of_its_own(file: PdfFile) -> None:
    file.text(215, 100, "Ventas", bold=True)
    for place, row in enumerate((("Mes", "2022", "2023"), ("Enero", "10", "12"), ("Marzo", "9", "8"))):
        for x, text in zip((72, 180, 260), row, strict=True):
            file.text(x, 112 + 12 * place, text, bold=place == 0)

    first, second, *_ = only_table(file)

    assert "".join(first) == "Ventas"
    assert second == ["Mes", "2022", "2023"]


CELLS = st.text("abcdñá", min_size=1, max_size=6)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=2, max_size=8)
    )
)
def test_any_ruled_table_is_read_as_it_was_written(rows: list[list[str]]) -> None:
    file = PdfFile()
    file.page()
    file.table(60, 60, rows, [80] * len(rows[0]))

    assert only_table(file) == rows

"""PDF: order of reading, paragraphs, headings, lists, what is dropped and what is put together."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdfs import PdfFile, parsed, texts, width, wrapped

from rag_core.parsing.pages.joining import hyphenated_words, join_lines

PROSE = (
    "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los de lanza en "
    "astillero, adarga antigua, rocín flaco y galgo corredor. Una olla de algo más vaca que carnero, salpicón las más noches, "
    "duelos y quebrantos los sábados, lantejas los viernes, algún palomino de añadidura los domingos, consumían las tres partes "
    "de su hacienda. El resto della concluían sayo de velarte, calzas de velludo para las fiestas, con sus pantuflos de lo mesmo."
)
LATIN = " ".join(word.swapcase() for word in PROSE.split())


@pytest.fixture
def file() -> PdfFile:
    file = PdfFile()
    file.page()
    return file


def test_lines_of_a_paragraph_are_put_together(file: PdfFile) -> None:
    y = file.lines(72, 100, wrapped(PROSE, 400))
    file.lines(72, y + 10, wrapped(PROSE, 400))

    assert texts(parsed(file)) == [PROSE, PROSE]


def test_indent_begins_a_paragraph(file: PdfFile) -> None:
    first, *rest = wrapped(PROSE, 400)
    y = 100.0
    for _ in range(2):
        file.text(90, y, first)
        y = file.lines(72, y + 12, rest)

    assert texts(parsed(file)) == [PROSE, PROSE]


def test_indent_begins_a_paragraph_after_a_full_line(file: PdfFile) -> None:
    one, two, three, *_ = wrapped(PROSE, 400)
    file.lines(72, 100, [one, two, f"{three[:-1]}."])
    file.text(90, 136, "También llueve en la otra orilla del río, que es más")
    file.text(72, 148, "ancho de lo que parece.")

    assert texts(parsed(file))[1:] == ["También llueve en la otra orilla del río, que es más ancho de lo que parece."]


def test_line_that_ends_early_ends_its_paragraph(file: PdfFile) -> None:
    y = file.lines(72, 100, wrapped(PROSE, 400))
    file.lines(72, y, wrapped(PROSE, 400))

    assert texts(parsed(file)) == [PROSE, PROSE]


def test_hanging_indent_is_one_paragraph(file: PdfFile) -> None:
    first, *_ = wrapped(PROSE, 400)
    file.text(72, 100, first)
    file.lines(90, 112, wrapped(PROSE.removeprefix(first), 382))

    assert texts(parsed(file)) == [PROSE]


def test_columns_are_read_one_after_the_other(file: PdfFile) -> None:
    file.lines(72, 100, wrapped(PROSE, 210))
    file.lines(310, 100, wrapped(LATIN, 210))

    assert texts(parsed(file)) == [PROSE, LATIN]


def test_columns_whose_lines_are_not_level_are_read_one_after_the_other(file: PdfFile) -> None:
    file.lines(72, 100, wrapped(PROSE, 210))
    file.lines(310, 105, wrapped(LATIN, 210, 9), size=9)

    assert texts(parsed(file)) == [PROSE, LATIN]


def test_columns_of_short_lines_are_read_one_after_the_other(file: PdfFile) -> None:
    left = ["Avenida del Mar 3", "Málaga, segundo piso", "Teléfono a mediodía", "Ana María Núñez Peña y otros"]
    right = ["Aceite de oliva virgen", "Jamón de bellota ibérico y queso", "Vino tinto de Toro", "Pan de centeno"]
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        file.text(72, 100 + 30 * place, one)
        file.text(310, 110 + 30 * place, other)

    assert texts(parsed(file)) == [*left, *right]


def test_title_over_one_of_the_columns_comes_first(file: PdfFile) -> None:
    file.text(330, 60, "Memoria", size=18)
    file.lines(72, 100, wrapped(PROSE, 210))
    file.lines(310, 100, wrapped(LATIN, 210))

    assert texts(parsed(file)) == ["# Memoria", PROSE, LATIN]


def test_table_right_of_the_margin_stands_between_the_lines_above_and_below(file: PdfFile) -> None:
    above = ["Las ventas del norte.", "Las ventas del sur.", "Las ventas del este."]
    for place, text in enumerate(above):
        file.text(72, 60 + 25 * place, text)
    y = file.table(250, 130, [["Mes", "Euros"], ["Enero", "12"], ["Marzo", "15"], ["Mayo", "11"]], [80, 80])
    file.text(72, y + 30, "Las del oeste no constan.")

    document = parsed(file)

    assert [block.kind for block in document.blocks] == ["paragraph"] * 3 + ["table", "paragraph"]


def test_three_columns_are_read_one_after_the_other(file: PdfFile) -> None:
    for x, text in ((50, PROSE), (220, LATIN), (390, PROSE)):
        file.lines(x, 100, wrapped(text, 150))

    assert texts(parsed(file)) == [PROSE, LATIN, PROSE]


def test_heading_across_columns_stands_between_what_is_above_and_below(file: PdfFile) -> None:
    file.text(72, 60, "Un título que llega de un lado al otro", size=18)
    file.lines(72, 100, wrapped(PROSE, 210))
    file.lines(310, 100, wrapped(PROSE, 210))
    file.text(72, 400, "Otro título que llega de un lado al otro", size=18)
    file.lines(72, 440, wrapped(LATIN, 210))
    file.lines(310, 440, wrapped(LATIN, 210))

    one, other = "# Un título que llega de un lado al otro", "# Otro título que llega de un lado al otro"
    assert texts(parsed(file)) == [one, PROSE, PROSE, other, LATIN, LATIN]


def test_paragraph_goes_on_in_the_next_column(file: PdfFile) -> None:
    lines = wrapped(PROSE, 210)
    file.lines(72, 100, lines[:7])
    file.lines(310, 100, lines[7:])

    assert texts(parsed(file)) == [PROSE]


def test_paragraph_goes_on_after_a_page_and_its_footnote(file: PdfFile) -> None:
    lines = wrapped(PROSE, 400)
    file.lines(72, 700, lines[:3])
    file.text(72, 760, "1 Nota al pie de la página.", size=7)
    file.page()
    file.lines(72, 72, lines[3:])

    document = parsed(file)

    assert texts(document) == [PROSE, "1 Nota al pie de la página."]
    assert [block.page for block in document.blocks] == [1, 1]
    assert document.blocks[0].box == pytest.approx((72, 692, 455, 727), abs=3)


def test_sentence_that_ends_with_its_page_ends_its_paragraph(file: PdfFile) -> None:
    file.lines(72, 700, wrapped(PROSE, 400))
    file.page()
    file.lines(72, 72, wrapped(PROSE, 400))

    assert texts(parsed(file)) == [PROSE, PROSE]


def test_parted_words_are_put_together_over_lines_and_pages(file: PdfFile) -> None:
    file.lines(72, 700, ["La comisión aprobó ayer la infor-", "mación de los social-demo-"])
    file.page()
    file.lines(72, 72, ["cráticos y de los demás grupos."])

    assert texts(parsed(file)) == [
        "La comisión aprobó ayer la información de los social-democráticos y de los demás grupos."
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["infor-", "mación"], "información"),
        (["Kinder-", "Garten"], "Kinder-Garten"),
        (["Tabla 3-", "5."], "Tabla 3-5."),
        (["Vor-", "und Nachteile"], "Vor- und Nachteile"),
        (["franco-", "alemán, franco-alemana"], "francoalemán, franco-alemana"),
        (["la pausa -", "larga"], "la pausa - larga"),
        (["in\xadfor\xad", "mación"], "información"),
        (["uno", "", " dos "], "uno dos"),
        ([], ""),
    ],
)
def test_hyphens_at_line_ends(lines: list[str], expected: str) -> None:
    assert join_lines(lines) == expected


def test_word_that_has_its_hyphen_within_a_line_keeps_it_at_the_end_of_one() -> None:
    known = hyphenated_words(["un acuerdo franco-alemán"])

    assert join_lines(["el eje franco-", "alemán"], hyphenated=known) == "el eje franco-alemán"


@settings(max_examples=50)
@given(words=st.lists(st.text("abcdeñáü", min_size=4, max_size=9), min_size=1, max_size=8), data=st.data())
def test_text_survives_its_hyphenation(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    lines = []
    for word in words:
        cut = data.draw(st.integers(2, len(word) - 2))
        lines += [f"{word[:cut]}-", word[cut:]]

    assert join_lines(lines) == text


def test_headings_rank_by_size_and_bold_ones_come_last(file: PdfFile) -> None:
    for y, text, size, bold in ((60, "Memoria", 20, False), (90, "Resumen", 14, False), (190, "Detalle", 10, True)):
        file.text(72, y, text, size=size, bold=bold)
    file.lines(72, 110, wrapped(PROSE, 400))
    file.lines(72, 204, wrapped(PROSE, 400))

    assert texts(parsed(file)) == ["# Memoria", "## Resumen", PROSE, "### Detalle", PROSE]


@pytest.mark.parametrize("text", ["Nota: se aplaza.", "1.234.567"])
def test_bold_sentence_or_figure_is_no_heading(file: PdfFile, text: str) -> None:
    file.text(72, 60, text, bold=True)
    file.lines(72, 80, wrapped(PROSE, 400))

    assert texts(parsed(file)) == [text, PROSE]


def test_heading_of_two_lines_is_one(file: PdfFile) -> None:
    file.lines(72, 60, ["Un título bastante largo que sigue", "en la línea de abajo"], size=18)
    file.lines(72, 120, wrapped(PROSE, 400))

    assert texts(parsed(file))[0] == "# Un título bastante largo que sigue en la línea de abajo"


def test_centered_lines_are_one_heading(file: PdfFile) -> None:
    for y, line in ((60, "Demanda de energía"), (80, "Escenarios hasta 2011")):
        file.text((595 - width(line, 16)) / 2, y, line, size=16)
    file.lines(72, 120, wrapped(PROSE, 400))

    assert texts(parsed(file))[0] == "# Demanda de energía Escenarios hasta 2011"


def test_lines_of_a_table_of_contents_stay_apart(file: PdfFile) -> None:
    for place, entry in enumerate(("1 Introducción", "2 Resultados del año", "3 Anexos")):
        file.text(72, 60 + 12 * place, f"{entry} {'. ' * (40 - len(entry))}9")

    assert texts(parsed(file)) == ["1 Introducción … 9", "2 Resultados del año … 9", "3 Anexos … 9"]


def test_items_make_a_list_with_depth(file: PdfFile) -> None:
    file.lines(72, 60, wrapped(PROSE, 400))
    y = 150
    for x, mark, text in (
        (80, "•", "Aceite de oliva virgen"),
        (100, "–", "de Jaén y de Córdoba"),
        (80, "•", "Vino tinto"),
    ):
        file.text(x, y, mark)
        file.text(x + 14, y, text)
        y += 12
    file.text(94, y, "de la Rioja y de Toro")

    document = parsed(file)

    assert (
        texts(document)[1] == "- Aceite de oliva virgen\n  - de Jaén y de Córdoba\n- Vino tinto de la Rioja y de Toro"
    )
    assert [block.kind for block in document.blocks] == ["paragraph", "list"]


def test_numbered_items_keep_their_numbers(file: PdfFile) -> None:
    file.lines(72, 60, ["1. Abrir la caja.", "2. Sacar el manual.", "3. Leerlo entero."])

    assert texts(parsed(file)) == ["1. Abrir la caja.\n2. Sacar el manual.\n3. Leerlo entero."]


def pages_with(headers: list[str], footers: list[str]) -> PdfFile:
    """A page of prose for each header and footer."""
    file = PdfFile()
    for header, footer in zip(headers, footers, strict=True):
        file.page()
        file.text(72, 40, header, size=8)
        file.lines(72, 80, wrapped(PROSE, 400))
        file.text(280, 810, footer, size=8)
    return file


def test_headers_footers_and_page_numbers_are_dropped() -> None:
    file = pages_with(["Memoria 2023"] * 4, [f"Página {number} de 4" for number in range(1, 5)])

    assert texts(parsed(file)) == [PROSE] * 4


def test_headers_of_left_and_right_pages_are_dropped() -> None:
    file = pages_with(["Memoria", "Capítulo I"] * 2, ["- 1 -", "- 2 -", "- 3 -", "- 4 -"])

    assert texts(parsed(file)) == [PROSE] * 4


def test_two_pages_keep_their_headers() -> None:
    file = pages_with(["Memoria"] * 2, ["1", "2"])

    assert texts(parsed(file)) == ["Memoria", PROSE, "1", "Memoria", PROSE, "2"]


def test_lines_that_differ_from_page_to_page_stay() -> None:
    file = pages_with(["Uno", "Dos", "Tres"], ["1", "2", "3"])

    assert texts(parsed(file)) == ["Uno", PROSE, "Dos", PROSE, "Tres", PROSE]


def test_rows_of_figures_at_one_height_are_no_furniture() -> None:
    file = PdfFile()
    for page in range(3):
        file.page()
        for row in range(40):
            for column in range(3):
                file.text(72 + 120 * column, 60 + 18 * row, str(1000 * page + 10 * row + column))

    (table,) = parsed(file).tables

    assert len(table.rows) == 3 * 40 - 1


def test_watermark_is_dropped() -> None:
    file = pages_with(["Uno", "Dos", "Tres"], ["a", "b", "c"])
    for page in file.pages:
        file.pages.append(page)
        file.text(150, 500, "BORRADOR", size=60, degrees=45)
        file.pages.pop()

    assert "BORRADOR" not in parsed(file).text


def test_text_up_the_margin_comes_after_the_page(file: PdfFile) -> None:
    file.lines(72, 100, wrapped(PROSE, 400))
    file.text(40, 200, "Depósito legal", degrees=90)

    assert texts(parsed(file)) == [PROSE, "Depósito legal"]


Place = tuple[int, int, int]
PLACES = st.tuples(st.sampled_from([40, 41, 150, 260, 400]), st.integers(3, 60), st.sampled_from([0, 0, 0, 90, 45]))
LENGTHS = st.lists(st.integers(2, 8), min_size=1, max_size=5)
LETTERS = "abcdefghijklmnopqrstuvwxyzñáéíóúàèìòùäöâê"
"""One for each text: the same letter printed twice at one place, as bold ones are, is read once."""


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(PLACES, LENGTHS, min_size=1, max_size=len(LETTERS)), st.lists(PLACES, max_size=8))
def test_every_word_is_read_once_wherever_it_stands(written: dict[Place, list[int]], rules: list[Place]) -> None:
    file = PdfFile(width=900, height=1200)
    file.page()
    for place, ((x, row, degrees), lengths) in enumerate(written.items()):
        text = " ".join(LETTERS[place] * length for length in lengths)
        file.text(x + place + degrees, 12 * row + 300, text, degrees=degrees)
    for x, row, length in rules:
        file.rule(x, 12 * row, x + 5 * length + 20, 12 * row)
        file.rule(x, 12 * row, x, 12 * row + 5 * length + 20)

    found = Counter(re.findall(r"[^\W\d_]", parsed(file).text))

    assert found == Counter(dict(zip(LETTERS, map(sum, written.values()), strict=False)))

"""Tables in PDFs whose cells are known, because they were drawn: eight of each kind, the same ones each time.

Words, figures, columns, rows and sizes are drawn at random; nothing is fitted to what the parser can read.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pdfs import PdfFile, width, wrapped

FILES_PER_KIND = 8
BOUNDS = {"ruled": 0.95, "spanning": 0.95, "multi_page": 0.95, "turned": 0.95, "unruled": 0.80}
"""Least mean F1 of a kind's cells: .95 where rules part them, .80 where only blanks do."""
_SEED = 20_240_403
_LEFT, _BOTTOM = 60, 780
_HEADERS = [
    "Producto",
    "Cantidad",
    "Precio",
    "Región",
    "Land",
    "Betrag",
    "Anteil",
    "Zeitraum",
    "Amount",
    "Share",
    "Country",
    "Total",
    "Fecha",
    "Estado",
    "Notes",
]
_WORDS = [
    "aceite",
    "virgen",
    "extra",
    "sin",
    "gluten",
    "hormigón",
    "tornillo",
    "de",
    "acero",
    "puerta",
    "principal",
    "Handschuhe",
    "aus",
    "Leder",
    "Schrauben",
    "grün",
    "Lieferung",
    "nach",
    "Hause",
    "green",
    "paint",
    "office",
    "chairs",
    "return",
    "label",
    "spare",
    "part",
    "Murcia",
    "Sevilla",
    "Hamburg",
    "Köln",
    "Leeds",
    "Dublin",
]
_TEXT = (
    "El informe resume las compras del trimestre y las compara con las del año anterior; las cifras son provisionales y "
    "se revisan en marzo. Die Werte wurden im Mai geprüft. All amounts are in euros unless stated otherwise."
)
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedPdf:
    """A PDF with one table, and its rows as they were drawn; a cell over several has its text in the first."""

    kind: str
    name: str
    data: bytes
    rows: Rows
    pages: int


def generated_pdfs() -> Iterator[GeneratedPdf]:
    """All of them."""
    for kind, draw in _KINDS.items():
        for number in range(FILES_PER_KIND):
            chance = random.Random(f"{_SEED} {kind} {number}")
            file = PdfFile()
            file.page()
            rows = draw(file, chance)
            yield GeneratedPdf(
                kind=kind, name=f"{kind}-{number}.pdf", data=file.data(), rows=rows, pages=len(file.pages)
            )


# Contents ------------------------------------------------------------------------------------------------------------


def _rows(chance: random.Random, *, count: int, columns: int, blanks: float = 0.0) -> list[list[str]]:
    figures = [place > 0 and (place == columns - 1 or chance.random() < 0.6) for place in range(columns)]
    rows = [chance.sample(_HEADERS, columns)]
    for _ in range(count):
        row = [_figure(chance) if is_figure else _words(chance) for is_figure in figures]
        rows.append([text if place == 0 or chance.random() >= blanks else "" for place, text in enumerate(row)])
    return rows


def _words(chance: random.Random) -> str:
    return " ".join(chance.sample(_WORDS, chance.randint(1, 3))).capitalize()


def _figure(chance: random.Random) -> str:
    value = chance.randint(1, 99_999)
    form = chance.choice(("{:,}", "{:,.2f} €", "{}", "{} %", "-{}"))
    text = form.format(value / 100 if "." in form else value % 100 if "%" in form else value)
    return text.translate(str.maketrans(",.", ".,"))


# Drawing -------------------------------------------------------------------------------------------------------------


def _widths(rows: Rows, size: float, gap: float) -> list[float]:
    return [max(width(row[place], size) for row in rows) + gap for place in range(len(rows[0]))]


def _size(chance: random.Random, rows: Rows, gap: float) -> float:
    """A font size with which the table fits."""
    size = chance.choice((8.0, 9.0, 10.0))
    while sum(_widths(rows, size, gap)) > 475:
        size -= 0.5
    return size


def _paragraph(file: PdfFile, y: float) -> float:
    return file.lines(_LEFT, y, wrapped(_TEXT, 475)) + 14


def _draw_row(file: PdfFile, y: float, row: Sequence[str], edges: Sequence[float], size: float, *, bold: bool) -> None:
    """Write a row; figures stand at the right of their cells."""
    for place, text in enumerate(row):
        is_figure = text[:1] in set("-0123456789")
        x = edges[place + 1] - 4 - width(text, size) if is_figure else edges[place] + 4
        if text:
            file.text(round(x, 2), y, text, size=size, bold=bold)


def _edges(widths: Sequence[float]) -> list[float]:
    return [_LEFT + sum(widths[:place]) for place in range(len(widths) + 1)]


def _grid(file: PdfFile, edges: Sequence[float], heights: Sequence[float]) -> None:
    for y in heights:
        file.rule(edges[0], y, edges[-1], y)
    for x in edges:
        file.rule(x, heights[0], x, heights[-1])


def _ruled(file: PdfFile, chance: random.Random) -> Rows:
    rows = _rows(chance, count=chance.randint(4, 20), columns=chance.randint(3, 6), blanks=0.1)
    size, step = _size(chance, rows, 14), chance.choice((16, 18, 22))
    edges, top = _edges(_widths(rows, size, 14)), _paragraph(file, 80)
    for at, row in enumerate(rows):
        _draw_row(file, top + step * at + step - 5, row, edges, size, bold=at == 0)
    _grid(file, edges, [top + step * at for at in range(len(rows) + 1)])
    _paragraph(file, top + step * len(rows) + 24)
    return rows


def _unruled(file: PdfFile, chance: random.Random) -> Rows:
    rows = _rows(chance, count=chance.randint(4, 20), columns=chance.randint(3, 5), blanks=0.08)
    gap = chance.choice((18, 24, 30))
    size, step = _size(chance, rows, gap), chance.choice((13, 15, 18))
    edges, top = _edges(_widths(rows, size, gap)), _paragraph(file, 80) + 6
    for at, row in enumerate(rows):
        _draw_row(file, top + step * at, row, edges, size, bold=at == 0 and chance.random() < 0.7)
    _paragraph(file, top + step * len(rows) + 20)
    return rows


def _spanning(file: PdfFile, chance: random.Random) -> Rows:
    """A head of two rows: its first cell over both, the next over the figures' columns, or over two and two."""
    columns = chance.choice((3, 5))
    body = _rows(chance, count=chance.randint(4, 14), columns=columns)
    groups = chance.sample(_HEADERS, (columns - 1) // 2)
    upper = [body[0][0], *(text for group in groups for text in (group, ""))]
    rows = [upper, ["", *body[0][1:]], *body[1:]]
    size, step = _size(chance, rows, 14), 18
    edges, top = _edges(_widths(rows, size, 14)), _paragraph(file, 80)
    bottom = top + step * len(rows)
    for at, row in enumerate(rows):
        _draw_row(file, top + step * at + 13, row, edges, size, bold=at < 2)
    for y in (top, *(top + step * at for at in range(2, len(rows) + 1))):
        file.rule(edges[0], y, edges[-1], y)
    file.rule(edges[1], top + step, edges[-1], top + step)
    for place, x in enumerate(edges):
        file.rule(x, top + step if place >= 2 and place % 2 == 0 and place < columns else top, x, bottom)
    _paragraph(file, bottom + 24)
    return rows


def _multi_page(file: PdfFile, chance: random.Random) -> Rows:
    """A ruled table over two or three pages, whose head stands on each."""
    rows = _rows(chance, count=chance.randint(45, 90), columns=chance.randint(3, 5))
    size, step = _size(chance, rows, 14), 18
    edges, top, left = _edges(_widths(rows, size, 14)), _paragraph(file, 80), list(rows[1:])
    while left:
        room = int((_BOTTOM - top) / step) - 1
        part, left = [rows[0], *left[:room]], left[room:]
        for at, row in enumerate(part):
            _draw_row(file, top + step * at + 13, row, edges, size, bold=at == 0)
        _grid(file, edges, [top + step * at for at in range(len(part) + 1)])
        if left:
            file.page()
            top = 60
    return rows


def _turned(file: PdfFile, chance: random.Random) -> Rows:
    """Headers that run upwards, with rules."""
    rows = _rows(chance, count=chance.randint(4, 14), columns=chance.randint(3, 6))
    size, step, head = 9.0, 18, 90
    edges, top = _edges([max(one, 34) for one in _widths(rows[1:], size, 14)]), _paragraph(file, 80)
    for place, text in enumerate(rows[0]):
        file.text((edges[place] + edges[place + 1]) / 2 + 3, top + head - 5, text, size=size, degrees=90)
    for at, row in enumerate(rows[1:]):
        _draw_row(file, top + head + step * at + 13, row, edges, size, bold=False)
    _grid(file, edges, [top, *(top + head + step * at for at in range(len(rows)))])
    return rows


_KINDS: dict[str, Callable[[PdfFile, random.Random], Rows]] = {
    "ruled": _ruled,
    "unruled": _unruled,
    "spanning": _spanning,
    "multi_page": _multi_page,
    "turned": _turned,
}

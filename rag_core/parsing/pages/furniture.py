"""Running headers, footers, page numbers and watermarks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from rag_core.parsing.pages.parts import PageLine, rows_of, split_line

MIN_PAGES = 3
_ZONE = 0.15
"""Share of the page's height, at its top and at its foot, in which furniture stands."""
_SAME_PLACE = 6.0
_APART = 0.7
_FURTHER = 1.5
"""Gap from furniture to the text: by the font size, and by the gap that follows; the header of a table is closer to its rows."""
_GAP = 1.5
"""Gap between two texts of a row, by the font size."""
_PARTS = re.compile(r"\s*[|·•\u2013\u2014]\s*")
_NUMBER = r"(?:(?!(?:19|20)\d\d\b)\d{1,4}|[ivxlc]+)\b"
_PAGE_NUMBER = re.compile(
    rf"(?:(?<![^\t])[^\w\t]*|\b(?:p[aá]g(?:ina)?|page|seite|blatt|hoja)[^\w\t]+)({_NUMBER})"
    r"(?=(?:\s*(?:/|de|of|von)\s*\d{1,4})?[^\w\t]*(?![^\t]))"
)
"""Number that is alone but for signs and the number of all pages, or stands behind a word for page; parts are parted by tabs."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Key = tuple[str, int]
"""Text, page numbers counted from the page's, and height by steps; rows at the foot count from it, and are negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRow:
    """Row near the edge of a page; ``is_apart`` where it stands off the next one, away from the edge."""

    lines: Sequence[PageLine]
    key: Key
    is_apart: bool


def without_furniture(
    pages: Mapping[int, Sequence[PageLine]], heights: Mapping[int, float]
) -> dict[int, list[PageLine]]:
    """Lines of each page without those that half of the pages have at about the same height, at the top or at the foot.

    Page numbers may differ as the pages do; lines that differ in other numbers stay. Fewer than three pages keep all lines.
    """
    if len(pages) < MIN_PAGES:
        return {page: list(lines) for page, lines in pages.items()}
    edges = {page: list(_edges(page, lines, heights[page])) for page, lines in pages.items()}
    repeated = _common(([row.key for edge in page for row in edge] for page in edges.values()), len(pages) / 2)
    apart = _common(
        ([row.key for edge in page for row in edge if row.is_apart] for page in edges.values()), len(pages) / 4
    )
    dropped = {
        id(line)
        for page in edges.values()
        for edge in page
        for row in _furniture(edge, repeated, apart)
        for line in row.lines
    }
    return {page: [line for line in lines if id(line) not in dropped] for page, lines in pages.items()}


def _edges(page: int, lines: Sequence[PageLine], height: float) -> Iterator[list[EdgeRow]]:
    """Rows of the upper zone downwards, those of the lower one upwards, and each slanted line."""
    rows = rows_of(line for line in lines if line.is_upright)
    yield [row for row in _edge_rows(page, rows, origin=0) if row.lines[0].box[1] < _ZONE * height]
    upwards = _edge_rows(page, rows[::-1], origin=2 * height)
    yield [row for row in upwards if row.lines[0].box[3] > (1 - _ZONE) * height]
    for line in lines:
        if line.words[0].turn == "slanted":
            yield [EdgeRow(lines=[line], key=_key(page, [line], 0), is_apart=True)]


def _edge_rows(page: int, rows: Sequence[Sequence[PageLine]], *, origin: float) -> Iterator[EdgeRow]:
    gaps = [max(one[0].box[1], other[0].box[1]) - min(one[0].box[3], other[0].box[3]) for one, other in pairwise(rows)]
    for place, row in enumerate(rows):
        gap, following = (*gaps[place:], inf, 0.0)[:2]
        is_apart = gap > max(_APART * row[0].size, _FURTHER * following)
        yield EdgeRow(lines=row, key=_key(page, row, origin), is_apart=is_apart)


def _key(page: int, row: Sequence[PageLine], origin: float) -> Key:
    text = "\t".join(part.text for line in row for part in split_line(line, _GAP))
    counted = _PAGE_NUMBER.sub(lambda found: f"#{_value(found[1]) - page}", _PARTS.sub("\t", text.casefold()))
    return counted, round((row[0].box[1] - origin) / _SAME_PLACE)


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))


def _common(pages: Iterable[Iterable[Key]], least: float) -> set[Key]:
    """Keys that so many pages have, or have beside: rows at one height may be rounded apart."""
    counts = Counter(
        near for keys in pages for near in {(text, place + step) for text, place in keys for step in (-1, 0, 1)}
    )
    return {key for key, count in counts.items() if count >= least}


def _furniture(edge: Sequence[EdgeRow], repeated: AbstractSet[Key], apart: AbstractSet[Key]) -> Sequence[EdgeRow]:
    """Rows that are repeated with all between them and the edge of the page, down to the last that stands off the text."""
    count = 0
    for place, row in enumerate(edge, 1):
        if row.key not in repeated:
            break
        if row.key in apart:
            count = place
    return edge[:count]

"""Rows of a table without rules, from its lines: by columns, and lines that go on with cells put to these."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_core.model.document import Box, bounds
from rag_core.parsing.pages.cells import cell_text, is_figure
from rag_core.parsing.pages.joining import join_lines
from rag_core.parsing.pages.parts import PageLine, PageTable, PageWord

TIGHT = 0.4
"""Gap between two lines of a cell at most, by the font size."""
_SPLIT_GAP = 0.4
"""Gap between words, by the font size, that parts them where two columns meet."""
_SAME_EDGE = 3.0

Row = Sequence[PageLine]
Columns = tuple[tuple[float, float], ...]
"""Left and right bounds of each column."""


def touched_columns(line: PageLine, columns: Columns) -> list[int]:
    """Columns that a line stands in, by their places."""
    return [
        place for place, (left, right) in enumerate(columns) if min(right, line.box[2]) - max(left, line.box[0]) > 1
    ]


def aligned_lines(lines: Sequence[PageLine]) -> int:
    """Most lines that share their left, their right or their middle."""
    edges = (
        [line.box[0] for line in lines],
        [line.box[2] for line in lines],
        [(line.box[0] + line.box[2]) / 2 for line in lines],
    )
    return max(sum(abs(edge - other) <= _SAME_EDGE for other in kind) for kind in edges for edge in kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLine:
    """Line of a table: what stands in each column; ``is_spanned`` where something runs over several."""

    cells: tuple[PageLine | None, ...]
    is_spanned: bool

    @property
    def filled(self) -> dict[int, PageLine]:
        """Cells that have text, by their columns."""
        return {place: cell for place, cell in enumerate(self.cells) if cell}

    @property
    def box(self) -> Box:
        """Smallest box around the cells."""
        return bounds(cell.box for cell in self.filled.values())

    @property
    def is_bold(self) -> bool:
        """Tell whether all cells are bold."""
        return all(cell.is_bold for cell in self.filled.values())


def aligned_table(rows: Sequence[Row], columns: Columns) -> PageTable:
    """The table that rows make of columns, lines that go on with the cells above them put to these."""
    groups: list[list[CellLine]] = []
    for line in (_cell_line(row, columns) for row in rows):
        if groups and (_is_of_header(groups, line) or _goes_on(groups[-1], line)):
            groups[-1].append(line)
        else:
            groups.append([line])
    texts = tuple(tuple(_text(group, place) for place in range(len(columns))) for group in groups)
    return PageTable(box=bounds(line.box for row in rows for line in row), rows=texts, columns=columns)


def _text(group: Sequence[CellLine], column: int) -> str:
    return join_lines(cell_text(cell.words) for line in group if (cell := line.cells[column]))


def _cell_line(row: Row, columns: Columns) -> CellLine:
    words: dict[int, list[PageWord]] = {}
    is_spanned = False
    for line in row:
        parts = _parts(line, columns)
        is_spanned |= len(touched_columns(line, columns)) > len(parts)
        for place, part in parts:
            words.setdefault(place, []).extend(part)
    cells = tuple(PageLine(words=tuple(words[place])) if place in words else None for place in range(len(columns)))
    return CellLine(cells=cells, is_spanned=is_spanned)


def _parts(line: PageLine, columns: Columns) -> list[tuple[int, Sequence[PageWord]]]:
    """Words by columns; those of a line that runs over the bounds of its columns are all in the first."""
    touched = touched_columns(line, columns)
    if len(touched) < 2:
        middle = (line.box[0] + line.box[2]) / 2
        nearest = min(range(len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - middle))
        return [(touched[0] if touched else nearest, line.words)]
    parts: dict[int, list[PageWord]] = {}
    for word in line.words:
        bounds_passed = sum(word.center[0] > (before[1] + after[0]) / 2 for before, after in pairwise(columns))
        parts.setdefault(bounds_passed, []).append(word)
    gaps = [after[0].box[0] - before[-1].box[2] for before, after in pairwise(parts.values())]
    if len(parts) < len(touched) or min(gaps) < _SPLIT_GAP * line.size:
        return [(touched[0], line.words)]
    return list(parts.items())


def _is_of_header(groups: Sequence[Sequence[CellLine]], line: CellLine) -> bool:
    """Tell whether a line and all above it are bold and close: a header of several lines."""
    return len(groups) == 1 and line.is_bold and all(one.is_bold for one in groups[0]) and _is_below(groups[0], line)


def _goes_on(group: Sequence[CellLine], line: CellLine) -> bool:
    """Tell whether a line goes on with the cells above it: it has no beginning and no figures of its own."""
    above = {place for one in group for place in one.filled}
    if not _is_below(group, line):
        return False
    first = line.cells[0]
    if set(line.filled) == {0} or above == {0}:
        return first is not None and first.text[0].islower()
    has_figures = any(is_figure(cell.text) for cell in line.filled.values())
    return not first and set(line.filled) < above and not has_figures


def _is_below(group: Sequence[CellLine], line: CellLine) -> bool:
    """Tell whether a line is close below a group, and each of its cells in line with the one above it."""
    last = group[-1]
    size = next(iter(line.filled.values())).size
    if line.box[1] - last.box[3] > TIGHT * size or last.is_spanned or line.is_spanned:
        return False
    pairs = [(above, cell) for place, cell in line.filled.items() if (above := last.cells[place])]
    return all(aligned_lines(pair) == len(pair) for pair in pairs)

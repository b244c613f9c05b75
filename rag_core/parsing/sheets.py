"""Sheets of spreadsheets: where their tables are, and how they are written."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from rag_core.parsing.building import DocumentBuilder, check_length
from rag_core.parsing.office import Heading, OfficeBlock, Paragraph, TableRows, write_blocks

_Axis = Literal["row", "column"]
_MAX_DEPTH = 50
_CELL_CHARACTERS = 3
"""Characters that a blank cell takes in Markdown."""


class SheetCell(NamedTuple):
    """A cell with text, from 1, with the last row and column that it covers; hidden where its row or column is."""

    text: str
    row: int
    column: int
    last_row: int
    last_column: int
    is_hidden: bool = False


def write_sheet(
    builder: DocumentBuilder, name: str, cells: Iterable[SheetCell], *, page: int, max_characters: int
) -> None:
    """Write a sheet: its name as a heading, then its tables; a sheet without cells is passed over.

    A table is an area of cells that blank rows or columns part from others; two areas that touch at no side are parted as well.

    Raises:
        DocumentRefusedError: the text would have more characters than allowed.
    """
    found = _bounded(cells, max_characters)
    if any(cell.is_hidden for cell in found):
        builder.warn("hidden", "rows or columns are hidden in the file, and their text was taken", page=page)
    if found:
        write_blocks(builder, [Heading(name, 2), *_blocks(found, max_characters)], page=page)


def cell_grid(cells: Iterable[SheetCell], max_characters: int) -> list[list[str]]:
    """Cells in rows of one length, without rows and columns that hold none; a cell that covers others leaves them blank.

    Raises:
        DocumentRefusedError: the text would have more characters than allowed.
    """
    found = _bounded(cells, max_characters)
    rows = {number: place for place, number in enumerate(sorted({cell.row for cell in found}))}
    columns = {number: place for place, number in enumerate(sorted({cell.column for cell in found}))}
    check_length(len(rows) * len(columns) * _CELL_CHARACTERS, max_characters)
    grid = [[""] * len(columns) for _ in rows]
    for cell in found:
        grid[rows[cell.row]][columns[cell.column]] = cell.text
    return grid


def _bounded(cells: Iterable[SheetCell], max_characters: int) -> list[SheetCell]:
    found: list[SheetCell] = []
    length = 0
    for cell in cells:
        length += len(cell.text)
        check_length(length, max_characters)
        found.append(cell)
    return found


def _blocks(cells: Sequence[SheetCell], max_characters: int) -> Iterator[OfficeBlock]:
    caption = None
    for island in _islands(sorted(cells, key=attrgetter("row", "column"))):
        for block in _island_blocks(cell_grid(island, max_characters)):
            yield TableRows(block.rows, caption) if isinstance(block, TableRows) else block
            caption = block.text if isinstance(block, Paragraph) else None


def _islands(cells: Sequence[SheetCell], depth: int = 0) -> Iterator[Sequence[SheetCell]]:
    """Areas of cells from top to bottom, then from left to right."""
    parts = list(_parts(cells, "row", "column"))
    if len(parts) == 1:
        parts = list(_parts(cells, "column", "row"))
    if len(parts) == 1 or depth == _MAX_DEPTH:
        yield cells
    else:
        for part in parts:
            yield from _islands(part, depth + 1)


def _parts(cells: Sequence[SheetCell], axis: _Axis, across: _Axis) -> Iterator[Sequence[SheetCell]]:
    """Cells cut along an axis: where a line is blank, or where those before and after share no line across."""
    start, end = attrgetter(axis), attrgetter(f"last_{axis}")
    low, high = attrgetter(across), attrgetter(f"last_{across}")
    ordered = sorted(cells, key=start)
    lows, highs = [low(ordered[-1])], [high(ordered[-1])]
    for cell in reversed(ordered):
        lows.append(min(lows[-1], low(cell)))
        highs.append(max(highs[-1], high(cell)))
    lows.reverse()
    highs.reverse()
    begun, reached, lowest, highest = 0, end(ordered[0]), low(ordered[0]), high(ordered[0])
    for place, cell in enumerate(ordered):
        is_apart = highest < lows[place] or lowest > highs[place]
        if start(cell) > reached + 1 or (start(cell) > reached and is_apart):
            yield ordered[begun:place]
            begun, lowest, highest = place, low(cell), high(cell)
        reached = max(reached, end(cell))
        lowest, highest = min(lowest, low(cell)), max(highest, high(cell))
    yield ordered[begun:]


def _island_blocks(grid: list[list[str]]) -> Iterator[Paragraph | TableRows]:
    """Title lines of an area, whose first cell alone is filled, and the table below; a single row is a line of text."""
    while grid and (len(grid) == 1 or (len(grid[0]) > 1 and grid[0][0] and not any(grid[0][1:]))):
        yield Paragraph(" | ".join(filter(None, grid.pop(0))))
    if grid:
        yield TableRows(grid)

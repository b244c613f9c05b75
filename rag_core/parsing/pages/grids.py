"""Tables by their rules: rows and columns are parted by lines, cells without a line between them are one cell."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_core.parsing.pages.cells import cell_text, is_figure, text_lines
from rag_core.parsing.pages.parts import PageRule, PageTable, PageWord

MAX_RULES = 1_000
"""Rules of a page beyond which it is a drawing."""
_SNAP = 2.5
_JOIN = 3.0
_NARROW = 5.0
"""Points within which rules are one, touch each other, and up to which a row or column is but a double line."""

MAX_CELLS = 20_000

Cell = tuple[int, int]
"""Row and column, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledGrid:
    """Places of the lines that part columns and rows, the outer ones included, and the rules there are."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    rules: tuple[PageRule, ...]


def ruled_tables(rules: Sequence[PageRule], words: Sequence[PageWord]) -> list[PageTable]:
    """Tables that rules make, of two rows and two columns at least."""
    merged = [*_merged(rules, is_horizontal=True), *_merged(rules, is_horizontal=False)]
    if len(merged) > MAX_RULES:
        return []
    grids = (grid for group in _connected(merged) if (grid := _grid(group)))
    return [table for grid in grids if (table := _table(grid, words))]


def _merged(rules: Iterable[PageRule], *, is_horizontal: bool) -> list[PageRule]:
    """Rules of one direction, those on one line and in touch as one."""
    of_direction = [rule for rule in rules if rule.is_horizontal is is_horizontal]
    places = _snapped(rule.at for rule in of_direction)
    merged: list[PageRule] = []
    for rule in sorted(of_direction, key=lambda rule: (places[rule.at], rule.start)):
        last = merged[-1] if merged else None
        if last and last.at == places[rule.at] and rule.start <= last.end + _JOIN:
            merged.pop()
            start, end = last.start, max(last.end, rule.end)
        else:
            start, end = rule.start, rule.end
        merged.append(PageRule(is_horizontal=is_horizontal, at=places[rule.at], start=start, end=end))
    return merged


def _snapped(places: Iterable[float]) -> dict[float, float]:
    """Each place with the one it is taken for: the first within reach."""
    snapped: dict[float, float] = {}
    first: float | None = None
    for place in sorted(places):
        first = place if first is None or place - first > _SNAP else first
        snapped[place] = first
    return snapped


def _connected(rules: Sequence[PageRule]) -> list[list[PageRule]]:
    """Rules that cross or touch, directly or by others, a list a group."""
    groups: list[list[PageRule]] = []
    for rule in rules:
        touching = [group for group in groups if any(_cross(rule, other) for other in group)]
        groups = [group for group in groups if not any(group is one for one in touching)]
        groups.append([rule, *(other for group in touching for other in group)])
    return groups


def _cross(one: PageRule, other: PageRule) -> bool:
    if one.is_horizontal is other.is_horizontal:
        return False
    return one.start - _JOIN <= other.at <= one.end + _JOIN and other.start - _JOIN <= one.at <= other.end + _JOIN


def _grid(rules: Sequence[PageRule]) -> RuledGrid | None:
    """Lines of a group; a side that the crossing rules stand out of has a line there, drawn or not."""
    across = [rule for rule in rules if rule.is_horizontal]
    along = [rule for rule in rules if not rule.is_horizontal]
    if not across or not along:
        return None
    xs = _lines(along, across)
    ys = _lines(across, along)
    return RuledGrid(xs=xs, ys=ys, rules=tuple(rules)) if len(xs) > 2 and len(ys) > 1 else None


def _lines(rules: Sequence[PageRule], crossing: Sequence[PageRule]) -> tuple[float, ...]:
    places = sorted({rule.at for rule in rules})
    first, last = min(rule.start for rule in crossing), max(rule.end for rule in crossing)
    inner = [place for before, place in pairwise([places[0] - 2 * _NARROW, *places]) if place - before > _NARROW]
    return (*([first] if first < inner[0] - _NARROW else []), *inner, *([last] if last > inner[-1] + _NARROW else []))


def _table(grid: RuledGrid, words: Iterable[PageWord]) -> PageTable | None:
    height, width = len(grid.ys) - 1, len(grid.xs) - 1
    if height * width > MAX_CELLS:
        return None
    firsts = _first_cells(grid)
    contents: dict[Cell, list[PageWord]] = {}
    for word in words:
        x, y = word.center
        cell = bisect_right(grid.ys, y) - 1, bisect_right(grid.xs, x) - 1
        if cell in firsts:
            contents.setdefault(firsts[cell], []).append(word)
    tall = {first for (row, _), first in firsts.items() if row > first[0]}
    rows = [line for row in range(height) for line in _rows(row, contents, tall, width=width)]
    if min(sum(map(any, rows)), sum(map(any, zip(*rows, strict=True)))) < 2:
        return None
    box = (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])
    return PageTable(box=box, rows=tuple(rows), columns=tuple(pairwise(grid.xs)))


def _first_cells(grid: RuledGrid) -> dict[Cell, Cell]:
    """Each cell with the upper left one of those that no rule parts it from."""
    walls = {wall for rule in grid.rules for wall in _walls(rule, grid)}
    firsts: dict[Cell, Cell] = {}

    def find(cell: Cell) -> Cell:
        while firsts[cell] != cell:
            firsts[cell] = cell = firsts[firsts[cell]]
        return cell

    for row in range(len(grid.ys) - 1):
        for column in range(len(grid.xs) - 1):
            firsts[row, column] = (row, column)
            if row and (True, row, column) not in walls:
                one, other = sorted((find((row - 1, column)), (row, column)))
                firsts[other] = one
            if column and (False, column, row) not in walls:
                one, other = sorted((find((row, column - 1)), find((row, column))))
                firsts[other] = one
    return {cell: find(cell) for cell in firsts}


def _walls(rule: PageRule, grid: RuledGrid) -> Iterator[tuple[bool, int, int]]:
    """Sides of cells that a rule covers by half or more: (is it above the cell, else left of it; its line; place along it)."""
    lines, along = (grid.ys, grid.xs) if rule.is_horizontal else (grid.xs, grid.ys)
    line = min(range(len(lines)), key=lambda place: abs(lines[place] - rule.at))
    for place, (start, end) in enumerate(pairwise(along)):
        if min(end, rule.end) - max(start, rule.start) >= 0.5 * (end - start):
            yield rule.is_horizontal, line, place


def _rows(
    row: int, contents: Mapping[Cell, Sequence[PageWord]], tall: set[Cell], *, width: int
) -> Iterator[tuple[str, ...]]:
    """Texts of a ruled row: one row, or several where it holds lines of figures."""
    cells = {column: words for (at, column), words in contents.items() if at == row}
    starts = _row_starts([words for column, words in cells.items() if (row, column) not in tall])
    lines: list[dict[int, list[PageWord]]] = [{} for _ in range(max(len(starts), 1))]
    for column, words in cells.items():
        for word in words:
            is_apart = starts and (row, column) not in tall and word.turn == "upright"
            place = max(bisect_right(starts, word.center[1] + 0.3 * word.size) - 1, 0) if is_apart else 0
            lines[place].setdefault(column, []).append(word)
    for line in lines:
        yield tuple(cell_text(line.get(column, ())) for column in range(width))


def _row_starts(cells: Sequence[Sequence[PageWord]]) -> list[float]:
    """Where rows begin that no rule parts: at lines that half of the cells have, if a cell holds nothing but figures."""
    columns = [text_lines([word for word in words if word.turn == "upright"]) for words in cells]
    if not any(len(lines) > 1 and all(is_figure(_text(line)) for line in lines) for lines in columns):
        return []
    middles = sorted(line[0].center[1] for lines in columns for line in lines)
    reach = 0.5 * cells[0][0].size
    starts = [place for before, place in pairwise([middles[0] - 2 * reach, *middles]) if place - before > reach]
    level = [sum(start <= middle <= start + reach for middle in middles) for start in starts]
    return [start for start, count in zip(starts, level, strict=True) if 2 * count >= max(len(columns), 4)]


def _text(line: Sequence[PageWord]) -> str:
    return " ".join(word.text for word in line)

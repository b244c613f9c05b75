"""Order of reading on a page of several columns."""

from bisect import bisect_left
from collections.abc import Sequence
from math import inf

from rag_core.model.document import bounds
from rag_core.parsing.pages.parts import PageItem, PageLine, PageTable, rows_of

MAX_ITEMS = 3_000
"""Lines of a page beyond which it is read as one column."""
MAX_CANDIDATES = 12
_MIN_LINES = 3
_MIN_CHARACTERS = 12
_MIN_PROSE = 20
"""Lines that each side of a gutter has at least, and mean characters of a line: of text, and of prose."""
_MIN_GUTTER = 6.0
_SAME_EDGE = 2.0
_FULL = 0.75
_LEVEL = 0.6
_MAX_TITLE = 2


def reading_order(items: Sequence[PageItem]) -> list[list[PageItem]]:
    """Items by regions, in the order they are read: columns from left to right, what crosses their gutter before or after them.

    The items of a region are in one column, from top to bottom.
    """
    gutter = _gutter(items) if len(items) <= MAX_ITEMS else None
    if gutter is None:
        return [sorted(items, key=lambda item: item.box[1])] if items else []
    regions: list[list[PageItem]] = []
    across: list[PageItem] = []
    for band in _bands(items, gutter):
        left, right = _sides(band, gutter)
        if not _are_columns(left, right):
            across += band
            continue
        title = _title(left, right)
        left, right = _sides([item for item in band if item not in title], gutter)
        regions += [region for part in (across + title, left, right) for region in reading_order(part)]
        across = []
    return regions + ([across] if across else [])


def _title(left: Sequence[PageItem], right: Sequence[PageItem]) -> list[PageItem]:
    """A line or two over both columns that do not reach over the gutter."""
    top = max(min(item.box[1] for item in side) for side in (left, right))
    above = [item for item in (*left, *right) if item.box[3] <= top]
    return above if len(above) <= _MAX_TITLE else []


def _gutter(items: Sequence[PageItem]) -> float | None:
    """Place of the gutter that parts most items, among the edges that several share; None where there is none."""
    lefts = [item.box[0] - _SAME_EDGE for item in items for _ in range(_weight(item))]
    rights = [item.box[2] + _MIN_GUTTER + _SAME_EDGE for item in items for _ in range(_weight(item))]
    support = {
        edge: sum(abs(edge - other) <= _SAME_EDGE for other in edges)
        for edges in (sorted(lefts), sorted(rights))
        for edge in dict.fromkeys(map(round, edges))
    }
    likely = sorted((edge for edge, count in support.items() if count >= _MIN_LINES), key=lambda edge: -support[edge])
    parted = {edge: _parted(items, edge) for edge in likely[:MAX_CANDIDATES]}
    best = max(parted, key=lambda edge: parted[edge], default=None)
    return best if best is not None and parted[best] else None


def _weight(item: PageItem) -> int:
    """A table counts as many lines as it has rows."""
    return len(item.rows) if isinstance(item, PageTable) else 1


def _parted(items: Sequence[PageItem], gutter: float) -> int:
    """Items that stand in columns if the gutter is here."""
    return sum(len(band) for band in _bands(items, gutter) if _are_columns(*_sides(band, gutter)))


def _bands(items: Sequence[PageItem], gutter: float) -> list[list[PageItem]]:
    """Items from top to bottom: by turns those that cross the gutter and those that do not."""
    bands: list[list[PageItem]] = []
    was_crossing = None
    for item in sorted(items, key=lambda item: item.box[1]):
        is_crossing = item.box[0] < gutter < item.box[2] + _MIN_GUTTER
        if is_crossing != was_crossing:
            bands.append([])
        bands[-1].append(item)
        was_crossing = is_crossing
    return bands


def _sides(band: Sequence[PageItem], gutter: float) -> tuple[list[PageItem], list[PageItem]]:
    return [item for item in band if item.box[0] < gutter], [item for item in band if item.box[0] >= gutter]


def _are_columns(left: Sequence[PageItem], right: Sequence[PageItem]) -> bool:
    """Tell whether both sides are text of their own: full lines, or lines that are not level with the other side's."""
    if not left or not right:
        return False
    left, right = _beside(left, right), _beside(right, left)
    if not (_is_text(left) and _is_text(right)):
        return False
    return (_is_prose(left) and _is_prose(right)) or not _are_level(left, right)


def _beside(side: Sequence[PageItem], other: Sequence[PageItem]) -> list[PageItem]:
    """Items of one side that are not above or below all of the other."""
    _, top, _, bottom = bounds(item.box for item in other)
    return [item for item in side if item.box[1] < bottom and item.box[3] > top]


def _is_text(side: Sequence[PageItem]) -> bool:
    lines = [item for item in side if isinstance(item, PageLine)]
    tables = sum(_weight(item) for item in side if isinstance(item, PageTable))
    is_long = sum(len(line.text) for line in lines) >= _MIN_CHARACTERS * len(lines)
    return is_long and len(rows_of(lines)) + tables >= _MIN_LINES


def _is_prose(side: Sequence[PageItem]) -> bool:
    """Tell whether most lines are long and nearly as wide as the widest that begins at the same place, of three or more."""
    lines = [item for item in side if isinstance(item, PageLine)]
    beginning: dict[int, list[PageLine]] = {}
    for line in lines:
        beginning.setdefault(round(line.box[0] / _SAME_EDGE / 2), []).append(line)
    full = sum(map(_full_lines, beginning.values()))
    return 2 * full >= len(lines) and sum(len(line.text) for line in lines) >= _MIN_PROSE * len(lines)


def _full_lines(lines: Sequence[PageLine]) -> int:
    widths = [line.box[2] - line.box[0] for line in lines]
    return sum(width >= _FULL * max(widths) for width in widths) if len(lines) >= _MIN_LINES else 0


def _are_level(left: Sequence[PageItem], right: Sequence[PageItem]) -> bool:
    """Tell whether most rows of one side begin at the height of one of the other side: cells of a table do."""
    one, other = ([item.box[1] for item in side] for side in (left, right))
    return max(_level_share(one, other), _level_share(other, one)) >= _LEVEL


def _level_share(tops: Sequence[float], others: Sequence[float]) -> float:
    ordered = [*sorted(others), inf]
    return sum(ordered[bisect_left(ordered, top - _SAME_EDGE)] <= top + _SAME_EDGE for top in tops) / len(tops)

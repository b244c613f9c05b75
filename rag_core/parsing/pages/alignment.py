"""Tables without rules: rows of words that stand in columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from rag_core.parsing.pages.aligned_rows import TIGHT, Columns, Row, aligned_lines, aligned_table, touched_columns
from rag_core.parsing.pages.cells import is_figure
from rag_core.parsing.pages.markers import is_bullet, is_caption, is_marker
from rag_core.parsing.pages.parts import PageLine, PageTable, split_line

MAX_ROWS = 300
"""Rows of a page beyond which there is no table without rules."""
_OTHER_SIZE = 0.25
"""Share by which the font sizes of a heading and of a table differ."""
_MAX_GAP = 1.6
"""Gap between rows of one table at most, by the font size."""
_CELL_GAP = 0.5
_MONOSPACED_GAP = 1.0
"""Gaps between words that part cells, by the font size: in a typewriter's font they are wider."""
_SAME_ADVANCE = 0.01
_MIN_VALLEY = 3.0
_MIN_ALIGNED = 0.7
_MAX_LINE = 60
_MAX_PROSE = 50
"""Characters of a line without wide gaps, and mean characters of a cell in a table of two columns: beyond it is text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedTable:
    """A table that takes the rows of a region from ``start`` to ``end``, half-open."""

    start: int
    end: int
    table: PageTable


def aligned_tables(rows: Sequence[Row]) -> list[AlignedTable]:
    """Tables among the rows of one column of a page, from top to bottom."""
    parted = [_cells(row) for row in rows]
    found: list[AlignedTable] = []
    for start, end in _runs(parted):
        _add_tables(found, parted, start, end)
    return found


def _cells(row: Row) -> Row:
    """Parts of a row; the mark of a list item is none, but the numbers of a table's rows are."""
    if _is_text(row):
        return row
    parts = [part for line in row for part in split_line(line, _MONOSPACED_GAP if _is_monospaced(line) else _CELL_GAP)]
    if len(parts) > 1 and (is_bullet(parts[0].text) or (len(parts) == 2 and is_marker(parts[0].text))):
        return [PageLine(words=parts[0].words + parts[1].words), *parts[2:]]
    return parts


def _is_monospaced(line: PageLine) -> bool:
    """Tell whether all characters are equally wide; figures are in most fonts."""
    advances = [(word.box[2] - word.box[0]) / len(word.text) for word in line.words if word.text.isalpha()]
    return len(advances) > 1 and max(advances) - min(advances) < _SAME_ADVANCE * line.size


def _runs(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Rows of like size that follow each other closely, without lines of text."""
    start = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or _is_set_off(rows, place):
            yield start, place
            start = place


def _is_set_off(rows: Sequence[Row], place: int) -> bool:
    """Tell whether a row has nothing to do with the one above."""
    size, above = rows[place][0].size, rows[place - 1][0].size
    is_other_size = abs(size - above) > _OTHER_SIZE * min(size, above)
    return is_other_size or _gap(rows, place) > _MAX_GAP * size or _is_text(rows[place])


def _is_text(row: Row) -> bool:
    return len(row) == 1 and len(row[0].text) > _MAX_LINE


def _gap(rows: Sequence[Row], place: int) -> float:
    """Gap above a row."""
    return min(line.box[1] for line in rows[place]) - max(line.box[3] for line in rows[place - 1])


def _add_tables(found: list[AlignedTable], rows: Sequence[Row], start: int, end: int) -> None:
    """Add the table that the rows make, else those of the rows above and below the widest gap."""
    while start < end and len(rows[start]) < 2:
        start += 1
    while start < end and len(rows[end - 1]) < 2:
        end -= 1
    if not 2 <= end - start <= MAX_ROWS:
        return
    columns = _columns(rows[start:end])
    if columns:
        first = found[-1].end if found else 0
        start, end = _with_header_and_rest(rows, (first, start, end), columns)
        found.append(AlignedTable(start=start, end=end, table=aligned_table(rows[start:end], columns)))
        return
    widest = max(range(start + 1, end), key=lambda place: _parting(rows, place))
    _add_tables(found, rows, start, widest)
    _add_tables(found, rows, widest, end)


def _parting(rows: Sequence[Row], place: int) -> tuple[int, int]:
    """Gap above a row in points, and by how many cells it differs from the row above."""
    return round(_gap(rows, place)), abs(len(rows[place]) - len(rows[place - 1]))


def _columns(rows: Sequence[Row]) -> Columns | None:
    """Bounds of the columns that rows stand in; None where they stand in none."""
    parted = [row for row in rows if len(row) > 1]
    columns = _side_by_side(_bands([line for row in parted for line in row], most=len(parted) // 5), parted)
    if len(columns) < 2 or not _are_enough(parted, columns) or _is_broken(rows, columns):
        return None
    members = [_column_cells(parted, columns, place) for place in range(len(columns))]
    if not all(members) or sum(len(lines) > 1 for lines in members) < 2:
        return None
    if sum(map(aligned_lines, members)) < _MIN_ALIGNED * sum(map(len, members)):
        return None
    is_prose = any(sum(len(line.text) for line in lines) > _MAX_PROSE * len(lines) for lines in members)
    return None if len(columns) == 2 and is_prose else columns


def _is_broken(rows: Sequence[Row], columns: Columns) -> bool:
    """Tell whether many rows have but one line that runs over columns, or that is not close below another."""
    single = [place for place, row in enumerate(rows) if len(row) == 1]
    crossing = sum(len(touched_columns(rows[place][0], columns)) > 1 for place in single)
    loose = sum(_gap(rows, place) > TIGHT * rows[place][0].size for place in single if place)
    return 5 * crossing > len(rows) or 2 * loose > len(rows) - len(single)


def _column_cells(rows: Sequence[Row], columns: Columns, place: int) -> list[PageLine]:
    """Cells of a column: words that are in no other, a line a row."""
    parts = ([word for line in row if touched_columns(line, columns) == [place] for word in line.words] for row in rows)
    return [PageLine(words=tuple(words)) for words in parts if words]


def _are_enough(parted: Sequence[Row], columns: Columns) -> bool:
    """Tell whether there are three rows of several cells, or two of three columns that have figures below words."""
    if len(parted) != 2 or len(columns) < 3:
        return len(parted) > 2
    head, body = ([is_figure(line.text) for line in row] for row in parted)
    return not any(head) and any(body)


def _bands(lines: Sequence[PageLine], *, most: int) -> Columns:
    """Stretches from left to right that more than ``most`` of the lines cover."""
    edges = sorted([(line.box[0], 1) for line in lines] + [(line.box[2], -1) for line in lines])
    bands: list[tuple[float, float]] = []
    covering, start = 0, 0.0
    for place, step in edges:
        if covering == most and step > 0:
            start = place
        covering += step
        if covering == most and step < 0:
            if bands and start - bands[-1][1] < _MIN_VALLEY:
                start = bands.pop()[0]
            bands.append((start, place))
    return tuple(bands)


def _side_by_side(columns: Columns, rows: Sequence[Row]) -> Columns:
    """Columns with those as one that no row has both of, or but one where they are close: a short header beside its figures."""
    joined = list(columns[:1])
    for column in columns[1:]:
        pair = joined[-1], column
        touched = [[touched_columns(line, pair) for line in row] for row in rows]
        is_close = column[0] - pair[0][1] < rows[0][0].size
        if sum([0] in parts and [1] in parts for parts in touched) > is_close:
            joined.append(column)
        else:
            joined[-1] = joined[-1][0], column[1]
    return tuple(joined)


def _with_header_and_rest(rows: Sequence[Row], within: tuple[int, int, int], columns: Columns) -> tuple[int, int]:
    """The rows with those close above and below that have but one cell, right of the first column.

    ``within`` are the first row that is free, the first of the table, and the one after its last.
    """
    first, start, end = within
    usual = median(_gap(rows, place) for place in range(start + 1, end)) + 1

    def belongs(place: int) -> bool:
        row = rows[place]
        return len(row) == 1 and row[0].box[0] > columns[0][1] and not is_caption(row[0].text)

    while start > first and belongs(start - 1) and _gap(rows, start) <= usual:
        start -= 1
    while end < len(rows) and belongs(end) and _gap(rows, end) <= TIGHT * rows[end][0].size:
        end += 1
    return start, end

"""Items of a page into its blocks: tables, paragraphs, list items, in the order they are read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from rag_core.parsing.pages.alignment import aligned_tables
from rag_core.parsing.pages.columns import reading_order
from rag_core.parsing.pages.paragraphs import paragraphs
from rag_core.parsing.pages.parts import PageBlock, PageItem, PageLine, PageTable, PageWord, rows_of, split_line

MAX_TURNED = 200
"""Turned lines of a page beyond which none heads a column."""
_WIDE = 0.75
"""Gap between words that parts a line, by the font size."""


def page_lines(words: Iterable[PageWord]) -> list[PageLine]:
    """Words by lines, parted where the gap is wide; turned ones are lines of their own."""
    upright = [word for word in words if word.turn == "upright"]
    lines = [line for row in rows_of(upright) for line in split_line(PageLine(words=tuple(row)), _WIDE)]
    turned = _turned_lines(word for word in words if word.turn != "upright")
    return [*lines, *turned]


def _turned_lines(words: Iterable[PageWord]) -> Iterator[PageLine]:
    """Turned words as they follow each other in the file: a word goes on with the one before where they nearly touch."""
    line: list[PageWord] = []
    for word in words:
        if line and (word.turn != line[-1].turn or _distance(line[-1], word) > _WIDE * word.size):
            yield PageLine(words=tuple(line))
            line = []
        line.append(word)
    if line:
        yield PageLine(words=tuple(line))


def _distance(one: PageWord, other: PageWord) -> float:
    across = max(one.box[0] - other.box[2], other.box[0] - one.box[2])
    along = max(one.box[1] - other.box[3], other.box[1] - one.box[3])
    return max(across, along)


def page_blocks(page: int, items: Sequence[PageItem]) -> list[PageBlock]:
    """Blocks of a page in the order they are read; turned lines that stand beside text come last."""
    lines = [item for item in items if isinstance(item, PageLine)]
    turned = [line for line in lines if not line.is_upright]
    beside = [line for line in turned if len(turned) > MAX_TURNED or not _is_in_a_row(line, lines)]
    left_out = set(map(id, beside))
    blocks: list[PageBlock] = []
    for region in reading_order([item for item in items if id(item) not in left_out]):
        first, *rest = _region_blocks(page, region)
        blocks += [replace(first, opens=True), *rest]
    return blocks + [PageBlock(page=page, last_page=page, lines=(line,)) for line in beside]


def _is_in_a_row(line: PageLine, lines: Sequence[PageLine]) -> bool:
    """Tell whether a line is one of several turned ones at one height, as headers of columns are."""
    level = [other for other in lines if line.box[1] < other.box[3] and other.box[1] < line.box[3]]
    turned = sum(not other.is_upright for other in level)
    return turned > 1 and len(level) - turned <= turned


def _region_blocks(page: int, region: Sequence[PageItem]) -> list[PageBlock]:
    """Blocks of one column; a table stands before the first row that begins below its top."""
    rows = rows_of(item for item in region if isinstance(item, PageLine))
    tables = [item for item in region if isinstance(item, PageTable)]
    parts: list[tuple[float, PageItem]] = [(table.box[1], table) for table in tables]
    place = 0
    for aligned in aligned_tables(rows):
        parts += [(row[0].box[1], _whole(row)) for row in rows[place : aligned.start]]
        parts.append((aligned.table.box[1], aligned.table))
        place = aligned.end
    parts += [(row[0].box[1], _whole(row)) for row in rows[place:]]
    blocks: list[PageBlock] = []
    for is_table, group in groupby(sorted(parts, key=itemgetter(0)), key=lambda part: isinstance(part[1], PageTable)):
        members = [item for _, item in group]
        if is_table:
            blocks += [
                PageBlock(page=page, last_page=page, table=table) for table in members if isinstance(table, PageTable)
            ]
        else:
            lines = paragraphs([line for line in members if isinstance(line, PageLine)])
            blocks += [PageBlock(page=page, last_page=page, lines=tuple(paragraph)) for paragraph in lines]
    return blocks


def _whole(row: Sequence[PageLine]) -> PageLine:
    return PageLine(words=tuple(word for line in row for word in line.words))

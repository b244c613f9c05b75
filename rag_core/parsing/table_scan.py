"""A cheap count of a file's tables by other means than its parser's, so that a parser that misses all of them is noticed."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from rag_core.model.document import Box, bounds
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.archives import open_archive

_NEAR = 3.0
"""Points within which rules touch."""
_MAX_RULES = 1_000
_LEAST_RULES = 3
"""Rules of each direction that two rows or two columns have."""


def count_tables(file: SourceFile, format_name: str, limits: ParsingLimits) -> int | None:
    """Tables of a file: marked ones, and ruled ones of a PDF, where one that goes on over pages is one; None where none can be told."""
    counter = _COUNTERS.get(format_name)
    return counter(file.data, limits) if counter else None


def _marked(pattern: str, parts: str) -> Callable[[bytes, ParsingLimits], int]:
    """A count of the elements of the XML in an archive."""
    element, wanted = re.compile(pattern.encode()), re.compile(parts)

    def count(data: bytes, limits: ParsingLimits) -> int:
        archive = open_archive(data, limits)
        return sum(len(element.findall(archive.read(name))) for name in archive.names if wanted.fullmatch(name))

    return count


def _ruled(data: bytes, limits: ParsingLimits) -> int:
    from rag_core.parsing.pages.reading import BROKEN_PAGE, open_pdf, read_page

    found, before = 0, list[Box]()
    with closing(open_pdf(data)) as pdf:
        for number in range(min(len(pdf), limits.max_pages)):
            try:
                with closing(pdf[number]) as page:
                    rules = read_page(page, max_characters=limits.max_characters).rules
            except BROKEN_PAGE:
                continue
            boxes = [(rule.start, rule.at, rule.end, rule.at) for rule in rules if rule.is_horizontal]
            boxes += [(rule.at, rule.start, rule.at, rule.end) for rule in rules if not rule.is_horizontal]
            grids = _grids(boxes[:_MAX_RULES])
            found += len(grids) - bool(grids and before and _goes_on(before[-1], grids[0]))
            before = grids
    return found


def _grids(boxes: Sequence[Box]) -> list[Box]:
    """Boxes around rules that touch, directly or by others, and part two rows and two columns; from the top down."""
    groups: list[list[Box]] = []
    for box in boxes:
        touched = [group for group in groups if any(_touch(box, other) for other in group)]
        groups = [group for group in groups if group not in touched]
        groups.append([box, *(one for group in touched for one in group)])
    return sorted((bounds(group) for group in groups if _is_grid(group)), key=lambda box: box[1])


def _is_grid(group: Sequence[Box]) -> bool:
    rows = {round(top / _NEAR) for left, top, right, bottom in group if right - left > bottom - top}
    columns = {round(left / _NEAR) for left, top, right, bottom in group if bottom - top > right - left}
    return min(len(rows), len(columns)) >= _LEAST_RULES


def _touch(one: Box, other: Box) -> bool:
    return all(one[axis] <= other[axis + 2] + _NEAR and other[axis] <= one[axis + 2] + _NEAR for axis in (0, 1))


def _goes_on(before: Box, box: Box) -> bool:
    """Tell whether a grid is as wide as the last of the page before."""
    return abs(before[0] - box[0]) < _NEAR and abs(before[2] - box[2]) < _NEAR


_COUNTERS: Mapping[str, Callable[[bytes, ParsingLimits], int]] = {
    "pdf": _ruled,
    "docx": _marked(r"<w:tbl[ >]", r"word/document\d*\.xml"),
    "pptx": _marked(r"<a:tbl[ >]", r"ppt/slides/slide\d+\.xml"),
    "odt": _marked(r"<table:table[ >]", r"content\.xml"),
}

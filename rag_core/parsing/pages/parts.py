"""Values that the steps hand on: words, lines, rules, tables, blocks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeVar

from rag_core.model.document import Box, bounds
from rag_core.parsing.building import LaterPart

Turn = Literal["upright", "up", "down", "slanted"]
"""Direction of reading: "up" from the bottom to the top of the page, "down" the other way, "slanted" any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWord:
    """A word, or a whole line where no finer places are known. ``size`` is the font's in points."""

    text: str
    box: Box
    size: float
    is_bold: bool = False
    turn: Turn = "upright"

    @property
    def center(self) -> tuple[float, float]:
        """Middle of its box."""
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True, kw_only=True)
class PageLine:
    """Words of one line, from left to right."""

    words: tuple[PageWord, ...]

    @cached_property
    def box(self) -> Box:
        """Smallest box around the words."""
        return bounds(word.box for word in self.words)

    @cached_property
    def text(self) -> str:
        """Words with single spaces."""
        return " ".join(word.text for word in self.words)

    @cached_property
    def size(self) -> float:
        """Font size of most characters."""
        sizes: dict[float, int] = {}
        for word in self.words:
            sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
        return max(sizes, key=lambda size: sizes[size])

    @cached_property
    def is_bold(self) -> bool:
        """Tell whether all words are bold."""
        return all(word.is_bold for word in self.words)

    @property
    def is_upright(self) -> bool:
        """Tell whether it reads from left to right."""
        return self.words[0].turn == "upright"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRule:
    """A straight line: at this y from x to x where it is horizontal, at this x from y to y otherwise."""

    is_horizontal: bool
    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """A table of one page, a text a cell; a cell that spans several has its text in the first.

    ``columns`` are the left and right bounds of each column.
    """

    box: Box
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[float, float], ...]


PageItem = PageLine | PageTable
"""Part of a page in its reading order."""
Placed = TypeVar("Placed", PageWord, PageLine)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """Lines of one paragraph, heading or list item, or a table.

    ``opens`` where it is the first of its page or column. ``continued`` are its lines in other columns and on other pages,
    ``later`` says where those stand, or a table's rows, and counts lines or rows; ``last_page`` is the page it ends on.
    """

    page: int
    last_page: int
    lines: tuple[PageLine, ...] = ()
    continued: tuple[PageLine, ...] = ()
    table: PageTable | None = None
    opens: bool = False
    later: tuple[LaterPart, ...] = ()

    @property
    def box(self) -> Box:
        """Smallest box around what stands where the block begins."""
        return self.table.box if self.table else bounds(line.box for line in self.lines)

    @property
    def all_lines(self) -> tuple[PageLine, ...]:
        """Lines from its beginning to its end."""
        return self.lines + self.continued

    @property
    def style(self) -> tuple[float, bool]:
        """Font size of the first line, and whether all lines are bold."""
        return self.lines[0].size, all(line.is_bold for line in self.lines)


def split_line(line: PageLine, gap: float) -> list[PageLine]:
    """A line parted where the gap between two words is wider than this share of the font size."""
    starts = [
        place
        for place, (before, word) in enumerate(pairwise(line.words), 1)
        if word.box[0] - before.box[2] > gap * word.size
    ]
    return [PageLine(words=line.words[start:end]) for start, end in pairwise([0, *starts, len(line.words)])]


def is_inside(word: PageWord, box: Box) -> bool:
    """Tell whether the middle of a word lies in a box."""
    x, y = word.center
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def rows_of(items: Iterable[Placed]) -> list[list[Placed]]:
    """Items whose heights overlap by more than half of the lower one's, a list a row, each from left to right."""
    rows: list[list[Placed]] = []
    for item in sorted(items, key=lambda item: (item.box[1], item.box[0])):
        if rows and _are_level(rows[-1][0].box, item.box):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda item: item.box[0]) for row in rows]


def _are_level(one: Box, other: Box) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > 0.5 * min(one[3] - one[1], other[3] - other[1])

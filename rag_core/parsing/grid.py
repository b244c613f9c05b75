"""Cells of tables: those that span several columns or rows, and rows that name the columns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_core.errors import DocumentRefusedError

_MAX_CELLS = 1_000_000
_MAX_HEADER_CHARACTERS = 60
_NUMERIC = re.compile(r"[^\w]*\d[\d\s.,:/%()+€$£-]*")
_YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanningCell:
    """A cell, the columns and rows it covers, and whether it is marked as a header."""

    text: str
    columns: int = 1
    rows: int = 1
    is_header: bool = False


def rectangular_rows(rows: Iterable[Sequence[SpanningCell]]) -> list[list[str]]:
    """Rows of texts; a cell's stands in the first place it covers, and the others are blank.

    Raises:
        DocumentRefusedError: the rows have more than a million cells.
    """
    written: list[list[str]] = []
    covered: dict[int, int] = {}
    count = 0
    for row in rows:
        if count + sum(cell.columns for cell in row) > _MAX_CELLS:
            raise DocumentRefusedError(f"the file has a table of more than {_MAX_CELLS:,} cells; split it")
        written.append(_line(row, covered))
        count += len(written[-1])
    return written


def _line(row: Sequence[SpanningCell], covered: dict[int, int]) -> list[str]:
    """One row; ``covered`` is how many further rows each column is covered by a cell above, and is brought up to date."""
    taken = {column for column, rows in covered.items() if rows}
    for column in taken:
        covered[column] -= 1
    line: list[str] = []
    for cell in row:
        while len(line) in taken:
            line.append("")
        for place in range(cell.columns):
            covered[len(line)] = max(covered.get(len(line), 0), cell.rows - 1)
            line.append("" if place else cell.text)
    return line + [""] * (max(taken, default=-1) + 1 - len(line))


def looks_like_headers(rows: Sequence[Sequence[str]]) -> bool:
    """A first row names the columns if its texts are short, different and no numbers but years; the first may be blank."""
    if len(rows) < 2:
        return False
    first = [cell.strip() for cell in rows[0]]
    return (
        all(first[1:] or first)
        and len({cell.casefold() for cell in first}) == len(first)
        and all(len(cell) <= _MAX_HEADER_CHARACTERS and "@" not in cell for cell in first)
        and all(_YEAR.fullmatch(cell) or not _NUMERIC.fullmatch(cell) for cell in first)
    )

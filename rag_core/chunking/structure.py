"""Headings and tables of Markdown, as spans of the text they stand in. Pure; offsets are code points, half-open."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_core.model.note import Span

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"[^\S\n]{0,3}(`{3,}(?![^\n]*`)|~{3,})")
_HEADING = re.compile(r"[^\S\n]{0,3}#{1,6}(?:[^\S\n]|$)", re.MULTILINE)
_DASHES = re.compile(r":?-+:?")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownTable:
    """A table from its header to the end of its last row; each row is a line, its line end included."""

    start: int
    end: int
    headers: tuple[str, ...]
    rows: tuple[Span, ...]

    @property
    def header_end(self) -> int:
        """End of the line of dashes under the header."""
        return self.rows[0][0] if self.rows else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownStructure:
    """Where headings begin, and the tables; both in the order of the text, none of them within a fenced block of code."""

    heading_starts: tuple[int, ...]
    tables: tuple[MarkdownTable, ...]


def structure_of(text: str) -> MarkdownStructure:
    """The headings and tables of a text; of a text without any, which is most of them, in one look."""
    if "#" not in text and "|" not in text:
        return MarkdownStructure(heading_starts=(), tables=())
    lines = _lines(text)
    tables: list[MarkdownTable] = []
    at = 0
    while at + 1 < len(lines):
        found = _table_at(text, lines, at)
        if found is not None:
            tables.append(found)
        at += 1 if found is None else 2 + len(found.rows)
    headings = tuple(start for start, _ in lines if _HEADING.match(text, start))
    return MarkdownStructure(heading_starts=headings, tables=tuple(tables))


def cells_of(row: str) -> tuple[str, ...]:
    r"""The cells of a row of Markdown; ``\|`` is a bar within one."""
    line = row.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in _BAR.split(line))


def cell_spans(text: str, row: Span) -> list[Span]:
    """The cells of a row, each from its bar to the next cell's; they tile the row."""
    start, end = row
    bars = (match.start() for match in _BAR.finditer(text, start, end))
    starts = [at for at in bars if text[start:at].strip() and text[at + 1 : end].strip()]
    return list(pairwise([start, *starts, end]))


def row_text(headers: Sequence[str], cells: Sequence[str]) -> str:
    """A row as a sentence, each cell behind its header: "Fecha: 3 de mayo; Importe: 42,10 €". Empty cells are left out.

    A header that only counts its column says nothing and is left out too.
    """
    named = zip([*headers, *[""] * len(cells)], cells, strict=False)
    return "; ".join(
        cell if not header or header.isdecimal() else f"{header}: {cell}" for header, cell in named if cell
    )


def _lines(text: str) -> list[Span]:
    """The lines outside fenced blocks of code."""
    return [span for span, is_code in _marked_lines(text) if not is_code]


def _marked_lines(text: str) -> Iterator[tuple[Span, bool]]:
    fence = ""
    for match in _LINE.finditer(text):
        opened = _FENCE.match(text, *match.span())
        mark = opened[1] if opened else ""
        yield match.span(), bool(fence or mark)
        if fence and mark.startswith(fence) and not text[match.start() : match.end()].strip().strip(mark[0]):
            fence = ""
        elif not fence:
            fence = mark


def _table_at(text: str, lines: Sequence[Span], at: int) -> MarkdownTable | None:
    """The table whose header is that line: the next one is of dashes, for as many columns."""
    (start, end), (dashes, rows_start) = lines[at], lines[at + 1]
    if end != dashes or "|" not in text[start:end] or "|" not in text[dashes:rows_start]:
        return None
    headers, marks = cells_of(text[start:end]), cells_of(text[dashes:rows_start])
    if len(headers) != len(marks) or not all(_DASHES.fullmatch(mark) for mark in marks):
        return None
    rows: list[Span] = []
    for place in range(at + 2, len(lines)):
        row = lines[place]
        if row[0] != (rows[-1][1] if rows else rows_start) or "|" not in text[slice(*row)]:
            break
        rows.append(row)
    return MarkdownTable(start=start, end=rows[-1][1] if rows else rows_start, headers=headers, rows=tuple(rows))

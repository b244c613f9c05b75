"""Regions of a note that chunks respect: sections of prose and tables. Pure."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_core.chunking.packing import CHARACTERS_PER_TOKEN, ChunkSpan, TableHead, chunk_spans, estimate_tokens
from rag_core.chunking.structure import MarkdownTable, cell_spans, cells_of, row_text, structure_of
from rag_core.model.note import ChunkKind, Span

WHOLE_TABLE_ROWS = 20
"""A table with fewer rows is one chunk, one with more is parted into groups of so many."""
PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_VISIBLE = re.compile(r"\S")
_KEY_CHARACTERS = 80
"""So much of a row's first cell is told with its other cells where the row is parted."""
_LEAD_CHARACTERS = 200
"""So little text right before a table belongs to it: its caption, or the heading of its section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A stretch of a text; of a table, what stands right before it included."""

    start: int
    end: int
    table: MarkdownTable | None = None


def regions_of(text: str, *, breaks: Sequence[int] = (), least_characters: int) -> list[Region]:
    """Part a text at tables, and at headings and ``breaks`` after ``least_characters`` at least; the regions tile it, '' gives [].

    A shorter section goes with the next, a shorter last one with the one before it, and so does a shorter stretch before a heading.
    """
    structure = structure_of(text)
    headings = frozenset(structure.heading_starts)
    bounds = sorted(headings | frozenset(breaks))
    found: list[Region] = []
    start = 0
    for table in structure.tables:
        lead = _lead_start(text, start, table.start, structure.heading_starts)
        end = _VISIBLE.search(text, table.end)
        found += _sections(start, lead, bounds, headings, least_characters)
        found.append(Region(start=lead, end=end.start() if end else len(text), table=table))
        start = found[-1].end
    return [*found, *_sections(start, len(text), bounds, headings, least_characters)]


def _lead_start(text: str, start: int, table_start: int, headings: Sequence[int]) -> int:
    """Where the heading right before a table begins, else the paragraph, if it is not far; else where the table does."""
    earliest = max(start, table_start - _LEAD_CHARACTERS)
    before = bisect_left(headings, table_start)
    if before and headings[before - 1] >= earliest:
        return headings[before - 1]
    if start >= earliest:
        return start
    paragraphs = [match.end() for match in PARAGRAPH.finditer(text, earliest, table_start)]
    return next((at for at in reversed(paragraphs) if at < table_start), table_start)


def _sections(start: int, end: int, bounds: Sequence[int], headings: frozenset[int], least: int) -> list[Region]:
    starts = [start]
    for bound in bounds[bisect_left(bounds, start + 1) : bisect_left(bounds, end)]:
        if bound - starts[-1] >= least:
            starts.append(bound)
        elif bound in headings and len(starts) > 1 and starts[-1] not in headings:
            starts[-1] = bound
    if len(starts) > 1 and end - starts[-1] < least:
        starts.pop()
    return [Region(start=a, end=b) for a, b in pairwise([*starts, end]) if a < b]


def chunks_by_region(
    text: str,
    sentences: Sequence[Span],
    *,
    max_tokens: int,
    overlap_tokens: int,
    min_tokens: int,
    breaks: Sequence[int] = (),
    least_characters: int | None = None,
    rows_together: int = WHOLE_TABLE_ROWS,
) -> list[ChunkSpan]:
    """Cut each region by ``chunk_spans``, and tables by rows; no chunk has something of two regions.

    Sections have ``least_characters``, else ``min_tokens``. A table of fewer than ``rows_together`` rows is one chunk if it fits
    ``max_tokens``. A larger one is a chunk for its header, with what stands before it if both fit, and one for
    every ``rows_together`` rows or as many as fit. Each carries the headers. A row that does not fit with its headers is parted into
    groups of columns, each with its own headers and, after the caption, the row's first cell.
    """
    least = CHARACTERS_PER_TOKEN * min_tokens if least_characters is None else least_characters
    starts = [start for start, _ in sentences]
    chunks: list[ChunkSpan] = []
    for region in regions_of(text, breaks=breaks, least_characters=least):
        if region.table is not None:
            chunks += _table_chunks(text, starts, region, region.table, max_tokens=max_tokens, together=rows_together)
            continue
        found = chunk_spans(
            text[region.start : region.end],
            _shifted(_between(starts, region), -region.start),
            max_tokens=max_tokens,
            overlap_tokens=overlap_tokens,
            min_tokens=min_tokens,
        )
        chunks += [_moved(span, region.start) for span in found]
    return chunks


def _table_chunks(
    text: str, starts: Sequence[int], region: Region, table: MarkdownTable, *, max_tokens: int, together: int
) -> Iterator[ChunkSpan]:
    head = TableHead(
        start=table.start, headers=table.headers, caption=_caption_in(text[region.start : table.start]) or None
    )
    start, header_end = region.start, table.header_end if table.rows else region.end
    if start < table.start and estimate_tokens(header_end - start) > max_tokens:
        lead = Region(start=start, end=table.start)
        yield from _bounded(text, _between(starts, lead), "text", None, max_tokens)
        start = table.start
    if len(table.rows) < together and estimate_tokens(region.end - start) <= max_tokens:
        yield _of_table((start, region.end), "table", head)
        return
    above = _between(starts, Region(start=start, end=table.start)) if start < table.start else []
    names = cell_spans(text, (table.start, header_end))
    yield from _bounded(text, [*above, *names], "table_summary", head, max_tokens)
    group: list[Span] = []
    for row in (*table.rows[:-1], *((start, region.end) for start, _ in table.rows[-1:])):
        parts = _parts_of_row(text, row, head, max_tokens)
        if group and (parts or len(group) == together or estimate_tokens(row[1] - group[0][0]) > max_tokens):
            yield from _bounded(text, group, "table_segment", head, max_tokens)
            group = []
        if parts:
            yield from parts
        else:
            group.append(row)
    if group:
        yield from _bounded(text, group, "table_segment", head, max_tokens)


def _parts_of_row(text: str, row: Span, head: TableHead, max_tokens: int) -> list[ChunkSpan]:
    """Chunks of as many cells as fit with their headers, if not all of the row's do; [] if they do."""
    limit = max_tokens * CHARACTERS_PER_TOKEN
    names_length = sum(len(name) + len(": ") for name in head.headers)
    if row[1] - row[0] + names_length + len(head.caption or "") <= limit:
        return []
    cells = cell_spans(text, row)
    named = [*zip(cells, [*head.headers, *[""] * len(cells)], strict=False)]
    lengths = [_length_with_header(text, cell, name) for cell, name in named]
    key = row_text(head.headers[:1], cells_of(text[slice(*cells[0])]))[:_KEY_CHARACTERS]
    keyed = replace(head, caption=". ".join(filter(None, (head.caption, key))))
    bounds = _column_bounds(lengths, limit - len(head.caption or ""), limit - len(keyed.caption or ""))
    if len(bounds) == 2:
        return []
    chunks: list[ChunkSpan] = []
    for first, end in pairwise(bounds):
        own = replace(keyed if first else head, headers=tuple(name for _, name in named[first:end]))
        added = sum(lengths[first:end]) - (cells[end - 1][1] - cells[first][0]) + len(own.caption or "")
        room = max(max_tokens // 2, max_tokens - added // CHARACTERS_PER_TOKEN, 1)
        chunks += _bounded(text, cells[first:end], "table_segment", own, room)
    return chunks


def _length_with_header(text: str, cell: Span, header: str) -> int:
    """Characters of a cell and its header; an empty cell is told without."""
    is_filled = any(cells_of(text[slice(*cell)]))
    return cell[1] - cell[0] + (len(header) + len(": ") if is_filled else 0)


def _column_bounds(lengths: Sequence[int], first_room: int, room: int) -> list[int]:
    """Bounds of groups of columns none of which is longer than there is room, but for single columns."""
    bounds, left = [0], first_room
    for at, length in enumerate(lengths):
        if length > left and at > bounds[-1]:
            bounds.append(at)
            left = room
        left -= length
    return [*bounds, len(lengths)]


def _caption_in(lead: str) -> str:
    """The last line of what stands before a table, without marks of Markdown."""
    lines = lead.rstrip().splitlines()
    return lines[-1].strip(" \t#*_:`") if lines else ""


def _bounded(
    text: str, parts: Sequence[Span], kind: ChunkKind, head: TableHead | None, max_tokens: int
) -> Iterator[ChunkSpan]:
    """One chunk of the parts, or as many as a row above ``max_tokens`` takes."""
    start, end = parts[0][0], parts[-1][1]
    if estimate_tokens(end - start) <= max_tokens:
        yield _of_table((start, end), kind, head)
        return
    pieces = chunk_spans(
        text[start:end], _shifted(parts, -start), max_tokens=max_tokens, overlap_tokens=0, min_tokens=0
    )
    for piece in pieces:
        yield _of_table((piece.start + start, piece.end + start), kind, head)


def _of_table(span: Span, kind: ChunkKind, head: TableHead | None) -> ChunkSpan:
    return ChunkSpan(start=span[0], end=span[1], token_count=estimate_tokens(span[1] - span[0]), kind=kind, table=head)


def _between(starts: Sequence[int], region: Region) -> list[Span]:
    """The sentences of a region; one that reaches beyond it is cut at its bounds."""
    inner = starts[bisect_left(starts, region.start + 1) : bisect_left(starts, region.end)]
    return list(pairwise([region.start, *inner, region.end]))


def _shifted(spans: Sequence[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _moved(span: ChunkSpan, by: int) -> ChunkSpan:
    return replace(span, start=span.start + by, end=span.end + by)

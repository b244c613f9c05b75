"""Markdown written block by block, so that each block is a span of the text."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from rag_core.errors import DocumentRefusedError, UnreadableDocumentError
from rag_core.model.document import (
    BlockKind,
    Box,
    DocumentBlock,
    DocumentTable,
    DocumentWarning,
    PageUnit,
    ParsedDocument,
    ParserName,
    WarningKind,
)
from rag_core.model.note import Span

_GAP = "\n\n"
BAR = "\\|"
"""A bar within a cell, as Markdown writes it."""
_DEFAULT_AUTHORS = frozenset({"(anonymous)", "administrador", "administrator", "anonymous", "openpyxl", "python-docx"})
"""What programs name as the author of files that they write."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_FENCE = re.compile("^`{3,}", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterPart:
    """Part of a block that stands elsewhere, in another column or on another page: a block of its own, without a blank line between.

    ``start`` counts the rows of a table, or the characters of a text, that are before it.
    """

    start: int
    page: int
    box: Box


class DocumentBuilder:
    """Collects a document's blocks in reading order; ``build`` gives the whole.

    Text is NFC-normalised; characters that PostgreSQL cannot store are left out; blank blocks are passed over.
    """

    def __init__(self, *, max_characters: int, parser: ParserName = "native") -> None:
        self.parser = parser
        self._max_characters = max_characters
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[DocumentBlock] = []
        self._tables: list[DocumentTable] = []
        self._warnings: list[DocumentWarning] = []

    def heading(self, text: str, level: int, *, page: int | None = None, box: Box | None = None) -> None:
        """Add a heading; levels beyond 6 are 6."""
        line = " ".join(storable(text).split())
        level = min(max(level, 1), 6)
        if line:
            self._add("heading", f"{'#' * level} {line}", level=level, page=page, box=box)

    def paragraph(
        self,
        text: str,
        *,
        page: int | None = None,
        box: Box | None = None,
        confidence: float | None = None,
        later: Sequence[LaterPart] = (),
    ) -> None:
        """Add a paragraph; line breaks in it stay."""
        lines = [line.rstrip() for line in storable(text).strip().splitlines()]
        if any(lines):
            written = "\n".join(line for line in lines if line)
            start = self._add("paragraph", written, page=page, box=box, confidence=confidence)
            self._part([(start + part.start, part) for part in later])

    def list_of(
        self, items: Sequence[tuple[int, str, str]], *, page: int | None = None, box: Box | None = None
    ) -> None:
        """Add a list: (depth from 0, marker such as "-" or "1.", text) an item."""
        lines: list[str] = []
        outer: list[tuple[int, int]] = []  # depth and width of the items that hold the next one
        for depth, marker, text in items:
            if line := " ".join(storable(text).split()):
                while outer and outer[-1][0] >= depth:
                    outer.pop()
                indent = outer[-1][1] if outer else 0
                outer.append((depth, indent + len(marker) + 1))
                lines.append(f"{' ' * indent}{marker} {line}")
        if lines:
            self._add("list", "\n".join(lines), page=page, box=box)

    def code(self, text: str, *, language: str = "", page: int | None = None) -> None:
        """Add a block of code within fences."""
        body = storable(text).strip("\n")
        if body.strip():
            longest = max((len(fence) for fence in _FENCE.findall(body)), default=2)
            fence = "`" * (longest + 1)
            self._add("code", f"{fence}{language}\n{body}\n{fence}", page=page)

    def image(self, description: str, *, page: int | None = None, box: Box | None = None) -> None:
        """Add what an image is said to show; one without description is passed over."""
        line = " ".join(storable(description).split())
        if line:
            self._add("image", f"![{line}]()", page=page, box=box)

    def table(
        self,
        rows: Sequence[Sequence[str]],
        *,
        has_headers: bool = True,
        caption: str | None = None,
        page: int | None = None,
        box: Box | None = None,
        confidence: float | None = None,
        later: Sequence[LaterPart] = (),
    ) -> None:
        """Add a table, a text a cell; without headers the columns are numbered, as an empty header is ("2")."""
        cells = [[_cell(text) for text in row] for row in rows]
        width = max((len(row) for row in cells), default=0)
        check_length(len(cells) * width, self._max_characters)  # before short rows are filled up
        cells = [row + [""] * (width - len(row)) for row in cells]
        while cells and not any(cells[-1]):
            cells.pop()
        if not width or not any(any(row) for row in cells):
            return
        count = len(cells)
        names = cells.pop(0) if has_headers and count > 1 else [""] * width
        headers = tuple(name or str(place) for place, name in enumerate(names, 1))
        lines = [_row(headers), _row(["---"] * width), *(_row(row) for row in cells)]
        start = self._add("table", "\n".join(lines), page=page, box=box, confidence=confidence)
        spans = _spans(lines, start)
        self._tables.append(
            DocumentTable(
                block=len(self._blocks) - 1,
                headers=headers,
                rows=tuple(map(tuple, cells)),
                row_spans=spans[2:],
                caption=" ".join(storable(caption).split()) or None if caption else None,
            )
        )
        of_rows = spans[len(spans) - count :]
        self._part([(of_rows[part.start][0], part) for part in later if part.start < count])

    def warn(self, kind: WarningKind, message: str, *, page: int | None = None) -> None:
        """Note what is doubtful."""
        self._warnings.append(DocumentWarning(kind=kind, message=message, page=page))

    @property
    def is_empty(self) -> bool:
        """True while no block was added."""
        return not self._blocks

    def build(
        self,
        *,
        title: str | None = None,
        author: str | None = None,
        written_at: datetime | None = None,
        created_at: datetime | None = None,
        pages: int | None = None,
        page_unit: PageUnit = "page",
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ParsedDocument:
        """The document; its title is the one given, else its first heading's; the name of a sheet is no title.

        Raises:
            UnreadableDocumentError: no block has any text.
        """
        if self.is_empty:
            raise UnreadableDocumentError("the file holds no text")
        text = _GAP.join(self._parts)
        return ParsedDocument(
            text=text,
            blocks=tuple(self._blocks),
            tables=tuple(self._tables),
            parser=self.parser,
            title=one_line(title) or (None if page_unit == "sheet" else self._first_heading(text)),
            author=_person(author),
            written_at=written_at,
            created_at=created_at,
            pages=pages,
            page_unit=page_unit,
            confidence=confidence,
            warnings=tuple(self._warnings),
            metadata=metadata or {},
        )

    def _first_heading(self, text: str) -> str | None:
        first = next((block for block in self._blocks if block.kind == "heading"), None)
        return one_line(text[first.start : first.end].lstrip("# ")) if first else None

    def _add(
        self,
        kind: BlockKind,
        written: str,
        *,
        level: int | None = None,
        page: int | None = None,
        box: Box | None = None,
        confidence: float | None = None,
    ) -> int:
        start = self._length + (len(_GAP) if self._parts else 0)
        end = start + len(written)
        check_length(end, self._max_characters)
        self._parts.append(written)
        self._length = end
        self._blocks.append(
            DocumentBlock(kind=kind, start=start, end=end, level=level, page=page, box=box, confidence=confidence)
        )
        return start

    def _part(self, later: Iterable[tuple[int, LaterPart]]) -> None:
        """Part the last block where the later parts of it begin."""
        for start, part in later:
            block = self._blocks[-1]
            if block.start < start < block.end:
                self._blocks[-1] = replace(block, end=start - 1)
                self._blocks.append(replace(block, start=start, page=part.page, box=part.box))


def storable(text: str) -> str:
    """Text in NFC without the characters that PostgreSQL cannot store, lines ended by a line feed."""
    return unicodedata.normalize("NFC", _UNSTORABLE.sub("", text)).replace("\r\n", "\n").replace("\r", "\n")


def check_length(characters: int, max_characters: int) -> None:
    """Check the length of a document's text.

    Raises:
        DocumentRefusedError: it is longer than allowed.
    """
    if characters > max_characters:
        raise DocumentRefusedError(
            f"the file has more than {max_characters:,} characters of text; split it, or raise BRAIN_MAX_NOTE_CHARACTERS"
        )


def one_line(text: str | None) -> str | None:
    """A title on one line, at most 512 characters; None where it is blank."""
    return " ".join(storable(text).split())[:512].strip() or None if text else None


def _person(author: str | None) -> str | None:
    """The author, unless it is the default that a program writes where nobody gave one."""
    name = one_line(author)
    return None if name and name.casefold() in _DEFAULT_AUTHORS else name


def _cell(text: str) -> str:
    """A cell's text on one line."""
    return " ".join(storable(text).split())


def _row(cells: Sequence[str]) -> str:
    """A row in Markdown; a bar in a cell is escaped."""
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def _spans(lines: Sequence[str], start: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    for line in lines:
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return tuple(spans)

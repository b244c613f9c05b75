"""Blocks of a body or of a table's cell, collected while markup is walked and before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_core.model.document import BlockKind
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.grid import SpanningCell, looks_like_headers, rectangular_rows

_MAX_DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPiece:
    """One block: ``text`` is what it says, but for lists, which have items, and tables, which have rows."""

    kind: BlockKind
    text: str = ""
    level: int = 1
    language: str = ""
    items: Sequence[tuple[int, str, str]] = ()
    rows: Sequence[Sequence[str]] = ()
    has_headers: bool = False

    def write(self, builder: DocumentBuilder, page: int | None) -> None:
        """Add the block to a document; the text of a table is its caption, which stands before it too."""
        match self.kind:
            case "heading":
                builder.heading(self.text, self.level, page=page)
            case "list":
                builder.list_of(self.items, page=page)
            case "table":
                builder.paragraph(self.text, page=page)
                builder.table(self.rows, has_headers=self.has_headers, caption=self.text, page=page)
            case "code":
                builder.code(self.text, language=self.language, page=page)
            case "image":
                builder.image(self.text, page=page)
            case "paragraph":
                builder.paragraph(self.text, page=page)

    @property
    def line(self) -> str:
        """The block within a cell of a table."""
        match self.kind:
            case "list":
                return " ".join(f"{marker} {text}" for _, marker, text in self.items)
            case "table":
                return " ".join([self.text, *(cell for row in self.rows for cell in row)])
            case "image":
                return f"![{self.text}]()"
            case _:
                return self.text


@dataclass(slots=True)
class _List:
    is_ordered: bool
    number: int


@dataclass(slots=True)
class _Item:
    depth: int
    marker: str
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A cell with its blocks."""

    pieces: Sequence[FlowPiece]
    columns: int
    rows: int
    is_header: bool


@dataclass(slots=True)
class TableDraft:
    """A table whose end has not been met; ``is_layout`` where its author says that it only arranges blocks."""

    is_layout: bool
    caption: str = ""
    rows: list[list[TableCell]] = field(default_factory=list)

    def add_row(self) -> None:
        """Begin a row."""
        self.rows.append([])

    def add_cell(self, cell: TableCell) -> None:
        """Add a cell to the row begun last."""
        if not self.rows:
            self.add_row()
        self.rows[-1].append(cell)

    def pieces(self) -> Sequence[FlowPiece]:
        """The table; or the blocks in it, where it only arranges them.

        Raises:
            DocumentRefusedError: it has too many cells.
        """
        cells = [cell for row in self.rows for cell in row]
        if self._arranges(cells):
            return [piece for cell in cells for piece in cell.pieces]
        marked = any(cell.is_header for cell in cells)
        grid = rectangular_rows(
            [
                SpanningCell(text=" ".join(piece.line for piece in cell.pieces), columns=cell.columns, rows=cell.rows)
                for cell in row
            ]
            for row in self.rows
        )
        width = max((place for row in grid for place, text in enumerate(row, 1) if text), default=0)
        rows = [row[:width] for row in grid if any(row)]  # a cell may claim to span more columns than there are
        has_headers = self._first_row_is_marked() if marked else looks_like_headers(rows)
        return [FlowPiece(kind="table", text=self.caption, rows=rows, has_headers=has_headers)]

    def _arranges(self, cells: Sequence[TableCell]) -> bool:
        if self.caption or any(cell.is_header for cell in cells):
            return False
        return (
            self.is_layout
            or all(len(row) <= 1 for row in self.rows)
            or any(_fits_no_cell(piece) for cell in cells for piece in cell.pieces)
        )

    def _first_row_is_marked(self) -> bool:
        first = next((row for row in self.rows if any(cell.pieces for cell in row)), [])
        return all(cell.is_header for cell in first if cell.pieces)


def _fits_no_cell(piece: FlowPiece) -> bool:
    return piece.kind in {"heading", "table"} or (piece.kind == "code" and "\n" in piece.text.strip())


class Flow:
    """Blocks in their order; a list ends where another block begins."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.tables: list[TableDraft] = []
        self._pieces: list[FlowPiece] = []
        self._lists: list[_List] = []
        self._items: list[_Item] = []
        self._open_items: list[_Item | None] = []

    def add(self, piece: FlowPiece) -> None:
        """Add a block."""
        self._end_list()
        self._pieces.append(piece)

    def add_text(self, text: str) -> None:
        """Add text to the item that is open, else as paragraphs."""
        item = self._open_items[-1] if self._open_items else None
        if item:
            item.texts.append(text)
        else:
            for paragraph in text.split("\n\n"):
                self.add(FlowPiece(kind="paragraph", text=paragraph))

    def begin_list(self, *, is_ordered: bool, number: int) -> None:
        """Begin a list, within an item or by itself."""
        self._lists.append(_List(is_ordered, number))

    def end_list(self) -> None:
        """End the list begun last."""
        self._lists.pop()
        if not self._lists:
            self._end_list()

    def begin_item(self, *, is_description: bool) -> None:
        """Begin an item; a description is one level deeper than its term."""
        inner = self._lists[-1] if self._lists else _List(is_ordered=False, number=1)
        depth = min(max(len(self._lists) - 1, 0) + is_description, _MAX_DEPTH)
        item = _Item(depth, f"{inner.number}." if inner.is_ordered else "-")
        inner.number += 1
        self._items.append(item)
        self._open_items.append(item)

    def end_item(self) -> None:
        """End the item begun last."""
        self._open_items.pop()
        if not self._lists and not self._open_items:
            self._end_list()

    def take(self) -> Sequence[FlowPiece]:
        """All blocks."""
        self._end_list()
        return self._pieces

    def _end_list(self) -> None:
        items = [(item.depth, item.marker, " ".join(item.texts)) for item in self._items if item.texts]
        self._items.clear()
        self._open_items = [None] * len(self._open_items)
        if items:
            self._pieces.append(FlowPiece(kind="list", items=items))

"""A DoclingDocument, the JSON that Docling gives, as a document of ours.

Items refer to each other by JSON pointers; ``body`` holds those in reading order. Boxes lie from the lower left corner of the page
or from the upper left one.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field, FiniteFloat

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import Box, ParsedDocument, bounds
from rag_core.parsing import ParsingLimits
from rag_core.parsing.building import DocumentBuilder, check_length
from rag_core.parsing.services import PAGE_UNITS

_LISTS = frozenset({"list", "ordered_list"})
_HEADINGS = frozenset({"title", "section_header", "field_heading"})
_LAYERS = frozenset({"body", "notes"})
"""Layers of what is read; headers and footers of pages are furniture."""
_OWNERS = frozenset({"table", "document_index", "picture", "chart", "inline"})
"""Labels of items whose children are parts of them, and written with them."""
_GROUPS = frozenset(
    {*_LISTS, "unspecified", "chapter", "section", "sheet", "slide", "form_area", "key_value_area", "picture_area"}
)
"""Labels of items that only hold others."""
_MAX_ITEMS = 1_000_000


class _Ref(BaseModel):
    ref: str = Field(alias="$ref")


class _Rectangle(BaseModel):
    l: FiniteFloat  # noqa: E741  Docling's names
    t: FiniteFloat
    r: FiniteFloat
    b: FiniteFloat
    coord_origin: Literal["TOPLEFT", "BOTTOMLEFT"] = "TOPLEFT"


class _Place(BaseModel):
    page_no: int
    bbox: _Rectangle


class _Cell(BaseModel):
    text: str = ""
    start_row_offset_idx: int = Field(ge=0)
    start_col_offset_idx: int = Field(ge=0)
    column_header: bool = False


class _Table(BaseModel):
    table_cells: list[_Cell] = []
    num_rows: int = Field(0, ge=0)
    num_cols: int = Field(0, ge=0)


class _Item(BaseModel):
    label: str = ""
    text: str = ""
    level: int = 1
    content_layer: str = "body"
    enumerated: bool = False
    marker: str | None = None
    children: list[_Ref] = []
    captions: list[_Ref] = []
    prov: list[_Place] = []
    data: _Table | None = None


class _Size(BaseModel):
    width: FiniteFloat
    height: FiniteFloat


class _Page(BaseModel):
    size: _Size


class DoclingContent(BaseModel):
    """The parts of a DoclingDocument that are read."""

    schema_name: Literal["DoclingDocument"]
    body: _Item
    groups: list[_Item] = []
    texts: list[_Item] = []
    tables: list[_Item] = []
    pictures: list[_Item] = []
    pages: dict[Annotated[int, Field(ge=1, le=1_000_000)], _Page] = {}

    def find(self, pointer: str) -> _Item | None:
        """The item that a pointer such as ``#/texts/3`` leads to; None for parts that are not read."""
        _, _, path = pointer.partition("#/")
        kind, _, place = path.partition("/")
        items: list[_Item] = getattr(self, kind) if kind in {"groups", "texts", "tables", "pictures"} else []
        return items[int(place)] if place.isdecimal() and len(place) < 9 and int(place) < len(items) else None

    def items(self) -> Iterator[tuple[_Item, int]]:
        """Items in reading order, each once, and how many lists hold it."""
        seen = {ref.ref for owner in (*self.tables, *self.pictures) for ref in owner.captions}
        waiting = [(ref.ref, 0) for ref in reversed(self.body.children)]
        while waiting:
            pointer, depth = waiting.pop()
            item = None if pointer in seen else self.find(pointer)
            seen.add(pointer)
            if item is None or item.content_layer not in _LAYERS:
                continue
            yield item, depth
            if item.label in _OWNERS:
                seen.update(ref.ref for ref in item.children)
                continue
            if not item.text and item.label not in _GROUPS:
                seen.update(ref.ref for ref in item.children if self._is_inline(ref))
            waiting += [(ref.ref, depth + (item.label in _LISTS)) for ref in reversed(item.children)]

    def text_of(self, item: _Item) -> str:
        """Text of an item; pieces of differing style are items of their own, in one that is inline."""
        if item.text or item.label in _GROUPS:
            return item.text
        if item.label == "inline":
            return " ".join(piece.text for piece in self._found(item.children))
        return " ".join(self.text_of(child) for child in self._found(item.children) if child.label == "inline")

    def caption_of(self, item: _Item) -> str:
        """Captions of a table or picture."""
        return " ".join(caption.text for caption in self._found(item.captions))

    def place_of(self, item: _Item) -> tuple[int | None, Box | None]:
        """Page of an item, its first one, and its box there."""
        pieces = self._found(item.children) if item.label == "inline" else []
        places = [place for one in (item, *pieces) for place in one.prov]
        page = places[0].page_no if places else None
        if page not in self.pages:
            return None, None
        height = self.pages[page].size.height
        return page, bounds(_box(place.bbox, height) for place in places if place.page_no == page)

    def _is_inline(self, ref: _Ref) -> bool:
        return (item := self.find(ref.ref)) is not None and item.label == "inline"

    def _found(self, refs: Sequence[_Ref]) -> list[_Item]:
        return [item for ref in refs if (item := self.find(ref.ref)) is not None]


def docling_document(
    content: DoclingContent,
    format_name: str,
    limits: ParsingLimits,
    *,
    confidence: float | None = None,
    warning: str | None = None,
) -> ParsedDocument:
    """The document of what Docling gave.

    Raises:
        DocumentRefusedError: it has no text, more than may be, or too many pages.
    """
    if len(content.pages) > limits.max_pages:
        raise DocumentRefusedError(
            f"the file has {len(content.pages):,} pages, more than {limits.max_pages:,}; split it"
        )
    builder = DocumentBuilder(max_characters=limits.max_characters, parser="docling")
    if warning is not None:
        builder.warn("left_out", warning)
    listed: list[tuple[_Item, int]] = []
    for item, depth in content.items():
        if item.label == "list_item":
            listed.append((item, depth))
        elif item.label not in _LISTS:
            _write_list(builder, content, listed)
            listed.clear()
            _write(builder, content, item)
    _write_list(builder, content, listed)
    return builder.build(
        pages=len(content.pages) or None, page_unit=PAGE_UNITS.get(format_name, "page"), confidence=confidence
    )


def _write(builder: DocumentBuilder, content: DoclingContent, item: _Item) -> None:
    page, box = content.place_of(item)
    text = content.caption_of(item) if item.data or item.label == "picture" else content.text_of(item)
    match item.label:
        case _ if item.data is not None:
            builder.paragraph(text, page=page)
            _write_table(builder, item.data, text, page, box)
        case "picture" | "chart":
            builder.image(text, page=page, box=box)
        case label if label in _HEADINGS:
            builder.heading(text, 1 if label == "title" else item.level + 1, page=page, box=box)
        case "code":
            builder.code(text, page=page)
        case _:
            builder.paragraph(text, page=page, box=box)


def _write_table(builder: DocumentBuilder, table: _Table, caption: str, page: int | None, box: Box | None) -> None:
    """Write a table; a cell that spans several stands in its first place."""
    check_length(table.num_rows * table.num_cols, _MAX_ITEMS)  # before it is filled
    rows = [[""] * table.num_cols for _ in range(table.num_rows)]
    for cell in table.table_cells:
        if cell.start_row_offset_idx < table.num_rows and cell.start_col_offset_idx < table.num_cols:
            rows[cell.start_row_offset_idx][cell.start_col_offset_idx] = cell.text
    has_headers = any(cell.column_header for cell in table.table_cells)
    builder.table(rows, has_headers=has_headers, caption=caption or None, page=page, box=box)


def _write_list(builder: DocumentBuilder, content: DoclingContent, listed: Sequence[tuple[_Item, int]]) -> None:
    """Write the items of a list, those of each page as one."""
    places = [content.place_of(item) for item, _ in listed]
    for page in dict.fromkeys(page for page, _ in places):
        items = [
            (max(depth - 1, 0), item.marker or ("1." if item.enumerated else "-"), content.text_of(item))
            for (item, depth), (on, _) in zip(listed, places, strict=True)
            if on == page
        ]
        boxes = [box for on, box in places if on == page and box is not None]
        builder.list_of(items, page=page, box=bounds(boxes) if boxes else None)


def _box(rectangle: _Rectangle, height: float) -> Box:
    top, bottom = rectangle.t, rectangle.b
    if rectangle.coord_origin == "BOTTOMLEFT":
        top, bottom = height - top, height - bottom
    return rectangle.l, min(top, bottom), rectangle.r, max(top, bottom)

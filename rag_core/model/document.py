"""Documents: what a file holds, as Markdown with blocks. Offsets are code points of the document's text, half-open."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from rag_core.model.note import NoteId, Span

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "image"]
WarningKind = Literal["low_confidence", "fallback_used", "validation_mismatch", "left_out", "hidden"]
ParserName = Literal["native", "ocr", "hybrid", "docling", "llamaparse"]
"""Reader of a document: the embedded parser, its recognition of images, both by pages, or a service."""
PageUnit = Literal["page", "slide", "sheet", "section"]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom in points (1/72 inch) from the upper left corner of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentBlock:
    """One block: the document's text from ``start`` to ``end`` is the block in Markdown.

    ``level`` is a heading's, 1 to 6. ``page`` counts from 1 in the unit of the document. ``confidence`` is 0 to 1, None where
    the parser gives none.
    """

    kind: BlockKind
    start: int
    end: int
    level: int | None = None
    page: int | None = None
    box: Box | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTable:
    """One table: its block's place in ``blocks``, its cells as text, and the span of each row of ``rows``.

    All rows have as many cells as ``headers``; a cell that spans several is repeated in none: its text stands in the first.
    """

    block: int
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_spans: tuple[Span, ...]
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentWarning:
    """A doubt about a parsed document; ``page`` where one page is concerned."""

    kind: WarningKind
    message: str
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A file's contents: NFC-normalised Markdown, blocks in reading order, tables.

    ``title`` is what the file itself says (properties, first heading), ``written_at`` a date that its author sent or published it
    with, ``created_at`` one that its program noted; None where it says nothing.
    ``pages`` is their number in ``page_unit``; None for formats without pages. ``parser`` is what read the file, ``is_validated``
    whether a second parser found the same tables.
    """

    text: str
    blocks: tuple[DocumentBlock, ...]
    tables: tuple[DocumentTable, ...]
    parser: ParserName = "native"
    title: str | None = None
    author: str | None = None
    written_at: datetime | None = None
    created_at: datetime | None = None
    pages: int | None = None
    page_unit: PageUnit = "page"
    confidence: float | None = None
    warnings: tuple[DocumentWarning, ...] = ()
    is_validated: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


VALIDATED = "+validated"


def reader_of(parser: str | None) -> str | None:
    """The reader that a stored file's ``parser`` names."""
    return parser and [*parser.split("+"), "native"][1]


def extraction_method(parser: str | None) -> str | None:
    """Method by which a stored file's tables were read, from its ``parser``: embedded, by a service, or by two that agreed."""
    if parser is None:
        return None
    reader = reader_of(parser)
    return "validated" if parser.endswith(VALIDATED) else reader if reader in {"docling", "llamaparse"} else "native"


LinkKind = Literal["wiki", "relative"]
MAX_KEY_CHARACTERS = 200
"""Names and sources together must fit an index row of 2,704 bytes."""
FileStatus = Literal["imported", "updated", "unchanged", "removed", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLink:
    """A link in a note to another one: a span of the note's text, what it names, and the heading behind ``#``.

    ``target_key`` is what names are compared by: see ``name_key``.
    """

    kind: LinkKind
    start: int
    end: int
    target: str
    target_key: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteName:
    """A name by which links mean a note. The lowest ``rank`` wins: 0 path, 1 end of the path, 2 alias, 3 title."""

    key: str
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """State of a file of a folder as it was last imported; ``note_id`` is None where no note was made of it.

    ``modified_ns`` is the file's time in nanoseconds since 1970, ``checked_at`` when it was compared. ``parser`` names format and
    version, the reader unless it is the embedded parser, and whether a second one agreed: "pdf/3+docling+validated".
    ``warning_kinds`` are those of ``warnings``, None where they are not known.
    """

    path: str
    status: Literal["imported", "refused", "failed"]
    file_size: int
    modified_ns: int
    note_id: NoteId | None = None
    error: str | None = None
    format: str | None = None
    file_hash: bytes | None = None
    parser: str | None = None
    parser_confidence: float | None = None
    author: str | None = None
    pages: int | None = None
    page_unit: PageUnit = "page"
    warnings: tuple[str, ...] = ()
    warning_kinds: tuple[WarningKind | None, ...] = ()
    checked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBlock:
    """A block of a document whose page is known: its number in the document, its span of the text, its page, its box there."""

    index: int
    start: int
    end: int
    page: int
    box: Box | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace:
    """Place of a passage in a document: its page, the first block of it there, and the box around all its blocks of that page.

    ``page`` is None where none is known, ``block`` where no block of the page holds any of the passage, ``box`` where none has one.
    """

    page: int | None = None
    block: int | None = None
    box: Box | None = None


def place_of(blocks: Sequence[PlacedBlock], span: Span, *, page: int | None = None) -> PagePlace:
    """The place of a span of a document's text, on its first page or on the one that is given.

    A span that no block holds is on the page of the last block before it. ``blocks`` are in the order of the text.
    """
    touched = [block for block in blocks if block.start < span[1] and block.end > span[0]]
    if page is None and blocks:
        before = [block for block in blocks if block.start <= span[0]]
        page = next(iter(touched or before[-1:] or blocks)).page
    on_page = [block for block in touched if block.page == page]
    boxes = [block.box for block in on_page if block.box is not None]
    return PagePlace(page=page, block=on_page[0].index if on_page else None, box=bounds(boxes) if boxes else None)


def bounds(boxes: Iterable[Box]) -> Box:
    """Smallest box around all; there must be one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def name_key(name: str) -> str:
    """A note's name as names are compared: NFC, without regard to case, without the suffix of Markdown, at most 200 characters."""
    key = unicodedata.normalize("NFC", name).casefold().strip()
    return key.removesuffix(".md").removesuffix(".markdown")[:MAX_KEY_CHARACTERS]

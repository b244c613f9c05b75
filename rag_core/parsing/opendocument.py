"""Contents that OpenDocument texts and spreadsheets share: properties, inline text and tables."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits
from rag_core.parsing.archives import ArchiveReader, open_archive
from rag_core.parsing.office import OfficeProperties, integer, link, parse_timestamp
from rag_core.parsing.sheets import SheetCell

_NAMESPACES = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
DRAW = _NAMESPACES % "drawing"
OFFICE = _NAMESPACES % "office"
STYLE = _NAMESPACES % "style"
SVG = _NAMESPACES % "svg-compatible"
TABLE = _NAMESPACES % "table"
TEXT = _NAMESPACES % "text"
_META = _NAMESPACES % "meta"
_MANIFEST = _NAMESPACES % "manifest"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_ADDRESS = "{http://www.w3.org/1999/xlink}href"
_SIGNS = {f"{TEXT}s": " ", f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}
_LEFT_OUT = frozenset((f"{OFFICE}annotation", f"{TEXT}ruby-text"))
_MANIFEST_NAME = "META-INF/manifest.xml"
_SPACE = re.compile(r"[ \t\r\n]+")


def open_opendocument(data: bytes, limits: ParsingLimits) -> ArchiveReader:
    """Open an OpenDocument package.

    Raises:
        DocumentRefusedError: it is encrypted. Or see ``open_archive``.
    """
    archive = open_archive(data, limits)
    if _MANIFEST_NAME in archive.names:
        entries = archive.xml(_MANIFEST_NAME).iter(f"{_MANIFEST}encryption-data")
        if next(entries, None) is not None:
            raise DocumentRefusedError("the file is protected by a password; save it without one")
    return archive


def opendocument_properties(archive: ArchiveReader) -> OfficeProperties:
    """Properties of an OpenDocument package."""
    if "meta.xml" not in archive.names:
        return OfficeProperties()
    text = archive.xml("meta.xml").findtext
    return OfficeProperties(
        title=text(f".//{_DUBLIN_CORE}title"),
        author=text(f".//{_META}initial-creator") or text(f".//{_DUBLIN_CORE}creator"),
        created_at=parse_timestamp(text(f".//{_META}creation-date")),
    )


def inline_text(element: Any, mark: Callable[[Any], str] = lambda _note: "") -> str:
    """Text of a paragraph, links in Markdown, without frames and comments; ``mark`` gives the mark of a note."""
    return "".join(_inline(element, mark))


def _inline(element: Any, mark: Callable[[Any], str]) -> Iterator[str]:
    yield _SPACE.sub(" ", element.text or "")
    for child in element:
        if child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        elif child.tag == f"{TEXT}note":
            yield mark(child)
        elif child.tag == f"{TEXT}a":
            yield link(inline_text(child, mark), child.get(_ADDRESS))
        elif child.tag not in _LEFT_OUT and not child.tag.startswith(DRAW):
            yield from _inline(child, mark)
        yield _SPACE.sub(" ", child.tail or "")


def table_cells(table: Any, text_of: Callable[[Any], str]) -> Iterator[SheetCell]:
    """Cells of a table that have text, as often as they are repeated; repeated blank ones only count."""
    row_number = 1
    for row in _inside(table, f"{TABLE}table-row"):
        repeated = max(1, integer(row.get(f"{TABLE}number-rows-repeated"), 1))
        cells: list[SheetCell] = []
        for cell in _row_cells(row, row_number, text_of):
            cells.append(cell)
            yield cell
        if cells:
            yield from (_moved(cell, further) for further in range(1, repeated) for cell in cells)
        row_number += repeated


def _row_cells(row: Any, row_number: int, text_of: Callable[[Any], str]) -> Iterator[SheetCell]:
    column = 1
    for cell in row:
        repeated = max(1, integer(cell.get(f"{TABLE}number-columns-repeated"), 1))
        text = text_of(cell).strip() if cell.tag == f"{TABLE}table-cell" else ""
        if text:
            rows = max(1, integer(cell.get(f"{TABLE}number-rows-spanned"), 1))
            columns = max(1, integer(cell.get(f"{TABLE}number-columns-spanned"), 1))
            for place in range(column, column + repeated):
                yield SheetCell(text, row_number, place, row_number + rows - 1, place + columns - 1)
        column += repeated


def _moved(cell: SheetCell, rows: int) -> SheetCell:
    return cell._replace(row=cell.row + rows, last_row=cell.last_row + rows)


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Rows of a table, also those in groups; not those of tables within its cells."""
    for child in element:
        if child.tag == tag:
            yield child
        else:
            yield from _inside(child, tag)

"""Excel workbooks (.xlsx, .xlsm): a sheet a page, with the values that were last computed."""

import io
import re
from collections.abc import Container, Iterator
from datetime import datetime, time
from itertools import islice
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import is_office_package, open_archive
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.office import check_pages, core_properties, number_text, refusing_defects, warn_of_macros
from rag_core.parsing.sheets import SheetCell, write_sheet

_MAX_ROWS = 1_048_576
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=[\"']([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})[\"']")
_NOT_COMPUTED = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\b[^>]*/>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_HIDDEN = re.compile(rb"<(?:\w+:)?(row|col)\b[^>]*\bhidden=[\"'](?:1|true)[\"'][^>]*>")
_PLACE = re.compile(rb"\b(?:r|min|max)=[\"']([0-9]{1,7})[\"']")
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_PERCENT = re.compile(r"0(?:\.(0+))?%")


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    from openpyxl import load_workbook  # type: ignore[import-untyped]

    archive = open_archive(file.data, limits)
    archive.check_xml()
    builder = DocumentBuilder(max_characters=limits.max_characters)
    with refusing_defects():
        book = load_workbook(io.BytesIO(file.data), read_only=True, data_only=True, keep_links=False)
        check_pages(len(book.worksheets), limits, "sheets")
        for number, sheet in enumerate(book.worksheets, 1):
            source = archive.read(sheet._worksheet_path)  # noqa: SLF001  read-only sheets give neither merged cells nor formulas
            if sheet.sheet_state != "visible":
                builder.warn("hidden", "the sheet is hidden in the file, and its text was taken", page=number)
            if count := len(_NOT_COMPUTED.findall(source)):
                builder.warn(
                    "left_out",
                    f"{count} formulas have no stored result; save the file in a spreadsheet program",
                    page=number,
                )
            cells = _cells(sheet, _merged(source), _hidden(source, b"row"), _hidden(source, b"col"))
            write_sheet(builder, sheet.title, cells, page=number, max_characters=limits.max_characters)
    warn_of_macros(builder, archive)
    properties = core_properties(archive)
    return builder.build(
        title=properties.title,
        author=properties.author,
        created_at=properties.created_at,
        pages=len(book.worksheets),
        page_unit="sheet",
    )


def _merged(sheet: bytes) -> dict[tuple[int, int], tuple[int, int]]:
    """Last row and column of merged cells, by the row and column of their first."""
    from openpyxl.utils import range_boundaries  # type: ignore[import-untyped]

    areas = (range_boundaries(found[1].decode()) for found in _MERGED.finditer(sheet, sheet.rfind(b"sheetData>")))
    return {(row, column): (last_row, last_column) for column, row, last_column, last_row in areas}


def _hidden(sheet: bytes, axis: bytes) -> frozenset[int]:
    """Numbers of the rows ("row") or columns ("col") that are hidden."""
    places = (sorted(map(int, _PLACE.findall(found[0]))) for found in _HIDDEN.finditer(sheet) if found[1] == axis)
    return frozenset(number for ends in places if ends for number in range(ends[0], ends[-1] + 1))


def _cells(
    sheet: Any, merged: dict[tuple[int, int], tuple[int, int]], rows: Container[int], columns: Container[int]
) -> Iterator[SheetCell]:
    """Cells with text; ``rows`` and ``columns`` are hidden."""
    sheet.reset_dimensions()  # those a file states may be wrong
    for row in islice(sheet.iter_rows(), _MAX_ROWS):
        for cell in row:
            if cell.value is not None and (text := _text(cell).strip()):
                place = cell.row, cell.column
                last_row, last_column = merged.get(place, place)
                is_hidden = cell.row in rows or cell.column in columns
                yield SheetCell(text, *place, last_row, last_column, is_hidden)


def _text(cell: Any) -> str:
    """A value as it is shown, but dates in ISO 8601 and numbers with all their digits."""
    match cell.value:
        case bool(value):
            return str(value).upper()
        case datetime() as moment if moment.time() == time() and not _shows_time(cell.number_format):
            return moment.date().isoformat()
        case datetime() as moment:
            return moment.isoformat(sep=" ", timespec="seconds")
        case time() as moment:
            return moment.isoformat(timespec="seconds")
        case int() | float() as number if percent := _PERCENT.search(cell.number_format or ""):
            return f"{number:.{len(percent[1] or '')}%}"
        case value:
            return number_text(str(value)) if isinstance(value, float) else str(value)


def _shows_time(number_format: str | None) -> bool:
    """True where a number format has hours; text in it, its language and escaped characters are none."""
    return "h" in _LITERAL.sub("", number_format or "").lower()


FORMATS.register("xlsx")(
    DocumentFormat(
        suffixes=(".xlsx", ".xlsm"),
        recognises=lambda data: is_office_package(data, "xl/workbook"),
        parse=_parse,
        version=5,
    )
)

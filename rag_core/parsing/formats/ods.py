"""OpenDocument spreadsheets (.ods): a sheet a page, cells as they are shown."""

from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import mimetype
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.office import check_pages
from rag_core.parsing.opendocument import (
    OFFICE,
    STYLE,
    TABLE,
    TEXT,
    inline_text,
    open_opendocument,
    opendocument_properties,
    table_cells,
)
from rag_core.parsing.sheets import write_sheet

_MEDIA_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
_MIDNIGHT = "T00:00:00"
_EXTERNAL = "ta_extref"
"""Style of the sheets in which LibreOffice keeps values of other files."""


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    archive = open_opendocument(file.data, limits)
    content = archive.xml("content.xml")
    hidden = {
        style.getparent().get(f"{STYLE}name") for style in content.iter(f"{STYLE}table-properties") if _hides(style)
    }
    sheets = [
        sheet
        for sheet in content.iterfind(f"{OFFICE}body/{OFFICE}spreadsheet/{TABLE}table")
        if sheet.get(f"{TABLE}style-name") != _EXTERNAL
    ]
    check_pages(len(sheets), limits, "sheets")
    builder = DocumentBuilder(max_characters=limits.max_characters)
    for number, sheet in enumerate(sheets, 1):
        if sheet.get(f"{TABLE}style-name") in hidden:
            builder.warn("hidden", "the sheet is hidden in the file, and its text was taken", page=number)
        cells = table_cells(sheet, _text)
        name = sheet.get(f"{TABLE}name", "")
        write_sheet(builder, name, cells, page=number, max_characters=limits.max_characters)
    properties = opendocument_properties(archive)
    return builder.build(
        title=properties.title,
        author=properties.author,
        created_at=properties.created_at,
        pages=len(sheets),
        page_unit="sheet",
    )


def _hides(properties: Any) -> bool:
    return bool(properties.get(f"{TABLE}display") == "false")


def _text(cell: Any) -> str:
    """A cell's text as it is shown, but dates in ISO 8601."""
    moment = cell.get(f"{OFFICE}date-value")
    if moment:
        return str(moment).removesuffix(_MIDNIGHT).replace("T", " ")
    shown = "\n".join(inline_text(paragraph) for paragraph in cell.iterfind(f"{TEXT}p"))
    return shown or cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}string-value") or ""


FORMATS.register("ods")(
    DocumentFormat(suffixes=(".ods",), recognises=lambda data: mimetype(data) == _MEDIA_TYPE, parse=_parse, version=2)
)

"""Comma-separated values, whatever separates them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder, check_length, storable
from rag_core.parsing.decoding import decode
from rag_core.parsing.grid import looks_like_headers

_DELIMITERS = "\t;|,"
_DECLARED = re.compile(r"\s*sep=([\t;|,])[^\S\n]*\n")
_QUOTED = re.compile(r'(?:\A|(?<=[\t;|,\n])) *"[^"]*+(?:""[^"]*+)*" *(?=[\t;|,\n]|\Z)')
_DECIMAL = re.compile(r"[-+]?[\d.\s]*\d,\d+\s*[%€$]?")


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    text = storable(decode(file.data))
    check_length(len(text), limits.max_characters)
    declared = _DECLARED.match(text)
    body = text[declared.end() :] if declared else text
    lines = list(io.StringIO(_QUOTED.sub("q", body)))  # quoted cells, which may hold anything, are no evidence
    delimiter = declared.group(1) if declared else max(_DELIMITERS, key=lambda mark: _fit(lines, mark))
    rows = [row for row in _rows(body, delimiter, len(lines)) if any(cell.strip() for cell in row)]
    builder = DocumentBuilder(max_characters=limits.max_characters)
    width = _usual_width(lines, delimiter)
    above = list(takewhile(lambda row: _is_preamble(row, width), rows))
    for _ in above if len(above) < len(rows) else ():  # rows of one cell alone are a list
        builder.paragraph(rows.pop(0)[0])
    builder.table(rows, has_headers=looks_like_headers(rows))
    return builder.build()


def _fit(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """Share of lines with the usual number of cells, times that of cells without another delimiter; then that number.

    A single column is no evidence of a delimiter.
    """
    width = _usual_width(lines, delimiter)
    rows = [line.split(delimiter) for line in lines if line.strip()]
    cells = [cell.strip() for row in rows if len(row) == width for cell in row]
    if width < 2:
        return 0, width
    others = set(_DELIMITERS) - {delimiter}
    clean = sum(others.isdisjoint(cell) or _DECIMAL.fullmatch(cell) is not None for cell in cells)
    return clean / width / len(rows), width


def _usual_width(lines: Sequence[str], delimiter: str) -> int:
    widths = Counter(line.count(delimiter) + 1 for line in lines if line.strip())
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _rows(text: str, delimiter: str, count: int) -> list[list[str]]:
    """Rows of cells; a quotation mark that would take in further rows is a character like others.

    Raises:
        DocumentRefusedError: a cell is larger than the library takes.
    """
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting, skipinitialspace=True)
        try:
            rows = list(reader)
        except csv.Error:
            continue
        if len(rows) == count or quoting == csv.QUOTE_NONE:
            return rows
    raise DocumentRefusedError("the file has a cell of more than 131,072 characters, so it is no table; split it")


def _is_preamble(row: Sequence[str], width: int) -> bool:
    """A row above a table is a line of text where its first cell alone is filled, of three or more."""
    return width > 2 and bool(row[0].strip()) and not any(cell.strip() for cell in row[1:])


FORMATS.register("csv")(DocumentFormat(suffixes=(".csv", ".tsv"), parse=_parse, version=2))

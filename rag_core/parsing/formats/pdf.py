"""PDF: the text of each page by its layout; pages that are images by recognition, where that is installed."""

import math
import re
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import chain
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING, Any

from rag_core.errors import DocumentRefusedError, UnreadableDocumentError
from rag_core.language.folding import fold
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder, check_length
from rag_core.parsing.page_progress import page_read
from rag_core.parsing.pages.furniture import without_furniture
from rag_core.parsing.pages.grids import ruled_tables
from rag_core.parsing.pages.joining import join_blocks
from rag_core.parsing.pages.layout import page_blocks, page_lines
from rag_core.parsing.pages.parts import PageLine, PageTable, is_inside
from rag_core.parsing.pages.writing import write_blocks
from rag_core.parsing.recognition import REMEDY, UNSURE, RecognisedText, can_recognise, recognise_text

if TYPE_CHECKING:
    from rag_core.parsing.pages.reading import ReadPage

_HEAD = 1024
"""Bytes within which the signature stands."""
_DPI = 200
_SHARE_OF_TIME = 0.7
_TOO_LATE = "there was no time left to recognise the page; split the file, or raise BRAIN_DOCUMENT_SECONDS"
_WORD = re.compile(r"\w+")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?")


@dataclass(slots=True, kw_only=True)
class _PdfPages:
    """Content of the pages read so far, by their numbers; ``recognise_until`` is the time at which recognition ends."""

    limits: ParsingLimits
    builder: DocumentBuilder
    recognise_until: float
    lines: dict[int, list[PageLine]] = field(default_factory=dict)
    tables: dict[int, list[PageTable]] = field(default_factory=dict)
    heights: dict[int, float] = field(default_factory=dict)
    recognised: dict[int, RecognisedText] = field(default_factory=dict)
    characters: int = 0
    left_out: dict[int, str] = field(default_factory=dict)

    def leave_out(self, number: int, reason: str) -> None:
        self.left_out[number] = reason
        self.builder.warn("left_out", reason, page=number)

    def add_text(self, number: int, page: "ReadPage") -> None:
        self.characters += sum(len(word.text) for word in page.words)
        check_length(self.characters, self.limits.max_characters)
        tables = ruled_tables(page.rules, page.words)
        outside = [word for word in page.words if not any(is_inside(word, table.box) for table in tables)]
        self.lines[number], self.tables[number], self.heights[number] = page_lines(outside), tables, page.height

    def add_recognised(self, number: int, page: "ReadPage", text: RecognisedText) -> None:
        self.lines[number], self.tables[number], self.heights[number] = list(text.lines), [], page.height
        self.recognised[number] = text
        if text.is_unsure:
            self.builder.warn("low_confidence", UNSURE, page=number)


def _recognises(data: bytes) -> bool:
    return b"%PDF-" in data[:_HEAD]


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    from rag_core.parsing.pages.reading import open_pdf

    builder = DocumentBuilder(max_characters=limits.max_characters)
    with closing(open_pdf(file.data)) as pdf:
        count, metadata = len(pdf), pdf.get_metadata_dict(skip_empty=True)
        if count > limits.max_pages:
            raise DocumentRefusedError(f"the file has {count:,} pages, more than {limits.max_pages:,}; split it")
        until = monotonic() + _SHARE_OF_TIME * limits.seconds
        pages = _PdfPages(limits=limits, builder=builder, recognise_until=until)
        for number in range(1, count + 1):
            _add_page(pages, pdf, number)
            page_read(number, count)
    _write(builder, pages)
    if pages.recognised:
        written = {number for number, lines in pages.lines.items() if lines or pages.tables[number]}
        builder.parser = "ocr" if written <= pages.recognised.keys() else "hybrid"
    title = metadata.get("Title", "")
    return builder.build(
        title=title if frozenset() < _words(title) <= _first_words(pages) else None,
        author=metadata.get("Author"),
        created_at=_date(metadata.get("CreationDate", "")),
        pages=count,
        confidence=fmean(text.confidence for text in pages.recognised.values()) if pages.recognised else None,
    )


def _add_page(pages: _PdfPages, pdf: Any, number: int) -> None:
    """Read a page; one that cannot be read leaves a warning."""
    from rag_core.parsing.pages.reading import BROKEN_PAGE, read_page

    try:
        with closing(pdf[number - 1]) as page:
            read = read_page(page, max_characters=pages.limits.max_characters)
            if not read.is_image:
                pages.add_text(number, read)
            elif not can_recognise():
                pages.leave_out(number, f"the page is an image without text; {REMEDY}")
            elif monotonic() > pages.recognise_until:
                pages.leave_out(number, _TOO_LATE)
            else:
                scale = min(_DPI / 72, math.sqrt(pages.limits.max_pixels / max(read.width * read.height, 1)))
                image = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
                pages.add_recognised(number, read, recognise_text(image, points_per_pixel=1 / scale))
    except BROKEN_PAGE:
        pages.leave_out(number, "the page is broken and cannot be read; export the file again")


def _write(builder: DocumentBuilder, pages: _PdfPages) -> None:
    if pages.left_out and not any(pages.lines.values()) and not any(pages.tables.values()):
        raise UnreadableDocumentError(next(iter(pages.left_out.values())))
    kept = without_furniture(pages.lines, pages.heights)
    blocks = [block for number, lines in kept.items() for block in page_blocks(number, [*pages.tables[number], *lines])]
    write_blocks(builder, join_blocks(blocks), recognised=pages.recognised)


def _first_words(pages: _PdfPages) -> frozenset[str]:
    """Words of the first page that was read; a title without them is the writing program's or the file's name."""
    number = next(iter(pages.lines), 0)
    cells = (cell for table in pages.tables.get(number, ()) for row in table.rows for cell in row)
    return _words(" ".join(chain((line.text for line in pages.lines.get(number, ())), cells)))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(text).text))


def _date(text: str) -> datetime | None:
    """Date of a PDF: "D:20240131120000+01'00'", shorter perhaps; UTC where no zone is given."""
    match = _DATE.match(text)
    if not match:
        return None
    *parts, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = (
        int(part or least) for part, least in zip(parts, (1, 1, 1, 0, 0, 0), strict=True)
    )
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone(-offset if sign == "-" else offset))
    except ValueError:
        return None


FORMATS.register("pdf")(DocumentFormat(suffixes=(".pdf",), recognises=_recognises, parse=_parse, version=4))

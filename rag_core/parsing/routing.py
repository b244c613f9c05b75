"""Choice of the parser of each file: the embedded one, or a service that the operator set up.

The embedded parser reads every file first, in little time: it holds the bounds, shows tables and columns, and stands in for a service
that fails. ``ROUTES`` says which services a format may go to, the first one first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from rag_core.errors import DocumentFailedError, DocumentRefusedError, UnreadableDocumentError
from rag_core.model.document import DocumentBlock, DocumentWarning, ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.recognising import format_of
from rag_core.parsing.recognition import LOW_CONFIDENCE
from rag_core.parsing.services import ParsingService, ServiceName
from rag_core.parsing.services.options import ParserOptions
from rag_core.parsing.working import DocumentParser

ROUTES: Mapping[str, tuple[ServiceName, ...]] = {
    "pdf": ("docling", "llamaparse"),
    "xlsx": ("docling", "llamaparse"),
    "docx": ("docling",),
    "pptx": ("docling",),
    "html": ("docling",),
    "png": ("docling",),
    "jpg": ("docling",),
}
"""Services of each format; all others are read by the embedded parser alone."""
READS_HANDWRITING: ServiceName = "llamaparse"
"""The service that reads with a language model."""
HANDWRITTEN = "the text is hard to recognise, as handwriting is, and no parser may read it; send it typed, or leave the condition out"
_TABLE_SHARE = 0.5
_MANY_CHARACTERS = 100
_ALIKE = 0.95
_SERVICE_FAILURES = (DocumentFailedError, DocumentRefusedError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """Result of the embedded parser: a document, or the reason why there is none."""

    document: ParsedDocument | None = None
    failure: DocumentFailedError | UnreadableDocumentError | None = None

    def take(self) -> ParsedDocument:
        if self.document is None:
            assert self.failure is not None
            raise self.failure
        return self.document


class RoutedParser(DocumentParser):
    """A parser of files that asks services too, those that are given."""

    def __init__(
        self,
        limits: ParsingLimits,
        *,
        services: Mapping[ServiceName, ParsingService],
        options: ParserOptions,
        **arguments: Any,
    ) -> None:
        super().__init__(limits, **arguments)
        self._services = services
        self._options = options

    def parse(self, file: SourceFile) -> ParsedDocument:
        """Parse a file by the parser that is chosen for it; see ``DocumentParser.parse``.

        Raises:
            DocumentRefusedError, DocumentFailedError: the error of the parser that was tried last.
        """
        try:
            own = _Own(document=super().parse(file))
        except (DocumentFailedError, UnreadableDocumentError) as error:
            own = _Own(failure=error)
        name = format_of(file)
        document = self._routed(file, name, own)
        return self._checked(file, name, document, own) if self._options.validate_output else document

    def _routed(self, file: SourceFile, name: str, own: _Own) -> ParsedDocument:
        first, reason = self._first(file, name, own)
        others = [service for service in self._services_for(file, name) if service != first]
        last: Exception | None = None
        for parser in dict.fromkeys((first, *others, "native")):
            try:
                document = own.take() if parser == "native" else self._ask_service(parser, file, name, own)
            except _SERVICE_FAILURES as error:
                if not self._options.fallback_conditions.docling_failed:
                    raise
                last, reason = error, f"{parser} could not read the file ({str(error).partition(';')[0]})"
            else:
                return (
                    _warned(document, "fallback_used", f"{parser} read the file instead, because {reason}")
                    if reason
                    else document
                )
        assert last is not None
        raise last

    def _first(self, file: SourceFile, name: str, own: _Own) -> tuple[str, str | None]:
        """The parser to begin with, and why it is not the primary one.

        Raises:
            DocumentRefusedError: it seems to be handwritten, and nothing may read that.
        """
        services, conditions, document = self._services_for(file, name), self._options.fallback_conditions, own.document
        primary = self._options.primary if self._options.primary in services else "native"
        if document is None:
            return primary, None
        if (
            conditions.handwritten
            and document.parser in {"ocr", "hybrid"}
            and (document.confidence or 0) < LOW_CONFIDENCE
        ):
            if READS_HANDWRITING not in self._services or not self._fits(READS_HANDWRITING, file):
                raise DocumentRefusedError(HANDWRITTEN)
            return READS_HANDWRITING, "it seems to be handwritten"
        if services and services[-1] != primary:
            if conditions.table_heavy and _share_of_tables(document) > _TABLE_SHARE:
                return services[-1], "most of it is tables"
            if conditions.complex_layout and _has_columns(document):
                return services[-1], "it has several columns"
        return primary, None

    def _services_for(self, file: SourceFile, name: str) -> list[ServiceName]:
        return [one for one in ROUTES.get(name, ()) if one in self._services and self._fits(one, file)]

    def _fits(self, service: ServiceName, file: SourceFile) -> bool:
        return len(file.data) <= self._services[service].max_bytes

    def _ask_service(self, service: Any, file: SourceFile, name: str, own: _Own) -> ParsedDocument:
        """A service's document, with what the file says of itself."""
        document = self._services[service].parse(file, name, self._limits)
        told = own.document
        if told is None:
            return document
        return replace(
            document,
            title=told.title or document.title,
            author=told.author,
            written_at=told.written_at,
            created_at=told.created_at,
            pages=document.pages or told.pages,
            metadata=told.metadata,
        )

    def _checked(self, file: SourceFile, name: str, document: ParsedDocument, own: _Own) -> ParsedDocument:
        """The document with warnings where a second parser, or a count of tables, finds others."""
        second = own.document
        if document.parser not in self._services:
            second = self._second(file, name, own)
        problem = None if second is None else _difference(document, second)
        if problem:
            document = _warned(document, "validation_mismatch", problem)
        counted = self.count_tables(file)
        if counted is not None and counted > len(document.tables):
            document = _warned(document, "validation_mismatch", _other_number(document, "pre-scan", counted))
        elif second is not None and not problem and document.tables:
            document = replace(document, is_validated=True)
        return document

    def _second(self, file: SourceFile, name: str, own: _Own) -> ParsedDocument | None:
        for service in self._services_for(file, name):
            try:
                return self._ask_service(service, file, name, own)
            except _SERVICE_FAILURES:
                continue
        return None


def _warned(document: ParsedDocument, kind: Any, message: str) -> ParsedDocument:
    return replace(document, warnings=(*document.warnings, DocumentWarning(kind=kind, message=message)))


def _share_of_tables(document: ParsedDocument) -> float:
    """Share of the text that stands in tables."""
    blocks = [document.blocks[table.block] for table in document.tables]
    return sum(block.end - block.start for block in blocks) / len(document.text)


def _has_columns(document: ParsedDocument) -> bool:
    """Tell whether on half of the pages or more paragraphs of many characters stand side by side."""
    pages: dict[int, list[DocumentBlock]] = {}
    for block in document.blocks:
        if block.kind == "paragraph" and block.page and block.box and block.end - block.start >= _MANY_CHARACTERS:
            pages.setdefault(block.page, []).append(block)
    beside = sum(any(_are_beside(one, other) for one, other in combinations(blocks, 2)) for blocks in pages.values())
    return bool(beside) and 2 * beside >= (document.pages or 1)


def _are_beside(one: DocumentBlock, other: DocumentBlock) -> bool:
    assert one.box is not None
    assert other.box is not None
    (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = one.box, other.box
    is_level = top < other_bottom and other_top < bottom
    return is_level and (right <= other_left or other_right <= left)


def _difference(document: ParsedDocument, second: ParsedDocument) -> str | None:
    """Message about tables that a second parser finds otherwise: their number, or more than a few of their cells."""
    if len(document.tables) != len(second.tables):
        return _other_number(document, second.parser, len(second.tables))
    cells, others = Counter(_cells(document)), Counter(_cells(second))
    same, most = (cells & others).total(), max(cells.total(), others.total())
    if same >= _ALIKE * most:
        return None
    parsers = f"{document.parser}, {second.parser}"
    return f"{most - same} of {most} cells of tables differ ({parsers}); compare it with the original"


def _other_number(document: ParsedDocument, other: str, number: int) -> str:
    numbers = f"{document.parser} {len(document.tables)}, {other} {number}"
    return f"the number of tables differs ({numbers}); compare it with the original"


def _cells(document: ParsedDocument) -> Iterator[str]:
    rows: Iterator[Sequence[str]] = (row for table in document.tables for row in (table.headers, *table.rows))
    return ("".join(cell.split()).casefold() for row in rows for cell in row if cell.strip())

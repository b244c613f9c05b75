"""Blocks and properties that the office formats share."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits
from rag_core.parsing.archives import ArchiveReader
from rag_core.parsing.building import DocumentBuilder

_CORE = "docProps/core.xml"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_DUBLIN_CORE_TERMS = "{http://purl.org/dc/terms/}"
_LIBRARY_ERRORS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""Errors of a library that meets a file other than its format demands."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, with links in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list at a depth from 0, with the marker "-" or "1."."""

    text: str
    depth: int
    marker: str


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table by its rows; cells that another covers are blank."""

    rows: list[list[str]]
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class ImageText:
    """The alternative text of an image."""

    text: str


OfficeBlock = Heading | Paragraph | ListItem | TableRows | ImageText


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeProperties:
    """Properties that an office file gives; the creation date is in UTC where the file names no time zone."""

    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None


def write_blocks(builder: DocumentBuilder, blocks: Iterable[OfficeBlock], *, page: int | None = None) -> None:
    """Write blocks in their order; list items that follow each other are one list, which a blank paragraph ends."""
    for is_list, run in groupby(blocks, key=lambda block: isinstance(block, ListItem)):
        if is_list:
            items = [(item.depth, item.marker, item.text) for item in run if isinstance(item, ListItem)]
            builder.list_of(items, page=page)
        else:
            for block in run:
                _write(builder, block, page)


def _write(builder: DocumentBuilder, block: OfficeBlock, page: int | None) -> None:
    match block:
        case Heading(text, level):
            builder.heading(text, level, page=page)
        case Paragraph(text):
            builder.paragraph(text, page=page)
        case TableRows(rows, caption):
            builder.table(rows, caption=caption, page=page)
        case ImageText(text):
            builder.image(text, page=page)


def plain_text(blocks: Iterable[OfficeBlock]) -> str:
    """Text of blocks without Markdown, a line each: the content of a cell or a note."""
    return "\n".join(line for block in blocks for line in _lines(block) if line.strip()).strip()


def _lines(block: OfficeBlock) -> Iterable[str]:
    if isinstance(block, TableRows):
        return (" ".join(filter(str.strip, row)) for row in block.rows)
    return (block.text,)


def core_properties(archive: ArchiveReader) -> OfficeProperties:
    """Properties of an Office Open XML package."""
    if _CORE not in archive.names:
        return OfficeProperties()
    text = archive.xml(_CORE).findtext
    return OfficeProperties(
        title=text(f"{_DUBLIN_CORE}title"),
        author=text(f"{_DUBLIN_CORE}creator"),
        created_at=parse_timestamp(text(f"{_DUBLIN_CORE_TERMS}created")),
    )


def parse_timestamp(text: str | None) -> datetime | None:
    """An ISO 8601 timestamp; None for anything else."""
    try:
        moment = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def warn_of_macros(builder: DocumentBuilder, archive: ArchiveReader) -> None:
    """Note that a file has macros; they are neither run nor read."""
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        builder.warn("left_out", "the macros of the file were left out")


def check_pages(count: int, limits: ParsingLimits, unit: str) -> None:
    """Check the number of slides or sheets.

    Raises:
        DocumentRefusedError: there are more than the limits allow.
    """
    if count > limits.max_pages:
        raise DocumentRefusedError(f"the file has {count:,} {unit}, and {limits.max_pages:,} are allowed; split it")


def integer(text: str | None, default: int) -> int:
    """A number that a file gives as an attribute; the default where it is none or absurdly large."""
    try:
        return int(text) if text and len(text) < 12 else default
    except ValueError:
        return default


def number_text(text: str) -> str:
    """A decimal number without the noise of binary fractions ("0.3" for "0.30000000000000004"); other text as it is."""
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.15g}" if "." in text or "e" in text.lower() else text


def link(text: str, address: str | None) -> str:
    """A link in Markdown; the text alone where there is no address or no text to show."""
    is_web = address is not None and address.startswith(("http://", "https://", "mailto:"))
    return f"[{text}]({address})" if is_web and text.strip() and text != address else text


@contextmanager
def refusing_defects(*errors: type[Exception]) -> Iterator[None]:
    """Refuse a file that a library for its format cannot read; ``errors`` are those of its own that it raises.

    Raises:
        DocumentRefusedError: the library failed.
    """
    try:
        yield
    except _LIBRARY_ERRORS + errors as error:
        raise DocumentRefusedError(
            "the file is not as its format demands; save it again in the program it comes from"
        ) from error

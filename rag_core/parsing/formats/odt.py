"""OpenDocument texts (.odt): the body in its order, without headers, footers, comments, indexes and tracked deletions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import mimetype
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.office import (
    Heading,
    ImageText,
    ListItem,
    OfficeBlock,
    Paragraph,
    TableRows,
    integer,
    plain_text,
    write_blocks,
)
from rag_core.parsing.opendocument import (
    DRAW,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    inline_text,
    open_opendocument,
    opendocument_properties,
    table_cells,
)
from rag_core.parsing.sheets import cell_grid

_MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
_INDEXES = ("table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index")
_LEFT_OUT = frozenset(
    (
        *(f"{TEXT}{name}" for name in (*_INDEXES, "tracked-changes", "note")),
        *(f"{OFFICE}{name}" for name in ("annotation", "forms")),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListLevel:
    is_numbered: bool
    start: int


_BULLETS = _ListLevel(is_numbered=False, start=1)


@dataclass(slots=True, kw_only=True)
class _TextReader:
    """Walks through a text; ``notes`` are those that it met, ``reached`` the numbers of lists that others may continue."""

    parents: Mapping[str | None, str | None]
    levels: Mapping[tuple[str | None, int], _ListLevel]
    max_characters: int
    notes: list[Any] = field(default_factory=list)
    reached: dict[tuple[str | None, int], int] = field(default_factory=dict)

    def blocks(self, container: Any) -> Iterator[OfficeBlock]:
        for child in container:
            if child.tag == f"{TEXT}h":
                yield Heading(self.inline(child), max(1, integer(child.get(f"{TEXT}outline-level"), 1)))
                yield from self.floating(child)
            elif child.tag == f"{TEXT}p":
                text = self.inline(child)
                yield Heading(text, 1) if self.is_title(child.get(f"{TEXT}style-name")) else Paragraph(text)
                yield from self.floating(child)
            elif child.tag == f"{TEXT}list":
                yield from self.list_items(child, 0, None)
            elif child.tag == f"{TABLE}table":
                cells = table_cells(child, lambda cell: plain_text(self.blocks(cell)))
                yield TableRows(cell_grid(cells, self.max_characters))
            elif child.tag not in _LEFT_OUT:
                if child.tag.startswith(DRAW):
                    yield ImageText(child.findtext(f"{SVG}desc") or child.findtext(f"{SVG}title") or "")
                yield from self.blocks(child)

    def inline(self, paragraph: Any) -> str:
        return inline_text(paragraph, self.mark)

    def mark(self, note: Any) -> str:
        self.notes.append(note)
        return f"[^{len(self.notes)}]"

    def footnotes(self) -> Iterator[OfficeBlock]:
        """Notes in the order of their marks."""
        for number, note in enumerate(tuple(self.notes), 1):
            yield Paragraph(f"[^{number}]: {plain_text(self.blocks(note.iterfind(f'{TEXT}note-body')))}")

    def floating(self, element: Any) -> Iterator[OfficeBlock]:
        """Text boxes in a paragraph, and the alternative texts of its images."""
        for child in element:
            if child.tag.startswith(DRAW) and child.tag != f"{DRAW}a":
                yield from self.blocks((child,))
            elif child.tag not in _LEFT_OUT:
                yield from self.floating(child)

    def is_title(self, style: str | None) -> bool:
        for _ in range(20):
            if style is None or style == "Title":
                break
            style = self.parents.get(style)
        return style == "Title"

    def list_items(self, element: Any, depth: int, style: str | None) -> Iterator[OfficeBlock]:
        """Items of a list and of those within it; headings in a list are headings."""
        style = element.get(f"{TEXT}style-name", style)
        level = self.levels.get((style, depth + 1), _BULLETS)
        key, number = (style, depth), level.start - 1
        if element.get(f"{TEXT}continue-numbering") == "true" or element.get(f"{TEXT}continue-list"):
            number = self.reached.get(key, number)
        for item in element:
            paragraphs = list(item.iterfind(f"{TEXT}p"))
            if paragraphs and item.tag == f"{TEXT}list-item":
                number = integer(item.get(f"{TEXT}start-value"), number + 1)
                self.reached[key] = number
            marker = f"{number}." if level.is_numbered and item.tag == f"{TEXT}list-item" else "-"
            yield ListItem("\n".join(map(self.inline, paragraphs)), depth, marker)
            for child in item:
                if child.tag == f"{TEXT}list":
                    yield from self.list_items(child, depth + 1, style)
                elif child.tag == f"{TEXT}p":
                    yield from self.floating(child)
                else:
                    yield from self.blocks((child,))


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    archive = open_opendocument(file.data, limits)
    content = archive.xml("content.xml")
    roots = [archive.xml("styles.xml"), content] if "styles.xml" in archive.names else [content]
    reader = _TextReader(parents=_parents(roots), levels=_levels(roots), max_characters=limits.max_characters)
    builder = DocumentBuilder(max_characters=limits.max_characters)
    for body in content.iterfind(f"{OFFICE}body/{OFFICE}text"):
        write_blocks(builder, reader.blocks(body))
    write_blocks(builder, reader.footnotes())
    properties = opendocument_properties(archive)
    return builder.build(title=properties.title, author=properties.author, created_at=properties.created_at)


def _parents(roots: list[Any]) -> dict[str | None, str | None]:
    return {
        style.get(f"{STYLE}name"): style.get(f"{STYLE}parent-style-name")
        for root in roots
        for style in root.iter(f"{STYLE}style")
    }


def _levels(roots: list[Any]) -> dict[tuple[str | None, int], _ListLevel]:
    """Levels of list styles, from 1."""
    return {
        (style.get(f"{STYLE}name"), integer(level.get(f"{TEXT}level"), 1)): _ListLevel(
            is_numbered=level.tag == f"{TEXT}list-level-style-number" and bool(level.get(f"{STYLE}num-format")),
            start=integer(level.get(f"{TEXT}start-value"), 1),
        )
        for root in roots
        for style in root.iter(f"{TEXT}list-style")
        for level in style
    }


FORMATS.register("odt")(
    DocumentFormat(suffixes=(".odt",), recognises=lambda data: mimetype(data) == _MEDIA_TYPE, parse=_parse, version=1)
)

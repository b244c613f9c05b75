"""Word documents (.docx, .docm): the body in its order, without headers, footers, comments and tracked deletions.

python-docx gives neither text boxes, notes, content controls, tracked insertions nor numbers of lists, so the XML is read as it
is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import ArchiveReader, is_office_package, main_part, open_archive
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.office import (
    Heading,
    ImageText,
    ListItem,
    OfficeBlock,
    Paragraph,
    TableRows,
    core_properties,
    integer,
    link,
    plain_text,
    warn_of_macros,
    write_blocks,
)
from rag_core.parsing.word_styles import W, WordLists, WordStyle, attribute, outline_level, read_lists, read_styles

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_IMAGES = (
    "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr",
    "{urn:schemas-microsoft-com:vml}shape",
)
_LEFT_OUT = frozenset((_FALLBACK, *(f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "rt", "sdtPr"))))
_FLOATING = frozenset(f"{W}{name}" for name in ("drawing", "pict", "object"))
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_NOTES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_MAX_COLUMNS = 63
"""The most that Word knows."""

_ORDERED = re.compile(r"\d{1,9}[.)]")
_NoteKey = tuple[str, str | None]


@dataclass(slots=True, kw_only=True)
class _BodyReader:
    """Walks through a body; ``marked`` are the notes that it met, with their numbers. Text set hidden is passed over."""

    styles: Mapping[str | None, WordStyle]
    lists: WordLists
    addresses: Mapping[str | None, str]
    notes: Mapping[_NoteKey, Any]
    marked: dict[_NoteKey, int] = field(default_factory=dict)
    has_hidden: bool = False

    def blocks(self, container: Any) -> Iterator[OfficeBlock]:
        for child in container:
            if child.tag == f"{W}p":
                yield from self.paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self.table(child)
            elif child.tag not in _LEFT_OUT:
                yield from self.blocks(child)

    def footnotes(self) -> Iterator[OfficeBlock]:
        """Notes in the order of their marks."""
        for key, number in list(self.marked.items()):
            if key in self.notes:
                yield Paragraph(f"[^{number}]: {self.flat(self.notes[key])}")

    def paragraph(self, element: Any) -> Iterator[OfficeBlock]:
        style = self.styles.get(attribute(element, "pPr/pStyle"), self.styles[None])
        if style.name.startswith("toc "):
            return
        text = "".join(self.inline(element))
        outline = attribute(element, "pPr/outlineLvl")
        level = outline_level(outline) if outline else style.level
        list_id = attribute(element, "pPr/numPr/numId") or style.list_id
        depth = max(0, min(8, integer(attribute(element, "pPr/numPr/ilvl"), style.depth)))
        is_listed = list_id not in {None, "0"}
        label = self.lists.next_label(list_id or "", depth) if is_listed else ""
        if level is not None and text.strip():
            yield Heading(f"{label} {text}", level)
        elif is_listed:
            yield _item(text, depth, label)
        elif text.strip():
            yield Paragraph(text)
        yield from self.floating(element)

    def inline(self, element: Any) -> Iterator[str]:
        for child in element:
            if child.tag in {f"{W}t", f"{_M}t"}:
                yield child.text or ""
            elif child.tag == f"{W}r" and _is_hidden(child):
                self.has_hidden = True
            elif child.tag in _SIGNS:
                yield _SIGNS[child.tag]
            elif child.tag in _NOTES:
                key = _NOTES[child.tag], child.get(f"{W}id")
                yield f"[^{self.marked.setdefault(key, len(self.marked) + 1)}]"
            elif child.tag == f"{W}hyperlink":
                yield link("".join(self.inline(child)), self.addresses.get(child.get(f"{_R}id")))
            elif child.tag not in _LEFT_OUT and child.tag not in _FLOATING:
                yield from self.inline(child)

    def floating(self, element: Any) -> Iterator[OfficeBlock]:
        """Text boxes in a paragraph, and the alternative texts of its images."""
        for child in element:
            if child.tag in _IMAGES:
                yield ImageText(child.get("descr") or child.get("alt") or "")
            if child.tag == f"{W}txbxContent":
                yield from self.blocks(child)
            elif child.tag not in _LEFT_OUT:
                yield from self.floating(child)

    def table(self, element: Any) -> Iterator[OfficeBlock]:
        """A table; the only cell of one is a frame around its blocks."""
        rows = [row for row in _inside(element, f"{W}tr") if row.find(f"{W}trPr/{W}del") is None]
        cells = [list(_inside(row, f"{W}tc")) for row in rows]
        if len(cells) == 1 and len(cells[0]) == 1:
            yield from self.blocks(cells[0][0])
        else:
            yield TableRows([self.row(row, of_row) for row, of_row in zip(rows, cells, strict=True)])

    def row(self, element: Any, cells: Iterable[Any]) -> list[str]:
        texts = [""] * min(integer(attribute(element, "trPr/gridBefore"), 0), _MAX_COLUMNS)
        for cell in cells:
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            is_covered = merge is not None and merge.get(f"{W}val") != "restart"
            span = min(max(1, integer(attribute(cell, "tcPr/gridSpan"), 1)), _MAX_COLUMNS)
            texts += ["" if is_covered else self.flat(cell), *[""] * (span - 1)]
        return texts

    def flat(self, container: Any) -> str:
        """All text of a cell or a note, that of nested tables and text boxes included."""
        return plain_text(self.blocks(container))


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    archive = open_archive(file.data, limits)
    main = main_part(archive.names, "word/document") or "word/document.xml"
    builder = DocumentBuilder(max_characters=limits.max_characters)
    reader = _BodyReader(
        styles=read_styles(_optional(archive, "word/styles.xml")),
        lists=read_lists(_optional(archive, "word/numbering.xml")),
        addresses=_addresses(_optional(archive, main.replace("word/", "word/_rels/") + ".rels")),
        notes=_notes(archive, "footnote") | _notes(archive, "endnote"),
    )
    write_blocks(builder, reader.blocks(archive.xml(main)))
    write_blocks(builder, reader.footnotes())
    if reader.has_hidden:
        builder.warn("left_out", "text that is set hidden was left out")
    warn_of_macros(builder, archive)
    properties = core_properties(archive)
    return builder.build(title=properties.title, author=properties.author, created_at=properties.created_at)


def _is_hidden(run: Any) -> bool:
    vanish = run.find(f"{W}rPr/{W}vanish")
    return vanish is not None and vanish.get(f"{W}val", "1") not in {"0", "false", "off"}


def _item(text: str, depth: int, label: str) -> ListItem:
    """An item of a list; a label that Markdown knows as a marker is one, and any other begins the text."""
    if _ORDERED.fullmatch(label):
        return ListItem(text, depth, label)
    return ListItem(f"{label} {text}" if text.strip() else "", depth, "-")


def _optional(archive: ArchiveReader, name: str) -> Any | None:
    return archive.xml(name) if name in archive.names else None


def _addresses(relationships: Any | None) -> dict[str | None, str]:
    """Addresses of external links by the id of their relationship."""
    found = () if relationships is None else relationships.iter(_RELATIONSHIP)
    return {one.get("Id"): one.get("Target", "") for one in found if one.get("TargetMode") == "External"}


def _notes(archive: ArchiveReader, kind: str) -> dict[_NoteKey, Any]:
    root = _optional(archive, f"word/{kind}s.xml")
    return {} if root is None else {(kind, note.get(f"{W}id")): note for note in root}


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Rows of a table or cells of a row, also those within content controls and tracked insertions."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _inside(child, tag)


FORMATS.register("docx")(
    DocumentFormat(
        suffixes=(".docx", ".docm"),
        recognises=lambda data: is_office_package(data, "word/document"),
        parse=_parse,
        version=3,
    )
)

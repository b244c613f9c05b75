"""Presentations (.pptx, .pptm): a slide a page, the title first, then the shapes from top to bottom, notes last."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import ArchiveReader, is_office_package, open_archive
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.office import (
    Heading,
    ImageText,
    ListItem,
    OfficeBlock,
    Paragraph,
    TableRows,
    check_pages,
    core_properties,
    integer,
    link,
    number_text,
    refusing_defects,
    warn_of_macros,
    write_blocks,
)

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_BULLETS = frozenset(f"{_A}{name}" for name in ("buNone", "buChar", "buAutoNum", "buBlip"))
_MARGINALIA = ("DATE", "FOOTER", "HEADER", "SLIDE_NUMBER")
_BODIES = ("BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT")
_LINE = 228_600
"""A quarter of an inch: shapes whose tops differ by less are read from left to right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SlideReader:
    """Reads the shapes of a slide."""

    slide: Any
    archive: ArchiveReader

    def blocks(self, *, is_first: bool) -> Iterator[OfficeBlock]:
        title = self.slide.shapes.title
        if title is not None and title.has_text_frame:
            level = 1 if is_first and _placeholder(title) == "CENTER_TITLE" else 2
            yield Heading(title.text_frame.text.replace("\v", " "), level)
        yield from self.shapes(shape for shape in self.slide.shapes if title is None or shape != title)
        if self.slide.has_notes_slide and (notes := self.slide.notes_slide.notes_text_frame) is not None:
            yield from (Paragraph(text) for text in notes.text.replace("\v", "\n").split("\n"))

    def shapes(self, shapes: Iterable[Any]) -> Iterator[OfficeBlock]:
        for shape in sorted(shapes, key=_place):
            if hasattr(shape, "shapes"):
                yield from self.shapes(shape.shapes)
            elif shape.has_text_frame:
                if _placeholder(shape) not in _MARGINALIA:
                    yield from self.paragraphs(shape)
            elif getattr(shape, "has_table", False):
                yield TableRows(
                    [["" if cell.is_spanned else cell.text for cell in row.cells] for row in shape.table.rows]
                )
            elif getattr(shape, "has_chart", False):
                yield from _chart(self.archive.xml(shape.chart.part.partname.membername))
            else:
                yield from self.picture(shape)

    def paragraphs(self, shape: Any) -> Iterator[OfficeBlock]:
        numbers: dict[int, int] = {}
        for paragraph in shape.element.iter(f"{_A}p"):
            text = "".join(self.inline(paragraph))
            properties = paragraph.find(f"{_A}pPr")
            depth = 0 if properties is None else min(8, integer(properties.get("lvl"), 0))
            bullet = next(self.bullets(shape, properties, depth), None)
            if text.strip():
                yield _item(text, depth, bullet, numbers)
        yield Paragraph("")

    def inline(self, paragraph: Any) -> Iterator[str]:
        for child in paragraph:
            if child.tag == f"{_A}br":
                yield "\n"
            elif child.tag in {f"{_A}r", f"{_A}fld"}:
                target = child.find(f"{_A}rPr/{_A}hlinkClick")
                found = None if target is None else self.slide.part.rels.get(target.get(f"{_R}id"))
                text = child.findtext(f"{_A}t") or ""
                yield link(text, found.target_ref if found is not None and found.is_external else None)

    def bullets(self, shape: Any, properties: Any | None, depth: int) -> Iterator[Any]:
        """Settings of a paragraph's bullet, the nearest first: its own, the shape's, the layout's, the master's."""
        level = f"{_A}lvl{depth + 1}pPr"
        sources = [properties, shape.element.find(f".//{_A}lstStyle/{level}")]
        if shape.is_placeholder:
            layout = self.slide.slide_layout
            number = shape.placeholder_format.idx
            bases = [base.element for base in layout.placeholders if base.placeholder_format.idx == number]
            sources += [base.find(f".//{_A}lstStyle/{level}") for base in bases]
            if _placeholder(shape) in _BODIES:
                sources.append(layout.slide_master.element.find(f"{_P}txStyles/{_P}bodyStyle/{level}"))
        for source in sources:
            if source is not None:
                yield from (child for child in source if child.tag in _BULLETS)

    def picture(self, shape: Any) -> Iterator[OfficeBlock]:
        """The alternative text of a picture, or the texts of a diagram (SmartArt)."""
        yield from (ImageText(name.get("descr", "")) for name in shape.element.iter(f"{_P}cNvPr"))
        for diagram in shape.element.iter(f"{_DIAGRAM}relIds"):
            part = self.slide.part.related_part(diagram.get(f"{_R}dm"))
            for point in self.archive.xml(part.partname.membername).iter(f"{_DIAGRAM}pt"):
                yield ListItem(" ".join(text.text or "" for text in point.iter(f"{_A}t")), 0, "-")


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    archive = open_archive(file.data, limits)
    archive.check_xml()
    builder = DocumentBuilder(max_characters=limits.max_characters)
    with refusing_defects(PythonPptxError):
        slides = Presentation(io.BytesIO(file.data)).slides
        check_pages(len(slides), limits, "slides")
        for number, slide in enumerate(slides, 1):
            if slide.element.get("show") in {"0", "false"}:
                builder.warn("hidden", "the slide is hidden in the file, and its text was taken", page=number)
            reader = _SlideReader(slide=slide, archive=archive)
            write_blocks(builder, reader.blocks(is_first=number == 1), page=number)
    warn_of_macros(builder, archive)
    properties = core_properties(archive)
    return builder.build(
        title=properties.title,
        author=properties.author,
        created_at=properties.created_at,
        pages=len(slides),
        page_unit="slide",
    )


def _placeholder(shape: Any) -> str | None:
    """Name of a placeholder's type, such as "BODY"; None for other shapes."""
    return shape.placeholder_format.type.name if shape.is_placeholder else None


def _place(shape: Any) -> tuple[int, int]:
    """Position in reading order; a shape without one comes first."""
    return (shape.top or 0) // _LINE, shape.left or 0


def _item(text: str, depth: int, bullet: Any | None, numbers: dict[int, int]) -> OfficeBlock:
    """A paragraph of a shape; ``numbers`` are those that its numbered lists have reached."""
    for other in [other for other in numbers if other > depth]:
        del numbers[other]
    if bullet is not None and bullet.tag == f"{_A}buAutoNum":
        numbers[depth] = numbers.get(depth, integer(bullet.get("startAt"), 1) - 1) + 1
        return ListItem(text, depth, f"{numbers[depth]}.")
    numbers.pop(depth, None)
    is_plain = bullet is None or bullet.tag == f"{_A}buNone"
    return Paragraph(text) if is_plain else ListItem(text, depth, "-")


def _chart(chart: Any) -> Iterator[OfficeBlock]:
    """A chart as a table: its categories, and a column for each series."""
    title = "".join(text.text or "" for text in chart.iterfind(f"{_C}chart/{_C}title//{_A}t"))
    series = list(chart.iter(f"{_C}ser"))
    categories: dict[int, str] = {}
    for one in series:
        categories |= _points(one, "cat", "xVal")
    values = [_points(one, "val", "yVal") for one in series]
    names = [" ".join(name.text or "" for name in one.iterfind(f"{_C}tx//{_C}v")) for one in series]
    yield Paragraph(title)
    yield TableRows(
        [
            ["", *names],
            *(
                [categories[place], *(number_text(of_one.get(place, "")) for of_one in values)]
                for place in sorted(categories)
            ),
        ],
        caption=title,
    )


def _points(series: Any, *names: str) -> dict[int, str]:
    points = (point for name in names for point in series.iterfind(f"{_C}{name}//{_C}pt"))
    return {integer(point.get("idx"), 0): point.findtext(f"{_C}v") or "" for point in points}


FORMATS.register("pptx")(
    DocumentFormat(
        suffixes=(".pptx", ".pptm"),
        recognises=lambda data: is_office_package(data, "ppt/presentation"),
        parse=_parse,
        version=2,
    )
)

"""Pages of files as pictures: a page of a PDF as it is shown, or the picture that a file is; with a box around what is cited."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from pydantic import Base64Bytes

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import Box
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.pictures import DPI, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 1_600
"""Pixels of the longer side of a picture at most."""
VERSION = 1
"""Raised with any change of what pictures look like, so that kept ones are stale."""
_PADDING = 3.0
"""Points between a box and the line around it."""
_FILL, _EDGE = (250, 205, 80, 64), (31, 111, 92, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWish:
    """A page to draw, from 1: ``width`` is in pixels, ``box`` what is to be marked on it."""

    page: int
    width: int = MAX_SIDE
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A page as PNG; ``width`` and ``height`` are the page's in points, as boxes are measured."""

    png: Base64Bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    image: "Image"
    width: float
    height: float


def has_page_pictures(format_name: str | None) -> bool:
    """Tell whether files of a format have pages that can be drawn."""
    return format_name in _DRAWERS


def draw_page(file: SourceFile, format_name: str, wish: PageWish, limits: ParsingLimits) -> PagePicture:
    """Draw a page of a file of a format that has page pictures.

    Raises:
        DocumentRefusedError: the file or the page cannot be opened, or there is no such page.
    """
    drawn = _DRAWERS[format_name](file.data, wish, limits)
    if wish.box is not None:
        _mark(drawn, wish.box)
    saved = BytesIO()
    drawn.image.save(saved, "PNG")
    return PagePicture(png=saved.getvalue(), width=drawn.width, height=drawn.height)


def _pdf_page(data: bytes, wish: PageWish, _limits: ParsingLimits) -> _Drawn:
    from rag_core.parsing.pages.reading import BROKEN_PAGE, open_pdf

    with closing(open_pdf(data)) as pdf:
        if wish.page > len(pdf):
            raise DocumentRefusedError(f"the file has {len(pdf):,} pages, not {wish.page:,}; ask for another one")
        try:
            pdf.init_forms()  # what was filled in belongs to the page
            with closing(pdf[wish.page - 1]) as page:
                width, height = page.get_size()
                scale = min(wish.width / width, MAX_SIDE / max(width, height))
                return _Drawn(image=page.render(scale=scale).to_pil().convert("RGB"), width=width, height=height)
        except BROKEN_PAGE as error:
            raise DocumentRefusedError("the page is broken and cannot be read; export the file again") from error


def _picture(image_format: str) -> Callable[[bytes, PageWish, ParsingLimits], _Drawn]:
    def drawn(data: bytes, wish: PageWish, limits: ParsingLimits) -> _Drawn:
        image = open_picture(data, image_format, max_pixels=limits.max_pixels)
        width, height = image.width * 72 / DPI, image.height * 72 / DPI
        image.thumbnail((min(wish.width, MAX_SIDE), MAX_SIDE))
        return _Drawn(image=image, width=width, height=height)

    return drawn


_DRAWERS: dict[str, Callable[[bytes, PageWish, ParsingLimits], _Drawn]] = {
    "pdf": _pdf_page,
    "png": _picture("PNG"),
    "jpg": _picture("JPEG"),
}


def _mark(drawn: _Drawn, box: Box) -> None:
    """Draw a line around a box, and tint what is in it."""
    from PIL import ImageDraw

    across, along = drawn.image.width / drawn.width, drawn.image.height / drawn.height
    left, top = max(0, (box[0] - _PADDING) * across), max(0, (box[1] - _PADDING) * along)
    right = min(drawn.image.width - 1, (box[2] + _PADDING) * across)
    bottom = min(drawn.image.height - 1, (box[3] + _PADDING) * along)
    if left < right and top < bottom:
        line = max(2, round(drawn.image.width / 400))
        ImageDraw.Draw(drawn.image, "RGBA").rectangle((left, top, right, bottom), fill=_FILL, outline=_EDGE, width=line)

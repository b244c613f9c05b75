"""Words of a page of a PDF and what kind of page it is, as PDFium gives them."""

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import Box, bounds
from rag_core.parsing.building import check_length
from rag_core.parsing.pages.drawing import Drawing, Placing, read_drawing
from rag_core.parsing.pages.parts import PageRule, PageWord, Turn, is_inside

BROKEN_PAGE: type[Exception] = pypdfium2.PdfiumError
"""Failure of PDFium at a page."""
_UNKNOWN = re.compile("[\0\ufffd-\uffff\ue000-\uf8ff]")
_REPLACED = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\x02": "-"})
_BOLD_NAME = re.compile("bold|black|heavy|demi|BX[0-9]", re.IGNORECASE)
_MAX_NAME = 128
_MIN_SIZE, _MAX_SIZE = 2.0, 400.0
_STAMP = 30
"""Characters below which the text of a scanned page is but a stamp on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """Content of a page. ``is_image`` where there is text to see perhaps, but not as text."""

    width: float
    height: float
    words: tuple[PageWord, ...]
    rules: tuple[PageRule, ...]
    is_image: bool


def open_pdf(data: bytes) -> Any:
    """Open a document.

    Raises:
        DocumentRefusedError: it needs a password, or is broken.
    """
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD and b"/Encrypt" in data:  # one without pages leaves the last code
            raise DocumentRefusedError("the file is encrypted; save it without a password") from error
        raise DocumentRefusedError("the file is broken: it cannot be opened as a PDF; export it again") from error


def read_page(page: Any, *, max_characters: int) -> ReadPage:
    """Read a page of an open document.

    Raises:
        DocumentRefusedError: it has more characters than may be.
        BROKEN_PAGE: PDFium cannot read it.
    """
    width, height = page.get_size()
    place = _placing(page)
    with closing(page.get_textpage()) as text:
        check_length(text.count_chars(), max_characters)
        words = tuple(word for word in _words(text, place) if is_inside(word, (0, 0, width, height)))
    drawing = read_drawing(page, place, area=width * height)
    return ReadPage(width=width, height=height, words=words, rules=drawing.rules, is_image=_is_image(words, drawing))


def _placing(page: Any) -> Placing:
    left, bottom, right, top = page.get_bbox()
    placings: dict[int, Placing] = {
        0: lambda x, y: (x - left, top - y),
        90: lambda x, y: (y - bottom, x - left),
        180: lambda x, y: (right - x, y - bottom),
        270: lambda x, y: (top - y, right - x),
    }
    return placings[page.get_rotation()]


def _is_image(words: tuple[PageWord, ...], drawing: Drawing) -> bool:
    text = "".join(word.text for word in words)
    is_unreadable = len(_UNKNOWN.findall(text)) * 3 > len(text)
    return (not text and not drawing.is_blank) or is_unreadable or (drawing.has_scan and len(text) < _STAMP)


def _words(text: Any, place: Placing) -> Iterator[PageWord]:
    """Words by PDFium's spaces, and where a character stands apart from the one before."""
    rectangle = pdfium.FS_RECTF()
    first, letters, boxes = 0, "", list[Box]()
    for index in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text, index)
        letter = chr(code) if code <= 0x10FFFF else "\ufffd"
        is_space = letter.isspace() or letter in "\0\ufffe"
        pdfium.FPDFText_GetLooseCharBox(text, index, rectangle)
        box = _box(place, (rectangle.left, rectangle.top, rectangle.right, rectangle.bottom))
        if letters and (is_space or _is_apart(boxes[-1], box)):
            yield _word(text, first, letters, boxes, place)
            letters = ""
        if not is_space:
            if not letters:
                first, boxes = index, []
            letters += letter
            boxes.append(box)
    if letters:
        yield _word(text, first, letters, boxes, place)


def _box(place: Placing, rectangle: Box) -> Box:
    """Box of a rectangle given by two opposite corners."""
    (x, y), (other_x, other_y) = place(*rectangle[:2]), place(*rectangle[2:])
    return min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y)


def _is_apart(before: Box, box: Box) -> bool:
    """Tell whether a character stands off from the one before, or on another line."""
    reach = max(box[2] - box[0], box[3] - box[1])
    across = max(box[0] - before[2], before[0] - box[2])
    along = max(box[1] - before[3], before[1] - box[3])
    return max(across, along) > 0.5 * reach


def _word(text: Any, index: int, letters: str, boxes: list[Box], place: Placing) -> PageWord:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, index, matrix)
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, index, x, y)
    around = bounds(boxes)
    turn = _turn(place, matrix)
    size = pdfium.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
    if not _MIN_SIZE <= size <= _MAX_SIZE:
        height = around[3] - around[1] if turn == "upright" else around[2] - around[0]
        size = min(height, _MAX_SIZE) if height > _MIN_SIZE else _MIN_SIZE  # which also is not a number's
    if turn == "upright":
        baseline = place(x.value, y.value)[1]
        around = (around[0], baseline - 0.75 * size, around[2], baseline + 0.25 * size)
    return PageWord(
        text=letters.translate(_REPLACED),
        box=around,
        size=round(size * 2) / 2,
        is_bold=_is_bold(text, index),
        turn=turn,
    )


def _turn(place: Placing, matrix: Any) -> Turn:
    (x, y), (origin_x, origin_y) = place(matrix.a, matrix.b), place(0, 0)
    degrees = math.degrees(math.atan2(y - origin_y, x - origin_x))
    turns: tuple[tuple[float, Turn], ...] = ((0, "upright"), (90, "down"), (-90, "up"))
    return next((turn for angle, turn in turns if abs(degrees - angle) < 5), "slanted")


def _is_bold(text: Any, index: int) -> bool:
    """By the font's name, or drawn bold: filled and outlined."""
    if (
        pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(text, index))
        == pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE
    ):
        return True
    name, flags = ctypes.create_string_buffer(_MAX_NAME), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text, index, name, _MAX_NAME, flags)
    return _BOLD_NAME.search(name.value.decode("utf-8", "replace")) is not None

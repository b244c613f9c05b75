"""Pictures: their text by recognition, as one page."""

import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from rag_core.errors import DocumentRefusedError, UnreadableDocumentError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.pages.layout import page_blocks
from rag_core.parsing.pages.writing import write_blocks
from rag_core.parsing.recognition import REMEDY, UNSURE, can_recognise, recognise_text

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 150
"""Resolution that boxes are given by: what a picture says of its own is rarely true."""


def parse_picture(file: SourceFile, limits: ParsingLimits, *, image_format: str) -> ParsedDocument:
    """Parse a picture of a format, by Pillow's name for it; its size is checked before it is unpacked.

    Raises:
        DocumentRefusedError: it is too large or broken.
        UnreadableDocumentError: it holds no text, or recognition is not installed.
    """
    if not can_recognise():
        raise UnreadableDocumentError(f"a picture has no text of its own; {REMEDY}")
    builder = DocumentBuilder(max_characters=limits.max_characters, parser="ocr")
    image = open_picture(file.data, image_format, max_pixels=limits.max_pixels)
    text = recognise_text(image, points_per_pixel=72 / DPI)
    if not text.lines:
        raise UnreadableDocumentError("no text was recognised in the picture")
    if text.is_unsure:
        builder.warn("low_confidence", UNSURE)
    write_blocks(builder, page_blocks(1, text.lines), recognised={1: text})
    return builder.build(pages=1, confidence=text.confidence)


def open_picture(data: bytes, image_format: str, *, max_pixels: int) -> "Image":
    """The picture upright, in colours, on white where it is transparent.

    Raises:
        DocumentRefusedError: it is too large or broken.
    """
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
            picture = Image.open(BytesIO(data), formats=[image_format])
        if picture.width * picture.height > max_pixels:
            raise _too_large(max_pixels)
        upright = ImageOps.exif_transpose(picture).convert("RGBA")
    except Image.DecompressionBombError as error:
        raise _too_large(max_pixels) from error
    except (OSError, SyntaxError, ValueError) as error:
        raise DocumentRefusedError("the picture is broken and cannot be opened; save it again") from error
    return Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright).convert("RGB")


def _too_large(max_pixels: int) -> DocumentRefusedError:
    return DocumentRefusedError(f"the picture has more than {max_pixels:,} pixels; make it smaller")

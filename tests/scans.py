"""Pages as a scanner would see them, and how far a recognised text is from what was drawn."""

from collections.abc import Sequence
from io import BytesIO

import pypdfium2
from pdfs import PdfFile
from PIL import Image


def drawn(lines: Sequence[str], *, size: float = 11) -> Image.Image:
    """Lines as a scanner at 150 dots an inch would see them, without the rest of the page."""
    file = PdfFile(height=30 + 1.2 * size * len(lines), width=480)
    file.page()
    file.lines(20, 25, lines, size=size)
    with pypdfium2.PdfDocument(file.data()) as pdf:
        return pdf[0].render(scale=150 / 72).to_pil().convert("RGB")


def saved(image: Image.Image, image_format: str = "PNG", **options: object) -> bytes:
    """The bytes of a picture's file."""
    data = BytesIO()
    image.save(data, image_format, **options)
    return data.getvalue()


def edit_distance(one: str, other: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        above, row = row, [place]
        for column, counterpart in enumerate(other, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != counterpart)))
    return row[-1]

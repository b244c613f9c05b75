"""JPEG: the text of the picture, where recognition is installed."""

from functools import partial

from rag_core.parsing import FORMATS, DocumentFormat
from rag_core.parsing.pictures import parse_picture


def _recognises(data: bytes) -> bool:
    return data.startswith(b"\xff\xd8\xff")


FORMATS.register("jpg")(
    DocumentFormat(
        suffixes=(".jpg", ".jpeg"), recognises=_recognises, parse=partial(parse_picture, image_format="JPEG"), version=2
    )
)

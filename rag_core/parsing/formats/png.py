"""PNG: the text of the picture, where recognition is installed."""

from functools import partial

from rag_core.parsing import FORMATS, DocumentFormat
from rag_core.parsing.pictures import parse_picture


def _recognises(data: bytes) -> bool:
    return data.startswith(b"\x89PNG\r\n\x1a\n")


FORMATS.register("png")(
    DocumentFormat(
        suffixes=(".png",), recognises=_recognises, parse=partial(parse_picture, image_format="PNG"), version=2
    )
)

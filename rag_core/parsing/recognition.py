"""Optical character recognition: the text of an image, with models that come with the package ``rapidocr``.

Nothing is fetched: the models are given by their files, and without them there is no recognition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rag_core.model.document import Box
from rag_core.parsing.pages.parts import PageLine, PageWord

if TYPE_CHECKING:
    from PIL.Image import Image

REMEDY = "install the recognition of text in images: pip install 'brain-sync[ocr]'"
UNSURE = "the text in the image was hard to recognise; check it, or scan it again more sharply"
LOW_CONFIDENCE = 0.8
_MODELS = {"Det": "*_det_*.onnx", "Rec": "*_rec_*.onnx"}
_SETTINGS = {
    "Global.log_level": "critical",
    "Global.use_cls": False,  # takes long lines for ones upside down: 21 % of the characters of a clean page were wrong
    "Det.limit_type": "max",  # else a strip of text is made 736 pixels high, whatever its width becomes
    "Det.limit_side_len": 2_000,
}
_FONT = 0.75
"""Font size by the height of a line's box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedText:
    """Lines of an image in points, and the model's mean confidence by characters: 0 to 1, 0 without text.

    ``turned`` are the degrees, counterclockwise, by which the image was turned to be read; ``width`` and ``height`` are its size
    before, in points.
    """

    lines: tuple[PageLine, ...]
    confidence: float
    width: float
    height: float
    turned: int = 0

    @property
    def is_unsure(self) -> bool:
        """Tell whether there is text, but the model doubts it."""
        return bool(self.lines) and self.confidence < LOW_CONFIDENCE

    def place(self, box: Box) -> Box:
        """A box of the turned image as it lies on the image that was given."""
        left, top, right, bottom = box
        width, height = self.width, self.height
        return {
            0: box,
            90: (width - bottom, left, width - top, right),
            180: (width - right, height - bottom, width - left, height - top),
            270: (top, height - right, bottom, height - left),
        }[self.turned]


def can_recognise() -> bool:
    """Tell whether recognition is installed, with its models."""
    return _model_files() is not None


def recognise_text(image: "Image", *, points_per_pixel: float) -> RecognisedText:
    """Recognise the lines of an image in RGB; ``can_recognise`` must hold.

    An image that lies on its side or upside down is turned, if it reads better so; boxes are those of the turned image, which
    ``RecognisedText.place`` brings back.
    """
    found = _recognised(image, points_per_pixel)
    if _lies_on_its_side(found.lines):
        candidates = [_recognised(image, points_per_pixel, turned=degrees) for degrees in (90, 270)]
    elif found.is_unsure:
        candidates = [found, _recognised(image, points_per_pixel, turned=180)]
    else:
        return found
    return max(candidates, key=lambda text: text.confidence)


def _lies_on_its_side(lines: Sequence[PageLine]) -> bool:
    """Tell whether most lines of three characters or more are taller than wide."""
    boxes = [line.box for line in lines if len(line.text) > 2]
    return 2 * sum(bottom - top > right - left for left, top, right, bottom in boxes) > len(boxes)


def _recognised(image: "Image", points_per_pixel: float, *, turned: int = 0) -> RecognisedText:
    import numpy as np

    upright = image.rotate(turned, expand=True) if turned else image
    found = _engine()(np.asarray(upright)[:, :, ::-1])
    texts, scores = found.txts or (), found.scores or ()
    boxes = [] if found.boxes is None else [_box(corners, points_per_pixel) for corners in found.boxes.tolist()]
    size = round(2 * _FONT * median(box[3] - box[1] for box in boxes)) / 2 if boxes else 0.0
    characters = sum(map(len, texts))
    return RecognisedText(
        lines=tuple(_line(text, box, size) for text, box in zip(texts, boxes, strict=True)),
        confidence=sum(score * len(text) for text, score in zip(texts, scores, strict=True)) / (characters or 1),
        width=image.width * points_per_pixel,
        height=image.height * points_per_pixel,
        turned=turned,
    )


def _box(corners: Sequence[Sequence[float]], points_per_pixel: float) -> Box:
    xs, ys = ([corner[axis] * points_per_pixel for corner in corners] for axis in (0, 1))
    return min(xs), min(ys), max(xs), max(ys)


def _line(text: str, box: Box, size: float) -> PageLine:
    """A line by words; each has as much of the line's width as of its characters."""
    left, top, right, bottom = box
    per_character = (right - left) / len(text)
    words: list[PageWord] = []
    place = 0
    for word in text.split():
        place = text.index(word, place)
        start, end = left + place * per_character, left + (place + len(word)) * per_character
        words.append(PageWord(text=word, box=(start, top, end, bottom), size=size))
        place += len(word)
    return PageLine(words=tuple(words))


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    paths = {f"{part}.model_path": str(path) for part, path in (_model_files() or {}).items()}
    return RapidOCR(params={**paths, **_SETTINGS})


@cache
def _model_files() -> dict[str, Path] | None:
    """Model of each step; None where one is missing, or the package."""
    package = find_spec("rapidocr")
    if package is None or package.origin is None or find_spec("onnxruntime") is None:
        return None
    folder = Path(package.origin).parent / "models"
    files = {part: min(folder.glob(pattern), default=None) for part, pattern in _MODELS.items()}
    return {part: path for part, path in files.items() if path} if all(files.values()) else None

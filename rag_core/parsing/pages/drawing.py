"""Straight lines and images of a page of a PDF, as PDFium gives them."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from rag_core.parsing.pages.parts import PageRule

MAX_OBJECTS = 20_000
"""Objects of a page that are looked at: a page with more is a drawing."""
_MAX_SEGMENTS = 1_000
_MAX_DEPTH = 5
_SLACK = 1.0
_MIN_LENGTH = 4.0
_THIN = 3.0
"""Points within which a line is straight, its least length, and up to which a filled rectangle is a line."""
_SCAN = 0.5
"""Share of the page from which an image is a scan."""

Point = tuple[float, float]
Placing = Callable[[float, float], Point]
"""Point of the page's own space to the point as it is shown, from the upper left corner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Everything on a page but its text."""

    rules: tuple[PageRule, ...]
    has_scan: bool
    is_blank: bool


def read_drawing(page: Any, place: Placing, *, area: float) -> Drawing:
    """Rules of a page, and whether it holds an image of half of its area or more; ``is_blank`` without any object."""
    objects = list(islice(_objects(page, place, depth=0), MAX_OBJECTS))
    rules = [
        rule for kind, drawn, placed in objects if kind == pdfium.FPDF_PAGEOBJ_PATH for rule in _rules(drawn, placed)
    ]
    has_scan = any(
        kind == pdfium.FPDF_PAGEOBJ_IMAGE and _unit_area(placed) >= _SCAN * area for kind, _, placed in objects
    )
    return Drawing(rules=tuple(rules), has_scan=has_scan, is_blank=not objects)


def _objects(parent: Any, place: Placing, *, depth: int) -> Iterator[tuple[int, Any, Placing]]:
    """Objects with their kind and the way from their own space to the page as it is shown; forms are gone into."""
    if depth:
        count, get = pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject
    else:
        count, get = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
    for index in range(count(parent)):
        drawn = get(parent, index)
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        placed = _placing(drawn, place)
        if kind != pdfium.FPDF_PAGEOBJ_FORM:
            yield kind, drawn, placed
        elif depth < _MAX_DEPTH:
            yield from _objects(drawn, placed, depth=depth + 1)


def _placing(drawn: Any, place: Placing) -> Placing:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(drawn, matrix):
        return place
    a, b, c, d, e, f = matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f
    return lambda x, y: place(a * x + c * y + e, b * x + d * y + f)


def _unit_area(place: Placing) -> float:
    """Area of the unit square of a space, which an image fills."""
    (left, top), (right, bottom) = place(0, 0), place(1, 1)
    return abs((right - left) * (bottom - top))


def _rules(path: Any, place: Placing) -> Iterator[PageRule]:
    """Straight sides of what is stroked; of what is only filled, thin rectangles."""
    fill, is_stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, is_stroked)
    for points in _outlines(path, place):
        if is_stroked.value:
            yield from (
                rule for one, other in pairwise(points) if one and other for rule in _rule(one, other, slack=_SLACK)
            )
        elif fill.value and None not in points:
            yield from _filled([point for point in points if point])


def _outlines(path: Any, place: Placing) -> Iterator[list[Point | None]]:
    """Corners of each part of a path, the first again where it is closed; None stands for a curve."""
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[Point | None] = []
    for index in range(min(pdfium.FPDFPath_CountSegments(path), _MAX_SEGMENTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = place(x.value, y.value)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            yield points
            points = [point]
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            points.append(point)
        else:
            points += [None, point]
        if pdfium.FPDFPathSegment_GetClose(segment) and points:
            points.append(points[0])
    yield points


def _filled(points: Sequence[Point]) -> Iterator[PageRule]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    if points and min(max(xs) - min(xs), max(ys) - min(ys)) <= _THIN:
        yield from _rule((min(xs), min(ys)), (max(xs), max(ys)), slack=_THIN)


def _rule(one: Point, other: Point, *, slack: float) -> Iterator[PageRule]:
    (x, y), (other_x, other_y) = one, other
    across, along = abs(other_x - x), abs(other_y - y)
    if along <= slack and across >= _MIN_LENGTH:
        yield PageRule(is_horizontal=True, at=(y + other_y) / 2, start=min(x, other_x), end=max(x, other_x))
    elif across <= slack and along >= _MIN_LENGTH:
        yield PageRule(is_horizontal=False, at=(x + other_x) / 2, start=min(y, other_y), end=max(y, other_y))

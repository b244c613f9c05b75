"""Distribution of values: bars of equal width, with values of interest marked."""

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from markupsafe import Markup

from rag_core.evaluation.report.charts.drawing import (
    Frame,
    Show,
    add,
    begin,
    finished,
    horizontal_axis,
    tell,
    vertical_axis,
    write,
)
from rag_core.evaluation.report.charts.scales import Scale, round_bounds, round_step

HEIGHT = 230
_TOP = 50
_MARK_HEIGHT = 14
_NOTHING = 1e-300
"""Greatest value below which values are not divided into bins: the bounds would not be finite numbers."""


def binned(values: Sequence[float], *, most: int) -> tuple[float, list[int]]:
    """Counts from 0 upwards in bins of a round width, no more than ``most``; (width, counts), the last bin closed.

    All counts together are the number of values; no values give one empty bin of width 1.

    Raises:
        ValueError: a value is negative.
    """
    if min(values, default=0) < 0:
        raise ValueError(f"{min(values)} is negative; expected durations or counts")
    greatest = max(values, default=0)
    if greatest < _NOTHING:
        return 1.0, [len(values)]
    width = round_step(greatest, most=most)
    counts = [0] * max(1, math.ceil(round(greatest / width, 9)))
    for value in values:
        counts[min(int(value / width), len(counts) - 1)] += 1
    return width, counts


def histogram(
    frame: Frame, values: Sequence[float], *, marks: Sequence[tuple[str, float]], show: Show, most: int = 24
) -> Markup:
    """The values' distribution from 0 on; each mark is a line at its value with its name above, the rows staggered."""
    width, counts = binned(values, most=most // 2 if frame.is_narrow else most)
    left, bottom = 40, HEIGHT - 26
    across = Scale(low=0, high=width * len(counts), start=left, stop=frame.width - 12)
    up = Scale(low=0, high=round_bounds([0, max(counts)], least=1)[1], start=bottom, stop=_TOP)
    svg = begin(frame, HEIGHT)
    vertical_axis(svg, up, left=left, right=across.stop, show=lambda count: f"{count:g}", most=4)
    horizontal_axis(svg, across, top=bottom, bottom=bottom, show=show, most=4 if frame.is_narrow else 8)
    for index, count in enumerate(counts):
        x, end = across.place(index * width), across.place((index + 1) * width)
        bar = add(
            svg, "rect", x=x + 0.5, y=up.place(count), width=max(0.5, end - x - 1), height=bottom - up.place(count),
            kind="column s1",
        )  # fmt: skip
        tell(bar, f"{show(index * width)} … {show((index + 1) * width)}: {count}")
    for row, (name, value) in enumerate(marks):
        _draw_mark(svg, f"{name}: {show(value)}", across.place(value), row=row, bottom=bottom, width=frame.width)
    return finished(svg)


def _draw_mark(svg: Element, text: str, x: float, *, row: int, bottom: float, width: int) -> None:
    y = 10 + row * _MARK_HEIGHT
    add(svg, "line", x1=x, y1=y + 3, x2=x, y2=bottom, kind="mark")
    anchor = "end" if x > 0.6 * width else "start"
    write(svg, text, x + (-4 if anchor == "end" else 4), y + 3, anchor=anchor, kind="tick strong")

"""Figures with their uncertainty: a dot for the value, a whisker for the interval, one row a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from markupsafe import Markup

from rag_core.evaluation.report.charts.drawing import (
    Frame,
    Show,
    add,
    begin,
    finished,
    horizontal_axis,
    label_width,
    tell,
    write,
)
from rag_core.evaluation.report.charts.scales import Scale

ROW_HEIGHT = 28
_CAP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRow:
    """One figure: low <= value <= high; ``kind`` is a class of the style sheet, such as better or worse."""

    label: str
    value: float
    low: float
    high: float
    kind: str = ""


def interval_chart(
    frame: Frame,
    rows: Sequence[IntervalRow],
    *,
    bounds: tuple[float, float],
    show: Show,
    show_tick: Show | None = None,
    has_zero: bool = False,
) -> Markup:
    """A row for each figure, its value written at the right; with ``has_zero`` a line where there is no difference.

    No rows give an empty frame. What lies outside the bounds is drawn at the edge.
    """
    left = label_width([row.label for row in rows], most=(0.42 if frame.is_narrow else 0.3) * frame.width)
    right, bottom = frame.width - 62, 6 + ROW_HEIGHT * len(rows)
    scale = Scale(low=bounds[0], high=bounds[1], start=left, stop=right)
    svg = begin(frame, bottom + 26)
    horizontal_axis(svg, scale, top=6, bottom=bottom, show=show_tick or show, most=4 if frame.is_narrow else 8)
    if has_zero:
        add(svg, "line", x1=scale.place(0), y1=6, x2=scale.place(0), y2=bottom, kind="zero")
    for index, row in enumerate(rows):
        _draw_row(svg, row, scale, y=6 + ROW_HEIGHT * (index + 0.5), width=frame.width, left=left, show=show)
    return finished(svg)


def _draw_row(svg: Element, row: IntervalRow, scale: Scale, *, y: float, width: int, left: float, show: Show) -> None:
    write(svg, row.label, 0, y + 4, width=left - 6)
    group = add(svg, "g", kind=f"interval {row.kind}".strip())
    tell(group, f"{row.label}: {show(row.value)} [{show(row.low)}; {show(row.high)}]")
    low, high = scale.place(row.low), scale.place(row.high)
    add(group, "line", x1=low, y1=y, x2=high, y2=y, kind="whisker")
    for x in (low, high):
        add(group, "line", x1=x, y1=y - _CAP, x2=x, y2=y + _CAP, kind="whisker")
    add(group, "circle", cx=scale.place(row.value), cy=y, r=4.5, kind="dot")
    write(svg, show(row.value), width - 2, y + 4, anchor="end", kind="figure")

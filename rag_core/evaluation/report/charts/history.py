"""Figures over time: a line a series, with the events that may explain a change marked by their numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from xml.etree.ElementTree import Element

from markupsafe import Markup

from rag_core.evaluation.report.charts.drawing import Frame, Show, add, begin, finished, tell, vertical_axis, write
from rag_core.evaluation.report.charts.scales import Scale, round_bounds

HEIGHT = 230
_TOP = 32
_EVENT_WIDTH = 36
ShowMoment = Callable[[float], str]
"""Format of a moment, in seconds since 1970."""
_CORNERS = {
    "diamond": ((0, -5), (5, 0), (0, 5), (-5, 0)),
    "triangle": ((0, -5), (4.8, 3.8), (-4.8, 3.8)),
    "wedge": ((0, 5), (4.8, -3.8), (-4.8, -3.8)),
}
_MARKERS = ("circle", "square", "diamond", "triangle", "wedge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of a series; a hollow one is not to be relied on. The line breaks between points of another ``group``."""

    moment: datetime
    value: float
    label: str
    is_hollow: bool = False
    group: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points in the order of time; ``number`` from 1 is its colour and its marker, whatever else is drawn."""

    name: str
    number: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened: its number stands above the line, ``label`` says what it was, ``kind`` is a class."""

    moment: datetime
    number: int
    label: str
    kind: str


def history_chart(
    frame: Frame, series: Sequence[Series], events: Sequence[Event], *, show: Show, show_day: ShowMoment
) -> Markup:
    """Lines through the points of one group; the vertical axis begins where the values do, within [0, 1].

    Events before the first or after the last point stand at the edge. Without points the frame is empty.
    """
    points = [point for one in series for point in one.points]
    svg = begin(frame, HEIGHT)
    if not points:
        return finished(svg)
    left, right, bottom = 42, frame.width - 14, HEIGHT - 26
    low, high = round_bounds([point.value for point in points], least=0.1)
    up = Scale(low=max(0.0, low), high=min(1.0, high), start=bottom, stop=_TOP)
    moments = [point.moment.timestamp() for point in points]
    across = Scale(low=min(moments), high=max(moments), start=left + 8, stop=right - 8)
    vertical_axis(svg, up, left=left, right=right, show=show, most=5)
    _draw_moments(svg, across, bottom=bottom, show_day=show_day, parts=2 if frame.is_narrow else 4)
    _draw_events(svg, events, across, bottom=bottom)
    for one in series:
        _draw_series(svg, one, across, up, show)
    return finished(svg)


def _draw_moments(svg: Element, across: Scale, *, bottom: float, show_day: ShowMoment, parts: int) -> None:
    if across.high <= across.low:
        write(svg, show_day(across.low), across.start, bottom + 18, kind="tick")
        return
    for part in range(parts + 1):
        stamp = across.low + (across.high - across.low) * part / parts
        anchor = "start" if part == 0 else "end" if part == parts else "middle"
        write(svg, show_day(stamp), across.place(stamp), bottom + 18, anchor=anchor, kind="tick")


def _draw_events(svg: Element, events: Sequence[Event], across: Scale, *, bottom: float) -> None:
    for cluster in clusters(events, across):
        first, last = cluster[0], cluster[-1]
        x = across.place(first.moment.timestamp())
        shown = str(first.number) if first is last else f"{first.number}-{last.number}"
        width = 9 + 6 * len(shown)
        kinds = {event.kind for event in cluster}
        group = add(svg, "g", kind=f"event {'alert' if 'alert' in kinds else first.kind}")
        tell(group, "; ".join(f"{event.number}. {event.label}" for event in cluster))
        add(group, "line", x1=x, y1=20, x2=x, y2=bottom)
        add(group, "rect", x=x - width / 2, y=4, width=width, height=16, rx=8)
        write(group, shown, x, 15.5, anchor="middle", kind="number")


def clusters(events: Sequence[Event], across: Scale) -> list[list[Event]]:
    """The events in the order of time, those together whose markers would overlap."""
    found: list[list[Event]] = []
    for event in sorted(events, key=lambda event: (event.moment, event.number)):
        x = across.place(event.moment.timestamp())
        if found and x - across.place(found[-1][0].moment.timestamp()) < _EVENT_WIDTH:
            found[-1].append(event)
        else:
            found.append([event])
    return found


def _draw_series(svg: Element, series: Series, across: Scale, up: Scale, show: Show) -> None:
    places = [(across.place(point.moment.timestamp()), up.place(point.value), point) for point in series.points]
    for _, stretch in groupby(places, key=lambda place: place[2].group):
        path = [f"{x:.1f},{y:.1f}" for x, y, _ in stretch]
        if len(path) > 1:
            add(svg, "polyline", points=" ".join(path), kind=f"line s{series.number}")
    for x, y, point in places:
        marker = draw_marker(svg, series.number, x, y, is_hollow=point.is_hollow)
        tell(marker, f"{series.name}, {point.label}: {show(point.value)}")


def draw_marker(svg: Element, number: int, x: float, y: float, *, is_hollow: bool = False) -> Element:
    """The marker of a series: a shape of its own beside its colour, for those who do not tell the colours apart."""
    kind = f"marker s{number}{' hollow' if is_hollow else ''}"
    shape = _MARKERS[(number - 1) % len(_MARKERS)]
    if shape == "circle":
        return add(svg, "circle", cx=x, cy=y, r=3.8, kind=kind)
    if shape == "square":
        return add(svg, "rect", x=x - 3.5, y=y - 3.5, width=7, height=7, kind=kind)
    corners = _CORNERS[shape]
    return add(svg, "polygon", points=" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners), kind=kind)


def marker_sample(number: int) -> Markup:
    """A series' marker alone, for a legend that the page writes itself."""
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": "-7 -7 14 14", "aria-hidden": "true"})
    draw_marker(svg, number, 0, 0)
    return finished(svg)

"""Bars: groups of them side by side, and one of each query's difference from the greatest gain to the greatest loss."""

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
    vertical_axis,
    write,
)
from rag_core.evaluation.report.charts.scales import Scale, round_bounds

BAR_HEIGHT = 13
_GAP = 14
_LEGEND_HEIGHT = 24
EFFECTS_HEIGHT = 220


@dataclass(frozen=True, slots=True, kw_only=True)
class BarGroup:
    """Values compared within one label: one for each name of the legend, None where there is none."""

    label: str
    values: tuple[float | None, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Gain (above 0) or loss of one query."""

    label: str
    difference: float


def bar_chart(
    frame: Frame, groups: Sequence[BarGroup], *, legend: Sequence[str], high: float, show: Show, show_tick: Show
) -> Markup:
    """Bars from 0 to ``high``, a group of them for each label, the value beside each; missing ones get a dash."""
    left = label_width([group.label for group in groups], most=0.38 * frame.width)
    step = BAR_HEIGHT * len(legend) + _GAP
    top = _LEGEND_HEIGHT if len(legend) > 1 else 6
    bottom = top + step * len(groups)
    scale = Scale(low=0, high=high, start=left, stop=frame.width - 50)
    svg = begin(frame, bottom + 26)
    if len(legend) > 1:
        draw_legend(svg, legend, y=11)
    horizontal_axis(svg, scale, top=top, bottom=bottom, show=show_tick, most=4 if frame.is_narrow else 8)
    for index, group in enumerate(groups):
        y = top + index * step + _GAP / 2
        middle = y + (step - _GAP) / 2 + 4
        write(svg, group.label, 0, middle - (7 if group.note else 0), width=left - 6)
        write(svg, group.note, 0, middle + 9, kind="tick")
        _draw_bars(svg, group, scale, y=y, legend=legend, show=show)
    return finished(svg)


def _draw_bars(svg: Element, group: BarGroup, scale: Scale, *, y: float, legend: Sequence[str], show: Show) -> None:
    for series, (name, value) in enumerate(zip(legend, group.values, strict=True), 1):
        top = y + (series - 1) * BAR_HEIGHT
        end = scale.place(value or 0)
        if value is not None:
            bar = add(
                svg, "rect", x=scale.start, y=top + 1, width=end - scale.start, height=BAR_HEIGHT - 2, rx=2,
                kind=f"column s{series}",
            )  # fmt: skip
            tell(bar, f"{group.label}, {name}: {show(value)}")
        write(svg, "—" if value is None else show(value), end + 5, top + BAR_HEIGHT - 3, kind="tick")


def draw_legend(svg: Element, names: Sequence[str], *, y: float, left: float = 0) -> None:
    """The names with their colours in a line."""
    x = left
    for series, name in enumerate(names, 1):
        add(svg, "rect", x=x, y=y - 8, width=10, height=10, rx=2, kind=f"column s{series}")
        write(svg, name, x + 15, y + 1, kind="tick")
        x += 15 + 7.4 * len(name) + 14


def effects_chart(frame: Frame, effects: Sequence[Effect], *, show: Show) -> Markup:
    """A bar for every query, the greatest gain first; those without a difference are the empty middle."""
    ordered = sorted(effects, key=lambda effect: -effect.difference)
    left, right, top, bottom = 44, frame.width - 4, 8, EFFECTS_HEIGHT - 8
    low, high = round_bounds([0.0, *(effect.difference for effect in ordered)], least=0.1)
    scale = Scale(low=low, high=high, start=bottom, stop=top)
    svg = begin(frame, EFFECTS_HEIGHT)
    vertical_axis(svg, scale, left=left, right=right, show=show, most=6)
    slot = (right - left) / max(1, len(ordered))
    zero = scale.place(0)
    for index, effect in enumerate(ordered):
        if effect.difference == 0:
            continue
        end = scale.place(effect.difference)
        bar = add(
            svg, "rect", x=left + index * slot, y=min(end, zero), width=max(0.4, slot * 0.82),
            height=max(0.6, abs(end - zero)), kind="effect better" if effect.difference > 0 else "effect worse",
        )  # fmt: skip
        tell(bar, f"{effect.label}: {show(effect.difference)}")
    add(svg, "line", x1=left, y1=zero, x2=right, y2=zero, kind="zero")
    return finished(svg)

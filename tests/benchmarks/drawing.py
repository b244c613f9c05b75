"""Curves as SVG for the documents: light background, three series, axes from 0 to 1."""

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

SIZE, LEFT, TOP, BOTTOM = 360, 56, 16, 44
WIDTH = LEFT + SIZE + 190
HEIGHT = TOP + SIZE + BOTTOM
COLOURS = ("#1b6ca8", "#c0392b", "#2e7d32")
TITLE = "Share of unanswerable questions refused against share of answerable ones answered"


def draw_curves(curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """The points (share answered, share refused) of each series as a line, with a legend."""
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "role": "img",
            "font-family": "sans-serif",
        },
    )
    SubElement(svg, "title").text = TITLE
    SubElement(svg, "rect", {"width": str(WIDTH), "height": str(HEIGHT), "fill": "white"})
    for tick in range(6):
        _draw_tick(svg, tick / 5)
    _write(svg, "answerable questions answered", LEFT + SIZE / 2, HEIGHT - 6, anchor="middle")
    _write(svg, "others refused", 14, TOP + SIZE / 2, anchor="middle", turned=True)
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number]
        path = " ".join(f"{_x(answered):.1f},{_y(refused):.1f}" for answered, refused in points)
        SubElement(svg, "polyline", {"points": path, "fill": "none", "stroke": colour, "stroke-width": "2"})
        SubElement(
            svg,
            "rect",
            {"x": str(LEFT + SIZE + 16), "y": str(TOP + 22 * number), "width": "12", "height": "12", "fill": colour},
        )
        _write(svg, name, LEFT + SIZE + 34, TOP + 22 * number + 11)
    return tostring(svg, encoding="unicode")


def _draw_tick(svg: Element, value: float) -> None:
    lines = ((_x(value), _y(0), _x(value), _y(1)), (_x(0), _y(value), _x(1), _y(value)))
    for x1, y1, x2, y2 in lines:
        SubElement(
            svg, "line", {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}", "stroke": "#ddd"}
        )
    _write(svg, f"{value:.1f}", _x(value), _y(0) + 18, anchor="middle")
    _write(svg, f"{value:.1f}", _x(0) - 6, _y(value) + 4, anchor="end")


def _write(svg: Element, text: str, x: float, y: float, *, anchor: str = "start", turned: bool = False) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-size": "12", "fill": "#333"}
    turn = {"transform": f"rotate(-90 {x:.1f} {y:.1f})"} if turned else {}
    SubElement(svg, "text", place | turn).text = text


def _x(value: float) -> float:
    return LEFT + SIZE * value


def _y(value: float) -> float:
    return TOP + SIZE * (1 - value)

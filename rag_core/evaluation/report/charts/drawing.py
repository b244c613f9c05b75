"""The parts every chart is drawn with: the frame, lines, letters, the axis; and the drawing as text for a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from rag_core.evaluation.report.charts.scales import Scale, ticks

WIDE = 720
NARROW = 340
LETTER_WIDTH = 6.7
"""About the width of a letter of the 12 px that labels have."""
Show = Callable[[float], str]
"""Format of a figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Name of a drawing for the page (``name``, unique there), its title for readers, and its width."""

    name: str
    title: str
    description: str
    width: int

    @property
    def is_narrow(self) -> bool:
        """True when it is for a telephone."""
        return self.width < WIDE


def for_both_widths(draw: Callable[[Frame], Markup], *, name: str, title: str, description: str) -> Markup:
    """The drawing for wide windows and the one for narrow ones; the style sheet shows one of them."""
    drawn = [
        Markup('<div class="{}">{}</div>').format(
            kind, draw(Frame(name=f"{name}-{kind}", title=title, description=description, width=width))
        )
        for kind, width in (("wide", WIDE), ("narrow", NARROW))
    ]
    return Markup("").join(drawn)


def begin(frame: Frame, height: float) -> Element:
    """An empty drawing that names itself to screen readers."""
    heading, text = f"{frame.name}-title", f"{frame.name}-text"
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "chart",
            "viewBox": f"0 0 {frame.width} {number(height)}",
            "role": "img",
            "aria-labelledby": f"{heading} {text}",
        },
    )
    add(svg, "title", id=heading).text = frame.title
    add(svg, "desc", id=text).text = frame.description
    return svg


def add(parent: Element, tag: str, **attributes: Any) -> Element:
    """A child with its attributes: ``kind`` is the class, ``_`` stands for ``-``, numbers get one decimal."""
    named = {"class" if name == "kind" else name.replace("_", "-"): value for name, value in attributes.items()}
    return SubElement(parent, tag, {name: _written(value) for name, value in named.items()})


def write(
    parent: Element, text: str, x: float, y: float, *, anchor: str = "start", kind: str = "label", width: float = 0
) -> None:
    """Letters at a place; with a width, what is too long for it is cut and told in full on pointing."""
    shown = shortened(text, width) if width else text
    element = add(parent, "text", x=x, y=y, kind=kind, text_anchor=anchor)
    element.text = shown
    if shown != text:
        tell(element, text)


def tell(parent: Element, text: str) -> None:
    """Set the tooltip of a part of the drawing."""
    add(parent, "title").text = text


def shortened(text: str, width: float) -> str:
    """The text, or as much of it as fits, with an ellipsis."""
    fitting = max(1, int(width / LETTER_WIDTH))
    return text if len(text) <= fitting else f"{text[: fitting - 1].rstrip()}…"


def horizontal_axis(svg: Element, scale: Scale, *, top: float, bottom: float, show: Show, most: int) -> None:
    """Thin lines at round values, with the values below."""
    for value in ticks(scale.low, scale.high, most=most):
        x = scale.place(value)
        add(svg, "line", x1=x, y1=top, x2=x, y2=bottom, kind="grid")
        write(svg, show(value), x, bottom + 16, anchor="middle", kind="tick")


def vertical_axis(svg: Element, scale: Scale, *, left: float, right: float, show: Show, most: int) -> None:
    """Thin lines at round values, with the values to the left."""
    for value in ticks(scale.low, scale.high, most=most):
        y = scale.place(value)
        add(svg, "line", x1=left, y1=y, x2=right, y2=y, kind="grid")
        write(svg, show(value), left - 6, y + 4, anchor="end", kind="tick")


def label_width(labels: Sequence[str], *, most: float) -> float:
    """Room for the longest label, but no more than ``most``."""
    return min(most, LETTER_WIDTH * max(map(len, labels), default=0) + 16)


def finished(svg: Element) -> Markup:
    """The drawing as it stands in a page."""
    return Markup(tostring(svg, encoding="unicode", short_empty_elements=True))  # noqa: S704  ElementTree escapes


def number(value: float) -> str:
    """A place or length, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _written(value: Any) -> str:
    return number(value) if isinstance(value, int | float) else str(value)

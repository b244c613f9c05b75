"""Text with emphasis and links, run by run, into Markdown."""

import re
from collections.abc import Sequence
from itertools import takewhile

Style = tuple[str, str]
"""Markdown before and after a text."""
BOLD: Style = ("**", "**")
ITALIC: Style = ("*", "*")
STRUCK: Style = ("~~", "~~")
CODE: Style = ("`", "`")
QUOTED: Style = ("“", "”")
IMAGE: Style = ("![", "]()")
_LINK = "["
_Run = tuple[str, tuple[Style, ...]]
_SPACE = re.compile(r"\s+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IGNORED_IN_ADDRESSES = re.compile(r"[\x00-\x20]+")
_ENCODED = str.maketrans({mark: f"%{ord(mark):02X}" for mark in " ()<>"})
"""Characters that would end an address in Markdown."""
_SCHEMES = ("http:", "https:", "mailto:")
_MAX_ADDRESS_CHARACTERS = 2_000
_SOFT_HYPHEN = "\xad"


def link_style(address: str) -> Style | None:
    """The style of a link; None where its target is a place in the same document, a script, or out of bounds."""
    target = _SPACE.sub(" ", address).strip()
    scheme = _SCHEME.match(_IGNORED_IN_ADDRESSES.sub("", target))
    if not target or target.startswith("#") or len(target) > _MAX_ADDRESS_CHARACTERS:
        return None
    if scheme and scheme.group().lower() not in _SCHEMES:
        return None
    return _LINK, f"]({target.translate(_ENCODED)})"


class InlineText:
    """The text of one block as it is met; white space counts as one space, as in HTML."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._styles: list[tuple[Style, ...]] = [()]

    def open(self, style: Style | None) -> None:
        """Begin a style; one that is open already, or lies within code, changes nothing."""
        styles = self._styles[-1]
        is_new = style is not None and CODE not in styles and style[0] not in {opening for opening, _ in styles}
        self._styles.append((*styles, style) if is_new and style else styles)

    def close(self) -> None:
        """End the style begun last."""
        self._styles.pop()

    def add(self, text: str) -> None:
        """Add text."""
        self._runs.append((_SPACE.sub(" ", text.replace(_SOFT_HYPHEN, "")), self._styles[-1]))

    def add_image(self, description: str) -> None:
        """Add what an image is said to show; within a link that is the link's text."""
        styles = self._styles[-1]
        is_linked = any(opening == _LINK for opening, _ in styles)
        self._runs.append((_SPACE.sub(" ", description), styles if is_linked else (*styles, IMAGE)))

    def add_line_break(self) -> None:
        """Add a line break; two of them part paragraphs."""
        self._runs.append(("\n", ()))

    def take_image(self) -> str | None:
        """Take out the image that is all there is, by what it shows; None where there is anything else."""
        written = [(text.strip(), styles) for text, styles in self._runs if text.strip()]
        if len(written) != 1 or written[0][1] != (IMAGE,):
            return None
        self._runs.clear()
        return written[0][0]

    def take(self) -> str:
        """All text so far as Markdown, which is taken out."""
        runs, self._runs = self._runs, []
        return _markdown(runs)


def _markdown(runs: Sequence[_Run]) -> str:
    """Marks stand beside the words, never beside white space, where Markdown does not take them for marks."""
    written: list[str] = []
    opened: tuple[Style, ...] = ()
    gap = ""
    for text, styles in runs:
        words = text.strip()
        lead, tail = (text[: -len(text.lstrip())], text[len(text.rstrip()) :]) if words else (text, "")
        gap += lead
        if not words:
            continue
        kept = () if "\n" in gap else _common(opened, styles)
        written += [closing for _, closing in reversed(opened[len(kept) :])]
        written += [_white(gap) if written else "", *(opening for opening, _ in styles[len(kept) :]), words]
        opened, gap = styles, tail
    return "".join([*written, *(closing for _, closing in reversed(opened))])


def _common(first: tuple[Style, ...], second: tuple[Style, ...]) -> tuple[Style, ...]:
    return tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _white(gap: str) -> str:
    lines = gap.count("\n")
    return "\n" * min(lines, 2) if lines else " " * bool(gap)

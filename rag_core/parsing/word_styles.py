"""Styles and lists of Word documents."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rag_core.parsing.office import integer

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
"""Namespace of WordprocessingML."""
_HEADING = re.compile(r"(?:heading|título|titulo|titre|titolo|überschrift|kop)\s*([1-9])", re.IGNORECASE)
_TITLES = ("title", "título", "titulo", "titre", "titolo", "titel")
_DEEPER_LIST = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
_UNNUMBERED = ("bullet", "none")
_LEVEL_NUMBER = re.compile("%([1-9])")
_MAX_LETTERS = 10
_ROMAN = {
    1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"
}  # fmt: skip
_OFF = ("0", "false", "off")
_BODY_TEXT = 9
"""Outline level of what is no heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordStyle:
    """Formatting that a style of paragraphs gives, its own or inherited."""

    name: str = ""
    level: int | None = None
    list_id: str | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """A level of a list; ``label`` names levels by their number from 1, as in "%1.%2."."""

    number_format: str = "bullet"
    label: str = ""
    start: int = 1
    is_legal: bool = False

    def label_part(self, number: int, *, is_legal: bool) -> str:
        """A number of this level within a label; a legal label has digits at every level."""
        return str(number) if is_legal else _NUMBER_FORMATS.get(self.number_format, str)(number)


@dataclass(slots=True, kw_only=True)
class WordLists:
    """Lists of a document, with their counters. Lists of one definition count on unless they say where they start."""

    definitions: dict[str, str] = field(default_factory=dict)
    levels: dict[tuple[str, int], _Level] = field(default_factory=dict)
    restarts: dict[tuple[str, int], int] = field(default_factory=dict)
    counters: dict[str, dict[int, int]] = field(default_factory=dict)

    def next_label(self, list_id: str, depth: int) -> str:
        """Label of the next item of a list as Word shows it, such as "1.", "b)" or "2.1"; blank for a bullet."""
        definition = self.definitions.get(list_id, "")
        level = self.levels.get((definition, depth))
        counters = self.counters.setdefault(definition, {})
        for deeper in [other for other in counters if other > depth]:
            del counters[deeper]
        if level is None or level.number_format in _UNNUMBERED:
            return ""
        following = counters.get(depth, level.start - 1) + 1
        counters[depth] = self.restarts.pop((list_id, depth), following)
        return _LEVEL_NUMBER.sub(lambda found: self._number(definition, int(found[1]) - 1, level), level.label)

    def _number(self, definition: str, depth: int, labelled: _Level) -> str:
        """Number that a level has reached; one without items has the number it starts at."""
        level = self.levels.get((definition, depth), labelled)
        return level.label_part(self.counters[definition].get(depth, level.start), is_legal=labelled.is_legal)


def attribute(element: Any, path: str) -> str | None:
    """Value of a descendant such as "pPr/pStyle"; None where there is none."""
    found = element.find("/".join(f"{W}{step}" for step in path.split("/")))
    return None if found is None else found.get(f"{W}val")


def outline_level(outline: str | None) -> int | None:
    """Level of a heading from an outline level, which counts from 0."""
    level = integer(outline, _BODY_TEXT)
    return level + 1 if 0 <= level < _BODY_TEXT else None


def read_styles(root: Any | None) -> dict[str | None, WordStyle]:
    """Styles of paragraphs by id; the default one also under None."""
    found = {} if root is None else {style.get(f"{W}styleId"): style for style in root.iter(f"{W}style")}
    styles: dict[str | None, WordStyle] = {key: _style(style, found) for key, style in found.items()}
    default = next((key for key, style in found.items() if _is_default(style)), None)
    return {**styles, None: styles.get(default, WordStyle())}


def read_lists(root: Any | None) -> WordLists:
    """Lists as numbering.xml defines them."""
    lists = WordLists()
    if root is None:
        return lists
    for number in root.iterfind(f"{W}num"):
        list_id = number.get(f"{W}numId", "")
        lists.definitions[list_id] = attribute(number, "abstractNumId") or ""
        for override in number.iterfind(f"{W}lvlOverride"):
            start = attribute(override, "startOverride")
            if start:
                lists.restarts[list_id, integer(override.get(f"{W}ilvl"), 0)] = integer(start, 1)
    for definition in root.iterfind(f"{W}abstractNum"):
        for level in definition.iterfind(f"{W}lvl"):
            key = definition.get(f"{W}abstractNumId", ""), integer(level.get(f"{W}ilvl"), 0)
            label, legal = attribute(level, "lvlText"), level.find(f"{W}isLgl")
            lists.levels[key] = _Level(
                number_format=attribute(level, "numFmt") or "bullet",
                label=f"%{key[1] + 1}." if label is None else label,
                start=integer(attribute(level, "start"), 1),
                is_legal=legal is not None and legal.get(f"{W}val") not in _OFF,
            )
    return lists


def _letters(number: int) -> str:
    """A letter, repeated after each alphabet: "a" … "z", "aa", "bb"."""
    rounds, place = divmod(max(number, 1) - 1, 26)
    return chr(ord("a") + place) * min(rounds + 1, _MAX_LETTERS)


def _roman(number: int) -> str:
    """A Roman number in lower case; digits beyond 3999."""
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, figure in _ROMAN.items():
        count, number = divmod(number, value)
        text += figure * count
    return text


_NUMBER_FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02}",
    "lowerLetter": _letters,
    "lowerRoman": _roman,
    "upperLetter": lambda number: _letters(number).upper(),
    "upperRoman": lambda number: _roman(number).upper(),
}
"""Numbers of lists; the other formats are written as digits."""


def _is_default(style: Any) -> bool:
    return style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in {"1", "true", "on"}


def _style(style: Any, found: dict[str | None, Any]) -> WordStyle:
    chain = _chain(style, found)
    levels = (_level(one) for one in chain)
    lists = (attribute(one, "pPr/numPr/numId") for one in chain)
    depths = (attribute(one, "pPr/numPr/ilvl") for one in chain)
    name = attribute(style, "name") or ""
    deeper = _DEEPER_LIST.fullmatch(name)
    return WordStyle(
        name=name.lower(),
        level=next((level for level in levels if level is not None), None),
        list_id=next((list_id for list_id in lists if list_id), None),
        depth=integer(next((depth for depth in depths if depth), None), int(deeper[1]) - 1 if deeper else 0),
    )


def _chain(style: Any, found: dict[str | None, Any]) -> list[Any]:
    """A style and those it is based on, itself first; a circle ends it."""
    chain: list[Any] = []
    while style is not None and style not in chain and len(chain) < 20:
        chain.append(style)
        style = found.get(attribute(style, "basedOn"))
    return chain


def _level(style: Any) -> int | None:
    name = (attribute(style, "name") or "").strip()
    if name.lower() in _TITLES:
        return 1
    heading = _HEADING.fullmatch(name)
    return int(heading[1]) if heading else outline_level(attribute(style, "pPr/outlineLvl"))

"""Styles and lists of Word documents."""

import re
from dataclasses import dataclass, field
from typing import Any

from rag_core.parsing.office import integer

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
"""Namespace of WordprocessingML."""
_HEADING = re.compile(r"(?:heading|título|titulo|titre|titolo|überschrift|kop)\s*([1-9])", re.IGNORECASE)
_TITLES = ("title", "título", "titulo", "titre", "titolo", "titel")
_DEEPER_LIST = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
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
    is_numbered: bool
    start: int


@dataclass(slots=True, kw_only=True)
class WordLists:
    """Lists of a document, with their counters. Lists of one definition count on unless they say where they start."""

    definitions: dict[str, str] = field(default_factory=dict)
    levels: dict[tuple[str, int], _Level] = field(default_factory=dict)
    restarts: dict[tuple[str, int], int] = field(default_factory=dict)
    counters: dict[str, dict[int, int]] = field(default_factory=dict)

    def next_marker(self, list_id: str, depth: int) -> str:
        """Marker of the next item of a list: "-", or its number."""
        definition = self.definitions.get(list_id, "")
        level = self.levels.get((definition, depth))
        counters = self.counters.setdefault(definition, {})
        for deeper in [other for other in counters if other > depth]:
            del counters[deeper]
        if level is None or not level.is_numbered:
            return "-"
        following = counters.get(depth, level.start - 1) + 1
        counters[depth] = self.restarts.pop((list_id, depth), following)
        return f"{counters[depth]}."


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
            is_numbered = attribute(level, "numFmt") not in {None, "bullet", "none"}
            lists.levels[key] = _Level(is_numbered=is_numbered, start=integer(attribute(level, "start"), 1))
    return lists


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

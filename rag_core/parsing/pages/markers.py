"""Marks of list items and of captions."""

import re

_BULLET = r"[•◦▪▫■□●○‣\u2043∙·➢➤✓✔\uf0b7\uf0a7]"
_MARKER = rf"{_BULLET}|[-\u2013—*o]|\(?(?:\d{{1,3}}|[a-z]|[ivx]{{2,4}})\)|(?:\d{{1,3}}|[a-z])\."
_SURE = re.compile(_BULLET)
_WHOLE = re.compile(_MARKER)
_ITEM = re.compile(rf"({_MARKER})\s+(\S.*)", re.DOTALL)
_CAPTION = re.compile(r"(?:Tabla|Table|Tabelle|Tab\.|Cuadro)\s+(?:[A-Z][.\u2013-]?)?(?:\d|[IVX]+\b)", re.IGNORECASE)
_LEADER = re.compile(r"\s*(?:[.·…]\s?){4,}\s*")


def is_marker(text: str) -> bool:
    """Tell whether a text is but the mark of a list item."""
    return _WHOLE.fullmatch(text) is not None


def is_bullet(text: str) -> bool:
    """Tell whether a text begins with a sign that nothing but an item of a list begins with."""
    return _SURE.match(text) is not None


def split_item(text: str) -> tuple[str, str] | None:
    """Mark of a list item in Markdown, "-" or its number, and the rest; None where the text begins with none or has no words."""
    match = _ITEM.match(text)
    if not match:
        return None
    marker, rest = match.groups()
    if not any(letter.isalpha() for letter in rest):
        return None
    return (marker if any(letter.isalnum() for letter in marker.removeprefix("o")) else "-"), rest


def is_caption(text: str) -> bool:
    """Tell whether a text begins as the caption of a table does: "Tabla 3", "Table A4-12", "Tabelle 2"."""
    return _CAPTION.match(text) is not None


def has_leader(text: str) -> bool:
    """Tell whether dots lead to a page number, as in a table of contents."""
    return _LEADER.search(text) is not None


def without_leaders(text: str) -> str:
    """A text with dots that lead to a page number as one sign."""
    return _LEADER.sub(" … ", text).strip()

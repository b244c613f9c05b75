"""Sentences that say nothing by themselves: headings, and what ends in a colon before the things it announces. Pure."""

import re
from collections.abc import Iterator, Sequence

from rag_core.answering.asked_words import folded_words

MAX_ITEMS = 6
MAX_ITEM_CHARACTERS = 400
"""So many items of a list, or characters of them, are quoted with what announces them; one of them always."""
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_BULLET = re.compile(r"\s*[-*+•]\s+")
_MARKS = " \t\n*_#`"
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1")
_ENDED = re.compile(r"[.!?…][\"'»”\u2019)\]]*$|\d")


def is_item(text: str) -> bool:
    """Whether it is an item of a list."""
    return _ITEM.match(text) is not None


def without_bullet(text: str) -> str:
    """An item of a list as it is read behind what announces it: "- 200 g" is no negative number there."""
    return text[bullet.end() :] if (bullet := _BULLET.match(text)) else text


def is_heading(text: str) -> bool:
    """Whether it is marked as a heading: by "#", wholly in bold, or in capitals."""
    bare = text.strip()
    return bare.startswith("#") or _BOLD.fullmatch(bare) is not None or (bare.isupper() and not _ENDED.search(bare))


def announces(text: str) -> bool:
    """Whether it ends in the colon before what it is about."""
    return text.strip(_MARKS).endswith(":")


def is_fragment(text: str) -> bool:
    """Whether it says nothing without what follows it."""
    return announces(text) or is_heading(text)


def is_opening(text: str, title: str | None) -> bool:
    """Whether a sentence says nothing by itself: a heading, the title of its note once more, or what ends in a colon."""
    return is_fragment(text) or folded_words(text) == folded_words(title or "")


def announced(following: Sequence[str]) -> int:
    """How many of the sentences after an opening belong to it: the items of a list, up to a bound, or the next sentence; 0 of none."""
    return max(1, sum(1 for _ in _items(following))) if following else 0


def _items(texts: Sequence[str]) -> Iterator[str]:
    characters = 0
    for text in texts[:MAX_ITEMS]:
        characters += len(text)
        if not is_item(text) or characters > MAX_ITEM_CHARACTERS:
            return
        yield text

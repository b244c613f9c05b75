"""Sentences that say nothing by themselves: headings, and what ends in a colon before the things it announces. Pure."""

import re
from collections.abc import Iterator, Sequence

from rag_core.answering.quoting.asked_words import folded_words

MAX_ITEMS = 6
MAX_ITEM_CHARACTERS = 400
"""Limits on a list's items, and on their characters, quoted with the sentence that announces them; one item is always quoted."""
MOST_NUMBER_SIGNS = 6
"""Markdown has no heading below "######"."""
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_BULLET = re.compile(r"\s*[-*+•]\s+")
_MARKS = " \t\n*_#`"
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1")
_CLOSERS = "\"'»”\u2019)]"
_STOPS = (".", "!", "?", "…")
_NUMBER_SIGNS = re.compile(r"#+")
_CAPITALS, _IN_BOLD, _NUMBER_SIGN = 1, 2, 3


def is_item(text: str) -> bool:
    """Test whether it is an item of a list."""
    return _ITEM.match(text) is not None


def without_bullet(text: str) -> str:
    """An item of a list as it is read behind what announces it: "- 200 g" is no negative number there."""
    return text[bullet.end() :] if (bullet := _BULLET.match(text)) else text


def is_heading(text: str) -> bool:
    """Test whether it is marked as a heading: by "#"; or in bold or in capitals without the end of a sentence or a number."""
    mark = _mark(text)
    if mark == _CAPITALS:
        return not (_is_ended(text) or holds_digit(text))
    return mark == _NUMBER_SIGN or (mark == _IN_BOLD and not _is_ended(text))


def heads(text: str, below: str) -> bool:
    """Test whether another heading may stand below it: two of one rank are a list, the first of them announces nothing."""
    return announces(text) or _rank(text) == 0 or _rank(text) > _rank(below)


def set_off(texts: Sequence[str], title: str | None) -> list[bool]:
    """Of all sentences of a source, which their marks set off: in a note of nothing but capitals, bold or "#" they make no heading.

    The title and what ends in a colon are no text to be set off from.
    """
    said = [_mark(text) for text in texts if not announces(text) and not _is_title(text, title)]
    least = min(said, default=0)
    return [_mark(text) > least for text in texts]


def holds_digit(text: str) -> bool:
    """Test whether there is a digit in it."""
    return any(map(str.isdigit, text))


def _rank(text: str) -> int:
    """The rank of a heading by its marks: 0 plain, 1 in capitals, 2 in bold, from 3 the higher the fewer "#" it has."""
    if signs := _NUMBER_SIGNS.match(text.strip()):
        return _NUMBER_SIGN + max(0, MOST_NUMBER_SIGNS - signs.end())
    return _mark(text)


def _mark(text: str) -> int:
    bare = text.strip()
    if bare.startswith("#"):
        return _NUMBER_SIGN
    if _BOLD.fullmatch(bare):
        return _IN_BOLD
    return _CAPITALS if bare.isupper() and not is_item(bare) else 0


def _is_ended(text: str) -> bool:
    bare = text.strip(_MARKS).rstrip(_CLOSERS)
    return bare.endswith(_STOPS) or bare[-1:].isdigit()


def announces(text: str) -> bool:
    """Test whether it ends in the colon before what it is about."""
    return text.strip(_MARKS).endswith(":")


def is_opening(text: str, title: str | None) -> bool:
    """Test whether a sentence says nothing by itself: a heading, the title of its note once more, or what ends in a colon."""
    return announces(text) or is_heading(text) or _is_title(text, title)


def _is_title(text: str, title: str | None) -> bool:
    return folded_words(text) == folded_words(title or "")


def announced(following: Sequence[str]) -> int:
    """The number of sentences that belong to an opening: the items of a list, up to a bound, or the next sentence; 0 of none."""
    return max(1, sum(1 for _ in _items(following))) if following else 0


def _items(texts: Sequence[str]) -> Iterator[str]:
    characters = 0
    for text in texts[:MAX_ITEMS]:
        characters += len(text)
        if not is_item(text) or characters > MAX_ITEM_CHARACTERS:
            return
        yield text

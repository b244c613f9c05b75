"""Lines that say nothing by themselves: headings, and what ends in a colon before the things it announces. Pure."""

import re

from rag_core.language import LANGUAGES
from rag_core.language.citing import CitingWords
from rag_core.language.languages import language_of

_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_BULLET = re.compile(r"\s*[-*+•]\s+")
_MARKS = " \t\n*_#`"
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1")
_HEADING = re.compile(r"\s*#+\s|\s*$")
_POINTER = re.compile(
    r"!?\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\((?!//|[a-z][a-z0-9+.-]*:)[^()\s]*\)|(?<!\S)#[^\s#]+", re.IGNORECASE
)
_MARK = re.compile(r"[*_`]+|^\s*\d+[.)]\s")
_TASK = re.compile(r"\s*[-*+•]\s+\[[ xX]\]\s")
_WORD = re.compile(r"[^\W_]+")
_CLOSERS = "\"'»”\u2019)]"
_STOPS = (".", "!", "?", "…")


_LABEL = re.compile(r"\W*([^\W\d][^:\n]{0,40}):[*_\s]+[^\s*_]")


def label_of(text: str) -> str | None:
    """The label of a line "label: value", without marks; None for other text."""
    return found[1].strip(_MARKS) if (found := _LABEL.match(text)) else None


def is_item(text: str) -> bool:
    """Test whether it is an item of a list."""
    return _ITEM.match(text) is not None


def without_bullet(text: str) -> str:
    """An item of a list as it is read behind what announces it: "- 200 g" is no negative number there."""
    return text[bullet.end() :] if (bullet := _BULLET.match(text)) else text


def is_heading(text: str) -> bool:
    """Test whether it is marked as a heading: by "#"; or in bold or in capitals without the end of a sentence or a number."""
    bare = text.strip()
    if bare.startswith("#"):
        return True
    if _BOLD.fullmatch(bare):
        return not is_ended(text)
    return bare.isupper() and not is_item(bare) and not is_ended(text) and not any(map(str.isdigit, text))


def is_ended(text: str) -> bool:
    """Test whether it ends as a sentence does, or in a number."""
    bare = text.strip(_MARKS).rstrip(_CLOSERS)
    return bare.endswith(_STOPS) or bare[-1:].isdigit()


def only_points(text: str) -> bool:
    """Test whether its lines are links to other notes or tags, and headings over them: they say where something is, not what."""
    lines = [line for line in text.splitlines() if not _HEADING.match(line)]
    return bool(lines) and all(only_refers(line) or not _WORD.search(_POINTER.sub("", line)) for line in lines)


def only_refers(text: str) -> bool:
    """Test whether it is nothing but a reference to other notes in words, and no task: "Véase [[La caldera]] y [[La cocina]]"."""
    pointer = _POINTER.search(text)
    if pointer is None or _TASK.match(text):
        return False
    before = _MARK.sub("", text[: pointer.start()])
    after = set(_WORD.findall(_POINTER.sub("", text[pointer.end() :]).lower()))
    words = [language_of(language).citing for language in LANGUAGES]
    return any(_leads(before, one) and after.issubset(one.joining_words) for one in words)


def _leads(before: str, words: CitingWords) -> bool:
    lead = words.lead.search(before)
    return lead is not None and not _WORD.search(before, 0, lead.start())


def announces(text: str) -> bool:
    """Test whether it ends in the colon before what it is about."""
    return text.strip(_MARKS).endswith(":")

"""A passage for a reader: the matched part in ``<mark>``, the query's words in ``<b>``, long ones cut. Pure."""

import re
from collections.abc import Collection, Sequence

from markupsafe import Markup, escape

from rag_core.model import Span
from rag_core.retrieval.passages import word_beginnings

SHOWN_CHARACTERS = 700
_LEAD_CHARACTERS = 140
_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"(?<=[.!?…])\s+|\n\s*")


def marked(text: str, spans: Sequence[Span], words: Collection[str], *, anchor: str | None = None) -> Markup:
    """The text as HTML, spans in ``<mark>`` and words of these beginnings in ``<b>``; overlapping spans are joined.

    The first mark gets the anchor as its id.
    """
    parts: list[Markup] = []
    end = 0
    for start, stop in _joined(spans, len(text)):
        opening = Markup('<mark id="{}">').format(anchor) if anchor and end == 0 and len(parts) == 0 else Markup("<mark>")
        parts += [_with_words(text[end:start], words), opening, _with_words(text[start:stop], words), Markup("</mark>")]
        end = stop
    return Markup("").join([*parts, _with_words(text[end:], words)])


def _joined(spans: Sequence[Span], length: int) -> list[Span]:
    joined: list[Span] = []
    for start, stop in sorted((max(0, start), min(length, stop)) for start, stop in spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        elif start < stop:
            joined.append((start, stop))
    return joined


def _with_words(text: str, words: Collection[str]) -> Markup:
    parts: list[Markup] = []
    end = 0
    for found in _query_words(text, words):
        parts += [escape(text[end : found[0]]), Markup("<b>{}</b>").format(text[found[0] : found[1]])]
        end = found[1]
    return Markup("").join([*parts, escape(text[end:])])


def _query_words(text: str, words: Collection[str]) -> list[Span]:
    if not words:
        return []
    return [found.span() for found in _WORD.finditer(text) if word_beginnings(found[0]) & set(words)]


def excerpt(text: str, match: Span, words: Collection[str], *, size: int = SHOWN_CHARACTERS) -> Span:
    """What to show of a passage: all of it if it is short, else about ``size`` characters of the match.

    They are those with the most different words of the query; without any, the beginning of the match. They begin with
    a sentence or line where one begins near, else with a word, and end with a word.
    """
    if len(text) <= size * 1.3:
        return 0, len(text)
    start = _best_start(text, match, words, size)
    return start, _word_start(text, min(len(text), start + size))


def _best_start(text: str, match: Span, words: Collection[str], size: int) -> int:
    found = [(match[0] + start, text[match[0] + start : match[0] + stop]) for start, stop in _query_words(text[slice(*match)], words)]
    if not found:
        return match[0]
    richness = [len({word.casefold() for at, word in found if start <= at < start + size - _LEAD_CHARACTERS}) for start, _ in found]
    best, _ = found[richness.index(max(richness))]
    return _sentence_start(text, best, earliest=max(match[0], best - _LEAD_CHARACTERS))


def _sentence_start(text: str, position: int, *, earliest: int) -> int:
    """The first beginning of a sentence or line between ``earliest`` and the position, else of a word."""
    if earliest == 0:
        return 0
    found = _BREAK.search(text, earliest, position)
    return found.end() if found else _word_start(text, earliest)


def _word_start(text: str, position: int) -> int:
    """The position, moved back to the beginning of the word it is in."""
    if position in {0, len(text)}:
        return position
    space = max(text.rfind(" ", 0, position), text.rfind("\n", 0, position))
    return space + 1 if space >= 0 and position - space < _LEAD_CHARACTERS else position

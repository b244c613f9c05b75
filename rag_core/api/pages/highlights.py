"""A passage for a reader: the matched part in ``<mark>``, the query's words in ``<b>``, long ones cut. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from rag_core.model.note import Span
from rag_core.retrieval.passages import word_beginnings

SHOWN_CHARACTERS = 700
_LEAD_CHARACTERS = 140
_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"(?<=[.!?…])\s+|\n\s*")
_SPACE = re.compile(r"\s+")


def marked(text: str, spans: Sequence[Span], words: Collection[str], *, anchor: str | None = None) -> Markup:
    """The text as HTML, spans in ``<mark>``, words of these beginnings in ``<b>``; overlapping spans are joined.

    The first mark gets the anchor as its id.
    """
    parts: list[Markup] = []
    end = 0
    for number, (start, stop) in enumerate(_joined(spans, len(text))):
        template = '<mark id="{anchor}">{text}</mark>' if anchor and number == 0 else "<mark>{text}</mark>"
        marking = Markup(template).format(anchor=anchor, text=_with_words(text[start:stop], words))  # noqa: S704
        parts += [_with_words(text[end:start], words), marking]
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
    wanted = frozenset(words)
    return [found.span() for found in _WORD.finditer(text) if not wanted.isdisjoint(_beginnings(found[0]))]


@lru_cache(maxsize=20_000)
def _beginnings(word: str) -> frozenset[str]:
    return frozenset(word_beginnings(word))


def excerpt(text: str, match: Span, words: Collection[str], *, size: int = SHOWN_CHARACTERS) -> Span:
    """Choose the part of a passage to show: all of it if it is short, else about ``size`` characters of the match.

    They are those with the most different words of the query; without any, the beginning of the match. They begin with
    a sentence or line where one begins near, else with a word, and end with a word.
    """
    if len(text) <= size * 1.3:
        return 0, len(text)
    start = _best_start(text, match, words, size)
    return start, _word_start(text, min(len(text), start + size), earliest=start)


def _best_start(text: str, match: Span, words: Collection[str], size: int) -> int:
    first, last = match
    places = [
        (first + start, text[first + start : first + stop].casefold())
        for start, stop in _query_words(text[first:last], words)
    ]
    if not places:
        return first
    best = _richest(places, size - _LEAD_CHARACTERS)
    return _sentence_start(text, best, earliest=max(first, best - _LEAD_CHARACTERS))


def _richest(places: Sequence[tuple[int, str]], reach: int) -> int:
    """The first place from which most different words end within ``reach``; places are in the text's order. Linear."""
    counts: Counter[str] = Counter()
    end, best, most = 0, places[0][0], 0
    for at, word in places:
        while end < len(places) and (places[end][0] == at or places[end][0] + len(places[end][1]) <= at + reach):
            counts[places[end][1]] += 1
            end += 1
        if len(counts) > most:
            best, most = at, len(counts)
        counts[word] -= 1
        if not counts[word]:
            del counts[word]
    return best


def _sentence_start(text: str, position: int, *, earliest: int) -> int:
    """The first beginning of a sentence or line between ``earliest`` and the position, else of a word."""
    if earliest == 0:
        return 0
    found = _BREAK.search(text, earliest, position) or _SPACE.search(text, earliest, position)
    return found.end() if found else position


def _word_start(text: str, position: int, *, earliest: int) -> int:
    """The position, moved back to the beginning of the word it is in if that is after ``earliest``."""
    if position == len(text):
        return position
    space = max(text.rfind(" ", earliest, position), text.rfind("\n", earliest, position))
    return space + 1 if space >= 0 else position

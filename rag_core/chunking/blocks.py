"""Paragraphs, headings, list items and table rows: what ends a sentence without a full stop."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rag_core.model.note import Span

_BREAK = re.compile(
    r"""
    \n (?: [^\S\n]* \n \s*                                                          # blank lines
         | [^\S\n]* (?= [-*+•◦▪▫‣·●○☐☑✓→] \s | \#{1,6} [^\S\n] | \|               # bullet, heading, row
                      | (?P<first> \(? [1aA] [.)] \s                                # first of a numbered list
                                 | [\u2013—] [^\n]+ \n [^\S\n]* [\u2013—] )        # or of lines with dashes
                      | (?P<likely> \(? (?: \d{1,3} | [A-Za-z] ) [.)] \s | [\u2013—] )
                    )
       )
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"[^\S\n]*#{1,6}[^\S\n][^\n]*\n\s*")
_ANNOUNCING = frozenset(".:;!?…»”)")


def block_spans(text: str, *, is_growing: bool = False) -> list[Span]:
    """Part a text at blank lines, before list items and table rows, and around headings; '' gives [].

    The spans tile the text. A line that starts with a dash or a number is an item only when the line before
    ends a sentence or announces a list, or is an item itself, or when a list starts with it ("1.", two lines
    with dashes): hard-wrapped prose puts a dash or a year there too. In a growing text it always is.
    """
    starts = [0] if text else []
    for start in _marked_starts(text, is_growing=is_growing):
        starts.append(start)
        if text[start : start + 1] == "#":
            starts.extend(_heading_end(text, start))
    starts.extend(_heading_end(text, 0))
    return list(pairwise([*sorted({start for start in starts if start < len(text)}), len(text)]))


def _marked_starts(text: str, *, is_growing: bool) -> Iterator[int]:
    item = 0
    for match in _BREAK.finditer(text):
        if match.lastgroup == "likely" and not (
            is_growing or _is_announced(text, match.start()) or text.find("\n", item, match.start()) < 0 < item
        ):
            continue
        if match.lastgroup:
            item = match.end()
        yield match.end()


def _is_announced(text: str, line_end: int) -> bool:
    return text[max(0, line_end - 4) : line_end].rstrip()[-1:] in _ANNOUNCING


def _heading_end(text: str, start: int) -> list[int]:
    heading = _HEADING.match(text, start)
    return [heading.end()] if heading else []

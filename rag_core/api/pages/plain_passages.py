"""Passages of notes as plain text, without marks of Markdown: what was found in them stays told. Pure."""

import re
from collections.abc import Sequence

from rag_core.answering.quoting.markup import BEFORE_A_LINE, plain_lines
from rag_core.api.pages.rendering import edges_of, edited, line_prefix
from rag_core.model.note import Span

_FIRST_MARK, _LAST_MARK = 0xF0000, 0xFFFFD
"""Private characters that stand for the edges of spans while marks of Markdown are taken out."""
_MARKS = re.compile(f"([{chr(_FIRST_MARK)}-{chr(_LAST_MARK)}])")


def plain_passage(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """The plain text, and each span in it; a span of nothing but marks of Markdown is empty."""
    text = _MARKS.sub(" ", text)
    edges = [[_outside_marks(text, place) for place, _, _ in edges_of(text, span)] for span in spans]
    places = sorted({place for of_span in edges for place in (*of_span[:1], *of_span[-1:])})
    marks = {place: chr(_FIRST_MARK + number) for number, place in enumerate(places)}
    pieces = _MARKS.split(plain_lines(edited(text, [(place, place, mark) for place, mark in marks.items()])))
    plain, ends = "", {}
    for piece, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        plain += piece
        ends[mark] = len(plain)
    at: dict[int, int] = {}
    for place in reversed(places):  # an edge in what was taken out stands where the next one does
        at[place] = ends.get(marks[place], min(at.values(), default=len(plain)))
    return plain, [(at[of_span[0]], at[of_span[-1]]) if of_span else (0, 0) for of_span in edges]


def _outside_marks(text: str, place: int) -> int:
    """The place, or where the line's text begins if it is among the marks before that, so that what is a mark stays one."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    before = BEFORE_A_LINE.match(text[start : len(text) if end < 0 else end])
    begins = start + before.end() if before else start
    return (
        begins if place <= max(begins, start + line_prefix(text, start)) and text[start : start + 1] != "|" else place
    )

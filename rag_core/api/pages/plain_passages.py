"""Passages of notes as plain text, without marks of Markdown: what was found in them stays told. Pure."""

import re
from collections.abc import Sequence

from rag_core.answering.quoting.markup import plain_lines
from rag_core.api.pages.rendering import edges_of, edited
from rag_core.model.note import Span

_FIRST_MARK, _LAST_MARK = 0xF0000, 0xFFFFD
"""Private characters that stand for the edges of spans while marks of Markdown are taken out."""
_MARKS = re.compile(f"([{chr(_FIRST_MARK)}-{chr(_LAST_MARK)}])")


def plain_passage(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """The plain text, and each span in it; a span of nothing but marks of Markdown is empty."""
    text = _MARKS.sub(" ", text)
    edges = [[place for place, _, _ in edges_of(text, span)] for span in spans]
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

"""Stretches of a text: parted at commas, and trimmed of what stands around a phrase. Pure."""

import re

from rag_core.graph.grammar import Grammar
from rag_core.model.note import Span

MAX_SIDE_WORDS = 14
_BREAK = re.compile(r"[,;:()\[\]|]|\s[—\u2013-]\s|\.\.\.|…|!|\n")
_EDGE = " \t\r\n\u00a0,;:.!?¡¿()[]«»\"'“”\u2018\u2019*_#>|—\u2013-…•·"


def segments_of(text: str, room: Span) -> list[Span]:
    """A stretch parted at its commas and other breaks; decimal commas and thousands do not part."""
    segments, start = [], room[0]
    for match in _BREAK.finditer(text, *room):
        inside_number = (
            text[match.start() - 1 : match.start()].isdigit() and text[match.end() : match.end() + 1].isdigit()
        )
        if not inside_number:
            segments.append((start, match.start()))
            start = match.end()
    segments.append((start, room[1]))
    return [segment for segment in segments if text[slice(*segment)].strip()]


def are_joined(text: str, one: Span, other: Span) -> bool:
    """Tell whether only a comma parts two segments."""
    return text[one[1] : other[0]].strip() in {"", ","}


def shortened(text: str, span: Span, grammar: Grammar, *, keep: str) -> Span:
    """The words nearest to the cue, cut at an "and" where one leaves at least four of them."""
    words = [match.span() for match in re.finditer(r"\S+", text[slice(*span)])]
    if keep == "end":
        kept = words[-MAX_SIDE_WORDS:]
        joins = [at for at, word in enumerate(kept) if grammar.joining.fullmatch(text, *shifted(word, span[0]))]
        kept = next((kept[at + 1 :] for at in reversed(joins) if len(kept) - at > 4), kept)
    else:
        kept = words[:MAX_SIDE_WORDS]
        joins = [at for at, word in enumerate(kept) if grammar.joining.fullmatch(text, *shifted(word, span[0]))]
        kept = next((kept[:at] for at in reversed(joins) if at >= 4), kept)
    return shifted((kept[0][0], kept[-1][1]), span[0])


def trimmed_side(text: str, span: Span, grammar: Grammar) -> Span:
    """Without spaces, marks, and the words that open or close a side without belonging to it."""
    while True:
        start, end = trimmed_edges(text, span)
        opened = grammar.opening.match(text, start, end)
        start = opened.end() if opened else start
        closed = grammar.closing.search(text, start, end)
        end = closed.start() if closed else end
        if (start, end) == span:
            return span
        span = start, end


def trimmed_edges(text: str, span: Span) -> Span:
    """Without spaces and marks at its ends."""
    start, end = span
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return start, end


def _is_edge(character: str) -> bool:
    return character in _EDGE or character.isspace()


def trimmed_spaces(text: str, span: Span) -> Span:
    """Without spaces at its ends; a span of spaces alone keeps its end."""
    start, end = span
    own = text[start:end]
    return start + len(own) - len(own.lstrip()), end - len(own) + len(own.rstrip()) if own.strip() else start


def shifted(span: Span, offset: int) -> Span:
    """The span so many characters further on."""
    return span[0] + offset, span[1] + offset

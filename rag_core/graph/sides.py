"""The two sides of a cue: the nearest words before it and after it that are about something. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_core.graph.entities import Phrase, phrase
from rag_core.graph.grammar import Page
from rag_core.graph.stretches import (
    MAX_SIDE_WORDS,
    are_joined,
    segments_of,
    shortened,
    trimmed_edges,
    trimmed_side,
)
from rag_core.model.note import Span

_ASIDE = re.compile(r"\([^()]*\)\s*,?\s*$")


def left_side(page: Page, room: Span, *, is_phrase: bool) -> Span | None:
    """The nearest words before a cue that are about something.

    Before a verb a segment that only qualifies the one before it is passed over ("X, que no cesa, provoca"); before a
    connector one that says too little alone takes that one with it ("El portátil, seco, porque").
    """
    aside = _ASIDE.search(page.text, *room)
    segments = segments_of(page.text, (room[0], aside.start() if aside else room[1]))
    end = segments[-1][1] if segments else room[1]
    for at in range(len(segments) - 1, -1, -1):
        start = next(
            (m.end() for m in reversed(list(page.grammar.reporting.finditer(page.text, *segments[at])))),
            segments[at][0],
        )
        opens = trimmed_edges(page.text, (start, end))
        has_more = start == segments[at][0] and at > 0 and are_joined(page.text, segments[at - 1], segments[at])
        if is_phrase and has_more and _only_qualifies(page, opens, end):
            end = segments[at - 1][1]
            continue
        side = side_of(page, (start, end), keep="end")
        if side is None:
            end = segments[at - 1][1] if has_more else end
        elif is_phrase or not has_more or not (is_slight(page, side) or page.grammar.adjunct.match(page.text, *opens)):
            return side
        if not has_more:
            return None
    return None


def right_side(page: Page, room: Span, *, is_phrase: bool) -> Span | None:
    """The first words after a cue that are about something; a noun phrase ends at the first subordinate clause.

    What is put in between commas stays inside: "porque mi hermano, ante cualquier desgracia, fríe".
    """
    segments = segments_of(page.text, room)
    opens_with_comma = page.text[slice(*room)].lstrip().startswith(",")
    for at, (start, segment_end) in enumerate(segments):
        end = segment_end
        if at == 0 and len(segments) > 1 and opens_with_comma and _qualifies(page, segments[0]):
            continue
        if is_phrase:
            own, _ = trimmed_side(page.text, (start, end), page.grammar)
            cut = page.grammar.subordinator.search(page.text, own, end)
            end = cut.start() if cut else end
        elif _is_put_in(page, segments[at : at + 3]):
            end = segments[at + 2][1]
        side = side_of(page, (start, end))
        if side is not None:
            return side
    return None


def subject_side(page: Page, left: Span, before: Span) -> Span | None:
    """The words before a verb as its subject: what a relative pronoun stands for, never what a preposition opens.

    Across a comma they are a clause, and the verb is told of it whole: "se rompió el tubo, provocando …".
    """
    if "," in page.text[left[1] : before[1]]:
        return left
    if page.grammar.relative_end.search(page.text, left[0], before[1]):
        starts = [match.start() for match in page.grammar.antecedent.finditer(page.text, *left)]
        left = (side_of(page, (starts[-1], left[1])) if starts else None) or left
    return None if page.grammar.adjunct.match(page.text, *left) else left


def side_of(page: Page, span: Span, *, keep: str = "start") -> Span | None:
    """The span without what stands around a phrase, at most ``MAX_SIDE_WORDS`` long; None when it is about nothing."""
    trimmed = trimmed_side(page.text, span, page.grammar)
    if len(page.text[slice(*trimmed)].split()) > MAX_SIDE_WORDS:
        trimmed = trimmed_side(page.text, shortened(page.text, trimmed, page.grammar, keep=keep), page.grammar)
    own = page.text[slice(*trimmed)]
    points_back = page.grammar.pointer.fullmatch(own) or page.grammar.anaphor.match(own)
    if not own or points_back or not phrase(own, page.language).content:
        return None
    return trimmed


def points_back(page: Page, before: Span) -> bool:
    """Tell whether only a word like "eso" stands before the cue."""
    own = page.text[slice(*trimmed_side(page.text, before, page.grammar))]
    return not own or page.grammar.pointer.fullmatch(own) is not None


def is_slight(page: Page, side: Span) -> bool:
    """Tell whether a clause is too short to identify an event: "lo apunto", "negra"."""
    return len(phrase_of(page, side).stems) < 2


def phrase_of(page: Page, side: Span) -> Phrase:
    """The words of a side as an entity's."""
    return phrase(page.text[slice(*side)], page.language)


def _only_qualifies(page: Page, opens: Span, end: int) -> bool:
    """Tell whether a segment before a verb is a relative clause that does not end in another, to which the verb would belong."""
    is_relative = page.grammar.relative_start.match(page.text, *opens) is not None
    return is_relative and page.grammar.relative_end.search(page.text, opens[0] + 1, end) is None


def _is_put_in(page: Page, segments: Sequence[Span]) -> bool:
    """Tell whether the second of three segments only qualifies the first."""
    if len(segments) < 3 or not all(are_joined(page.text, *pair) for pair in pairwise(segments)):
        return False
    return _qualifies(page, segments[1])


def _qualifies(page: Page, segment: Span) -> bool:
    """Tell whether a segment begins like a qualification of other words: a relative clause, a preposition."""
    edges = trimmed_edges(page.text, segment)
    return bool(page.grammar.relative_start.match(page.text, *edges) or page.grammar.adjunct.match(page.text, *edges))

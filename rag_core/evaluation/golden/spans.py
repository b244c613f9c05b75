"""Places in notes where answers stand: found by quote, kept when chunks come and go. No I/O."""

from collections.abc import Iterable

from rag_core.errors import InvalidGoldenError
from rag_core.evaluation.golden.query import GivenSpan
from rag_core.model.golden import GoldenSpan
from rag_core.notes.validation import shown


def nearest_occurrence(content: str, quote: str, near: int) -> int | None:
    """Position of the quote in the text, the one nearest to ``near`` when there are several; None without one.

    Of two places equally near it is the earlier one.
    """
    before = content.rfind(quote, 0, near + len(quote))
    after = content.find(quote, near)
    found = [place for place in (before, after) if place >= 0]
    return min(found, key=lambda place: abs(place - near)) if found else None


def find_span(content: str, span: GoldenSpan) -> GoldenSpan | None:
    """The span where its quote stands now, nearest to where it stood; None when the note no longer has the quote."""
    start = nearest_occurrence(content, span.quote, span.start)
    return None if start is None else GoldenSpan(start=start, end=start + len(span.quote), quote=span.quote)


def is_covered(span: GoldenSpan, start: int, end: int) -> bool:
    """True when a passage from ``start`` to ``end`` holds at least half of the span."""
    return 2 * (min(end, span.end) - max(start, span.start)) >= span.end - span.start


def place_spans(
    given: Iterable[GivenSpan], content: str, *, note: str, kept: frozenset[GoldenSpan] = frozenset()
) -> tuple[GoldenSpan, ...]:
    """The spans with start, end and quote, ascending and distinct; those that are ``kept`` stay where they are.

    A kept span may be of an older text of the note: its quote finds it again when it is asked for.

    Raises:
        InvalidGoldenError: a quote that does not stand in the note, or stands in it several times and has no place; a place
            outside of the note; half a place.
    """
    return tuple(sorted({_place(one, content, note=note, kept=kept) for one in given}))


def _place(given: GivenSpan, content: str, *, note: str, kept: frozenset[GoldenSpan]) -> GoldenSpan:
    if (given.start is None) != (given.end is None) or (given.start is None and not given.quote):
        raise InvalidGoldenError(
            f"a span in note {note} has half a place; give start and end, or the quote, or all three",
            problem="half_span",
            note=note,
        )
    if given.start is None or given.end is None:
        return _quoted(content, given.quote or "", note=note)
    if not 0 <= given.start < given.end:
        raise _outside(given, content, note=note)
    if given.quote is None:
        return _cut(content, given, note=note)
    wanted = GoldenSpan(start=given.start, end=given.start + len(given.quote), quote=given.quote)
    if wanted in kept:
        return wanted
    found = find_span(content, wanted) if given.quote else None
    if found is None:
        raise _absent(given.quote, note=note)
    return found


def _quoted(content: str, quote: str, *, note: str) -> GoldenSpan:
    start = content.find(quote)
    if start < 0:
        raise _absent(quote, note=note)
    if content.find(quote, start + 1) >= 0:
        raise InvalidGoldenError(
            f"{shown(quote)} stands in note {note} several times; give start and end beside the quote",
            problem="ambiguous_quote",
            quote=quote,
            note=note,
        )
    return GoldenSpan(start=start, end=start + len(quote), quote=quote)


def _cut(content: str, given: GivenSpan, *, note: str) -> GoldenSpan:
    assert given.start is not None
    assert given.end is not None
    if given.end > len(content):
        raise _outside(given, content, note=note)
    return GoldenSpan(start=given.start, end=given.end, quote=content[given.start : given.end])


def _absent(quote: str, *, note: str) -> InvalidGoldenError:
    return InvalidGoldenError(
        f"{shown(quote)} does not stand in note {note}; quote it letter by letter, or leave the span out",
        problem="absent_quote",
        quote=quote,
        note=note,
    )


def _outside(given: GivenSpan, content: str, *, note: str) -> InvalidGoldenError:
    return InvalidGoldenError(
        f"a span from {given.start} to {given.end} does not fit note {note}, which has {len(content):,} code points",
        problem="span_outside",
        start=given.start,
        end=given.end,
        length=len(content),
        note=note,
    )

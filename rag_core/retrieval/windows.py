"""Windows of text around matched chunks: which to show, and which of one note to join. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_core.chunking import estimate_tokens
from rag_core.model.chunk import TablePart
from rag_core.model.note import ChunkId, NoteId, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A ranked chunk, where it stands in its note, and the window around it."""

    chunk_id: ChunkId
    note_id: NoteId
    chunk_index: int
    span: Span
    window: Span
    content_hash: bytes = b""
    is_whole_note: bool = False
    table: TablePart | None = None
    section: int | None = None
    is_whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The text of one result: its best match, the union of the joined windows, and all spans matched in it."""

    best: Match
    span: Span
    matched: tuple[Span, ...]


def join_windows(matches: Sequence[Match], *, limit: int, max_tokens: int) -> list[Window]:
    """Join overlapping windows of one note, best match first, and return at most ``limit`` of them.

    A match joins the first window of its note that it overlaps while the union stays within ``max_tokens``; otherwise
    it makes a window of its own. Joining costs no place: matches further down move up. A window keeps the place and
    the score of its best match.
    """
    windows: list[Window] = []
    for match in matches:
        at = next((i for i, window in enumerate(windows) if _joins(window, match, max_tokens)), None)
        if at is not None:
            windows[at] = _joined(windows[at], match)
        elif len(windows) < limit:
            windows.append(Window(best=match, span=match.window, matched=(match.span,)))
    return windows


def fill_windows(
    matches: Sequence[Match], *, served: int, limit: int, depth: int | None, max_tokens: int
) -> list[Window]:
    """The windows of the first ``served`` matches; where joining leaves fewer than ``limit``, those of matches below follow.

    With a ``depth`` so many windows in all, the others from the first ``depth`` matches. A match below never makes a window
    longer that stands above it, so whatever the depth, the first ``limit`` windows are the same. It needs none of its own
    only where a window above shows all of it.
    """
    shown = join_windows(matches[:served], limit=limit, max_tokens=max_tokens)
    if len(shown) < limit:
        shown += join_windows(_not_in(shown, matches[served:]), limit=limit - len(shown), max_tokens=max_tokens)
    if depth is None:
        return shown
    deeper = join_windows(_not_in(shown, matches[:depth]), limit=depth, max_tokens=max_tokens)
    return [*shown, *deeper][: max(limit, depth)]


def _not_in(shown: Sequence[Window], matches: Sequence[Match]) -> list[Match]:
    return [match for match in matches if not any(_holds(window, match) for window in shown)]


def _holds(window: Window, match: Match) -> bool:
    is_one_note = window.best.note_id == match.note_id
    return is_one_note and window.span[0] <= match.span[0] and match.span[1] <= window.span[1]


def _joins(window: Window, match: Match, max_tokens: int) -> bool:
    if window.best.note_id != match.note_id:
        return False
    start, end = _union(window.span, match.window)
    overlaps = match.window[0] < window.span[1] and window.span[0] < match.window[1]
    is_inside = (start, end) == window.span
    return overlaps and (is_inside or estimate_tokens(end - start) <= max_tokens)


def _joined(window: Window, match: Match) -> Window:
    matched = tuple(sorted({*window.matched, match.span}))
    return replace(window, span=_union(window.span, match.window), matched=matched)


def _union(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def within(span: Span, window: Span) -> Span:
    """The span counted from the start of the window."""
    return span[0] - window[0], span[1] - window[0]

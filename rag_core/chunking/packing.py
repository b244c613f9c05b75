"""Chunks as spans: whole sentences up to a number of tokens, each chunk repeating a little of the last.

Integers only: no text is copied, and nothing here asks which language it is. Offsets are code points.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.note import ChunkKind, Span

CHARACTERS_PER_TOKEN = 4


def _before_connectors() -> re.Pattern[str]:
    connectors = sorted({word for language in LANGUAGES for word in language_of(language).stop_words.clause_connectors})
    return re.compile(rf"(?<!\s)\s++(?=(?:{'|'.join(connectors)})\s)", re.IGNORECASE)


_CLAUSE_CUTS = (
    # Strongest first; the match ends where the next clause starts. A run of white space is tried once, not
    # from each of its characters.
    re.compile(
        r"(?<=[;:!?….])[)\]»”\"']*\s++|(?<=[)\]»”])\s++|(?<!\s)\s++(?=[—\u2013(\[«“¿¡])|(?<=[—\u2013])\s++|(?<=\w—)(?=\w)"
    ),
    re.compile(r"(?<=,)\s++"),
    _before_connectors(),
)
_WORD_CUT = re.compile(r"\s+")
_CUTS = (*_CLAUSE_CUTS, _WORD_CUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHead:
    """Headers of a table, the line above it, and where it starts in its text."""

    start: int
    headers: tuple[str, ...]
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSpan:
    """A chunk as code points ``start:end`` of its text, and the tokens of that slice; of a table also what its rows need."""

    start: int
    end: int
    token_count: int
    kind: ChunkKind = "text"
    table: TableHead | None = None


def estimate_tokens(characters: int) -> int:
    """Tokens of so many characters: ⌈characters / 4⌉; 0 gives 0.

    The whole system counts by this, so that a limit means the same wherever it is tested.
    """
    return -(-characters // CHARACTERS_PER_TOKEN)


def count_tokens(text: str) -> int:
    """Tokens of a text, by ``estimate_tokens``; '' gives 0."""
    return estimate_tokens(len(text))


def part_end(text: str, start: int, max_characters: int) -> int:
    """Find the position at which to split a text longer than ``max_characters`` from ``start``: in the second half of them.

    After the last clause there, else the last word, else the last grapheme cluster, unless that alone is longer.
    """
    end = start + max_characters
    for pattern in _CUTS:
        cuts = [match.end() for match in pattern.finditer(text, start + max_characters // 2, end)]
        for cut in reversed(cuts):
            if is_cluster_boundary(text, cut, low=start):
                return cut
    return next(_cluster_ends(text, start, end + 1, max_characters))


def chunk_spans(
    text: str, sentences: Sequence[Span], *, max_tokens: int, overlap_tokens: int, min_tokens: int
) -> list[ChunkSpan]:
    """Pack sentences into chunks that cover the text: as many whole sentences as fit ``max_tokens``.

    A chunk starts with the longest suffix of its predecessor made of whole sentences that fits
    ``overlap_tokens``, or else the longest that starts with a clause, or else with a word; less or none when
    the next sentence would not fit. A sentence above ``max_tokens`` is parted at clauses, then words, then
    grapheme clusters, and inside a cluster only when that alone is above ``max_tokens``. A last chunk below
    ``min_tokens`` joins its predecessor, whose overlap gives way, if both fit; otherwise it stays.
    ``max_tokens`` always wins.

    Starts and ends rise strictly, each start is at or before the end before it. '' gives [].

    Raises:
        ValueError: the limits do not fit each other, or the sentences do not span the text.
    """
    _check(text, sentences, max_tokens=max_tokens, overlap_tokens=overlap_tokens, min_tokens=min_tokens)
    if not text:
        return []
    limit, overlap = max_tokens * CHARACTERS_PER_TOKEN, overlap_tokens * CHARACTERS_PER_TOKEN
    packing = _Packing(text=text, starts=[start for start, _ in sentences], limit=limit, overlap=overlap)
    spans = _pack(packing, _unit_ends(text, sentences, limit))
    if estimate_tokens(spans[-1][1] - spans[-1][0]) < min_tokens:
        spans = _with_tail_joined(packing, spans)
    return [ChunkSpan(start=start, end=end, token_count=estimate_tokens(end - start)) for start, end in spans]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Packing:
    text: str
    starts: Sequence[int]
    limit: int
    overlap: int


def _check(text: str, sentences: Sequence[Span], *, max_tokens: int, overlap_tokens: int, min_tokens: int) -> None:
    if max_tokens < 1 or not 0 <= overlap_tokens < max_tokens or min_tokens < 0:
        raise ValueError(
            f"found max_tokens={max_tokens}, overlap_tokens={overlap_tokens}, min_tokens={min_tokens}; "
            "expected 0 <= overlap_tokens < max_tokens and min_tokens >= 0"
        )
    spanned = (sentences[0][0], sentences[-1][1]) if sentences else (0, 0)
    if spanned != (0, len(text)):
        raise ValueError(
            f"found sentences from {spanned[0]} to {spanned[1]}, expected 0 to {len(text)}; "
            "pass sentence_spans of the same text"
        )


def _pack(packing: _Packing, unit_ends: Sequence[int]) -> list[Span]:
    spans: list[Span] = []
    start = packed = 0
    while packed < len(unit_ends):
        packed = bisect_right(unit_ends, start + packing.limit, packed)
        end = unit_ends[packed - 1]
        spans.append((start, end))
        if packed < len(unit_ends):
            start = _overlap_start(packing, spans[-1], room=packing.limit - (unit_ends[packed] - end))
    return spans


def _overlap_start(packing: _Packing, previous: Span, *, room: int) -> int:
    low, end = previous
    # Above `low`, and so starts rise: what follows did not fit the previous chunk, so the room is less than that chunk.
    earliest = end - min(packing.overlap, room)
    sentence = bisect_left(packing.starts, earliest)
    if sentence < len(packing.starts) and packing.starts[sentence] < end:
        return packing.starts[sentence]
    for pattern in _CUTS:
        # From one before: a clause may start at `earliest` itself, and its cut ends there.
        for match in pattern.finditer(packing.text, earliest - 1, end):
            if earliest <= match.end() < end and is_cluster_boundary(packing.text, match.end(), low=low):
                return match.end()
    return end


def _with_tail_joined(packing: _Packing, spans: list[Span]) -> list[Span]:
    if len(spans) < 3:  # the first chunk has no overlap to give up
        return spans
    *kept, _, (_, end) = spans
    room = packing.limit - (end - kept[-1][1])
    return [*kept, (_overlap_start(packing, kept[-1], room=room), end)] if room >= 0 else spans


def _unit_ends(text: str, sentences: Sequence[Span], limit: int) -> list[int]:
    ends: list[int] = []
    for start, end in sentences:
        if end - start <= limit:
            ends.append(end)
        else:
            ends.extend(_piece_ends(text, start, end, limit, _CUTS))
    return ends


def _piece_ends(text: str, start: int, end: int, limit: int, cuts: Sequence[re.Pattern[str]]) -> Iterator[int]:
    if not cuts:
        yield from _cluster_ends(text, start, end, limit)
        return
    for cut in _cut_ends(text, start, end, cuts[0]):
        if cut - start <= limit:
            yield cut
        else:
            yield from _piece_ends(text, start, cut, limit, cuts[1:])
        start = cut


def _cut_ends(text: str, start: int, end: int, pattern: re.Pattern[str]) -> Iterator[int]:
    for match in pattern.finditer(text, start, end):
        if start < match.end() < end and is_cluster_boundary(text, match.end(), low=start):
            yield match.end()
    yield end


def _cluster_ends(text: str, start: int, end: int, limit: int) -> Iterator[int]:
    while end - start > limit:
        cut = start + limit
        while cut > start and not is_cluster_boundary(text, cut, low=start):
            cut -= 1
        # One cluster larger than a chunk: the limit wins.
        start = cut if cut > start else start + limit
        yield start
    yield end

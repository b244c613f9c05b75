"""Sentences as spans of the text they stand in.

The boundaries are those of ``sentencex``, asked a block at a time and corrected where it is wrong in our
three languages (``rag_core.chunking.sentence_ends``). Offsets are code points; the spans of one text tile it,
so a sentence is always ``text[start:end]``.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sentencex import get_sentence_boundaries

from rag_core.chunking.blocks import block_spans
from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.chunking.sentence_ends import is_false_start, missed_starts, settled_start
from rag_core.model import Language, Span

# What sentencex 1.0.32 cannot be handed, each replaced by one code point so that offsets hold. A space
# outside ASCII after a single letter ("A\u00a0.") makes it panic, a lone surrogate cannot be encoded, and at
# a list marker (a bullet, a numeral before a closing parenthesis) it stops looking for sentences up to the
# next: "• Uno. Dos. Tres." stays whole.
_UNREADABLE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]")
_BULLETS = re.compile("[•◦▪▫■□●○\u2043⁌⁍◆◇★☆➤➢➣▶▸►]")

# It never ends a sentence inside a pair of quotes or brackets. That is right for a short quotation; but it
# pairs by order, so one unmatched mark (5", an apostrophe, "x < y") can hide every end up to the next: it
# made one sentence of 101,684 characters of a tutorial on one line. Longer than this, a sentence is read
# again without the marks.
_TRUSTED_PAIR_CHARACTERS = 400
_PAIRED = re.compile("[\"'`\u00b4«»“”„‟\u2018\u2019\u201a\u2039\u203a()\uff08\uff09\\[\\]{}<>]")

# Its time is quadratic in unmatched marks: 16 s for 0.8 MB of them in one paragraph, 0.9 s in windows.
_WINDOW_CHARACTERS = 16_384

_TERMINATED = re.compile(r"[.!?…][^\w\s]*\s*\S")


def sentence_spans(text: str, language: Language, *, is_growing: bool = False) -> list[Span]:
    """Part a text into sentences; spans in code points that tile it: first start 0, last end ``len(text)``.

    White space belongs to the sentence before it, leading white space to the first. Blank lines, list items,
    headings and table rows are boundaries, a line end is not. '' gives [], white space alone one span. In a
    growing text, one that is being written, a sentence ends where it does whatever comes before and after it:
    quotes and brackets keep nothing together, and a line that starts as an item does is one.
    """
    return list(pairwise([*_sentence_starts(text, language, is_growing=is_growing), len(text)]))


def window_bounds(starts: Sequence[int], length: int, span: Span, *, before: int, after: int) -> Span:
    """Widen a span to whole sentences and by so many sentences to each side, within ``(0, length)``.

    ``starts`` are the sentence starts of the whole text, ascending; without any, the span comes back as it
    is. The result always contains the span.
    """
    start, end = span
    if not starts:
        return span
    first = bisect_right(starts, start) - 1
    last = max(first, bisect_left(starts, end) - 1)
    left = starts[max(0, first - before)]
    right = starts[last + 1 + after] if last + 1 + after < len(starts) else length
    return max(0, min(left, start)), min(length, max(right, end))


def _sentence_starts(text: str, language: Language, *, is_growing: bool) -> list[int]:
    if not text:
        return []
    readable = _PAIRED.sub(" ", _readable(text)) if is_growing else _readable(text)
    starts, last = [0], len(text) - len(text.lstrip())
    for block in block_spans(text, is_growing=is_growing):
        for proposed in _proposed_starts(text, readable, block, language):
            is_block = proposed == block[0]
            start = proposed if is_block else settled_start(text, proposed)
            if not last < start < len(text) or not is_cluster_boundary(text, start):
                continue
            if is_block or not is_false_start(text, last, start, language):
                starts.append(start)
                last = start
    return starts


def _readable(text: str) -> str:
    # Line ends within a block are spaces: at "en\n1999. Luego" sentencex would see a list.
    plain = text.replace("\n", " ").replace(")", "]")
    return plain if plain.isascii() else _BULLETS.sub("·", _UNREADABLE.sub(" ", plain))


def _proposed_starts(text: str, readable: str, block: Span, language: Language) -> list[int]:
    start, end = block
    if not _TERMINATED.search(text, start, end):
        return [start]
    starts = {start}
    for window in _windows(readable, start, end):
        starts.update(_found_starts(readable, window, language))
    for piece in pairwise([*sorted(starts), end]):
        starts.update(_starts_hidden_by_pairs(readable, piece, language))
    starts.update(missed_starts(text, block, sorted(starts), language))
    return sorted(starts)


def _windows(readable: str, start: int, end: int) -> Iterator[Span]:
    while end - start > _WINDOW_CHARACTERS:
        latest = start + _WINDOW_CHARACTERS
        cut = readable.rfind(". ", start, latest) + 1 or readable.rfind(" ", start, latest) + 1 or latest
        yield start, cut
        start = cut
    yield start, end


def _found_starts(readable: str, piece: Span, language: Language) -> list[int]:
    # A call a block, not a text: as fast (4.7 against 4.0 ms for 190 kB), and it keeps three faults within
    # the block: unmatched quotes, paragraph breaks left out of the spans every 10 kB, time quadratic in the
    # number of list items.
    start, end = piece
    return [start + found["start_index"] for found in get_sentence_boundaries(language, readable[start:end])]


def _starts_hidden_by_pairs(readable: str, piece: Span, language: Language) -> list[int]:
    start, end = piece
    if end - start <= _TRUSTED_PAIR_CHARACTERS or not _PAIRED.search(readable, start, end):
        return []
    bare = _PAIRED.sub(" ", readable[start:end])
    return [start + found for found in _found_starts(bare, (0, end - start), language)]

"""Sentences as spans of the text they stand in.

The boundaries are those of ``sentencex``, asked a block at a time and corrected where it is wrong in our
three languages (``rag_core.chunking.sentence_ends``). Offsets are code points; the spans of one text tile it,
so a sentence is always ``text[start:end]``.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from sentencex import get_sentence_boundaries

from rag_core.chunking.blocks import block_spans
from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.chunking.lines import line_spans
from rag_core.chunking.packing import estimate_tokens, part_end
from rag_core.chunking.sentence_ends import is_false_start, missed_starts, settled_start
from rag_core.model.note import Language, Span

# Each becomes "\n", the one line end that is looked for; offsets hold. "\r\n" ends with one.
_OTHER_LINE_END = re.compile("\r(?!\n)|[\u2028\u2029]")

# What sentencex 1.0.32 cannot be handed, each replaced by one code point so that offsets hold. A space
# outside ASCII after a single letter ("A\u00a0.") makes it panic, a lone surrogate cannot be encoded, and at
# a list marker (a bullet, a numeral before a closing parenthesis) it stops looking for sentences up to the
# next: "• Uno. Dos. Tres." stays whole.
_UNREADABLE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\ud800-\udfff]")
_BULLETS = re.compile("[•◦▪▫■□●○\u2043⁌⁍◆◇★☆➤➢➣▶▸►]")

# It never ends a sentence inside a pair of quotes or brackets. That is right for a short quotation; but it
# pairs by order, so one unmatched mark (5", an apostrophe, "x < y") can hide every end up to the next: it
# made one sentence of 101,684 characters of a tutorial on one line. Longer than this, a sentence is read
# again without the marks.
_TRUSTED_PAIR_CHARACTERS = 400
_PAIRED = re.compile("[\"'`\u00b4«»“”„‟\u2018\u2019\u201a\u2039\u203a()\uff08\uff09\\[\\]{}<>]")

# Its time is quadratic in unmatched marks: 16 s for 0.8 MB of them in one paragraph, 0.9 s in windows.
_WINDOW_CHARACTERS = 16_384

MAX_SENTENCE_CHARACTERS = 1_000
"""A longer sentence is parted: text without punctuation would be one of any length, and windows are made of sentences. Of 53,000
sentences of Wikipedia, abstracts and clinical reports one is longer."""
_NOT_SPACE = re.compile(r"\S")

_TERMINATED = re.compile(r"[.!?…][^\w\s]*\s*\S")


def sentence_spans(text: str, language: Language, *, is_growing: bool = False) -> list[Span]:
    """Part a text into sentences; spans in code points that tile it: first start 0, last end ``len(text)``.

    White space belongs to the sentence before it, leading white space to the first. Blank lines, list items,
    headings and table rows are boundaries, and so is the end of a line that its writer ended, not one where text
    was wrapped to a width. A sentence of more than ``MAX_SENTENCE_CHARACTERS`` is parted at clauses or words. '' gives
    [], white space alone one span.

    In a growing text, one that is being written, a sentence ends where it does whatever comes before and after it: a
    line that starts as an item does is one, and quotes, brackets, other line ends and length count for nothing.

    A line ends with LF, CR LF, CR, U+2028 or U+2029.
    """
    text = _OTHER_LINE_END.sub("\n", text)
    spans = pairwise([*_sentence_starts(text, language, is_growing=is_growing), len(text)])
    return list(spans) if is_growing else [piece for span in spans for piece in _bounded(text, span)]


def window_bounds(
    starts: Sequence[int], length: int, span: Span, *, before: int, after: int, max_tokens: int | None = None
) -> Span:
    """Widen a span to whole sentences and by so many to each side in turn, while all is within ``max_tokens``.

    ``starts`` are sentence starts of the text, ascending: at least those of the sentences that are wanted and of the next one,
    where there is one. ``length`` is the text's. Without any starts, the span comes back as it is. The result always contains
    the span, even one above ``max_tokens``.
    """
    left, right = span
    if not starts:
        return span
    first = max(0, bisect_right(starts, left) - 1)
    last = max(first, bisect_left(starts, right) - 1)
    lefts = reversed(starts[max(0, first - before) : first + 1])
    rights = [*starts[last + 1 :], length][: after + 1]

    def fits(start: int, end: int) -> bool:
        return max_tokens is None or estimate_tokens(end - start) <= max_tokens

    for start, end in zip_longest(lefts, rights):
        if start is not None and start < left and fits(start, right):
            left = start
        if end is not None and end > right and fits(left, end):
            right = end
    return left, right


def _sentence_starts(text: str, language: Language, *, is_growing: bool) -> list[int]:
    if not text:
        return []
    readable = _PAIRED.sub(" ", _readable(text)) if is_growing else _readable(text)
    starts, last = [0], len(text) - len(text.lstrip())
    blocks = block_spans(text, is_growing=is_growing)
    for block in blocks if is_growing else line_spans(text, blocks, language):
        for proposed in _proposed_starts(text, readable, block, language):
            is_block = proposed == block[0]
            start = proposed if is_block else settled_start(text, proposed)
            if not last < start < len(text) or not is_cluster_boundary(text, start):
                continue
            if is_block or not is_false_start(text, last, start, language):
                starts.append(start)
                last = start
    return starts


def _bounded(text: str, span: Span) -> list[Span]:
    starts, end = [span[0]], span[1]
    while end - starts[-1] > MAX_SENTENCE_CHARACTERS:
        following = _visible_boundary(text, part_end(text, starts[-1], MAX_SENTENCE_CHARACTERS), end)
        if following is None:
            break
        starts.append(following)
    return list(pairwise([*starts, end]))


def _visible_boundary(text: str, start: int, end: int) -> int | None:
    found = (match.start() for match in _NOT_SPACE.finditer(text, start, end))
    return next((at for at in found if is_cluster_boundary(text, at, low=start)), None)


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

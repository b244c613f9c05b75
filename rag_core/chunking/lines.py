"""Line ends inside a block: which of them end a sentence and which only wrap it. Pure.

A line ends either because its writer had finished (a chat, a list, an address) or because a program filled it up to a
width. A program starts a new line only where the next word does not fit, so the lines of wrapped text share a width
that each of them fills. They also tend to stop in the middle of a phrase.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

_LEAST_WIDTH = 40
"""Columns. Little text is wrapped to less, and any two short lines seem to share a width."""
_ENOUGH_LINE_ENDS = 4
"""A block with fewer is judged by the width of the whole text."""
_FILLED_SHARE = 2 / 3
_CONTINUED_SHARE = 0.4
_SLACK = 6
"""Columns that a program which evens lines out leaves free beside those of the next word."""

_LINE_END = re.compile(r"\n[^\S\n]*+(?=(?>(?:>[^\S\n]?+)*)(\S{1,40}))")
_LONGEST_WORD = 40
_TERMINATORS = frozenset(".!?…")
_CLOSERS = ")]}»”\"'*_"
_UNFINISHED = frozenset(",;-\u2013—([{¿¡«“„/&+=")
_CAPITALISED = re.compile(r"(?:\A|[.!?…]\s)\W{0,3}[A-ZÀ-ÖØ-Þ]")


class _LineEnd(NamedTuple):
    """The end of a line without final punctuation; wrapping to ``shortest`` to ``longest`` columns would put it there.

    ``next_start`` is where the next line's text starts. A line ``continues`` that stops in the middle of a phrase, or before a
    small letter although the text has capitals; ``surely`` if it stops in the middle and a small letter or a number follows.
    A tuple, because making a dataclass for every line doubles the time of a list of short lines.
    """

    next_start: int
    shortest: int
    longest: int
    continues: bool
    surely_continues: bool

    def is_sentence_end(self, width: int | None) -> bool:
        """Tell whether a sentence ends here, in lines wrapped to a width or, without one, in lines ended by hand."""
        if width is None:
            return not self.surely_continues
        return not self.continues and not self.shortest <= width <= self.longest


def line_spans(text: str, blocks: Sequence[Span], language: Language) -> list[Span]:
    """Part blocks at the line ends that end a sentence without final punctuation; the spans tile what the blocks tile.

    What a line end after final punctuation is, the segmenter says.
    """
    if "\n" not in text:
        return list(blocks)
    is_cased = _CAPITALISED.search(text) is not None
    by_block = [
        _open_line_ends(text, block, language_of(language).stop_words.function_words, is_cased=is_cased)
        for block in blocks
    ]
    in_all = [end for ends in by_block for end in ends]
    text_width = _wrap_width(in_all)
    spans: list[Span] = []
    for block, ends in zip(blocks, by_block, strict=True):
        if not ends:
            spans.append(block)
            continue
        is_judged_alone = len(ends) >= _ENOUGH_LINE_ENDS or len(in_all) < _ENOUGH_LINE_ENDS
        width = _wrap_width(ends) if is_judged_alone else text_width
        starts = [end.next_start for end in ends if end.is_sentence_end(width)]
        spans.extend(pairwise([block[0], *starts, block[1]]))
    return spans


def _open_line_ends(text: str, block: Span, function_words: frozenset[str], *, is_cased: bool) -> list[_LineEnd]:
    """The line ends of a block that follow no final punctuation."""
    line, found = block[0], []
    for match in _LINE_END.finditer(text, *block):
        line_end, next_word = match.start(), match[1]
        tail = text[max(line, line_end - _LONGEST_WORD) : line_end].rstrip()
        if tail.rstrip(_CLOSERS)[-1:] not in _TERMINATORS:
            is_unfinished = tail[-1:] in _UNFINISHED or tail[tail.rfind(" ") + 1 :] in function_words
            is_lower = next_word[0].islower()
            found.append(
                _LineEnd(
                    match.end(),
                    line_end - line,
                    line_end - line + len(next_word) + _SLACK,
                    is_unfinished or (is_cased and is_lower),
                    is_unfinished and (is_lower or next_word.rstrip(".,;:)").isdecimal()),
                )
            )
        line = line_end + 1
    return found


def _wrap_width(ends: Sequence[_LineEnd]) -> int | None:
    """The width to which the lines were wrapped; None where they were not."""
    wide = [end for end in ends if end.shortest >= _LEAST_WIDTH]
    if len(wide) < _FILLED_SHARE * len(ends) or sum(end.continues for end in ends) < _CONTINUED_SHARE * len(ends):
        return None
    steps = sorted([(end.shortest, 1) for end in wide] + [(end.longest + 1, -1) for end in wide])
    filled = list(accumulate(change for _, change in steps))
    most = max(filled, default=0)
    return steps[filled.index(most)][0] if most and most >= _FILLED_SHARE * len(ends) else None

"""Pairs of quotes and round brackets, which belong to one sentence whatever full stops they hold. Pure.

The segmenter pairs these signs by their order, so that one that is never closed hides every end up to the next mark; in a text that
is being written, an end that was there would be none a word later. Here a pair begins like one and closes within its line and
within 240 characters.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from rag_core.model.note import Span

LONGEST_PAIR = 240
"""Code points between the two signs."""
_CLOSING = {"(": ")", "«": "»", "»": "«", "„": "“”", "“": "”", '"': '"'}
"""By the sign that opens those that close; apostrophes and "<" stand alone too often."""
# Nothing before a sign is read but a letter or digit, which no sentence ends with on its line: read from the next sentence on, all is
# the same.
_OPENING = re.compile(rf"(?<!\w)[{''.join(_CLOSING)}](?=[^\s\[.,;:!?)\]])")
_REST = {
    opening: re.compile(rf"[^\n{closing}]{{0,{LONGEST_PAIR}}}(?:(?P<closing>[{closing}])|\Z)")
    for opening, closing in _CLOSING.items()
}


def paired(text: str) -> tuple[list[Span], int]:
    """The pairs from left to right, none within another, and where the first begins that may yet close; else the text's end."""
    pairs: list[Span] = []
    first_open, at = len(text), 0
    while opening := _OPENING.search(text, at):
        rest = _REST[opening[0]].match(text, opening.end())
        at = opening.end()
        if rest is not None and rest["closing"]:
            at = rest.end()
            pairs.append((opening.start(), at))
        elif rest is not None:
            first_open = min(first_open, opening.start())
    return pairs, first_open


def is_within(pairs: Sequence[Span], at: int) -> bool:
    """Test whether a place lies in one of the pairs, which ascend."""
    before = bisect_left(pairs, (at, 0)) - 1
    return before >= 0 and at < pairs[before][1]

"""Boundaries of grapheme clusters, at which a text may be cut without splitting a visible character.

Python's library has no grapheme segmentation, and chunking needs far less than one: a test at a single
position, mostly asked when a word is longer than a chunk. It errs to the side of joining: it may miss a
permitted cut in a script that stacks consonants, and allows no forbidden one among the characters that
``unicodedata`` knows (compared with the extended grapheme clusters of the ``regex`` package on 400,000 random
strings and beside every code point).
"""

from unicodedata import category, combining

_LINE_ENDS = frozenset("\r\n\u2028\u2029")
_FIRST_COMBINING = "\u0300"
_ZERO_WIDTH_JOINER = "\u200d"
_EXTENDING = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
_PREPENDED_LETTERS = frozenset(
    "\u0d4e\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87"
    "\U00011a88\U00011a89\U00011d46\U00011f02"
)
_VIRAMA = 9


def is_cluster_boundary(text: str, index: int, *, low: int = 0) -> bool:
    """Tell whether no grapheme cluster holds both ``text[index - 1]`` and ``text[index]``; true at either end.

    ``low`` is a known boundary at or before ``index``; pairs of flag letters are counted from there.

    Source: Unicode Standard Annex 29, rules GB3 to GB13.
    """
    if not 0 < index < len(text):
        return True
    before, after = text[index - 1], text[index]
    if before in _LINE_ENDS or (before < _FIRST_COMBINING and after < _FIRST_COMBINING):
        return not (before == "\r" and after == "\n")
    if _extends(after) or _joins_next(before) or _stacks_next(text, index, low):
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, index, low) % 2 == 0
    return not _is_one_hangul_syllable(before, after)


def _extends(character: str) -> bool:
    return (
        category(character)[0] == "M"
        or character in _EXTENDING
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags, as in the flag of Scotland
    )


def _joins_next(character: str) -> bool:
    return (
        character == _ZERO_WIDTH_JOINER
        or character in _PREPENDED_LETTERS
        or (category(character) == "Cf" and "\u0600" <= character <= "\u08e2")
        or character in "\U000110bd\U000110cd"
    )


def _stacks_next(text: str, index: int, low: int) -> bool:
    start = index - 1
    while start > low and combining(text[start]) != _VIRAMA and _extends(text[start]):
        start -= 1
    return combining(text[start]) == _VIRAMA


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int, low: int) -> int:
    start = index
    while start > low and _is_flag_letter(text[start - 1]):
        start -= 1
    return index - start


def _is_one_hangul_syllable(before: str, after: str) -> bool:
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb":
        return True
    is_leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    return is_leading and ("\u1100" <= after <= "\u115f" or "\ua960" <= after <= "\ua97c" or "가" <= after <= "힣")

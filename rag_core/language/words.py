"""Notations for word lists: one string reads better than a literal with a line a word."""

import re


def word_set(words: str) -> frozenset[str]:
    """Set of words separated by white space."""
    return frozenset(words.split())


def in_order(words: str) -> tuple[str, ...]:
    """Words separated by white space, in their order."""
    return tuple(words.split())


def numbered(words: str, *, first: int = 1) -> dict[str, int]:
    """Number words in their order, alternatives joined by "|": "uno|una dos" gives uno 1, una 1, dos 2."""
    return {
        word: number for number, alternatives in enumerate(words.split(), first) for word in alternatives.split("|")
    }


def named_lines(table: str) -> dict[str, str]:
    """Map each word to the name that opens its line: "€ euro euros" gives euro €, euros €."""
    lines = (line.split() for line in table.strip().splitlines())
    return {word: name for name, *words in lines for word in words}


def numbered_lines(table: str) -> dict[str, int]:
    """Map each word to the number that opens its line: "100 cien ciento" gives cien 100, ciento 100."""
    return {word: int(name) for word, name in named_lines(table).items()}


def families(stems: str) -> tuple[frozenset[str], ...]:
    """Stems of one word each, parted by "|": "pens piens | cerr cierr" gives {pens, piens} and {cerr, cierr}."""
    return tuple(frozenset(family.split()) for family in stems.split("|"))


def any_of(*alternatives: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Pattern that matches any of the alternatives as whole words."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", flags)

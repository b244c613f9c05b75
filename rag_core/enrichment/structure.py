"""Headings, tables and images of a text in Markdown, and its words."""

import re

_WORD = re.compile(r"\w+(?:['\u2019.,-]\w+)*")
_HEADING = re.compile(r"^#{1,6}[^\S\n]+\S", re.MULTILINE)
_TABLE = re.compile(r"^[^\S\n]*+\|?(?:[^\S\n]*+:?-++:?[^\S\n]*+\|)+(?:[^\S\n]*+:?-++:?)?[^\S\n]*+$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\(|!\[\[[^\]\n]{1,200}\]\]")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)


def count_words(text: str) -> int:
    """Number of words; a figure is one, "1.250,50" too."""
    return sum(1 for _ in _WORD.finditer(text))


def count_structure(text: str) -> tuple[int, int, int]:
    """Numbers of headings, tables and images; what stands in a block of code does not count."""
    if "```" in text or "~~~" in text:
        text = _CODE.sub("", text)
    return (
        sum(1 for _ in _HEADING.finditer(text)) if "#" in text else 0,
        sum(1 for _ in _TABLE.finditer(text)) if "|" in text else 0,
        sum(1 for _ in _IMAGE.finditer(text)) if "![" in text else 0,
    )

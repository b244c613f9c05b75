"""Quoted text without the marks of Markdown, and otherwise word for word. Pure.

A mark is one only where it cannot be part of what is written: before a line's text, or in a pair at the edges of words. "-", "+"
and ">" before a number may be a sign, and a number before a German month is its day.
"""

import re

from rag_core.language.languages import language_of

_MONTH = "|".join(
    [
        *(rf"{month}\b" for month in language_of("de").times.month_names),
        r"(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept?|Okt|Nov|Dez)\.",
    ]
)
_SIGNED = r"\s+\d+(?![.)]\s|\d)"
BEFORE_A_LINE = re.compile(
    rf"^(?:\s*(?:[-*+•>#]*(?:[*•#]|[-+>](?!{_SIGNED}))|\d+(?:\)|\.(?!\s+(?:{_MONTH})))|\[[ xX]\])\s+)+"
)
_RULER = re.compile(r"^[ \t]*+\|?[ \t]*+:?-{3,}+[|:\- \t]*+$\n?", re.MULTILINE)
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_WIKI = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|([^\[\]\n]+))?\]\]")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_NOT_WITHIN_A_WORD = "".join(rf"(?<!\w[*_|`]{{{marks}}})" for marks in range(1, 8))
_CODE = rf"(?<![`\w]){_NOT_WITHIN_A_WORD}(?P<ticks>`{{1,3}})(?P<code>[^`]+)(?P=ticks)(?![`\w]|[*_|`]+\w)"
_EMPHASIS = "|".join(
    rf"(?<![\w*`./@:|-])(?<!_)(?P<{name}>[{mark}]{{1,3}})(?=\S)(?P<in_{name}>[^{mark}]+)(?<=\S)(?P={name})"
    r"(?![\w*`]|[-./@:|]\w)"
    for name, mark in (("stars", "*"), ("lines", "_"))
)
_MARKED = re.compile(f"{_CODE}|{_EMPHASIS}")
_CODE_MARK = re.compile(_CODE)
MOST_NESTED = 4
"""Marks within marks are taken out so many deep: each goes over the whole text once more."""


def without_markup(text: str) -> str:
    """The text without the marks of lists, headings, quotations, rows and rulers of tables, links, and around emphasis and code.

    Within a word nothing is a mark ("ana_maria@ejemplo.es", "3*4"), nor is one that nothing closes, nor anything within code.
    """
    text = _WIKI.sub(lambda link: link[2] or link[1], _EMBEDDED.sub("", _RULER.sub("", text)))
    text = _ROW.sub(lambda row: row[1].replace("|", " "), BEFORE_A_LINE.sub("", _LINK.sub(r"\1", text)))
    for _ in range(MOST_NESTED):
        text = _MARKED.sub(_unmarked, text)
    return _CODE_MARK.sub(r"\g<code>", text)


def plain_lines(text: str) -> str:
    """The text with ``without_markup`` of each of its lines."""
    return "\n".join(map(without_markup, text.splitlines()))


def _unmarked(match: re.Match[str]) -> str:
    inner = match["in_stars"] or match["in_lines"]
    return inner if inner and any(map(str.isalnum, inner)) else match[0]

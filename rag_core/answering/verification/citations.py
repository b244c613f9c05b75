"""Citations read from an answer's text: "[1]", "[1, 2]", "[2-4]", "[N1]", "[Fuente 2]", "[Quelle: Titel]". Pure.

A model does not keep to one way of writing marks, so all that people read as one are read. Marks are found within a line and within
240 characters, so that the time is linear in the text whatever stands in it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag_core.answering.sources.labels import numbers_by_label, resolve_label
from rag_core.language.languages import any_word
from rag_core.model.answer import Citation, Source
from rag_core.model.note import Span

LONGEST_MARK = 240
"""Code points from the opening to the closing bracket; what is longer is text in brackets."""
OPENING, CLOSING = "[［【〔⟦❲", "]］】〕⟧❳"  # noqa: RUF001  the same to a reader
INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
"""Code points without a glyph, as a character class: they do not keep a reader from seeing a mark."""

# Possessive throughout: whatever fails does so at once, and from one bracket no attempt reads past the next.
_WHITE = r" \t\u00a0\u2000-\u200a\u202f\u205f\u3000"
_BLANK = rf"[{_WHITE}{INVISIBLE}]*+"
_GAP = rf"[{INVISIBLE}]*+[{_WHITE}]{_BLANK}"
JOINING_WORDS = any_word(lambda words: words.citing.joining_words)
"""Pattern of the words between two numbers of a mark."""
_WORD = rf"(?:N[or]?\.?{_BLANK}|(?:{any_word(lambda words: words.citing.source_words)}){_BLANK}[:.#]?{_BLANK}(?:N[or]\.?{_BLANK})?)"
# With a word or an N before it any number is one of a source. A bare one of four digits may be a year.
_NUMBER = rf"(?>(?:[\^#]{_BLANK})?)(?:{_WORD}\d{{1,9}}+|\d{{1,3}}+(?!\d)|(?!1\d{{3}}(?!\d)|2[01]\d\d(?!\d))\d{{4,9}}+)"
_DASH = rf"{_BLANK}[-\u2010-\u2015\u2212]{_BLANK}"
_ITEM = rf"{_NUMBER}(?>(?:{_DASH}{_NUMBER})?)(?>(?:†[\w .-]{{0,30}}+)?)"
# A joining word stands between blanks: "[1 e 2]" is a list, "[1e2]" a number in scientific notation.
_JOINING = rf"(?:{JOINING_WORDS}){_GAP}"
_SEPARATOR = rf"(?:{_GAP}{_JOINING}|{_BLANK}[,;/&+·]{_BLANK})"
_LISTED = rf"{_ITEM}(?>(?:{_SEPARATOR}(?>(?:{_JOINING}(?=\d))?){_ITEM})*)"
_TITLE_WORD = any_word(lambda words: words.citing.title_words)
_TITLED = (
    rf"(?:{_TITLE_WORD}){_BLANK}[:：]{_BLANK}(?P<title>[^{re.escape(OPENING + CLOSING)}\n\r\v\f\x85\u2028\u2029]+)"  # noqa: RUF001
)
_OPEN, _CLOSE = f"[{re.escape(OPENING)}]", f"[{re.escape(CLOSING)}]"
# A target has no blank in it and something of an address: "[1](véase abajo)" is a mark and a remark.
_TARGET = r'(?P<target>\((?=[^()\s]*[:/#.?=])[^()\s]++(?>(?:\s++"[^"\n]{0,200}+")?)\))'
_MARK = re.compile(
    rf"(?P<mark>{_OPEN}{_BLANK}(?:(?P<list>{_LISTED}){_BLANK}|{_TITLED}){_CLOSE})(?>{_TARGET}?)", re.IGNORECASE
)
_TITLE = re.compile(rf"{_BLANK}{_TITLED}", re.IGNORECASE)
_SUFFIX = re.compile(r"†[\w .-]*")
_RANGE = re.compile(r"(\d+)(?:[^\d,;/&+·]*?[-\u2010-\u2015\u2212][^\d,;/&+·]*(\d+))?")
_MOST_IN_RANGE = 20


def parse_citations(text: str, sources: Sequence[Source] | None = None) -> tuple[Citation, ...]:
    """The citations of an answer in their order, each with its numbers; "[01]" is 1, a range is every number in it.

    Links ("[1](https://…)") and years are none. With ``sources`` marks by title are read as well, "[Quelle: Titel]" as the
    number of that source, and without numbers if there is none such.
    """
    labels = None if sources is None else numbers_by_label(sources)
    return tuple(mark for mark, is_link in find_marks(text, labels) if not is_link)


def find_marks(text: str, labels: Mapping[str, int] | None) -> Iterator[tuple[Citation, bool]]:
    """Find marks, each with whether it is a link; the span of a link holds its target. ``labels`` as of ``numbers_by_label``."""
    for match in _MARK.finditer(text):
        numbers = _numbers_of(match, labels)
        if numbers is not None and len(match["mark"]) <= LONGEST_MARK:
            yield Citation(span=match.span(), numbers=tuple(dict.fromkeys(numbers))), match["target"] is not None


def without_citations(text: str) -> str:
    """The text with spaces in place of its marks, so that offsets hold."""
    return _MARK.sub(lambda match: " " * len(match[0]) if _is_numbered(match) else match[0], text)


def citations_by_sentence(text: str, sentences: Sequence[Span]) -> list[tuple[int, ...]]:
    """For each sentence the numbers it cites, each once; a mark before a sentence's first word belongs to the one before.

    ``sentences`` tile the text. "Llovió. [1] Luego salió el sol [2]." gives (1,) and (2,).
    """
    cited: list[list[int]] = [[] for _ in sentences]
    bare = without_citations(text)
    ends = [end for _, end in sentences]
    for citation in parse_citations(text):
        at = bisect_right(ends, citation.span[0])
        is_leading = at > 0 and not bare[sentences[at][0] : citation.span[0]].strip()
        cited[at - is_leading].extend(citation.numbers)
    return [tuple(dict.fromkeys(numbers)) for numbers in cited]


def _is_numbered(match: re.Match[str]) -> bool:
    return match["list"] is not None and match["target"] is None and len(match["mark"]) <= LONGEST_MARK


def _numbers_of(match: re.Match[str], labels: Mapping[str, int] | None) -> Iterable[int] | None:
    """The numbers of a mark; none for a title that no source has; None for a title where titles are not read."""
    titled = None if labels is None else _TITLE.fullmatch(match["mark"][1:-1])
    if labels is not None and titled is not None and (number := resolve_label(titled["title"], labels)) is not None:
        return (number,)
    if match["list"] is not None:
        return _numbers(match["list"])
    return None if labels is None else ()


def _numbers(listed: str) -> Iterator[int]:
    for first, last in _RANGE.findall(_SUFFIX.sub("", listed)):
        start, end = int(first), int(last or first)
        if start <= end < start + _MOST_IN_RANGE:
            yield from range(start, end + 1)
        else:
            yield from (start, end)

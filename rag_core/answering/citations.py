"""What an answer cites: "[1]", "[1, 2]", "[2-4]", "[N1]", read from its text. Pure."""

import re
from collections.abc import Iterator, Sequence

from rag_core.answering import Citation
from rag_core.model import Span

# At most three digits: "[2019]" is a year. Before "(" it is the text of a Markdown link.
_NUMBER = r"N?\d{1,3}"
_ITEM = rf"{_NUMBER}(?:\s?[-\u2013]\s?{_NUMBER})?"
_MARK = re.compile(rf"\[\s?{_ITEM}(?:\s?[,;]\s?{_ITEM})*\s?\](?!\()")
_RANGE = re.compile(rf"({_NUMBER})(?:\s?[-\u2013]\s?({_NUMBER}))?")
_MOST_IN_RANGE = 20


def parse_citations(text: str) -> tuple[Citation, ...]:
    """The citations of an answer in their order, each with its numbers; "[01]" is 1, a range is every number in it."""
    return tuple(
        Citation(span=match.span(), numbers=tuple(dict.fromkeys(_numbers(match[0])))) for match in _MARK.finditer(text)
    )


def without_citations(text: str) -> str:
    """The text with spaces in place of its marks, so that offsets hold."""
    return _MARK.sub(lambda match: " " * len(match[0]), text)


def citations_by_sentence(text: str, sentences: Sequence[Span]) -> list[tuple[int, ...]]:
    """For each sentence the numbers it cites, each once; a mark before a sentence's first word belongs to the one before.

    ``sentences`` tile the text. "Llovió. [1] Luego salió el sol [2]." gives (1,) and (2,).
    """
    cited: list[list[int]] = [[] for _ in sentences]
    bare = without_citations(text)
    for citation in parse_citations(text):
        at = next(i for i, (_, end) in enumerate(sentences) if citation.span[0] < end)
        is_leading = at > 0 and not bare[sentences[at][0] : citation.span[0]].strip()
        cited[at - is_leading].extend(citation.numbers)
    return [tuple(dict.fromkeys(numbers)) for numbers in cited]


def _numbers(mark: str) -> Iterator[int]:
    for first, last in _RANGE.findall(mark):
        start = int(first.removeprefix("N"))
        end = int(last.removeprefix("N")) if last else start
        if start <= end < start + _MOST_IN_RANGE:
            yield from range(start, end + 1)
        else:
            yield from (start, end)

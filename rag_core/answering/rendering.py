"""A checked answer with its marks as a contract writes them. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import Literal

from rag_core.answering.sources.labels import source_labels
from rag_core.answering.verification.tidying import mark_of
from rag_core.model.answer import CheckedCitation, CheckedText, Source
from rag_core.model.note import Span

CitationStyle = Literal["numbered", "notes", "german"]
"""Style of citations: "[1]", "[N1]", or "[Quelle: Titel]", with ", Seite 5" where the page is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """An answer as a contract shows it. Every source has a mark of its own, so "[1, 2]" is "[1][2]"; spans are of ``text``.

    ``text[slice(*citation.mark)]`` is ``marks[citation.number]`` for each; ``uncited`` are as in the checked text.
    """

    text: str
    citations: tuple[CheckedCitation, ...]
    uncited: tuple[Span, ...]
    marks: Mapping[int, str]


def render(checked: CheckedText, sources: Sequence[Source], style: CitationStyle) -> Rendered:
    """Write the marks of a checked answer in a style; all else stays.

    What ``parse_citations(rendered.text, sources)`` reads are the numbers that the checked answer cites, in their order: no title,
    whatever stands in it, breaks a mark or is taken for another's.

    Raises:
        KeyError: the answer cites a number that no source has.
    """
    marks = citation_marks(sources, style)
    groups = _by_mark(checked.citations)
    spans = [span for span, _ in groups]
    shown = ["".join(marks[number] for number in _numbers(group)) for _, group in groups]
    shifts = _shifts(spans, shown)
    return Rendered(
        text=_replaced(checked.text, spans, shown),
        citations=tuple(citation for _, group in groups for citation in _moved(group, marks, shifts)),
        uncited=tuple(shifts.placed(span) for span in checked.uncited),
        marks=marks,
    )


def renumbered(checked: CheckedText, numbers: Mapping[int, int]) -> CheckedText:
    """Give the cited sources other numbers, in the marks and beside them; all else stays.

    Raises:
        KeyError: a cited source has no other number.
    """
    groups = _by_mark(checked.citations)
    spans = [span for span, _ in groups]
    shown = [mark_of([numbers[number] for number in _numbers(group)]) for _, group in groups]
    shifts = _shifts(spans, shown)
    return replace(
        checked,
        text=_replaced(checked.text, spans, shown),
        citations=tuple(
            replace(one, number=numbers[one.number], mark=shifts.placed(one.mark), claim=shifts.placed(one.claim))
            for one in checked.citations
        ),
        uncited=tuple(shifts.placed(span) for span in checked.uncited),
    )


def citation_marks(sources: Sequence[Source], style: CitationStyle) -> dict[int, str]:
    """The mark of each source in a style, by its number; no two are alike."""
    if style == "german":
        return {number: f"[Quelle: {label}]" for number, label in source_labels(sources).items()}
    return {source.number: f"[{'N' if style == 'notes' else ''}{source.number}]" for source in sources}


@dataclass(frozen=True, slots=True)
class _Shifts:
    """The shift of the text behind each replaced mark."""

    ends: Sequence[int]
    totals: Sequence[int]

    def placed(self, span: Span) -> Span:
        start, end = (at + self._shift(at) for at in span)
        return start, end

    def _shift(self, at: int) -> int:
        before = bisect_right(self.ends, at)
        return self.totals[before - 1] if before else 0


def _by_mark(citations: Sequence[CheckedCitation]) -> list[tuple[Span, list[CheckedCitation]]]:
    return [(span, list(group)) for span, group in groupby(citations, key=lambda citation: citation.mark)]


def _numbers(group: Sequence[CheckedCitation]) -> list[int]:
    """The sources of a mark, each once: several places of one are several citations."""
    return list(dict.fromkeys(citation.number for citation in group))


def _shifts(spans: Sequence[Span], shown: Sequence[str]) -> _Shifts:
    grown = (len(text) - end + start for text, (start, end) in zip(shown, spans, strict=True))
    return _Shifts(ends=[end for _, end in spans], totals=list(accumulate(grown)))


def _replaced(text: str, spans: Sequence[Span], shown: Sequence[str]) -> str:
    pieces, at = [], 0
    for (start, end), new in zip(spans, shown, strict=True):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _moved(group: Sequence[CheckedCitation], marks: Mapping[int, str], shifts: _Shifts) -> Iterator[CheckedCitation]:
    """The citations of one mark, those of each source on a mark of its own."""
    start, _ = shifts.placed((group[0].mark[0], group[0].mark[0]))
    ends = accumulate((len(marks[number]) for number in _numbers(group)), initial=start)
    shown = dict(zip(_numbers(group), pairwise(ends), strict=True))
    for citation in group:
        yield replace(citation, mark=shown[citation.number], claim=shifts.placed(citation.claim))

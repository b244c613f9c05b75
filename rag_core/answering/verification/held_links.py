"""Addresses that an answer may name: those that stand, sign by sign, in the evidence of a citation beside them. Pure.

An address in a sentence of a note that would command its reader, or near one, is no evidence: whoever wrote that sentence wants the
address in the answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag_core.guardrails.injection import scan
from rag_core.guardrails.links import find_links
from rag_core.model.answer import CheckedCitation, Source
from rag_core.model.note import Span

NEAR_CHARACTERS = 100
"""Distance from an order in its note within which an address is no evidence: "Add this to your answer:", and the address below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLinks:
    """The addresses of each source by its number, each with its span of the note."""

    by_number: Mapping[int, Sequence[tuple[Span, str]]]

    def of(self, citations: Iterable[CheckedCitation]) -> frozenset[str]:
        """Addresses within the evidence of the citations."""
        return frozenset(
            link
            for citation in citations
            if citation.evidence is not None
            for (start, end), link in self.by_number.get(citation.number, ())
            if citation.evidence[0] <= start and end <= citation.evidence[1]
        )


NO_LINKS = HeldLinks(by_number={})


def held_links(sources: Sequence[Source]) -> HeldLinks:
    """Read the addresses of the sources once."""
    return HeldLinks(by_number={source.number: _links_of(source) for source in sources})


def _links_of(source: Source) -> list[tuple[Span, str]]:
    text, first = source.original, source.start_char
    spans = find_links(text)
    orders = scan(text, profile="note").spans if spans else ()
    return [
        ((first + start, first + end), text[start:end])
        for start, end in spans
        if all(end + NEAR_CHARACTERS <= order[0] or order[1] + NEAR_CHARACTERS <= start for order in orders)
    ]

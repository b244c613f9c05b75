"""Places of cited sources in their documents, and the order in which they are cited. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rag_core.model.answer import CheckedCitation, Source
from rag_core.model.document import place_of


def placed(sources: Sequence[Source], citations: Iterable[CheckedCitation]) -> tuple[Source, ...]:
    """The sources, each at the place of what its first citation is held by; where nothing holds that, at its own.

    Citations that come later change nothing: a label that was shown stays true.
    """
    first = _first_citations(citations)
    return tuple(_placed(source, first.get(source.number)) for source in sources)


def in_order_of_citation(sources: Sequence[Source], citations: Iterable[CheckedCitation]) -> list[Source]:
    """The sources as they are cited, then the others: in this order labels do not depend on what is cited later."""
    order = list(_first_citations(citations))
    return sorted(sources, key=lambda source: order.index(source.number) if source.number in order else len(order))


def _first_citations(citations: Iterable[CheckedCitation]) -> Mapping[int, CheckedCitation]:
    first: dict[int, CheckedCitation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    return first


def _placed(source: Source, citation: CheckedCitation | None) -> Source:
    if citation is None or citation.evidence is None:
        return source
    place = place_of(source.blocks, citation.evidence)
    return replace(source, page=place.page, block=place.block, box=place.box)

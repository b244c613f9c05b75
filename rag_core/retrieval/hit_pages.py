"""Pages of hits: of those that a passage stands on, the one that says most of what was asked. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from rag_core.language.content_words import content_of
from rag_core.model.document import PlacedBlock, place_of
from rag_core.model.note import Language, Span


def page_of_hit(
    blocks: Sequence[PlacedBlock], passage: str, span: Span, *, query: str, language: Language
) -> int | None:
    """The page with most of the query's content words, by stems, among those of a passage; the first of equals.

    ``blocks`` are those with pages that hold the passage, in their order; ``passage`` is the note's text from ``span[0]`` to
    ``span[1]``. None without pages.
    """
    first = place_of(blocks, span).page
    starts = {first: span[0]}
    for block in blocks:
        if span[0] < block.start < span[1]:
            starts.setdefault(block.page, block.start)
    if len(starts) == 1:
        return first
    wanted = content_of(query, language)
    bounds = [*starts.values(), span[1]]
    shares = [
        len(wanted & content_of(passage[start - span[0] : end - span[0]], language)) for start, end in pairwise(bounds)
    ]
    return list(starts)[shares.index(max(shares))]

"""Pages of hits: of those that a passage stands on, the one that says most of what was asked. Pure."""

from collections.abc import Sequence

from rag_core.language.content_words import content_of
from rag_core.model.document import page_at
from rag_core.model.note import Language, Span


def page_of_hit(
    pages: Sequence[tuple[int, int]], passage: str, span: Span, *, query: str, language: Language
) -> int | None:
    """The page with most of the query's content words, by stems, among those of a passage; the first of equals.

    ``pages`` are where each begins in the note's text, and its number; ``passage`` is that text from ``span[0]`` to ``span[1]``. None
    without pages.
    """
    first = page_at(pages, span[0])
    later = [(start, number) for start, number in pages if span[0] < start < span[1]]
    if first is None or not later:
        return first
    wanted = content_of(query, language)
    starts = [span[0], *(start for start, _ in later)]
    parts = [
        passage[start - span[0] : end - span[0]] for start, end in zip(starts, [*starts[1:], span[1]], strict=True)
    ]
    shares = [len(wanted & content_of(part, language)) for part in parts]
    return (first, *(number for _, number in later))[shares.index(max(shares))]

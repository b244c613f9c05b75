"""Reading effort: golden spans found in the notes as they are now, and in the passages of a result. No I/O.

Rankings of notes do not see how notes are cut. What a reader reads are passages: the chunks of each hit, best hit first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from rag_core.evaluation.golden.spans import find_span
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import NoteId, Span
from rag_core.model.retrieval import Hit

PATIENCE = 10_000
"""After so many characters a reader has given up: what is found later is worth nothing."""

Spans = Mapping[NoteId, Sequence[Span]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """Present places of each query's answers, by query and note; ``lost`` counts spans whose quote is no longer there."""

    spans: Mapping[UUID, Spans]
    contents: Mapping[NoteId, str]
    lost: int = 0

    def of(self, query_id: UUID) -> Spans:
        """The spans of a query, empty without any."""
        return self.spans.get(query_id, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFigures:
    """Usefulness of a query's passages: ``u_measure`` in [0, 1], and the rank of the first passage that answers."""

    u_measure: float
    first_passage_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Passage of a hit: disjoint pieces of its note in the order they are read, at each place they may stand.

    Places are several only where a note says the same twice, and none where the note was edited meanwhile.
    """

    note_id: NoteId
    length: int
    places: tuple[tuple[Span, ...], ...] = field(default=())


def notes_to_read(queries: Iterable[GoldenQuery]) -> set[NoteId]:
    """The notes that ``anchor`` needs the text of."""
    return {
        relevance.note_id
        for query in queries
        for relevance in query.relevance
        if relevance.spans or not (_has_spans(query) or query.is_retrieval_only)
    }


def anchor(queries: Iterable[GoldenQuery], contents: Mapping[NoteId, str]) -> Anchors:
    """Find every query's spans in the notes as they are.

    Spans of the golden set are found by their quote, at the nearest place. Where a query has none, its expected answer is
    one if it stands in its relevant notes exactly once, as whole words. A query without any is absent.
    """
    spans: dict[UUID, Spans] = {}
    lost = 0
    for query in queries:
        found = _quoted(query, contents) if _has_spans(query) else _answering(query, contents)
        lost += (
            sum(len(one.spans) for one in query.relevance) - sum(map(len, found.values())) if _has_spans(query) else 0
        )
        if found:
            spans[query.id] = found
    return Anchors(spans=spans, contents=contents, lost=lost)


def read_through(hits: Sequence[Hit], spans: Spans, contents: Mapping[NoteId, str]) -> ReaderFigures | None:
    """Read the passages, best first: U = mean over the spans of max(0, 1 - position / 10,000).

    The position is how many characters were read when the first passage that holds the span is read to its end; a passage
    holds a span with at least half of it. A span that no passage holds gives 0. Without spans it is undefined: None.

    Source: Sakai & Dou, Summaries, Ranked Retrieval and Sessions, SIGIR 2013, with one gain a span.
    """
    wanted = [(note, span) for note, found in spans.items() for span in found]
    if not wanted:
        return None
    passages = [passage_of(hit, contents.get(hit.note_id, "") if hit.note_id in spans else "") for hit in hits]
    found = [_position(passages, note, span) for note, span in wanted]
    ranks = [rank for rank, _ in filter(None, found)]
    worth = [0.0 if place is None else max(0.0, 1 - place[1] / PATIENCE) for place in found]
    return ReaderFigures(u_measure=sum(worth) / len(worth), first_passage_rank=min(ranks, default=None))


def passage_of(hit: Hit, content: str) -> Passage:
    """The hit's chunks: the best one first, then what the others in its window add, in the order of the text."""
    pieces = [hit.bounds, *_without(sorted(hit.matched_spans), hit.bounds)]
    starts = [found.start() for found in re.finditer(re.escape(hit.expanded_content), content)] if content else []
    return Passage(
        note_id=hit.note_id,
        length=sum(end - start for start, end in pieces),
        places=tuple(tuple((at + start, at + end) for start, end in pieces) for at in starts),
    )


def _has_spans(query: GoldenQuery) -> bool:
    return any(relevance.spans for relevance in query.relevance)


def _quoted(query: GoldenQuery, contents: Mapping[NoteId, str]) -> Spans:
    found = {
        one.note_id: [
            (now.start, now.end) for span in one.spans if (now := find_span(contents.get(one.note_id, ""), span))
        ]
        for one in query.relevance
    }
    return {note: spans for note, spans in found.items() if spans}


def _answering(query: GoldenQuery, contents: Mapping[NoteId, str]) -> Spans:
    answer = query.expected_answer.strip()
    if not answer:
        return {}
    words = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)")
    found = [
        (note, (place.start(), place.end()))
        for note in query.relevant_note_ids
        for place in words.finditer(contents.get(note, ""))
    ]
    return {found[0][0]: [found[0][1]]} if len(found) == 1 else {}


def _without(spans: Iterable[Span], read: Span) -> list[Span]:
    """The parts of the spans, ascending, that are outside of what was read, none twice."""
    left: list[Span] = []
    reached = 0
    for start, end in spans:
        for piece_start, piece_end in ((start, min(end, read[0])), (max(start, read[1]), end)):
            begin = max(piece_start, reached)
            if begin < piece_end:
                left.append((begin, piece_end))
                reached = piece_end
    return left


def _position(passages: Sequence[Passage], note: NoteId, span: Span) -> tuple[int, int] | None:
    """The rank of the first passage that holds the span, and how far was read then."""
    read = 0
    for rank, passage in enumerate(passages, 1):
        if passage.note_id == note:
            for pieces in passage.places:
                at = _end_of(span, pieces)
                if at is not None:
                    return rank, read + at
        read += passage.length
    return None


def _end_of(span: Span, pieces: Sequence[Span]) -> int | None:
    """Characters of the pieces read up to the end of the span; None when the pieces hold less than half of it."""
    read, held, end = 0, 0, 0
    for start, stop in pieces:
        overlap = min(stop, span[1]) - max(start, span[0])
        if overlap > 0:
            held += overlap
            end = read + min(stop, span[1]) - start
        read += stop - start
    return end if 2 * held >= span[1] - span[0] else None

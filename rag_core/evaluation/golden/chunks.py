"""Chunks that hold the golden places of queries now. Places are found by their quotes: notes are edited, and cut anew."""

from collections.abc import Sequence
from uuid import UUID

from rag_core.evaluation.golden.spans import find_span
from rag_core.model.golden import GoldenQuery, GoldenSpan
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.golden import fetch_contents_of_moved_spans, find_covering_chunks


def fetch_relevant_chunks(
    connection: Connection, tenant: TenantId, queries: Sequence[GoldenQuery]
) -> dict[UUID, tuple[UUID, ...]]:
    """For each query the chunks that cover at least half of one of its spans, where its quote stands now; absent without any.

    A span whose quote the note no longer has is nowhere.
    """
    moved = fetch_contents_of_moved_spans(connection, tenant, [query.id for query in queries])
    places: list[tuple[UUID, NoteId, GoldenSpan]] = []
    for query in queries:
        for one in query.relevance:
            content = moved.get(one.note_id)
            found = (span if content is None else find_span(content, span) for span in one.spans)
            places += [(query.id, one.note_id, span) for span in found if span is not None]
    return find_covering_chunks(connection, tenant, places)

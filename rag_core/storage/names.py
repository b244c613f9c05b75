"""Names looked up in the index of words: the chunks that each stands in."""

from collections.abc import Sequence

from psycopg import sql

from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.search import filter_conditions, filter_parameters

MOST_CHUNKS = 60
"""A name in more chunks than these tells none of them apart."""
MOST_POSTINGS = 200
"""Entries of the posting list of a name's rarest word; a word with more is in too many chunks to be looked through."""


def find_names(
    database: Database, tenant: TenantId, names: Sequence[str], *, filters: Filters = NO_FILTERS, timeout_ms: int
) -> list[dict[ChunkId, NoteId]]:
    """The chunks that have each name's words one after another, with their notes; {} for a name in more than ``MOST_CHUNKS``.

    Of chunks that the filters or the caller's rights leave out nothing counts.
    """
    parameters = {
        "tenant": tenant,
        "names": list(names),
        "most_chunks": MOST_CHUNKS + 1,
        "most_postings": MOST_POSTINGS,
        "sees_all": database.departments is None,
        "leaves_out": database.departments is not None or filters != NO_FILTERS,
    }
    statement = sql.SQL(query("find_names")).format(filters=filter_conditions(filters))
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(statement, parameters | filter_parameters(filters)).fetchall()
    found: list[dict[ChunkId, NoteId]] = [{} for _ in names]
    for place, chunk, note in rows:
        found[place][chunk] = note
    return [chunks if len(chunks) <= MOST_CHUNKS else {} for chunks in found]

"""Facts on one note that tell why a search finds it or does not: its chunks, the conditions it fails, the words it shares."""

from collections.abc import Sequence
from dataclasses import fields, replace

from psycopg import sql

from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.storage.database import Connection
from rag_core.storage.posting_lists import fetch_terms
from rag_core.storage.queries import query
from rag_core.storage.search import filter_conditions, filter_parameters


def fetch_chunks_of_note(connection: Connection, tenant: TenantId, note: NoteId) -> list[ChunkId]:
    """Chunks of a note, in their order."""
    rows = connection.execute(query("fetch_chunks_of_note"), {"tenant": tenant, "note": note}).fetchall()
    return [row[0] for row in rows]


def fetch_failing_filters(connection: Connection, tenant: TenantId, note: NoteId, filters: Filters) -> list[str]:
    """Fields of the filters whose condition no chunk of the note meets."""
    asked = [field.name for field in fields(filters) if getattr(filters, field.name)]
    alone = {name: replace(NO_FILTERS, **{name: getattr(filters, name)}) for name in asked}
    return [name for name, one in alone.items() if not _meets(connection, tenant, note, one)]


def _meets(connection: Connection, tenant: TenantId, note: NoteId, filters: Filters) -> bool:
    statement = sql.SQL(query("note_meets")).format(filters=filter_conditions(filters))
    row = connection.execute(statement, {"tenant": tenant, "note": note} | filter_parameters(filters)).fetchone()
    return row == (True,)


def fetch_shared_lexemes(
    connection: Connection, tenant: TenantId, chunks: Sequence[ChunkId], text: str, *, sees_all: bool
) -> list[str]:
    """Stems of the words of a query, and of their other forms, that stand in the chunks."""
    terms = fetch_terms(connection, tenant, text, sees_all=sees_all)
    parameters = {
        "term_languages": [term.language for term in terms],
        "lexemes": [term.lexeme for term in terms],
        "chunks": list(chunks),
    }
    rows = connection.execute(query("fetch_shared_lexemes"), {"tenant": tenant} | parameters).fetchall()
    return [row[0] for row in rows]

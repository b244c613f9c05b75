"""The library: all notes of a tenant that filters leave, whatever a search would say of them."""

from collections.abc import Iterator

from psycopg import sql

from rag_core.model.note import Note, TenantId
from rag_core.model.retrieval import Filters
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import note_of_row
from rag_core.storage.queries import query
from rag_core.storage.search import filter_conditions, filter_parameters

PART_NOTES = 200


def count_library(connection: Connection, tenant: TenantId, filters: Filters) -> int:
    """Count the notes that the filters leave."""
    statement = sql.SQL(query("count_library")).format(filters=filter_conditions(filters))
    row = connection.execute(statement, {"tenant": tenant} | filter_parameters(filters)).fetchone()
    assert row is not None
    return int(row[0])


def notes_by_name(database: Database, tenant: TenantId, filters: Filters) -> Iterator[Note]:
    """Notes that the filters leave, by source and external id, read in parts of ``PART_NOTES``."""
    statement = sql.SQL(query("list_by_name")).format(filters=filter_conditions(filters))
    parameters = {"tenant": tenant, "limit": PART_NOTES} | filter_parameters(filters)
    last = ("", "")
    while True:
        with database.transaction(tenant) as connection:
            rows = connection.execute(statement, {**parameters, "source": last[0], "external_id": last[1]}).fetchall()
        notes = [note_of_row(row) for row in rows]
        yield from notes
        if len(notes) < PART_NOTES:
            return
        last = (notes[-1].source, notes[-1].external_id)

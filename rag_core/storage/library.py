"""The library: all notes of a tenant that filters leave, whatever a search would say of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from psycopg import sql

from rag_core.errors import NotFoundError
from rag_core.model.note import Note, NoteId, NoteKind, TenantId
from rag_core.model.retrieval import Filters
from rag_core.model.zones import in_zone
from rag_core.storage.database import Connection, Database
from rag_core.storage.facets import counted_tags
from rag_core.storage.notes import note_of_row
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_one
from rag_core.storage.search import filter_conditions, filter_parameters

PART_NOTES = 200
MAX_YEARS = 300
"""Years whose months are counted, the newest ones up to the next: programs write 9999 where they know no date."""
Month = tuple[int, int]
"""Year and month, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCounts:
    """Numbers of notes: of sources, kinds and tags the most frequent first, of months in their order, none without a note."""

    sources: list[tuple[str, int]]
    kinds: list[tuple[NoteKind, int]]
    tags: list[tuple[str, int]]
    months: list[tuple[Month, int]]

    @property
    def notes(self) -> int:
        """Number of all of them."""
        return sum(count for _, count in self.kinds)

    @property
    def years(self) -> list[tuple[int, int]]:
        """Years with their notes, the newest first."""
        years: dict[int, int] = {}
        for (year, _), count in reversed(self.months):
            years[year] = years.get(year, 0) + count
        return list(years.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteOrigin:
    """Kind of a note and where it is read from: the folder and the path of its file in it, both None for a note of no folder."""

    kind: NoteKind
    path: str | None
    folder: str | None
    is_watched: bool
    is_upload: bool


def fetch_origin(connection: Connection, tenant: TenantId, note: NoteId) -> NoteOrigin:
    """Where a note is read from.

    Raises:
        NotFoundError: the tenant has no such note.
    """
    found = fetch_one(connection, NoteOrigin, "fetch_origin", {"tenant": tenant, "note": note})
    if found is None:
        raise NotFoundError(f"no note {note}")
    return found


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


def notes_by_date(
    connection: Connection, tenant: TenantId, filters: Filters, *, limit: int, before: tuple[datetime, UUID] | None
) -> list[Note]:
    """Notes that the filters leave, newest first, with the first 400 characters of their texts."""
    moment, note_id = before or (None, None)
    statement = sql.SQL(query("list_by_date")).format(filters=filter_conditions(filters))
    parameters = {"tenant": tenant, "limit": limit, "before": moment, "before_id": note_id} | filter_parameters(filters)
    return [note_of_row(row) for row in connection.execute(statement, parameters).fetchall()]


def fetch_library_counts(
    connection: Connection, tenant: TenantId, filters: Filters, *, zone: ZoneInfo
) -> LibraryCounts:
    """Count the notes that the filters leave by what they can be filtered by; months are the zone's."""
    conditions = filter_conditions(filters)
    parameters = {"tenant": tenant} | filter_parameters(filters)
    ends, facets, tags = (
        sql.SQL(query(name)).format(filters=conditions) for name in ("library_ends", "count_by_facet", "count_by_tag")
    )
    first, last = connection.execute(ends, parameters).fetchone() or (None, None)
    if first is None:
        return LibraryCounts(sources=[], kinds=[], tags=[], months=[])
    newest = min(in_zone(last, zone).year, datetime.now(zone).year + 1)
    months = _months(max(in_zone(first, zone).year, newest - MAX_YEARS + 1), newest)
    bounds = [datetime(year, month, 1, tzinfo=zone) for year, month in [*months, (newest + 1, 1)]]
    rows = connection.execute(facets, parameters | {"months": bounds}).fetchall()
    return LibraryCounts(
        sources=[(source, count) for source, _, _, count in rows if source is not None],
        kinds=[(kind, count) for _, kind, _, count in rows if kind is not None],
        tags=counted_tags(connection.execute(tags, parameters).fetchall()),
        months=sorted((months[place - 1], count) for *_, place, count in rows if place and place <= len(months)),
    )


def _months(first: int, last: int) -> list[Month]:
    return [(year, month) for year in range(first, last + 1) for month in range(1, 13)]

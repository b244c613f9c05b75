"""Golden sets, their queries, and which notes are relevant to each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from rag_core.model.golden import GoldenQuery, GoldenSpan, Relevance, Vocabulary, query_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_column, fetch_one, fetch_value


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A named set; its version grows with every change of its queries."""

    id: UUID
    name: str
    version: int
    vocabulary: Vocabulary
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanedQuery:
    """A golden query some of whose notes were deleted; ``notes_deleted`` counts those that a baseline knew."""

    query_id: UUID
    external_id: str | None
    query: str
    notes_left: int
    notes_deleted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPlace:
    """Note and span of a chunk."""

    note_id: NoteId
    start: int
    end: int
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSetSummary:
    """A set with what it holds: its queries, and those meant to be refused.

    ``askable`` are those that notes answer; ``verified`` and ``with_spans`` are among these.
    """

    golden: GoldenSet
    queries: int
    unanswerable: int
    askable: int
    verified: int
    with_spans: int


def open_golden_set(
    connection: Connection, tenant: TenantId, name: str, *, vocabulary: Vocabulary | None = None
) -> GoldenSet:
    """The set of that name, made with version 0 if it is missing, and locked until the transaction ends.

    One that has queries keeps its vocabulary; a new one is of brain_sync unless another is asked for.
    """
    parameters = {"tenant": tenant, "name": name, "vocabulary": vocabulary}
    golden = fetch_one(connection, GoldenSet, "open_golden_set", parameters)
    assert golden is not None  # it is made
    return golden


def fetch_golden_set(connection: Connection, tenant: TenantId, name: str) -> GoldenSet | None:
    """The set of that name, if there is one, unchanged until the transaction ends."""
    return fetch_one(connection, GoldenSet, "fetch_golden_set", {"tenant": tenant, "name": name})


def lock_golden_set(connection: Connection, tenant: TenantId, name: str) -> GoldenSet | None:
    """The set of that name, if there is one, locked until the transaction ends."""
    return fetch_one(connection, GoldenSet, "lock_golden_set", {"tenant": tenant, "name": name})


def find_golden_set(connection: Connection, tenant: TenantId, name_or_id: str) -> GoldenSet | None:
    """The set of that name, or else of that id; unchanged until the transaction ends."""
    return fetch_one(connection, GoldenSet, "find_golden_set", {"tenant": tenant, "name": name_or_id})


def list_golden_sets(connection: Connection, tenant: TenantId) -> list[GoldenSetSummary]:
    """The tenant's sets with what they hold, by name."""
    rows = connection.execute(query("summarise_golden_sets"), {"tenant": tenant}).fetchall()
    return [
        GoldenSetSummary(
            golden=_golden_set(row[:-5]),
            queries=row[-5],
            unanswerable=row[-4],
            askable=row[-3],
            verified=row[-2],
            with_spans=row[-1],
        )
        for row in rows
    ]


def find_golden_query_ids(
    connection: Connection, tenant: TenantId, names: Sequence[str], *, set_name: str
) -> dict[str, list[UUID]]:
    """Ids of the set's queries by external id or id; a name that nobody has is absent."""
    rows = connection.execute(
        query("find_golden_query_ids"), {"tenant": tenant, "name": set_name, "names": list(names)}
    ).fetchall()
    return dict(rows)


def list_golden_set_names(connection: Connection, tenant: TenantId) -> list[str]:
    """The names of the tenant's sets, in order."""
    return fetch_column(connection, "list_golden_set_names", {"tenant": tenant})


def lock_golden_set_of(connection: Connection, tenant: TenantId, query_id: UUID) -> GoldenSet | None:
    """The set of a query, locked until the transaction ends; None if there is no such query."""
    return fetch_one(connection, GoldenSet, "lock_golden_set_of", {"tenant": tenant, "query": query_id})


def grow_golden_set(connection: Connection, tenant: TenantId, set_id: UUID) -> None:
    """Make the set's version grow by one."""
    connection.execute(query("grow_golden_set"), {"tenant": tenant, "set": set_id})


def fetch_golden_queries(
    connection: Connection, tenant: TenantId, *, set_name: str, category: str | None = None
) -> list[GoldenQuery]:
    """All queries of a set or those of one category, in the order they were made; an unknown set has none."""
    rows = connection.execute(
        query("fetch_golden_queries"), {"tenant": tenant, "name": set_name, "category": category}
    ).fetchall()
    return [_golden_query(row) for row in rows]


def has_askable_query(connection: Connection, tenant: TenantId, *, set_name: str) -> bool:
    """Tell whether a set has a query with a relevant note that exists."""
    return any(found.relevant_note_ids for found in fetch_golden_queries(connection, tenant, set_name=set_name))


def list_queries_with_deleted_notes(connection: Connection, tenant: TenantId, *, set_name: str) -> list[OrphanedQuery]:
    """Queries that refer to deleted notes, in the order they were made.

    All those without any note left, which no evaluation asks; and those that have fewer than when a baseline was measured,
    unless they were edited since.
    """
    rows = connection.execute(query("list_queries_with_deleted_notes"), {"tenant": tenant, "name": set_name}).fetchall()
    return [
        OrphanedQuery(query_id=query_id, external_id=external_id, query=text, notes_left=left, notes_deleted=deleted)
        for query_id, external_id, text, left, deleted in rows
    ]


def find_golden_queries(
    connection: Connection, tenant: TenantId, set_id: UUID, hashes: Sequence[bytes]
) -> dict[bytes, GoldenQuery]:
    """Queries of a set by the hash of their normalised text; a hash that no query has is absent."""
    rows = connection.execute(
        query("find_golden_queries"), {"tenant": tenant, "set": set_id, "hashes": list(hashes)}
    ).fetchall()
    return {row[3]: _golden_query(row) for row in rows}


def fetch_golden_query(connection: Connection, tenant: TenantId, query_id: UUID) -> GoldenQuery | None:
    """One query of any set, if the tenant has it."""
    row = connection.execute(query("fetch_golden_query"), {"tenant": tenant, "query": query_id}).fetchone()
    return None if row is None else _golden_query(row)


def taken_query_ids(connection: Connection, tenant: TenantId, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that a query of any set has."""
    if not ids:
        return set()
    rows = connection.execute(query("taken_query_ids"), {"tenant": tenant, "queries": list(ids)}).fetchall()
    return {row[0] for row in rows}


def write_golden_queries(
    connection: Connection, tenant: TenantId, set_id: UUID, queries: Sequence[GoldenQuery]
) -> None:
    """Insert queries or replace all their fields; the set must be locked and the notes must be held."""
    if queries:
        rows = [_parameters(tenant, set_id, item) for item in queries]
        connection.cursor().executemany(query("write_golden_query"), rows)


def remove_golden_query(connection: Connection, tenant: TenantId, query_id: UUID) -> bool:
    """Delete a query; whether it was there."""
    row = connection.execute(query("remove_golden_query"), {"tenant": tenant, "query": query_id}).fetchone()
    return row is not None


def hold_notes(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> frozenset[NoteId]:
    """Lock the notes that exist until the transaction ends, so that nobody can delete them; return their ids."""
    rows = connection.execute(query("hold_notes"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return frozenset(row[0] for row in rows)


def fetch_note_sizes(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> dict[NoteId, int]:
    """The octets of each note that exists."""
    wanted = list(notes)
    if not wanted:
        return {}
    rows = connection.execute(query("fetch_golden_note_sizes"), {"tenant": tenant, "notes": wanted}).fetchall()
    return dict(rows)


def fetch_note_contents(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> dict[NoteId, str]:
    """The text of each note that exists."""
    wanted = list(notes)
    if not wanted:
        return {}
    rows = connection.execute(query("fetch_golden_note_contents"), {"tenant": tenant, "notes": wanted}).fetchall()
    return dict(rows)


def fetch_chunk_places(connection: Connection, tenant: TenantId, chunks: Iterable[UUID]) -> dict[UUID, ChunkPlace]:
    """Fetch the spans of chunks in their notes; deleted chunks are absent."""
    wanted = list(chunks)
    if not wanted:
        return {}
    rows = connection.execute(query("fetch_chunk_places"), {"tenant": tenant, "chunks": wanted}).fetchall()
    return {
        chunk_id: ChunkPlace(note_id=note_id, start=start, end=end, content=content)
        for chunk_id, note_id, start, end, content in rows
    }


def fetch_contents_of_moved_spans(
    connection: Connection, tenant: TenantId, queries: Iterable[UUID]
) -> dict[NoteId, str]:
    """The text of each note in which a span of the queries no longer has its quote where it was marked."""
    parameters = {"tenant": tenant, "queries": list(queries)}
    return dict(connection.execute(query("fetch_contents_of_moved_spans"), parameters).fetchall())


def find_covering_chunks(
    connection: Connection, tenant: TenantId, places: Sequence[tuple[UUID, NoteId, GoldenSpan]]
) -> dict[UUID, tuple[UUID, ...]]:
    """Find for each query the current chunks that cover at least half of one of its places; queries without any are absent."""
    parameters = {
        "tenant": tenant,
        "queries": [query_id for query_id, _, _ in places],
        "notes": [note for _, note, _ in places],
        "starts": [span.start for _, _, span in places],
        "ends": [span.end for _, _, span in places],
    }
    rows = connection.execute(query("find_covering_chunks"), parameters).fetchall()
    return {query_id: tuple(chunks) for query_id, chunks in rows}


def count_lost_spans(connection: Connection, tenant: TenantId, queries: Iterable[UUID]) -> int:
    """Count the spans of the queries whose quote is no longer in their note."""
    return int(fetch_value(connection, "count_lost_spans", {"tenant": tenant, "queries": list(queries)}))


def fetch_note_names(
    connection: Connection, tenant: TenantId, notes: Iterable[NoteId]
) -> list[tuple[NoteId, str, str]]:
    """Note id, source and external id of each note that exists."""
    return connection.execute(query("fetch_note_names"), {"tenant": tenant, "notes": list(notes)}).fetchall()


def _golden_set(row: tuple[Any, ...]) -> GoldenSet:
    set_id, name, version, vocabulary, created_at, updated_at = row
    return GoldenSet(
        id=set_id, name=name, version=version, vocabulary=vocabulary, created_at=created_at, updated_at=updated_at
    )


def _golden_query(row: tuple[Any, ...]) -> GoldenQuery:
    query_id, external_id, text, _, answer, category, difficulty, tags, created_at, updated_at, *extra, relevance = row
    vocabulary, key_facts, forbidden_content, created_by, verified_by, verified_at, is_answerable = extra
    return GoldenQuery(
        id=query_id,
        external_id=external_id,
        query=text,
        relevance=tuple(_relevance(entry) for entry in relevance or ()),
        expected_answer=answer,
        category=category,
        difficulty=difficulty,
        tags=tuple(tags),
        created_at=created_at,
        updated_at=updated_at,
        vocabulary=vocabulary,
        key_facts=tuple(key_facts),
        forbidden_content=tuple(forbidden_content),
        created_by=created_by,
        verified_by=verified_by,
        verified_at=verified_at,
        is_answerable=is_answerable,
    )


def _relevance(entry: Mapping[str, Any]) -> Relevance:
    spans = tuple(GoldenSpan(**span) for span in entry["spans"] or ())
    return Relevance(note_id=NoteId(UUID(entry["note_id"])), grade=entry["grade"], spans=spans)


def _parameters(tenant: TenantId, set_id: UUID, item: GoldenQuery) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "set": set_id,
        "query_id": item.id,
        "external_id": item.external_id,
        "query": item.query,
        "query_hash": query_hash(item.query),
        "expected_answer": item.expected_answer,
        "category": item.category,
        "difficulty": item.difficulty,
        "tags": list(item.tags),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
        "vocabulary": item.vocabulary,
        "key_facts": list(item.key_facts),
        "forbidden_content": list(item.forbidden_content),
        "created_by": item.created_by,
        "verified_by": item.verified_by,
        "verified_at": item.verified_at,
        "is_answerable": item.is_answerable,
        "notes": list(item.relevant_note_ids),
        "grades": [one.grade for one in item.relevance],
        **_span_columns(item.relevance),
    }


def _span_columns(relevance: Iterable[Relevance]) -> dict[str, list[Any]]:
    spans = [(one.note_id, span) for one in relevance for span in one.spans]
    return {
        "span_notes": [note for note, _ in spans],
        "span_starts": [span.start for _, span in spans],
        "span_ends": [span.end for _, span in spans],
        "span_quotes": [span.quote for _, span in spans],
    }

"""Golden sets, their queries, and which notes are relevant to each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rag_core.evaluation.golden_query import GoldenQuery, query_hash
from rag_core.model import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A named set; its version grows with every change of its queries."""

    id: UUID
    name: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanedQuery:
    """A golden query some of whose notes were deleted; ``notes_deleted`` counts those that a baseline knew."""

    query_id: UUID
    external_id: str | None
    query: str
    notes_left: int
    notes_deleted: int


def open_golden_set(connection: Connection, tenant: TenantId, name: str) -> GoldenSet:
    """The set of that name, made with version 0 if it is missing, and locked until the transaction ends."""
    row = connection.execute(query("open_golden_set"), {"tenant": tenant, "name": name}).fetchone()
    assert row is not None
    return _golden_set(row)


def fetch_golden_set(connection: Connection, tenant: TenantId, name: str) -> GoldenSet | None:
    """The set of that name, if there is one, unchanged until the transaction ends."""
    row = connection.execute(query("fetch_golden_set"), {"tenant": tenant, "name": name}).fetchone()
    return None if row is None else _golden_set(row)


def list_golden_set_names(connection: Connection, tenant: TenantId) -> list[str]:
    """The names of the tenant's sets, in order."""
    return [row[0] for row in connection.execute(query("list_golden_set_names"), {"tenant": tenant}).fetchall()]


def lock_golden_set_of(connection: Connection, tenant: TenantId, query_id: UUID) -> GoldenSet | None:
    """The set of a query, locked until the transaction ends; None if there is no such query."""
    row = connection.execute(query("lock_golden_set_of"), {"tenant": tenant, "query": query_id}).fetchone()
    return None if row is None else _golden_set(row)


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
    """Those of the ids that a query of any set has."""
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
    """Those of the notes that exist; nobody can delete them until the transaction ends."""
    rows = connection.execute(query("hold_notes"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return frozenset(row[0] for row in rows)


def fetch_note_names(
    connection: Connection, tenant: TenantId, notes: Iterable[NoteId]
) -> list[tuple[NoteId, str, str]]:
    """Note id, source and external id of each note that exists."""
    return connection.execute(query("fetch_note_names"), {"tenant": tenant, "notes": list(notes)}).fetchall()


def _golden_set(row: tuple[Any, ...]) -> GoldenSet:
    set_id, name, version = row
    return GoldenSet(id=set_id, name=name, version=version)


def _golden_query(row: tuple[Any, ...]) -> GoldenQuery:
    query_id, external_id, text, _, answer, category, difficulty, tags, created_at, updated_at, notes = row
    return GoldenQuery(
        id=query_id,
        external_id=external_id,
        query=text,
        relevant_note_ids=tuple(notes),
        expected_answer=answer,
        category=category,
        difficulty=difficulty,
        tags=tuple(tags),
        created_at=created_at,
        updated_at=updated_at,
    )


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
        "notes": list(item.relevant_note_ids),
    }

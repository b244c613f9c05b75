"""One golden query at a time: listed, added, changed, deleted, each in one transaction.

Every writer locks the set before the query, so writers of one set follow each other; a change makes the set's
version grow by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden_query import (
    DEFAULT_SET,
    GoldenQuery,
    parse_answer,
    parse_category,
    parse_difficulty,
    parse_query,
    parse_tags,
    query_hash,
)
from rag_core.model import NoteId, TenantId
from rag_core.notes import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import (
    GoldenSet,
    fetch_golden_queries,
    fetch_golden_query,
    fetch_golden_set,
    find_golden_queries,
    grow_golden_set,
    hold_notes,
    lock_golden_set_of,
    open_golden_set,
    remove_golden_query,
    write_golden_queries,
)


def list_golden_queries(database: Database, tenant: TenantId, *, set_name: str = DEFAULT_SET) -> list[GoldenQuery]:
    """All queries of the set, in the order they were made.

    Raises:
        NotFoundError: there is no such set; the default one is never missing, only empty.
    """
    with database.transaction(tenant) as connection:
        return fetch_set_queries(connection, tenant, set_name)


def fetch_set_queries(connection: Connection, tenant: TenantId, set_name: str) -> list[GoldenQuery]:
    """All queries of the set within the caller's transaction.

    Raises:
        NotFoundError: there is no such set; the default one is never missing, only empty.
    """
    if set_name != DEFAULT_SET and fetch_golden_set(connection, tenant, set_name) is None:
        raise NotFoundError(f"no golden set is called {set_name!r}; brain golden import FILE --set {set_name} makes it")
    return fetch_golden_queries(connection, tenant, set_name=set_name)


def add_golden_query(
    database: Database,
    tenant: TenantId,
    *,
    query: str,
    relevant_note_ids: Sequence[UUID],
    expected_answer: str,
    category: str,
    difficulty: int,
    tags: Sequence[str] = (),
    set_name: str = DEFAULT_SET,
) -> GoldenQuery:
    """Add one query with all its fields; the set is made if it is missing.

    Raises:
        InvalidInputError: a field is empty or out of bounds.
        NotFoundError: a note does not exist.
        ConflictError: the set has the query already.
    """
    now = datetime.now(UTC)
    added = GoldenQuery(
        id=uuid4(),
        external_id=None,
        query=parse_query(query),
        relevant_note_ids=_distinct(relevant_note_ids),
        expected_answer=_parse_given_answer(expected_answer),
        category=parse_category(category),
        difficulty=parse_difficulty(difficulty),
        tags=parse_tags(tags),
        created_at=now,
        updated_at=now,
    )
    name = checked_name(set_name, "set")
    with database.transaction(tenant) as connection:
        _check_notes_exist(connection, tenant, added)
        _write_one(connection, tenant, open_golden_set(connection, tenant, name), added)
    return added


def update_golden_query(
    database: Database,
    tenant: TenantId,
    query_id: UUID,
    *,
    query: str | None = None,
    relevant_note_ids: Sequence[UUID] | None = None,
    expected_answer: str | None = None,
    category: str | None = None,
    difficulty: int | None = None,
    tags: Sequence[str] | None = None,
) -> GoldenQuery:
    """Change the fields that are given; if that changes nothing, the query and its set stay as they are.

    Raises:
        InvalidInputError: a field is empty or out of bounds.
        NotFoundError: the query or a note does not exist.
        ConflictError: another query of the set has the new text.
    """
    given: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "query": (parse_query, query),
        "relevant_note_ids": (_distinct, relevant_note_ids),
        "expected_answer": (_parse_given_answer, expected_answer),
        "category": (parse_category, category),
        "difficulty": (parse_difficulty, difficulty),
        "tags": (parse_tags, tags),
    }
    fields = {name: parse(value) for name, (parse, value) in given.items() if value is not None}
    with database.transaction(tenant) as connection:
        return _update(connection, tenant, query_id, fields)


def _update(connection: Connection, tenant: TenantId, query_id: UUID, fields: Mapping[str, Any]) -> GoldenQuery:
    golden = lock_golden_set_of(connection, tenant, query_id)
    old = fetch_golden_query(connection, tenant, query_id)
    if golden is None or old is None:
        raise _unknown_query(query_id)
    new = replace(old, **fields)
    if new == old:
        return old
    new = replace(new, updated_at=datetime.now(UTC))
    if "relevant_note_ids" in fields:
        _check_notes_exist(connection, tenant, new)
    _write_one(connection, tenant, golden, new)
    return new


def delete_golden_query(database: Database, tenant: TenantId, query_id: UUID) -> None:
    """Delete one query.

    Raises:
        NotFoundError: the tenant has no such query.
    """
    with database.transaction(tenant) as connection:
        golden = lock_golden_set_of(connection, tenant, query_id)
        if golden is None or not remove_golden_query(connection, tenant, query_id):
            raise _unknown_query(query_id)
        grow_golden_set(connection, tenant, golden.id)


def _unknown_query(query_id: UUID) -> NotFoundError:
    return NotFoundError(f"no golden query {query_id}; brain golden export lists the ids")


def _write_one(connection: Connection, tenant: TenantId, golden: GoldenSet, query: GoldenQuery) -> None:
    digest = query_hash(query.query)
    same = find_golden_queries(connection, tenant, golden.id, [digest]).get(digest)
    if same is not None and same.id != query.id:
        raise ConflictError(f"the golden set {golden.name!r} has this query already, as {same.id}; update that one")
    write_golden_queries(connection, tenant, golden.id, [query])
    grow_golden_set(connection, tenant, golden.id)


def _check_notes_exist(connection: Connection, tenant: TenantId, query: GoldenQuery) -> None:
    missing = sorted(set(query.relevant_note_ids) - hold_notes(connection, tenant, query.relevant_note_ids))
    if missing:
        raise NotFoundError(f"no note {missing[0]}; relevant_note_ids are ids of stored notes")


def _distinct(notes: Sequence[UUID]) -> tuple[NoteId, ...]:
    if not notes:
        raise InvalidInputError("relevant_note_ids is empty; a golden query needs at least one note that answers it")
    return tuple(sorted({NoteId(note) for note in notes}))


def _parse_given_answer(value: str) -> str:
    answer = parse_answer(value)
    if not answer:
        raise InvalidInputError("expected_answer is empty; expected the answer that the notes give")
    return answer

"""One golden query at a time: listed, added, changed, deleted, each in one transaction.

Every writer locks the set before the query, so writers of one set follow each other; a change makes the set's
version grow by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from rag_core.errors import ConflictError, InvalidFieldError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.query import (
    GivenRelevance,
    parse_answer,
    parse_category,
    parse_difficulty,
    parse_phrases,
    parse_query,
    parse_tags,
    unanswerable_with_answer,
    vocabulary_of,
    with_verification,
)
from rag_core.evaluation.golden.relevance import look_up_notes, resolve_relevance
from rag_core.model.golden import DEFAULT_SET, GoldenQuery, Relevance, Vocabulary, query_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.validation import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import (
    GoldenSet,
    fetch_golden_queries,
    fetch_golden_query,
    fetch_golden_set,
    find_golden_queries,
    find_golden_query_ids,
    grow_golden_set,
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
    expected_answer: str,
    category: str,
    difficulty: int | str,
    relevant_note_ids: Sequence[UUID] = (),
    relevance: Sequence[GivenRelevance] = (),
    relevant_chunk_ids: Sequence[UUID] = (),
    tags: Sequence[str] = (),
    key_facts: Sequence[str] = (),
    forbidden_content: Sequence[str] = (),
    created_by: str | None = None,
    verified_by: str | None = None,
    set_name: str = DEFAULT_SET,
    vocabulary: Vocabulary | None = None,
) -> GoldenQuery:
    """Add one query; the set is made if it is missing, in the vocabulary asked for, else in the one that has the category.

    The relevant notes are those of all three parameters; a chunk counts as the span that it covers.

    Raises:
        InvalidInputError: a field is empty or out of bounds, or of the other vocabulary than the set's.
        NotFoundError: a note does not exist.
        ConflictError: the set has the query already.
    """
    given = {
        "query": query,
        "expected_answer": expected_answer,
        "category": category,
        "difficulty": difficulty,
        "tags": tags,
        "key_facts": key_facts,
        "forbidden_content": forbidden_content,
    }
    people = {
        "created_by": _parse_person(created_by, "created_by"),
        "verified_by": _parse_person(verified_by, "verified_by"),
    }
    name = checked_name(set_name, "set")
    named = _named(relevant_note_ids, relevance) or []
    with database.transaction(tenant) as connection:
        notes = _resolve(connection, tenant, named, relevant_chunk_ids, old=None)
        wanted = vocabulary or vocabulary_of(category, difficulty if isinstance(difficulty, str) else None)
        golden = open_golden_set(connection, tenant, name, vocabulary=wanted)
        added = _new_query(_parse_fields(given, golden.vocabulary), notes, golden.vocabulary, **people)
        _write_one(connection, tenant, golden, added)
    return added


def _new_query(
    fields: Mapping[str, Any],
    relevance: tuple[Relevance, ...],
    vocabulary: Vocabulary,
    *,
    created_by: str | None,
    verified_by: str | None,
) -> GoldenQuery:
    now = datetime.now(UTC)
    added = GoldenQuery(
        id=uuid4(),
        external_id=None,
        relevance=relevance,
        created_at=now,
        updated_at=now,
        vocabulary=vocabulary,
        created_by=created_by,
        **fields,
    )
    return with_verification(added, None, by=verified_by, at=None, now=now)


def update_golden_query(
    database: Database,
    tenant: TenantId,
    query_id: UUID,
    *,
    query: str | None = None,
    relevant_note_ids: Sequence[UUID] | None = None,
    relevance: Sequence[GivenRelevance] | None = None,
    relevant_chunk_ids: Sequence[UUID] | None = None,
    expected_answer: str | None = None,
    category: str | None = None,
    difficulty: int | str | None = None,
    tags: Sequence[str] | None = None,
    key_facts: Sequence[str] | None = None,
    forbidden_content: Sequence[str] | None = None,
    created_by: str | None = None,
    verified_by: str | None = None,
    within: UUID | None = None,
) -> GoldenQuery:
    """Change the fields that are given; if that changes nothing, the query and its set stay as they are.

    Notes given by id keep their grades and spans. With ``within`` the query must be of that set. Another question, answer or
    relevance takes a verification away unless ``verified_by`` renews it.

    Raises:
        InvalidInputError: a field is empty or out of bounds.
        NotFoundError: the query or a note does not exist.
        ConflictError: another query of the set has the new text.
    """
    given = {
        "query": query,
        "expected_answer": expected_answer,
        "category": category,
        "difficulty": difficulty,
        "tags": tags,
        "key_facts": key_facts,
        "forbidden_content": forbidden_content,
    }
    changes = _Changes(
        fields={name: value for name, value in given.items() if value is not None},
        relevance=_named(relevant_note_ids, relevance),
        chunk_ids=relevant_chunk_ids,
        created_by=_parse_person(created_by, "created_by"),
        verified_by=_parse_person(verified_by, "verified_by"),
    )
    with database.transaction(tenant) as connection:
        return _update(connection, tenant, query_id, changes, within=within)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changes:
    """Changes to a query; None leaves a field as it is."""

    fields: Mapping[str, Any]
    relevance: Sequence[GivenRelevance] | None
    chunk_ids: Sequence[UUID] | None
    created_by: str | None
    verified_by: str | None


def _named(
    note_ids: Sequence[UUID] | None, relevance: Sequence[GivenRelevance] | None
) -> Sequence[GivenRelevance] | None:
    """The notes of both; what is said of a note in ``relevance`` is all that is said of it."""
    if note_ids is None and relevance is None:
        return None
    graded = list(relevance or ())
    others = {NoteId(note) for note in note_ids or ()} - {one.note for one in graded}
    return [*graded, *(GivenRelevance(note=note) for note in others)]


def _update(
    connection: Connection, tenant: TenantId, query_id: UUID, changes: _Changes, *, within: UUID | None
) -> GoldenQuery:
    golden = lock_golden_set_of(connection, tenant, query_id)
    old = fetch_golden_query(connection, tenant, query_id)
    if golden is None or old is None or within not in (None, golden.id):
        raise _unknown_query(query_id)
    now = datetime.now(UTC)
    new = replace(old, **_parse_fields(changes.fields, golden.vocabulary))
    if changes.relevance is not None or changes.chunk_ids is not None:
        new = replace(new, relevance=_changed_relevance(connection, tenant, changes, old), is_answerable=True)
    if not new.is_answerable and (new.expected_answer or new.key_facts):
        raise unanswerable_with_answer()
    if changes.created_by is not None:
        new = replace(new, created_by=changes.created_by)
    new = with_verification(new, old, by=changes.verified_by, at=None, now=now)
    if new == old:
        return old
    new = replace(new, updated_at=now)
    _write_one(connection, tenant, golden, new)
    return new


def _changed_relevance(
    connection: Connection, tenant: TenantId, changes: _Changes, old: GoldenQuery
) -> tuple[Relevance, ...]:
    """The notes given, or those there are; chunks that are given take the place of all spans."""
    named = changes.relevance
    if named is None:
        named = [GivenRelevance(note=note) for note in old.relevant_note_ids]
    if changes.chunk_ids is not None:
        named = [replace(one, spans=one.spans or ()) for one in named]
    return _resolve(connection, tenant, named, changes.chunk_ids or (), old=old)


def _resolve(
    connection: Connection,
    tenant: TenantId,
    given: Sequence[GivenRelevance],
    chunk_ids: Sequence[UUID],
    *,
    old: GoldenQuery | None,
) -> tuple[Relevance, ...]:
    found = look_up_notes(connection, tenant, given, chunk_ids)
    return resolve_relevance(connection, tenant, given, chunk_ids, found=found, old=old)


def verify_golden_query(database: Database, tenant: TenantId, query_id: UUID, *, by: str) -> GoldenQuery:
    """Note who checked that the question is a good one and that the notes answer it, now.

    Raises:
        InvalidInputError: the name is empty.
        NotFoundError: the tenant has no such query.
    """
    name, now = checked_name(by, "verified_by"), datetime.now(UTC)
    with database.transaction(tenant) as connection:
        golden = lock_golden_set_of(connection, tenant, query_id)
        old = fetch_golden_query(connection, tenant, query_id)
        if golden is None or old is None:
            raise _unknown_query(query_id)
        new = replace(old, verified_by=name, verified_at=now, updated_at=now)
        _write_one(connection, tenant, golden, new)
    return new


def delete_golden_query(database: Database, tenant: TenantId, query_id: UUID, *, within: UUID | None = None) -> None:
    """Delete one query, one of the set ``within`` if that is given.

    Raises:
        NotFoundError: the tenant, or the set, has no such query.
    """
    with database.transaction(tenant) as connection:
        golden = lock_golden_set_of(connection, tenant, query_id)
        if golden is None or within not in (None, golden.id):
            raise _unknown_query(query_id)
        if not remove_golden_query(connection, tenant, query_id):
            raise _unknown_query(query_id)
        grow_golden_set(connection, tenant, golden.id)


def find_query_ids(database: Database, tenant: TenantId, names: Sequence[str], *, set_name: str) -> list[UUID]:
    """Ids of the set's queries that go by these names, ids or external ids, in the order given, each once.

    Raises:
        NotFoundError: a name is nobody's.
        InvalidInputError: a name is several queries'.
    """
    with database.transaction(tenant) as connection:
        found = find_golden_query_ids(connection, tenant, names, set_name=set_name)
    for name in names:
        if name not in found:
            raise NotFoundError(
                f"no golden query {name!r} in the set {set_name!r}; brain golden export --set {set_name} lists the ids"
            )
        if len(found[name]) > 1:
            choices = ", ".join(str(one) for one in found[name])
            raise InvalidInputError(f"{name!r} is the name of several queries; name one of {choices}")
    return list(dict.fromkeys(found[name][0] for name in names))


def _unknown_query(query_id: UUID) -> NotFoundError:
    return NotFoundError(f"no golden query {query_id}; brain golden export lists the ids")


def _write_one(connection: Connection, tenant: TenantId, golden: GoldenSet, query: GoldenQuery) -> None:
    digest = query_hash(query.query)
    same = find_golden_queries(connection, tenant, golden.id, [digest]).get(digest)
    if same is not None and same.id != query.id:
        raise ConflictError(f"the golden set {golden.name!r} has this query already, as {same.id}; update that one")
    write_golden_queries(connection, tenant, golden.id, [query])
    grow_golden_set(connection, tenant, golden.id)


def _parse_fields(given: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    parsers: dict[str, Callable[[Any], Any]] = {
        "query": parse_query,
        "expected_answer": _parse_given_answer,
        "category": lambda value: parse_category(value, vocabulary),
        "difficulty": lambda value: parse_difficulty(value, vocabulary),
        "tags": parse_tags,
        "key_facts": lambda value: parse_phrases(value, "key_facts"),
        "forbidden_content": lambda value: parse_phrases(value, "forbidden_content"),
    }
    return {name: parsers[name](value) for name, value in given.items()}


def _parse_person(value: str | None, field: str) -> str | None:
    return None if value is None else checked_name(value, field)


def _parse_given_answer(value: str) -> str:
    answer = parse_answer(value)
    if not answer:
        raise InvalidFieldError(
            "expected_answer is empty; expected the answer that the notes give", field="answer", problem="empty"
        )
    return answer

"""Golden sets as files of JSON lines: imported, exported, and what makes a round trip come out equal.

Queries are unique within a set by their normalised text. An import is one transaction and holds the set's row
until the end, so writers of one set follow each other; if it changes anything, the set's version grows by
one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

from rag_core.errors import AmbiguousNoteError, InvalidInputError
from rag_core.evaluation.golden_edits import (
    add_golden_query,
    delete_golden_query,
    fetch_set_queries,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden_query import (
    DEFAULT_SET,
    GoldenLine,
    GoldenQuery,
    normalise_query,
    parse_golden_line,
    query_hash,
)
from rag_core.importing import MAX_LISTED_REJECTIONS, decoded_line
from rag_core.model import NoteId, TenantId
from rag_core.notes import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import (
    GoldenSet,
    fetch_note_names,
    find_golden_queries,
    grow_golden_set,
    hold_notes,
    open_golden_set,
    taken_query_ids,
    write_golden_queries,
)
from rag_core.storage.notes import find_notes

__all__ = [
    "DEFAULT_SET",
    "GoldenImport",
    "GoldenQuery",
    "add_golden_query",
    "delete_golden_query",
    "export_golden",
    "import_golden",
    "list_golden_queries",
    "normalise_query",
    "parse_golden_line",
    "query_hash",
    "update_golden_query",
]

BATCH_LINES = 500

_NumberedLine = tuple[int, GoldenLine]
_ResolvedLine = tuple[GoldenLine, tuple[NoteId, ...]]


@dataclass(slots=True, kw_only=True)
class GoldenImport:
    """What became of the lines: taken, new or different among them, and rejected by number and reason.

    At most 10,000 rejections are listed, all are counted.
    """

    imported: int = 0
    changed: int = 0
    rejected: list[tuple[int, str]] = field(default_factory=list)
    rejected_count: int = 0

    def reject(self, line: int, error: InvalidInputError) -> None:
        """Count a line that is not taken, and list it while there is room."""
        self.rejected_count += 1
        if len(self.rejected) < MAX_LISTED_REJECTIONS:
            self.rejected.append((line, str(error)))


def import_golden(
    database: Database, tenant: TenantId, lines: Iterable[bytes], *, set_name: str = DEFAULT_SET
) -> GoldenImport:
    """Take the good lines into the set in one transaction, and report the bad ones.

    A line whose query the set has replaces all its fields; the query keeps its id, and its creation time
    unless the line has one. Blank lines are passed over. A set is made by its first good line.

    Raises:
        InvalidInputError: the set's name cannot be one.
    """
    name = checked_name(set_name, "set")
    report = GoldenImport()
    with database.transaction(tenant) as connection:
        _import_lines(connection, tenant, lines, name, report)
    report.rejected.sort()
    return report


def _import_lines(
    connection: Connection, tenant: TenantId, lines: Iterable[bytes], name: str, report: GoldenImport
) -> None:
    golden: GoldenSet | None = None
    first_lines: dict[bytes, int] = {}
    now = datetime.now(UTC)
    for batch in _batches(_parsed(lines, report)):
        taken = _taken(connection, tenant, batch, first_lines, report)
        if taken:
            golden = golden or open_golden_set(connection, tenant, name)
            report.imported += len(taken)
            report.changed += _store(connection, tenant, golden, taken, now)
    if golden is not None and report.changed:
        grow_golden_set(connection, tenant, golden.id)


def _parsed(lines: Iterable[bytes], report: GoldenImport) -> Iterator[_NumberedLine]:
    for number, line in enumerate(lines, 1):
        try:
            text = decoded_line(line)
            if text:
                yield number, parse_golden_line(text)
        except InvalidInputError as error:
            report.reject(number, error)


def _batches(lines: Iterator[_NumberedLine]) -> Iterator[list[_NumberedLine]]:
    while batch := list(islice(lines, BATCH_LINES)):
        yield batch


def _taken(
    connection: Connection,
    tenant: TenantId,
    batch: Sequence[_NumberedLine],
    first_lines: dict[bytes, int],
    report: GoldenImport,
) -> list[_ResolvedLine]:
    """Lines of the batch whose notes exist and whose query no line before had, with their notes held."""
    found = find_notes(connection, tenant, (name for _, line in batch for name in line.relevant_names))
    held = hold_notes(connection, tenant, [note for note in found.values() if isinstance(note, UUID)])
    taken = []
    for number, line in batch:
        try:
            notes = _resolve(line, found, held)
            _check_first(line, number, first_lines)
        except InvalidInputError as error:
            report.reject(number, error)
        else:
            taken.append((line, notes))
    return taken


def _resolve(
    line: GoldenLine, found: Mapping[str, NoteId | AmbiguousNoteError], held: frozenset[NoteId]
) -> tuple[NoteId, ...]:
    notes = set()
    for name in line.relevant_names:
        note = found.get(name)
        if isinstance(note, AmbiguousNoteError):
            raise note
        if note not in held:
            raise InvalidInputError(f"no note is called {name!r}; import the notes first, then the queries on them")
        notes.add(note)
    return tuple(sorted(notes))


def _check_first(line: GoldenLine, number: int, first_lines: dict[bytes, int]) -> None:
    first = first_lines.setdefault(query_hash(line.query), number)
    if first != number:
        raise InvalidInputError(f"the query stands in line {first} already; a set has each query once")


def _store(
    connection: Connection, tenant: TenantId, golden: GoldenSet, lines: Sequence[_ResolvedLine], now: datetime
) -> int:
    """Write what is new or different; how many queries that were."""
    existing = find_golden_queries(connection, tenant, golden.id, [query_hash(line.query) for line, _ in lines])
    taken_ids = taken_query_ids(connection, tenant, [wanted for line, _ in lines if (wanted := _own_id(line))])
    changed = []
    for line, notes in lines:
        old = existing.get(query_hash(line.query))
        query_id = old.id if old else _free_id(line, taken_ids)
        new = _golden_query(line, notes, old=old, query_id=query_id, now=now)
        if new != old:
            changed.append(new if line.updated_at else replace(new, updated_at=now))
    write_golden_queries(connection, tenant, golden.id, changed)
    return len(changed)


def _own_id(line: GoldenLine) -> UUID | None:
    """The line's id if it is one that an export wrote for a query without an external id."""
    try:
        wanted = UUID(line.external_id or "")
    except ValueError:
        return None
    return wanted if str(wanted) == line.external_id else None


def _free_id(line: GoldenLine, taken: set[UUID]) -> UUID:
    wanted = _own_id(line)
    query_id = uuid4() if wanted is None or wanted in taken else wanted
    taken.add(query_id)
    return query_id


def _golden_query(
    line: GoldenLine, notes: tuple[NoteId, ...], *, old: GoldenQuery | None, query_id: UUID, now: datetime
) -> GoldenQuery:
    external_id = line.external_id or (old.external_id if old else None)
    return GoldenQuery(
        id=query_id,
        external_id=None if external_id == str(query_id) else external_id,
        query=line.query,
        relevant_note_ids=notes,
        expected_answer=line.expected_answer,
        category=line.category,
        difficulty=line.difficulty,
        tags=line.tags,
        created_at=line.created_at or (old.created_at if old else now),
        updated_at=line.updated_at or (old.updated_at if old else now),
    )


def export_golden(database: Database, tenant: TenantId, *, set_name: str = DEFAULT_SET) -> list[dict[str, Any]]:
    """Write the set as the objects that ``import_golden`` takes a line, with every field.

    A note is named by its external id, by ``source:id`` where that is ambiguous. A query whose notes were all
    deleted has none, and an import would reject it.

    Raises:
        NotFoundError: there is no such set; the default one is never missing, only empty.
    """
    with database.transaction(tenant) as connection:
        queries = fetch_set_queries(connection, tenant, set_name)
        notes = {note for query in queries for note in query.relevant_note_ids}
        names = _note_names(connection, tenant, notes)
    return [_exported(query, names) for query in queries]


def _note_names(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> dict[NoteId, str]:
    """For each note the shortest of its names that leads back to it."""
    candidates = {
        note: (external_id, f"{source}:{external_id}", str(note))
        for note, source, external_id in fetch_note_names(connection, tenant, notes)
    }
    found = find_notes(connection, tenant, (name for names in candidates.values() for name in names))
    return {
        note: next((name for name in names if found.get(name) == note), names[-1]) for note, names in candidates.items()
    }


def _exported(query: GoldenQuery, names: Mapping[NoteId, str]) -> dict[str, Any]:
    return {
        "id": query.external_id or str(query.id),
        "query": query.query,
        "relevant_ids": [names[note] for note in query.relevant_note_ids if note in names],
        "answer": query.expected_answer,
        "category": query.category,
        "difficulty": query.difficulty,
        "tags": list(query.tags),
        "created_at": query.created_at.astimezone(UTC).isoformat(),
        "updated_at": query.updated_at.astimezone(UTC).isoformat(),
    }

"""Golden sets from files of JSON lines: the good lines go in, the others are reported.

Queries are unique within a set by their normalised text. An import is one transaction and holds the set's row
until the end, so writers of one set follow each other; if it changes anything, the set's version grows by
one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from uuid import UUID, uuid4

from rag_core.errors import InvalidGoldenError, InvalidInputError
from rag_core.evaluation.golden.line import GoldenLine, parse_golden_line
from rag_core.evaluation.golden.query import with_verification
from rag_core.evaluation.golden.relevance import (
    FoundNotes,
    contents_of_each,
    look_up_notes,
    notes_to_read,
    place_relevance,
)
from rag_core.model.golden import CATEGORIES, DEFAULT_SET, GoldenQuery, Relevance, Vocabulary, query_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.importing import MAX_LISTED_REJECTIONS, Problems, decoded_line, kind_of
from rag_core.notes.validation import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import (
    GoldenSet,
    fetch_golden_set,
    find_golden_queries,
    grow_golden_set,
    lock_golden_set,
    open_golden_set,
    taken_query_ids,
    write_golden_queries,
)

BATCH_LINES = 500

_NumberedLine = tuple[int, GoldenLine]
_KEPT: Mapping[str, str] = {
    "answer": "expected_answer",
    "category": "category",
    "difficulty": "difficulty",
    "tags": "tags",
    "key_facts": "key_facts",
    "forbidden_content": "forbidden_content",
    "created_by": "created_by",
}
"""Fields of a line, with the query's, that stay as they are when a line of a query that is there leaves them out."""


@dataclass(slots=True, kw_only=True)
class GoldenImport:
    """Outcome of the lines: accepted, new or changed among them, updated among these, and those rejected, by number.

    At most 10,000 rejections are listed, all are counted; ``problems`` are all of them by kind.
    """

    imported: int = 0
    changed: int = 0
    updated: int = 0
    rejections: list[tuple[int, InvalidInputError]] = field(default_factory=list)
    rejected_count: int = 0
    problems: Problems = field(default_factory=Problems)

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """The listed rejections with their reasons in words, by number."""
        return [(number, str(error)) for number, error in sorted(self.rejections, key=lambda one: one[0])]

    def reject(self, line: int, error: InvalidInputError) -> None:
        """Count a line that is not taken, and list it while there is room."""
        self.rejected_count += 1
        self.problems.add(line, str(error), kind=kind_of(str(error)))
        if len(self.rejections) < MAX_LISTED_REJECTIONS:
            self.rejections.append((line, error))


def import_golden(
    database: Database,
    tenant: TenantId,
    lines: Iterable[bytes],
    *,
    set_name: str = DEFAULT_SET,
    vocabulary: Vocabulary | None = None,
) -> GoldenImport:
    """Take the good lines into the set in one transaction, and report the bad ones.

    A line whose query the set has changes the fields that it gives, null and [] to nothing; those that it leaves out stay, the
    grades and spans of notes that are only named too. The query keeps its id, and its creation, unless the line has one,
    and its verification while question and answer stay the same. Blank lines are passed over. A set is made by its
    first good line, and speaks the vocabulary asked for, or else that line's.

    Raises:
        InvalidInputError: the set's name cannot be one, or it has queries in another vocabulary than is asked for.
    """
    name = checked_name(set_name, "set")
    with database.transaction(tenant) as connection:
        _check_asked_vocabulary(connection, tenant, name, vocabulary)
        running = _Import(connection=connection, tenant=tenant, name=name, vocabulary=vocabulary)
        for batch in _batches(_parsed(lines, running.report)):
            running.take(batch)
        running.finish()
    return running.report


def _check_asked_vocabulary(connection: Connection, tenant: TenantId, name: str, vocabulary: Vocabulary | None) -> None:
    """Lock the set if there is one; one without queries takes the vocabulary that is asked for."""
    if lock_golden_set(connection, tenant, name) is None or vocabulary is None:
        return
    golden = open_golden_set(connection, tenant, name, vocabulary=vocabulary)
    if golden.vocabulary != vocabulary:
        raise InvalidGoldenError(
            f"the golden set {name!r} has queries in the words of {golden.vocabulary}; import those of {vocabulary} into "
            "another one with --set",
            problem="set_vocabulary",
            set=name,
            vocabulary=golden.vocabulary,
        )


@dataclass(slots=True, kw_only=True)
class _Import:
    """An import under way; the set is opened, and locked, by its first good line."""

    connection: Connection
    tenant: TenantId
    name: str
    vocabulary: Vocabulary | None
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    report: GoldenImport = field(default_factory=GoldenImport)
    golden: GoldenSet | None = None
    first_lines: dict[bytes, int] = field(default_factory=dict)

    def take(self, batch: Sequence[_NumberedLine]) -> None:
        """Store the good lines of the batch, and report the others."""
        found = look_up_notes(
            self.connection,
            self.tenant,
            (one for _, line in batch for one in line.relevance),
            (chunk for _, line in batch for chunk in line.chunk_ids),
        )
        existing = self._existing(line for _, line in batch)
        taken: list[tuple[GoldenLine, tuple[Relevance, ...]]] = []
        for (number, line), contents in zip(batch, self._contents(batch, found), strict=True):
            old = existing.get(query_hash(line.query))
            try:
                relevance = _placed(line, found, contents, old)
                self._check_vocabulary(line)
                self._check_first(line, number)
            except InvalidInputError as error:
                self.report.reject(number, error)
            else:
                taken.append((line, relevance))
        self._store(taken)

    def finish(self) -> None:
        """Let the set's version grow if anything changed."""
        if self.golden is not None and self.report.changed:
            grow_golden_set(self.connection, self.tenant, self.golden.id)

    def _existing(self, lines: Iterable[GoldenLine]) -> dict[bytes, GoldenQuery]:
        golden = self.golden or fetch_golden_set(self.connection, self.tenant, self.name)
        if golden is None:
            return {}
        hashes = [query_hash(line.query) for line in lines]
        return find_golden_queries(self.connection, self.tenant, golden.id, hashes)

    def _contents(self, batch: Sequence[_NumberedLine], found: FoundNotes) -> Iterator[Mapping[NoteId, str]]:
        wanted = [notes_to_read(line.relevance, line.chunk_ids, found=found) for _, line in batch]
        return contents_of_each(self.connection, self.tenant, wanted)

    def _check_vocabulary(self, line: GoldenLine) -> None:
        golden = self._open(line)
        if line.vocabulary not in (None, golden.vocabulary):
            raise _other_vocabulary(line, golden)

    def _open(self, line: GoldenLine) -> GoldenSet:
        if self.golden is None:
            wanted = self.vocabulary or line.vocabulary
            self.golden = open_golden_set(self.connection, self.tenant, self.name, vocabulary=wanted)
        return self.golden

    def _check_first(self, line: GoldenLine, number: int) -> None:
        first = self.first_lines.setdefault(query_hash(line.query), number)
        if first != number:
            raise InvalidGoldenError(
                f"the query stands in line {first} already; a set has each query once", problem="repeated", line=first
            )

    def _store(self, taken: Sequence[tuple[GoldenLine, tuple[Relevance, ...]]]) -> None:
        """Write what is new or different."""
        if self.golden is None or not taken:
            return
        existing = self._existing(line for line, _ in taken)
        own_ids = [wanted for line, _ in taken if (wanted := _own_id(line))]
        taken_ids = taken_query_ids(self.connection, self.tenant, own_ids)
        changed = []
        for line, relevance in taken:
            old = existing.get(query_hash(line.query))
            query_id = old.id if old else _free_id(line, taken_ids)
            new = _golden_query(line, relevance, golden=self.golden, old=old, query_id=query_id, now=self.now)
            if new != old:
                self.report.updated += old is not None
                changed.append(new if line.updated_at else replace(new, updated_at=self.now))
        write_golden_queries(self.connection, self.tenant, self.golden.id, changed)
        self.report.imported += len(taken)
        self.report.changed += len(changed)


def _other_vocabulary(line: GoldenLine, golden: GoldenSet) -> InvalidGoldenError:
    categories = CATEGORIES[golden.vocabulary]
    found, expected = f"category is {line.category!r}", f"one of {', '.join(categories)}"
    if line.category in categories:
        is_word = line.vocabulary == "rag_v2"
        found = "difficulty is a word" if is_word else "difficulty is a number"
        expected = "an integer from 1 to 5" if is_word else "easy, medium or hard"
    return InvalidGoldenError(
        f"{found}; expected {expected}, as the set {golden.name!r} is of {golden.vocabulary}; import the queries of "
        f"{line.vocabulary} into a set of their own with --set",
        problem="vocabulary",
        set=golden.name,
        vocabulary=golden.vocabulary,
    )


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


def _placed(
    line: GoldenLine, found: FoundNotes, contents: Mapping[NoteId, str], old: GoldenQuery | None
) -> tuple[Relevance, ...]:
    if not line.is_answerable:
        return ()
    return place_relevance(line.relevance, line.chunk_ids, found=found, contents=contents, old=old)


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
    line: GoldenLine,
    relevance: tuple[Relevance, ...],
    *,
    golden: GoldenSet,
    old: GoldenQuery | None,
    query_id: UUID,
    now: datetime,
) -> GoldenQuery:
    external_id = line.external_id or (old.external_id if old else None)
    fields = {name: getattr(line, name) for given, name in _KEPT.items() if old is None or given in line.given}
    if not line.is_answerable:
        fields |= {"expected_answer": "", "key_facts": ()}
    base = old or GoldenQuery(
        id=query_id, external_id=None, query=line.query, relevance=(), created_at=now, updated_at=now, **fields
    )
    new = replace(
        base,
        external_id=None if external_id == str(query_id) else external_id,
        query=line.query,
        relevance=relevance,
        created_at=line.created_at or base.created_at,
        updated_at=line.updated_at or base.updated_at,
        vocabulary=golden.vocabulary,
        is_answerable=line.is_answerable,
        **fields,
    )
    return with_verification(new, old, by=line.verified_by, at=line.verified_at, now=now)

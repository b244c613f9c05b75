"""Legacy rows become notes at once, whole, found by their words, and by their meaning where they bring a vector.

Nothing is chunked here, and the table or file is never written to. Attaching again takes what is new, lets notes follow
that only their table has changed, and leaves those alone that were edited here. A note deleted here comes back when its row
is attached again: the row is still there, and nothing but that row would know of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from rag_core.embedding.vectors import unit_rows
from rag_core.errors import DatabaseUnavailableError, DiskFullError, InvalidInputError
from rag_core.indexing.isolation import together_or_alone
from rag_core.model.counting import in_english
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import Language, NoteId, TenantId, note_id_for
from rag_core.notes.validation import checked_identifier, checked_name, parse_note, parse_time, shown, with_tags
from rag_core.resilience.outages import when_back
from rag_core.storage import attachment as store
from rag_core.storage.attachment import AttachedPage, NoteToAttach
from rag_core.storage.database import Connection, Database
from rag_core.storage.folding import fold_statistics
from rag_core.storage.vector_index import ensure_vector_index, vacuum

PAGE_ROWS = 1_000
PAGE_CHARACTERS = 4_000_000
FOLD_PAGES = 20
"""Counts of words are appended; so many pages leave some 400,000 rows that a search would add up."""
VACUUM_AFTER_NOTES = 10_000
MAX_LISTED = 10_000
_UUID_CHARACTERS = 36
_AGAIN = "run the command again, which passes over what is done"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacyNote:
    """A row as it was read, nothing of it checked; ``place`` says where it stands, ``problem`` why it could not be read."""

    place: str
    id: Any = None
    text: Any = None
    title: Any = None
    created_at: Any = None
    updated_at: Any = None
    tags: Any = None
    metadata: Any = None
    language: Any = None
    embedding: Any = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A row, by its id or else its place, and what could not be taken of it."""

    id: str
    error: str


@dataclass(slots=True, kw_only=True)
class AttachReport:
    """Outcome of the rows; at most 10,000 refusals of a kind are listed, all are counted.

    ``updated`` counts notes that followed their changed row, ``kept_here`` are ids of rows that changed and whose notes,
    edited here to something else, did not follow; ``unusable_vectors`` are rows that were taken without theirs.
    """

    attached: int = 0
    updated: int = 0
    unchanged: int = 0
    kept_here: list[str] = field(default_factory=list)
    kept_here_count: int = 0
    with_vector: int = 0
    rejected: list[Refusal] = field(default_factory=list)
    rejected_count: int = 0
    unusable_vectors: list[Refusal] = field(default_factory=list)
    unusable_vector_count: int = 0

    @property
    def taken(self) -> int:
        """Rows that stand as notes now."""
        return self.attached + self.updated + self.unchanged + self.kept_here_count

    def reject(self, name: str, error: str) -> None:
        """Count a row that was not taken, and list it while there is room."""
        self.rejected_count += 1
        if len(self.rejected) < MAX_LISTED:
            self.rejected.append(Refusal(id=name, error=error))

    def leave_vector(self, name: str, error: str) -> None:
        """Count a row that was taken without its vector, and list it while there is room."""
        self.unusable_vector_count += 1
        if len(self.unusable_vectors) < MAX_LISTED:
            self.unusable_vectors.append(Refusal(id=name, error=error))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rejected:
    """A row that cannot be taken, under the name it is remembered by."""

    name: str
    error: str


def attach(
    database: Database,
    tenant: TenantId,
    rows: Iterable[LegacyNote],
    *,
    source: str,
    model: EmbeddingModel,
    zone: ZoneInfo,
    max_characters: int,
    language: Language | None = None,
    origin: str | None = None,
    on_progress: Callable[[int], None] = lambda _rows: None,
    on_waiting: Callable[[float], None] = lambda _seconds: None,
) -> AttachReport:
    """Store each good row as a whole note, newest state of the row; remember and report each bad one. In pages.

    A page is one transaction, so what is killed leaves whole pages, and attaching once more goes on. Of rows with the same
    id the first is taken. Vectors must be ``model``'s, the active one; they become the note's own. ``origin`` names the table
    or file: a bad row of it that is gone when all of it was read is forgotten. ``on_progress`` gets the rows done. While PostgreSQL is
    away it is waited for, of which ``on_waiting`` is told the seconds at most.

    Raises:
        DiskFullError: there is no room for the next page; how many rows are done and what to do is said.
        DatabaseUnavailableError: PostgreSQL did not come back; the same.
        InvalidInputError: the source has no name, or the first vector has another length than the model's.
        ModelChangedError: another model was promoted meanwhile.
    """
    named = checked_name(source, "source")
    report = AttachReport()
    with database.transaction(tenant) as connection:
        began = store.begin_attaching(connection, tenant)
    checked = _checked(
        rows,
        tenant,
        report,
        source=named,
        model=model,
        zone=zone,
        max_characters=max_characters,
        language=language,
    )
    try:
        for number, page in enumerate(_pages(checked), 1):
            _store_page(database, tenant, page, report, source=named, model=model, origin=origin, on_waiting=on_waiting)
            on_progress(len(page))
            if number % FOLD_PAGES == 0:
                fold_statistics(database, tenant)
    except DiskFullError as error:
        found = f"attaching stopped: {error.found}. {_done(report)}"
        raise DiskFullError(found, remedy=f"Make room and {_AGAIN}") from error
    except DatabaseUnavailableError as error:
        found = f"attaching stopped: {error}. {_done(report)}"
        raise DatabaseUnavailableError(f"{found}. When PostgreSQL is back, {_AGAIN}") from error
    with database.transaction(tenant) as connection:
        store.forget_gone_rejections(connection, tenant, source=named, origin=origin, began=began)
    if report.attached + report.updated:
        fold_statistics(database, tenant)
    return report


def _done(report: AttachReport) -> str:
    return f"{in_english(report.taken, 'row is a note', 'rows are notes')} now"


def maintain_after(report: AttachReport, database: Database, model: EmbeddingModel) -> None:
    """Vacuum after many new notes, and make the vector index once it pays. Only when the rows are read no longer.

    An index is built beside all work, and waits for every transaction that began before: also for one that reads the table.
    """
    if report.attached >= VACUUM_AFTER_NOTES:
        vacuum(database)
        ensure_vector_index(database, model)


def _checked(
    rows: Iterable[LegacyNote],
    tenant: TenantId,
    report: AttachReport,
    *,
    source: str,
    model: EmbeddingModel,
    zone: ZoneInfo,
    max_characters: int,
    language: Language | None,
) -> Iterator[NoteToAttach | _Rejected]:
    seen: set[int] = set()
    has_vector = False
    for row in rows:
        try:
            found = _parse(row, tenant, source=source, zone=zone, max_characters=max_characters, language=language)
        except InvalidInputError as error:
            yield _Rejected(name=_name(row), error=str(error))
            continue
        if hash(found.note_id) in seen:
            yield _Rejected(name=row.place, error=f"an earlier row has the id {shown(row.id)} too")
            continue
        seen.add(hash(found.note_id))
        if row.embedding is None:
            yield found
            continue
        if not has_vector:
            has_vector = _require_dimensions(row, model)
        yield _with_vector(found, row.embedding, model, report)


def _parse(
    row: LegacyNote,
    tenant: TenantId,
    *,
    source: str,
    zone: ZoneInfo,
    max_characters: int,
    language: Language | None,
) -> NoteToAttach:
    """Check and normalise a row.

    Raises:
        InvalidInputError: names the field, what was found and what was expected.
    """
    if row.problem is not None:
        raise InvalidInputError(row.problem)
    note = parse_note(
        external_id=checked_identifier(row.id),
        source=source,
        title=row.title,
        text=row.text,
        created_at=row.created_at,
        language=language or row.language,
        metadata=with_tags(row.metadata, row.tags),
        zone=zone,
        max_characters=max_characters,
    )
    return NoteToAttach(
        note_id=legacy_note_id(tenant, source, note.external_id),
        note=note,
        updated_at=parse_time(row.updated_at, zone=zone, field="updated_at") or note.created_at,
        place=row.place,
    )


def require_model(active: EmbeddingModel, name: str) -> None:
    """Make sure that vectors said to be of a model are of the one that queries are embedded with.

    Raises:
        InvalidInputError: another model is active.
    """
    if name != active.name:
        raise InvalidInputError(
            f"the vectors are said to be of {name}, but queries are embedded with {active.name}. Promote {name} first "
            f"(`brain models add`, then `brain models promote {name}`), or attach with --without-vectors"
        )


def legacy_note_id(tenant: TenantId, source: str, external_id: str) -> NoteId:
    """The row's own id if it is a uuid, so that links to it hold; else one derived from tenant, source and id."""
    try:
        if len(external_id) == _UUID_CHARACTERS:
            return NoteId(UUID(external_id))
    except ValueError:
        pass
    return note_id_for(tenant, source, external_id)


def _name(row: LegacyNote) -> str:
    """Name of a refused row: its id, as far as it can be stored, or its place."""
    if isinstance(row.id, bool) or not isinstance(row.id, str | int) or not str(row.id).strip():
        return row.place
    plain = str(row.id).replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return plain if len(plain) <= 200 else f"{plain[:200]}…"


def _require_dimensions(row: LegacyNote, model: EmbeddingModel) -> bool:
    """True when the row has a vector, which must have the model's dimensions."""
    count = len(row.embedding) if isinstance(row.embedding, list | np.ndarray) else 0
    if count and count != model.dimensions:
        raise InvalidInputError(
            f"the embedding of {_name(row)} has {count} numbers, the active model {model.name} has {model.dimensions}: they "
            "are not of this model. Promote the model they are of first (`brain models`), or attach with --without-vectors"
        )
    return count > 0


def _with_vector(found: NoteToAttach, embedding: Any, model: EmbeddingModel, report: AttachReport) -> NoteToAttach:
    """The note with its vector at length one; without it, told, where it cannot be used."""
    try:
        vector = _unit(embedding, model)
    except (InvalidInputError, OverflowError) as error:
        report.leave_vector(found.note.external_id, str(error))
        return found
    return NoteToAttach(
        note_id=found.note_id, note=found.note, updated_at=found.updated_at, place=found.place, vector=vector
    )


def _unit(embedding: Any, model: EmbeddingModel) -> NDArray[np.float32]:
    if isinstance(embedding, list):
        is_numbers = all(isinstance(number, int | float) and not isinstance(number, bool) for number in embedding)
    else:
        is_numbers = isinstance(embedding, np.ndarray)
    if not is_numbers:
        raise InvalidInputError(f"embedding is {shown(embedding)}; expected a list of numbers")
    numbers = np.asarray(embedding, dtype=np.float64)
    if numbers.shape != (model.dimensions,):
        raise InvalidInputError(f"embedding has {len(embedding)} numbers; {model.name} has {model.dimensions}")
    if not np.isfinite(numbers).all() or not numbers.any():
        raise InvalidInputError("embedding is zero, or holds what is no finite number")
    vector: NDArray[np.float32] = unit_rows(numbers[np.newaxis], source="the row")[0]
    return vector


def _pages(rows: Iterable[NoteToAttach | _Rejected]) -> Iterator[list[NoteToAttach | _Rejected]]:
    page: list[NoteToAttach | _Rejected] = []
    characters = 0
    for row in rows:
        if len(page) == PAGE_ROWS or characters > PAGE_CHARACTERS:
            yield page
            page, characters = [], 0
        page.append(row)
        characters += len(row.note.content) if isinstance(row, NoteToAttach) else 0
    if page:
        yield page


def _store_page(
    database: Database,
    tenant: TenantId,
    page: Sequence[NoteToAttach | _Rejected],
    report: AttachReport,
    *,
    source: str,
    model: EmbeddingModel,
    origin: str | None,
    on_waiting: Callable[[float], None],
) -> None:
    """Store a page; where the database refuses it, note by note, so that only the bad ones are left out."""

    def write(notes: Sequence[NoteToAttach]) -> AttachedPage:
        def run(connection: Connection) -> AttachedPage:
            return store.attach_page(connection, tenant, notes, source=source, model=model, origin=origin)

        return when_back(lambda: database.write(tenant, run, has_copy=True), on_waiting=on_waiting)

    done, refused = together_or_alone([row for row in page if isinstance(row, NoteToAttach)], write)
    for part in done:
        _add(report, part)
    rejected = {row.name: row.error for row in page if isinstance(row, _Rejected)}
    rejected |= {row.note.external_id: error for row, error in refused}
    for name, error in rejected.items():
        report.reject(name, error)
    if rejected:
        record = partial(store.record_rejections, tenant=tenant, reasons=rejected, source=source, origin=origin)
        when_back(lambda: database.write(tenant, record), on_waiting=on_waiting)


def _add(report: AttachReport, page: AttachedPage) -> None:
    report.attached += page.attached
    report.updated += page.updated
    report.unchanged += page.unchanged
    report.with_vector += page.with_vector
    report.kept_here_count += len(page.kept_here)
    report.kept_here += page.kept_here[: MAX_LISTED - len(report.kept_here)]
    for name, error in page.refused.items():
        report.reject(name, error)

"""Import of notes from a file of JSON lines: streamed, in batches, each batch one transaction."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from rag_core.errors import InvalidInputError
from rag_core.model import Language, NewNote, TenantId
from rag_core.notes import parse_line
from rag_core.storage.database import Database
from rag_core.storage.notes import ensure_tenant, store_notes

BATCH_NOTES = 500
BATCH_CHARACTERS = 4_000_000
MAX_LISTED_REJECTIONS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A line that was not taken, counted from 1, and why."""

    line: int
    error: str


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What became of the lines; at most 10,000 rejections are listed, all are counted."""

    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    rejected_count: int = 0

    @property
    def taken(self) -> int:
        """Lines that are now stored."""
        return self.imported + self.updated + self.unchanged


def import_lines(
    database: Database,
    tenant: TenantId,
    lines: Iterable[bytes],
    *,
    source: str,
    language: Language | None,
    zone: ZoneInfo,
    max_characters: int,
    on_progress: Callable[[int], None] = lambda _bytes: None,
) -> ImportReport:
    """Store the good lines and report the bad ones; memory does not grow with the number of lines.

    A line whose id came before is an update of it. Blank lines are passed over. ``on_progress`` gets the bytes read.
    """
    report = ImportReport()
    with database.transaction(tenant) as connection:
        ensure_tenant(connection, tenant)
    notes = _parsed(
        lines,
        report,
        source=source,
        language=language,
        zone=zone,
        max_characters=max_characters,
        on_progress=on_progress,
    )
    for batch in _batches(notes):
        with database.transaction(tenant, has_copy=True) as connection:
            stored = store_notes(connection, tenant, batch)
        report.imported += stored.imported
        report.updated += stored.updated
        report.unchanged += stored.unchanged
    return report


def _parsed(
    lines: Iterable[bytes],
    report: ImportReport,
    *,
    source: str,
    language: Language | None,
    zone: ZoneInfo,
    max_characters: int,
    on_progress: Callable[[int], None],
) -> Iterator[NewNote]:
    for number, line in enumerate(lines, 1):
        on_progress(len(line))
        try:
            text = decoded_line(line)
            if text:
                yield parse_line(text, source=source, language=language, zone=zone, max_characters=max_characters)
        except InvalidInputError as error:
            report.rejected_count += 1
            if len(report.rejected) < MAX_LISTED_REJECTIONS:
                report.rejected.append(Rejection(line=number, error=str(error)))


def decoded_line(line: bytes) -> str:
    """A line of a file as text, trimmed, without a byte order mark.

    Raises:
        InvalidInputError: not UTF-8.
    """
    try:
        return line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"not UTF-8 at byte {error.start}; save the file as UTF-8") from error


def _batches(notes: Iterable[NewNote]) -> Iterator[list[NewNote]]:
    """Batches of bounded size in which no id stands twice: a repeated one begins the next batch."""
    batch: dict[tuple[str, str], NewNote] = {}
    characters = 0
    for note in notes:
        key = (note.source, note.external_id)
        if len(batch) == BATCH_NOTES or characters > BATCH_CHARACTERS or key in batch:
            yield list(batch.values())
            batch, characters = {}, 0
        batch[key] = note
        characters += len(note.content)
    if batch:
        yield list(batch.values())

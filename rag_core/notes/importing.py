"""Import of notes from a file of JSON lines: streamed, in batches, each batch one transaction."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from rag_core.errors import (
    DatabaseUnavailableError,
    DiskFullError,
    InvalidInputError,
    QueryFailedError,
    TenantDeletedError,
)
from rag_core.model.counting import in_english
from rag_core.model.note import Language, NewNote, TenantId
from rag_core.notes.validation import parse_line
from rag_core.resilience.outages import when_back
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import StoredBatch, ensure_tenant, is_tenant, store_notes

BATCH_NOTES = 500
BATCH_CHARACTERS = 4_000_000
MAX_LISTED_REJECTIONS = 10_000
FIRST_LINES_TOLD = 5
MAX_KINDS = 100
ROOM_A_BYTE = 20
"""Bytes in the database for a byte of a line: text, posting lists and trigrams; docs/operations/database.md has the figures."""
_AGAIN = "run the import again, which passes over what is stored"
LINE_BYTES_A_CHARACTER = 12
"""An astral character is twelve bytes when a line escapes it."""

FIRST_LINES = 100
"""A file that has no note among so many of them holds something else."""
EXAMPLE_LINE = '{"id": "2025-03-01", "text": "Hoy llovió.", "created_at": "2025-03-01T21:00"}'

_VALUES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d[\d,.]*""")
NumberedNote = tuple[int, NewNote]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A line that was not taken, counted from 1, and why."""

    line: int
    error: str


@dataclass(slots=True, kw_only=True)
class Problem:
    """Problem that some lines share: the first one's message, the number of lines, and the first five of them."""

    text: str
    count: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """Count one more line."""
        self.count += 1
        if len(self.lines) < FIRST_LINES_TOLD:
            self.lines.append(line)


def kind_of(error: str) -> str:
    """Return the part of a message that it shares with those that differ only in a quoted value or a number."""
    return _VALUES.sub("…", error)


@dataclass(slots=True, kw_only=True)
class Problems:
    """Problems by kind."""

    by_kind: dict[str, Problem] = field(default_factory=dict)

    def add(self, line: int, text: str, *, kind: str | None = None) -> None:
        """Count a line under its kind, by default the text; where there are too many kinds, under one for all others."""
        kind = kind or text
        if kind not in self.by_kind and len(self.by_kind) >= MAX_KINDS:
            kind = text = "other problems"
        self.by_kind.setdefault(kind, Problem(text=text)).add(line)

    def __iter__(self) -> Iterator[Problem]:
        """The problems in the order of their first lines."""
        return iter(self.by_kind.values())


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """Result of an import; at most 10,000 rejections are listed, all are counted.

    ``problems`` are the rejections; those that differ in a quoted value or a number alone are of one kind. ``warnings`` are
    what is doubtful about lines that were taken.
    ``is_new_tenant`` tells that whose notes they are was not known before.
    """

    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    rejected_count: int = 0
    problems: Problems = field(default_factory=Problems)
    warnings: Problems = field(default_factory=Problems)
    is_new_tenant: bool = False

    def reject(self, line: int, error: str) -> None:
        """Count a line that was not taken, and list it while there is room."""
        self.rejected_count += 1
        self.problems.add(line, error, kind=kind_of(error))
        if len(self.rejected) < MAX_LISTED_REJECTIONS:
            self.rejected.append(Rejection(line=line, error=error))

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
    on_waiting: Callable[[float], None] = lambda _seconds: None,
    file_bytes: int | None = None,
) -> ImportReport:
    """Store the good lines and report the bad ones; memory does not grow with the number of lines.

    A line whose id came before is an update of it. Blank lines are passed over. A tenant that is not there is made with the first note
    that is stored, and not for lines that are all rejected. ``on_progress`` gets the bytes read. While PostgreSQL is away it is
    waited for, of which ``on_waiting`` is told the seconds at most. With ``file_bytes`` a full disk is told with the room that the
    rest of the file needs.

    Raises:
        DiskFullError: there is no room for the next batch; how much is stored and what to do is said.
        DatabaseUnavailableError: PostgreSQL did not come back; the same.
        TenantDeletedError: the tenant was deleted meanwhile, and with it what was stored before.
    """
    report = ImportReport()
    place = _Place()
    notes = _parsed(
        place.passed(lines),
        report,
        source=source,
        language=language,
        zone=zone,
        max_characters=max_characters,
        on_progress=on_progress,
    )
    try:
        for batch in _batches(notes):
            _store(database, tenant, batch, report, on_waiting=on_waiting)
    except DiskFullError as error:
        raise DiskFullError(
            f"the import stopped: {error.found}. {_stored(report)}",
            remedy=f"Make room{_room_for(file_bytes, place)} and {_AGAIN}",
        ) from error
    except DatabaseUnavailableError as error:
        found = f"the import stopped: {error}. {_stored(report)}"
        raise DatabaseUnavailableError(f"{found}. When PostgreSQL is back, {_AGAIN}") from error
    return report


@dataclass(slots=True)
class _Place:
    """Position of the reader in a file."""

    bytes_read: int = 0

    def passed(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines, counted as they are taken."""
        for line in lines:
            self.bytes_read += len(line)
            yield line


def _room_for(file_bytes: int | None, place: _Place) -> str:
    """The room that the rest of the file takes, as far as one can say; the batch that failed is not part of it."""
    if file_bytes is None:
        return ""
    megabytes = max(1, (file_bytes - place.bytes_read) * ROOM_A_BYTE // 1_000_000 + 64)
    return f" (some {megabytes:,} MB for the rest of the file, as much again for `brain index`)"


def _stored(report: ImportReport) -> str:
    return f"{in_english(report.taken, 'note of the file is', 'notes of the file are')} stored"


def _store(
    database: Database,
    tenant: TenantId,
    batch: Sequence[NumberedNote],
    report: ImportReport,
    *,
    on_waiting: Callable[[float], None],
) -> None:
    """Store a batch; when the database refuses it, store it note by note, so that only the bad ones are left out."""

    def write() -> tuple[bool, StoredBatch]:
        with database.transaction(tenant, has_copy=True) as connection:
            is_new_tenant = not report.taken and _made(connection, tenant)
            return is_new_tenant, store_notes(connection, tenant, [note for _, note in batch])

    try:
        is_new_tenant, stored = when_back(write, on_waiting=on_waiting)
    except TenantDeletedError as error:
        raise TenantDeletedError(
            f"{error}; nothing of this import is left. Import the file again to restore it"
        ) from error
    except QueryFailedError as error:
        if len(batch) == 1:
            report.reject(batch[0][0], f"PostgreSQL refuses it: {error.__cause__}")
            return
        for numbered in batch:
            _store(database, tenant, [numbered], report, on_waiting=on_waiting)
        return
    report.is_new_tenant |= is_new_tenant
    for place in stored.refused:
        report.reject(batch[place][0], full_tenant(tenant, stored.max_notes))
    report.imported += stored.imported
    report.updated += stored.updated
    report.unchanged += stored.unchanged


def _made(connection: Connection, tenant: TenantId) -> bool:
    """Make the tenant in the transaction of its first note; False where it was there."""
    is_known = is_tenant(connection, tenant)
    ensure_tenant(connection, tenant)
    return not is_known


def full_tenant(tenant: TenantId, max_notes: int | None) -> str:
    """Return the reason for rejecting a new note."""
    full = in_english(max_notes or 0, "note")
    return f"{tenant} has the {full} it may have; delete some, or `brain tenant limit {tenant} --max-notes N`"


def _parsed(
    lines: Iterable[bytes],
    report: ImportReport,
    *,
    source: str,
    language: Language | None,
    zone: ZoneInfo,
    max_characters: int,
    on_progress: Callable[[int], None],
) -> Iterator[NumberedNote]:
    for number, line in enumerate(lines, 1):
        on_progress(len(line))
        try:
            text = decoded_line(line)
            if text:
                note = parse_line(
                    text,
                    source=source,
                    language=language,
                    zone=zone,
                    max_characters=max_characters,
                    on_warning=partial(report.warnings.add, number),
                )
                yield number, note
        except InvalidInputError as error:
            report.reject(number, str(error))


def require_note_lines(file: Path, *, max_characters: int, may_be_empty: bool = False) -> None:
    """Go on only with a file of JSON lines, whatever is wrong with some of them.

    Raises:
        InvalidInputError: a folder, no file, an empty one unless it may be, or none of the first 100 lines with anything on
            them is a JSON object.
    """
    expected = f"expected a file of JSON lines, each a note such as {EXAMPLE_LINE}"
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder; {expected}")
    if not file.is_file():
        raise InvalidInputError(f"there is no file {file}; {expected}")
    with file.open("rb") as opened:
        lines = (line for line in read_lines(opened, max_bytes=line_bytes(max_characters)) if line.strip())
        problems = [_problem_of(line) for line in islice(lines, FIRST_LINES)]
    if not problems and not may_be_empty:
        raise InvalidInputError(f"{file} is empty; {expected}")
    if problems and all(problems):
        raise InvalidInputError(f"{file} holds no notes ({problems[0]}); {expected}. Nothing was taken")


def has_any_line(file: Path) -> bool:
    """Tell whether a file has a line that is not blank."""
    with file.open("rb") as opened:
        return any(line.strip() for line in opened)


def _problem_of(line: bytes) -> str:
    """Return the reason why a line is not a JSON object; '' where it is one."""
    try:
        item = json.loads(decoded_line(line))
    except InvalidInputError as error:
        return str(error)
    except (ValueError, RecursionError) as error:
        return f"its first line is not JSON: {error}"
    return "" if isinstance(item, dict) else f"its first line is a JSON {type(item).__name__}"


def line_bytes(max_characters: int) -> int:
    """The bytes that a line with a note of so many characters has at most."""
    return LINE_BYTES_A_CHARACTER * max_characters + 1_000_000


def read_lines(file: BinaryIO, *, max_bytes: int) -> Iterator[bytes]:
    """Lines of a file; of one longer than ``max_bytes`` only the beginning is kept in memory and given."""
    while line := file.readline(max_bytes):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(max_bytes)):
            pass
        yield line


def decoded_line(line: bytes) -> str:
    """A line of a file as text, trimmed, without a byte order mark.

    Raises:
        InvalidInputError: not UTF-8.
    """
    try:
        return line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"not UTF-8 at byte {error.start}; save the file as UTF-8") from error


def _batches(notes: Iterable[NumberedNote]) -> Iterator[list[NumberedNote]]:
    """Batches of bounded size in which no id stands twice: a repeated one begins the next batch."""
    batch: dict[tuple[str, str], NumberedNote] = {}
    characters = 0
    for number, note in notes:
        key = (note.source, note.external_id)
        if len(batch) == BATCH_NOTES or characters > BATCH_CHARACTERS or key in batch:
            yield list(batch.values())
            batch, characters = {}, 0
        batch[key] = (number, note)
        characters += len(note.content)
    if batch:
        yield list(batch.values())

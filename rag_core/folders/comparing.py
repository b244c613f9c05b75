"""A folder compared with what was imported of it: what is as it was, what is gone, what looks like an accident."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rag_core.folders.originals import open_below
from rag_core.folders.scanning import FoundFile
from rag_core.model.document import FileStatus, StoredFile
from rag_core.parsing.recognising import parser_version

SETTLED = timedelta(seconds=2)
"""Least age of a change when it was compared: a later one within the same tick of the file system's clock would not be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """Result of one file; ``error`` says why it was refused or failed."""

    path: str
    status: FileStatus
    parser: str | None = None
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class FolderReport:
    """Result of a folder's import. ``withheld`` are files that are gone and whose notes stay, and ``withheld_reason`` why."""

    files: list[FileOutcome] = field(default_factory=list)
    withheld: tuple[str, ...] = ()
    withheld_reason: str = ""
    is_new_tenant: bool = False

    def count(self, *statuses: FileStatus) -> int:
        """Number of files with one of the statuses."""
        return sum(1 for file in self.files if file.status in statuses)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFolder:
    """A source as it was imported before: its files by path, its folder, and the most notes it had within a day.

    ``is_elsewhere`` tells that its folder stood in another place or on another device, ``moment`` when this was read.
    """

    files: dict[str, StoredFile]
    path: str
    is_elsewhere: bool = False
    most_notes: int = 0
    moment: datetime | None = None
    is_new_tenant: bool = False


def missing_files(known: Mapping[str, StoredFile], found: Sequence[FoundFile]) -> dict[str, StoredFile]:
    """Files that are not there any more; those of a folder that cannot be read are not known to be gone."""
    there = {file.path for file in found}
    unread = tuple(f"{file.path}/" for file in found if file.error)
    return {
        path: file for path, file in known.items() if path not in there and not (unread and path.startswith(unread))
    }


def removal_risk(found: Sequence[FoundFile], gone: Mapping[str, StoredFile], known: KnownFolder) -> str:
    """Reason to ask before the notes of files that are gone are deleted; '' where there is none."""
    if not gone:
        return ""
    if not found:
        return "the folder is empty"
    if known.is_elsewhere:
        return "the folder stands in another place or on another device than before"
    notes = sum(1 for file in known.files.values() if file.note_id is not None)
    most = max(notes, known.most_notes)
    missing = len(gone) + most - notes
    return f"{missing} of {most} files are gone" if 2 * missing > most else ""


def is_same_file(folder: Path, file: StoredFile) -> bool:
    """Tell whether a folder has a file of the same path and size."""
    try:
        with open_below(folder, file.path) as opened:
            return os.fstat(opened.fileno()).st_size == file.file_size
    except OSError:
        return False


def outcome_as_before(file: FoundFile, known: StoredFile | None, *, retries: bool) -> FileOutcome | None:
    """The outcome of a file that is by its size and time the one that was imported; None for others."""
    if known is None or file.error or known.checked_at is None:
        return None
    is_settled = is_good(known) if known.status == "imported" else not retries
    modified = datetime.fromtimestamp(file.modified_ns / 1e9, UTC)
    if not is_settled or (file.size, file.modified_ns) != (known.file_size, known.modified_ns):
        return None
    return outcome_of(known, None) if modified < known.checked_at - SETTLED else None


def is_good(known: StoredFile) -> bool:
    """Tell whether today's parser read the file and its note is still there."""
    is_current = known.format is not None and (known.parser or "").partition("+")[0] == parser_version(known.format)
    return known.status == "imported" and known.note_id is not None and is_current


def outcome_of(file: StoredFile, status: FileStatus | None) -> FileOutcome:
    """The outcome of a file as it is recorded; without ``status`` a file with a note is unchanged."""
    return FileOutcome(
        path=file.path,
        status=(status or "unchanged") if file.status == "imported" else file.status,
        parser=file.parser,
        pages=file.pages,
        warnings=tuple(file.warnings),
        error=file.error,
    )

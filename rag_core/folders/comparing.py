"""A folder compared with what was imported of it: what is as it was, what is gone, what looks like an accident."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rag_core.folders.scanning import FoundFile
from rag_core.model.document import FileStatus, StoredFile
from rag_core.parsing.recognising import parser_version

SETTLED = timedelta(seconds=2)
"""A file that was changed so shortly before it was compared may have been changed once more within one tick of its clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """Result of one file; ``error`` says why it was refused or failed."""

    path: str
    status: FileStatus
    parser: str | None = None
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None


def missing_files(known: Mapping[str, StoredFile], found: Sequence[FoundFile]) -> dict[str, StoredFile]:
    """Files that are not there any more; those of a folder that cannot be read are not known to be gone."""
    there = {file.path for file in found}
    unread = tuple(f"{file.path}/" for file in found if file.error)
    return {
        path: file for path, file in known.items() if path not in there and not (unread and path.startswith(unread))
    }


def doubt_of(
    found: Sequence[FoundFile], known: Mapping[str, StoredFile], gone: Mapping[str, StoredFile], *, is_elsewhere: bool
) -> str:
    """Reason to ask before the notes of files that are gone are deleted; '' where there is none."""
    if not gone:
        return ""
    if not found:
        return "the folder is empty"
    if is_elsewhere:
        return "the folder stands in another place or on another device than before"
    notes = sum(1 for file in known.values() if file.note_id is not None)
    return f"{len(gone)} of {notes} files are gone" if 2 * len(gone) > notes else ""


def digest_of(file: Path) -> bytes:
    """SHA-256 of a file; b"" where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").digest()
    except OSError:
        return b""


def outcome_as_before(file: FoundFile, known: StoredFile | None, *, retries: bool) -> FileOutcome | None:
    """The outcome of a file that is by its size and time the one that was imported; None for others."""
    if known is None or file.error or known.checked_at is None:
        return None
    is_settled = is_current(known) if known.status == "imported" else not retries
    modified = datetime.fromtimestamp(file.modified_ns / 1e9, UTC)
    if not is_settled or (file.size, file.modified_ns) != (known.file_size, known.modified_ns):
        return None
    return outcome_of(known, None) if modified < known.checked_at - SETTLED else None


def is_current(known: StoredFile) -> bool:
    """Tell whether today's parser read the file."""
    return known.format is not None and known.parser == parser_version(known.format)


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

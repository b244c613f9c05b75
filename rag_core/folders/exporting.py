"""Notes as files in a folder: Markdown with front matter, a file a note, or JSON lines, a file a source."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import yaml

from rag_core.errors import ConflictError, InvalidInputError
from rag_core.folders.front_matter import start_of_fields
from rag_core.home.private_files import whole_file
from rag_core.model.note import Note
from rag_core.model.zones import in_zone

ExportFormat = Literal["markdown", "jsonl"]
MAX_SEGMENT_BYTES = 200
"""Bytes of a file's or folder's name; file systems take 255, of which the name while it is written takes some."""
_UNNAMEABLE = re.compile(r'[\0-\x1f\x7f\\:*?"<>|]|^\.')
_MARKDOWN_SUFFIX = ".md"


@dataclass(slots=True, kw_only=True)
class ExportReport:
    """Number of notes written, and of the files that hold them."""

    notes: int = 0
    files: int = 0


def export_notes(
    notes: Iterable[Note],
    folder: Path,
    *,
    form: ExportFormat,
    zone: ZoneInfo,
    is_replacing: bool,
    on_progress: Callable[[float], None] = lambda _notes: None,
) -> ExportReport:
    """Write notes, which come by source, into a folder; each file is written whole or not at all.

    ``is_replacing`` writes into a folder that has files; those of the same names are replaced, others stay.

    Raises:
        ConflictError: the folder has files.
        InvalidInputError: a file cannot be written.
    """
    report = ExportReport()
    try:
        _prepare(folder, is_replacing=is_replacing)
        written = _lines_files(notes, folder) if form == "jsonl" else _markdown_files(notes, folder, zone)
        for path, parts in written:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(path) as file:
                for part in parts:
                    file.write(part)
                    report.notes += 1
                    on_progress(1)
            report.files += 1
    except OSError as error:
        raise InvalidInputError(f"cannot write {error.filename or folder}: {error.strerror or error}") from error
    return report


def _prepare(folder: Path, *, is_replacing: bool) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_replacing and any(folder.iterdir()):
        raise ConflictError(f"{folder} has files already; choose another folder, or write into it with --replace")


def _lines_files(notes: Iterable[Note], folder: Path) -> Iterator[tuple[Path, Iterable[str]]]:
    taken: set[str] = set()
    for source, own in groupby(notes, key=lambda note: note.source):
        name = free_name(f"{_segment(source)}.jsonl", taken)
        yield folder / name, (f"{line_of(note)}\n" for note in own)


def _markdown_files(notes: Iterable[Note], folder: Path, zone: ZoneInfo) -> Iterator[tuple[Path, Iterable[str]]]:
    folders: set[str] = set()
    for source, own in groupby(notes, key=lambda note: note.source):
        top = folder / free_name(_segment(source), folders)
        taken: set[str] = set()
        for note in own:
            path = free_name(file_name(note), taken)
            yield top / path, [markdown_of(note, path, zone)]


def line_of(note: Note) -> str:
    """A note as a line of JSON that `brain import` takes."""
    line = {"id": note.external_id, "text": note.content, "created_at": note.created_at.isoformat()}
    title = {} if note.title is None else {"title": note.title}
    return json.dumps(line | title | {"language": note.language, "metadata": dict(note.metadata)}, ensure_ascii=False)


def markdown_of(note: Note, path: str, zone: ZoneInfo) -> str:
    """A note as Markdown with front matter; fields told behind its text stand there alone, its id where ``path`` does not tell it."""
    fields: dict[str, Any] = {} if note.title is None else {"title": note.title}
    fields |= {"date": in_zone(note.created_at, zone).isoformat(), "lang": note.language}
    fields |= {} if path == note.external_id else {"id": note.external_id}
    fields |= {name: value for name, value in note.metadata.items() if name.casefold() not in fields}
    written = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=10_000)
    body = note.content[: start_of_fields(note.content, note.metadata)]
    return f"---\n{written}---\n\n{body.rstrip()}\n"


def file_name(note: Note) -> str:
    """The path of a note's Markdown file within the folder of its source, which follows its external id."""
    parts = [_segment(part) for part in note.external_id.split("/") if part.strip()] or ["_"]
    suffix = "" if parts[-1].lower().endswith(_MARKDOWN_SUFFIX) else _MARKDOWN_SUFFIX
    return "/".join(parts) + suffix


def free_name(path: str, taken: set[str]) -> str:
    """The path, which is then taken; where a file has it, or a name above it, but for case: its last name at the top, numbered."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    number, found = 1, path
    while _is_taken(found, taken):
        number += 1
        found = f"{stem}{dot and f'-{number}.'}{suffix}{'' if dot else f'-{number}'}"
    taken.add(found.casefold())
    return found


def _is_taken(path: str, taken: set[str]) -> bool:
    parts = path.casefold().split("/")
    return any("/".join(parts[:end]) in taken for end in range(1, len(parts) + 1))


def _segment(text: str) -> str:
    """A part of a path that every file system takes: not hidden, no reserved character, no more than so many bytes."""
    name = _UNNAMEABLE.sub("_", text.replace("/", "_").strip()) or "_"
    return name.encode()[:MAX_SEGMENT_BYTES].decode(errors="ignore").rstrip(". ") or "_"

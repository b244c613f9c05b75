"""Files of a folder that are to be imported, and those that are left out with the reason."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

from pathspec import GitIgnoreSpec, PathSpec

from rag_core.errors import InvalidInputError

TEMPLATE_FOLDERS = frozenset({"templates", "_templates", "plantillas", "vorlagen"})
"""Names of folders of templates, compared without case."""
MAX_SETTINGS_BYTES = 100_000
MAX_PATH_CHARACTERS = 512
MAX_PATH_BYTES = 1000
MAX_STARS = 3
"""Stars in a part of a pattern: with more of them, comparing one name may take seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file of a folder; ``path`` is relative to it, NFC, with ``/``. ``error`` says why it cannot be read."""

    path: str
    file: Path
    size: int = 0
    modified_ns: int = 0
    error: str | None = None


def scan_folder(folder: Path, *, exclude: Sequence[str] = ()) -> Iterator[FoundFile]:
    """Files of a folder and its subfolders, in the order of their names.

    Left out: hidden files and folders (``.obsidian``, ``.git``), folders of templates, the one that Obsidian's settings name among
    them, and what ``.gitignore`` files or ``exclude`` (patterns as in ``.gitignore``) name. Symbolic links are not followed.

    Raises:
        InvalidInputError: a pattern of ``exclude`` cannot be read.
        OSError: the folder itself cannot be read.
    """
    if costly := next(filter(_is_costly, exclude), None):
        raise InvalidInputError(f"--exclude has more than {MAX_STARS} stars between two slashes: {costly}; write fewer")
    try:
        excluded = GitIgnoreSpec.from_lines(exclude)
    except ValueError as error:
        raise InvalidInputError(f"--exclude cannot be read: {error}; write a pattern as in .gitignore") from error
    templates = frozenset(filter(None, (_template_folder(folder, name) for name in _TEMPLATE_SETTINGS)))
    seen: set[str] = set()
    for found in _below(folder, "", (("", excluded),), templates):
        if found.path in seen:
            yield _unreadable(
                replace(found, path=_shortened(found.path, str(found.file.relative_to(folder)))),
                "another file of the folder has the same name but for how its letters are encoded; rename one",
            )
        else:
            seen.add(found.path)
            yield found


def file_of(folder: Path, name: str) -> FoundFile:
    """One file of a folder, by its name.

    Raises:
        OSError: there is no such file.
    """
    facts = (folder / name).stat()
    found = FoundFile(path=_shown(name), file=folder / name, size=facts.st_size, modified_ns=facts.st_mtime_ns)
    return found if stat.S_ISREG(facts.st_mode) else _unreadable(found, "no regular file")


_TEMPLATE_SETTINGS = {
    ".obsidian/templates.json": "folder",
    ".obsidian/plugins/templater-obsidian/data.json": "templates_folder",
}


def _template_folder(folder: Path, settings: str) -> str:
    """The folder of templates that a file of Obsidian's settings names; '' where it names none."""
    try:
        with (folder / settings).open("rb") as opened:
            read = json.loads(opened.read(MAX_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError):
        return ""
    named = read.get(_TEMPLATE_SETTINGS[settings]) if isinstance(read, dict) else None
    return normalize("NFC", named).strip("/") if isinstance(named, str) else ""


def _below(
    folder: Path, prefix: str, rules: Sequence[tuple[str, PathSpec[Any]]], templates: frozenset[str]
) -> Iterator[FoundFile]:
    rules = (*rules[:-1], *_ignored_by(folder, prefix), rules[-1])
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = f"{prefix}{entry.name}"
        if entry.name.startswith(".") or _is_ignored(path, rules, is_folder=entry.is_dir(follow_symlinks=False)):
            continue
        if entry.is_dir(follow_symlinks=False):
            if entry.name.casefold() not in TEMPLATE_FOLDERS and normalize("NFC", path) not in templates:
                yield from _folder(entry, path, rules, templates)
        else:
            yield _file(entry, path)


def _folder(
    entry: os.DirEntry[str], path: str, rules: Sequence[tuple[str, PathSpec[Any]]], templates: frozenset[str]
) -> Iterator[FoundFile]:
    try:
        yield from _below(Path(entry.path), f"{path}/", rules, templates)
    except OSError as error:
        yield FoundFile(path=_shown(path), file=Path(entry.path), error=f"the folder cannot be read: {error.strerror}")


def _file(entry: os.DirEntry[str], path: str) -> FoundFile:
    found = FoundFile(path=_shown(path), file=Path(entry.path))
    if len(found.path) > MAX_PATH_CHARACTERS or len(found.path.encode()) > MAX_PATH_BYTES:
        cut = replace(found, path=_shortened(found.path, path))
        return _unreadable(cut, f"its path has more than {MAX_PATH_CHARACTERS} characters; shorten it")
    if found.path != normalize("NFC", path):
        return _unreadable(found, "its name is not UTF-8; rename it")
    if entry.is_symlink():
        return _unreadable(found, "a symbolic link, which is not followed; import the file or folder that it means")
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError as error:
        return _unreadable(found, f"it cannot be read: {error.strerror}")
    if not stat.S_ISREG(facts.st_mode):
        return _unreadable(found, "no regular file")
    return FoundFile(path=found.path, file=found.file, size=facts.st_size, modified_ns=facts.st_mtime_ns)


def _unreadable(found: FoundFile, error: str) -> FoundFile:
    return replace(found, error=error)


def _shortened(shown: str, path: str) -> str:
    """The beginning of a path, and a sign that no other path of the folder has."""
    return f"{shown[:100]}…{hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _shown(path: str) -> str:
    """A path that can be stored and printed: bytes that are not UTF-8 become �."""
    return normalize("NFC", path.encode(errors="surrogateescape").decode(errors="replace"))


def _ignored_by(folder: Path, prefix: str) -> tuple[tuple[str, PathSpec[Any]], ...]:
    """The rules of the folder's own ``.gitignore``; lines that Git would not read either are passed over."""
    try:
        with (folder / ".gitignore").open("rb") as opened:
            lines = opened.read(MAX_SETTINGS_BYTES).decode(errors="replace").splitlines()
        return ((prefix, GitIgnoreSpec.from_lines(line for line in lines if not _is_costly(line))),)
    except (OSError, ValueError):
        return ()


def _is_costly(pattern: str) -> bool:
    return any(part.count("*") > MAX_STARS for part in pattern.split("/"))


def _is_ignored(path: str, rules: Sequence[tuple[str, PathSpec[Any]]], *, is_folder: bool) -> bool:
    """Test whether the last rule that speaks of the path leaves it out: the nearest ``.gitignore``, last ``exclude``."""
    ignored = False
    for prefix, spec in rules:
        said = spec.check_file(path.removeprefix(prefix) + "/" * is_folder).include
        ignored = ignored if said is None else said
    return ignored

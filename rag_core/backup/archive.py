"""The file of a backup: a zip with one member a table, and a manifest that says what they must hold.

The manifest is written last, because only then row counts and hashes are known; a file that was cut off has none.
"""

import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from rag_core.errors import ConflictError, InvalidInputError
from rag_core.parsing.archives import ZIP_DAMAGE

FORMAT = 1
MANIFEST = "manifest.json"
COMPRESSION_LEVEL = 1
MAX_MANIFEST_BYTES = 1 << 20
"""One of 50 tables has 20,000 bytes."""
MAX_RATIO = 300
"""Deflate at level 1 makes constant bytes 229 times smaller, so no backup of Brain Sync unpacks to more than that."""
_MAX_READ_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 18
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class ArchiveError(InvalidInputError):
    """The file is no whole backup, or not one that can be restored here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """One table of a backup: its rows in PostgreSQL's binary COPY format, ``bytes`` long and of that hash.

    Columns that PostgreSQL computes are not in it; ``computed_sha256`` is what they were, '' where there are none.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    bytes: int
    sha256: str
    computed_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedMigration:
    """A migration that the backed-up schema was made by."""

    version: int
    name: str
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Contents and origin of a backup; ``sequences`` holds the last number that each gave out."""

    format: int
    created_at: str
    server_version: str
    pgvector_version: str
    migrations: tuple[AppliedMigration, ...]
    tables: tuple[TableEntry, ...]
    sequences: dict[str, int]

    @property
    def schema_version(self) -> int:
        """The last migration of the backed-up schema."""
        return max(migration.version for migration in self.migrations)

    @property
    def total_bytes(self) -> int:
        """Size of all tables, before compression."""
        return sum(table.bytes for table in self.tables)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all it says; that of another backup differs."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


class TableWriter:
    """A member while it is written: what goes in, counted and hashed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._waiting = bytearray()  # COPY gives a block a row, too small to compress one by one
        self.bytes = 0

    def write(self, block: bytes | memoryview) -> None:
        """Take some bytes."""
        self._waiting += block
        self.bytes += len(block)
        if len(self._waiting) >= _BLOCK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Hand over what waits to be compressed."""
        self._hash.update(self._waiting)
        self._file.write(self._waiting)
        self._waiting.clear()

    @property
    def sha256(self) -> str:
        """Hash of all that was flushed."""
        return self._hash.hexdigest()


class ArchiveWriter:
    """A new backup that is not whole yet."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    @contextmanager
    def table(self, name: str) -> Iterator[TableWriter]:
        """Write one table's member; it is whole when the block ends."""
        with self._archive.open(_member(name), "w", force_zip64=True) as file:
            writer = TableWriter(file)
            yield writer
            writer.flush()

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which makes it a backup."""
        self._archive.writestr(MANIFEST, json.dumps(asdict(manifest), ensure_ascii=False, indent=1))


@contextmanager
def new_archive(path: Path, *, is_overwriting: bool) -> Iterator[ArchiveWriter]:
    """Write a backup under a temporary name beside ``path``; it gets its own when the block ends, and only then.

    Nobody but its owner may read it: it holds everybody's notes.

    Raises:
        ConflictError: there is such a file already and it may not be overwritten.
        InvalidInputError: the folder cannot be written to, or the disk is full.
    """
    _check_target(path, is_overwriting=is_overwriting)
    part: Path | None = None
    try:
        descriptor, part = _new_part(path)
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
                yield ArchiveWriter(archive)
            file.flush()
            os.fsync(file.fileno())
        _check_target(path, is_overwriting=is_overwriting)
        part.replace(path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}; nothing was left there") from error
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _new_part(path: Path) -> tuple[int, Path]:
    """A new file beside ``path``, open for writing, that only its owner may read.

    ``mkstemp`` creates it with O_EXCL and O_NOFOLLOW under a random name: in a folder that others may write to, none of them can
    have made the file, or a link of that name, before.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    return descriptor, Path(name)


def _check_target(path: Path, *, is_overwriting: bool) -> None:
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder; give the name of a file in it")
    if path.exists() and not is_overwriting:
        raise ConflictError(f"{path} is there already; choose another name, or overwrite it with --force")


class Archive:
    """A backup that is read."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._archive = archive

    def blocks(self, table: TableEntry) -> Iterator[bytes]:
        """The bytes of one table, in pieces.

        Raises:
            ArchiveError: they are not the ones that were written.
        """
        digest, left = hashlib.sha256(), table.bytes
        with _told_as_damage(self.path), self._archive.open(_member(table.name)) as file:
            while block := file.read(_BLOCK_BYTES):
                left -= len(block)
                if left < 0:
                    raise ValueError(f"table {table.name} is longer than the manifest says")
                digest.update(block)
                yield block
        if digest.hexdigest() != table.sha256:
            raise ArchiveError(
                f"{self.path} is damaged: table {table.name} has SHA-256 {digest.hexdigest()[:12]}…, it was written with "
                f"{table.sha256[:12]}…; use another backup"
            )


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a backup and read its manifest; the tables are not looked at yet.

    Raises:
        ArchiveError: the file is no backup, is damaged, or has a format of a later Brain Sync.
    """
    if not path.is_file():
        raise ArchiveError(f"there is no file {path}; give the path of a file that `brain backup` wrote")
    with _opened(path) as archive:
        with _told_as_damage(path):
            raw = json.loads(_read_manifest(archive))
            _check_format(path, raw["format"])
            manifest = _parse_manifest(raw)
            _check_sizes(archive, manifest, archive_bytes=path.stat().st_size)
        yield Archive(path, archive, manifest)


class _BoundedReader(io.BufferedReader):
    """A file that gives no more than ``_MAX_READ_BYTES`` at once: ``zipfile`` reads a directory of any length in one piece."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as a file does.

        Raises:
            ValueError: it would be more than is allowed.
        """
        is_bounded = size is not None and 0 <= size <= _MAX_READ_BYTES
        content = super().read(size if is_bounded else _MAX_READ_BYTES + 1)
        if len(content) > _MAX_READ_BYTES:
            raise ValueError("its directory is longer than that of a backup")
        return content


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with _told_as_damage(path):
        file = _BoundedReader(io.FileIO(path))
    with file:
        with _told_as_damage(path):
            archive = zipfile.ZipFile(file)
        with archive:
            yield archive


def _read_manifest(archive: zipfile.ZipFile) -> bytes:
    """The manifest's bytes; neither what is declared nor what is there may be more than ``MAX_MANIFEST_BYTES``."""
    info = archive.getinfo(MANIFEST)
    _check_member(info)
    if info.file_size > MAX_MANIFEST_BYTES:
        raise ValueError(f"its manifest has {info.file_size} bytes, a backup's has at most {MAX_MANIFEST_BYTES}")
    with archive.open(info) as file:
        return file.read(MAX_MANIFEST_BYTES)


def _check_sizes(archive: zipfile.ZipFile, manifest: Manifest, *, archive_bytes: int) -> None:
    """Every table's member must be there, as long as the manifest says, and all of them not too long for the file they are in."""
    for table in manifest.tables:
        info = archive.getinfo(_member(table.name))
        _check_member(info)
        if info.file_size != table.bytes:
            raise ValueError(f"table {table.name} has {info.file_size} bytes, the manifest says {table.bytes}")
    if manifest.total_bytes > MAX_RATIO * archive_bytes:
        raise ValueError(f"it would unpack to {manifest.total_bytes} bytes, more than {MAX_RATIO} times its size")


def _check_member(info: zipfile.ZipInfo) -> None:
    """Only deflate can be unpacked piece by piece: Python's ``zipfile`` unpacks a whole block of the other methods at once."""
    if info.compress_type not in {zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED}:
        raise ValueError(f"{info.filename} is compressed by another method than deflate")


@contextmanager
def _told_as_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except ZIP_DAMAGE as error:
        raise ArchiveError(
            f"{path} is no whole backup of Brain Sync ({type(error).__name__}: {error}); use another one. "
            "Nothing was changed"
        ) from error


def _check_format(path: Path, found: object) -> None:
    """Check the format before anything else: this program cannot judge a manifest of another one."""
    if found != FORMAT:
        raise ArchiveError(
            f"{path} has format {found} of a backup, this program reads {FORMAT}; restore it with the Brain Sync that wrote "
            "it, or a later one"
        )


def _parse_manifest(raw: Any) -> Manifest:
    tables = tuple(TableEntry(**{**table, "columns": tuple(table["columns"])}) for table in raw["tables"])
    names = [*raw["sequences"], *(name for table in tables for name in (table.name, *table.columns))]
    unfit = [name for name in names if not _IDENTIFIER.fullmatch(name)]
    if unfit or not raw["migrations"]:
        raise ValueError(f"names {unfit[:3]}" if unfit else "no migrations")
    if len({table.name for table in tables}) < len(tables):
        raise ValueError("a table is named twice")
    if any(type(size) is not int or size < 0 for table in tables for size in (table.rows, table.bytes)):
        raise ValueError("the size of a table is no number")
    return Manifest(
        format=int(raw["format"]),
        created_at=str(raw["created_at"]),
        server_version=str(raw["server_version"]),
        pgvector_version=str(raw["pgvector_version"]),
        migrations=tuple(AppliedMigration(**migration) for migration in raw["migrations"]),
        tables=tables,
        sequences={str(name): int(last) for name, last in raw["sequences"].items()},
    )


def _member(table: str) -> str:
    return f"tables/{table}.copy"

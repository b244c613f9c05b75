"""Import of a folder: what is new or changed is parsed and stored, in batches, each one transaction."""

import hashlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from rag_core.errors import (
    BusyError,
    ConfigurationError,
    DocumentFailedError,
    InvalidInputError,
    QueryFailedError,
    TenantDeletedError,
)
from rag_core.folders.comparing import (
    FileOutcome,
    FolderReport,
    KnownFolder,
    is_good,
    is_same_file,
    missing_files,
    outcome_as_before,
    outcome_of,
    removal_risk,
)
from rag_core.folders.originals import read_below
from rag_core.folders.reading import FileReading, ReadFile
from rag_core.folders.scanning import FoundFile, file_of, scan_folder
from rag_core.folders.sources import check_source, other_folder
from rag_core.model.document import FileStatus, StoredFile
from rag_core.model.note import TenantId
from rag_core.notes.importing import full_tenant
from rag_core.parsing import SourceFile
from rag_core.parsing.recognising import is_supported_name, suffix_of
from rag_core.parsing.working import DocumentParser
from rag_core.resilience.ordered import map_in_order
from rag_core.resilience.outages import when_back
from rag_core.storage.database import Connection, Database
from rag_core.storage.documents import (
    delete_files,
    fetch_files,
    fetch_folder,
    fetch_moment,
    folder_lock,
    hold_folder,
    move_folder,
    rename_files,
    store_files,
)
from rag_core.storage.notes import ensure_tenant, is_tenant, store_notes

logger = logging.getLogger("brain.folders")

BATCH_FILES = 200
BATCH_CHARACTERS = 2_000_000
BATCH_SECONDS = 10.0
COMPARED_FILES = 200
"""Files by which a folder is known again at another place."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A file to record; without ``read`` its note stays as it is."""

    stored: StoredFile
    read: ReadFile | None = None
    is_renamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderImport:
    """Imports a folder's files into one source of a tenant.

    ``on_progress`` gets the bytes of each file that is done with, ``on_waiting`` the seconds at most that PostgreSQL is waited for.
    """

    database: Database
    tenant: TenantId
    reading: FileReading
    parser: DocumentParser
    on_progress: Callable[[int], None] = lambda _bytes: None
    on_waiting: Callable[[float], None] = lambda _seconds: None

    def run(
        self,
        folder: Path,
        *,
        only: str | None = None,
        exclude: Sequence[str] = (),
        prunes: bool = False,
        is_confirmed: bool = False,
        retries: bool = True,
        waits: bool = True,
    ) -> FolderReport:
        """Import the folder, or ``only`` one file of it; files that were imported before and are as they were cost a comparison.

        A file that is gone while a new one holds the same bytes was renamed: its note keeps its id and its vectors. With
        ``prunes`` the notes of other files that are gone are deleted, unless that looks like an accident: the folder is empty, on
        another device than before, or has lost over half of its files. Then ``is_confirmed`` deletes them all the same. With
        ``retries`` files that were refused or failed are tried again though they did not change.

        Raises:
            InvalidInputError: no such folder, or a pattern that cannot be read.
            ConflictError: the source has the files of another folder.
            BusyError: the source is being imported already, and this import does not wait for it.
            TenantDeletedError: the tenant was deleted meanwhile, and with it what was stored before.
            DatabaseUnavailableError: PostgreSQL did not come back; what was stored before stays.
        """
        check_source(self.reading.source)
        folder = folder.resolve()
        with folder_lock(self.database, self.tenant, self.reading.source, waits=waits) as is_alone:
            if not is_alone:
                raise BusyError(f"the source {self.reading.source!r} is being imported already")
            return self._run(folder, only, exclude, prunes=prunes, is_confirmed=is_confirmed, retries=retries)

    def _run(
        self,
        folder: Path,
        only: str | None,
        exclude: Sequence[str],
        *,
        prunes: bool,
        is_confirmed: bool,
        retries: bool,
    ) -> FolderReport:
        with _told(folder):
            device = str(folder.stat().st_dev)
            known = self._known(folder, device)  # first: what is imported meanwhile is not taken for gone
            found = [file_of(folder, only)] if only else list(scan_folder(folder, exclude=exclude))
        if not is_confirmed:
            self._check_place(folder, known)
        report = FolderReport()
        gone = {} if only else self._gone(folder, found, known)
        if prunes and gone:  # before others are read, which may take hours
            with _told(folder):
                still_gone = missing_files(gone, list(scan_folder(folder, exclude=exclude)))  # some may be back
            self._prune(still_gone, known, report, reason="" if is_confirmed else removal_risk(found, gone, known))
        self._store_all(self._items(folder, found, known.files, retries=retries), report, folder, known)
        if not gone or (prunes and not report.withheld):
            self._write(lambda connection: self._settle(connection, folder, device))
        return report

    # The folder ------------------------------------------------------------------------------------------------------

    def _known(self, folder: Path, device: str) -> KnownFolder:
        """The source as stored, and whether it was imported from another place or device."""

        def read(connection: Connection) -> KnownFolder:
            if not is_tenant(connection, self.tenant):
                return KnownFolder(files={}, path=str(folder), is_new_tenant=True)
            held = fetch_folder(connection, self.tenant, self.reading.source)
            if held is None:
                moment = fetch_moment(connection)
                return KnownFolder(files={}, path=str(folder), moment=moment)
            return KnownFolder(
                files=fetch_files(connection, self.tenant, self.reading.source),
                path=held.path,
                is_elsewhere=(held.path, held.device) != (str(folder), device),
                most_notes=held.most_notes,
                moment=held.moment,
            )

        return self._write(read)

    def _check_place(self, folder: Path, known: KnownFolder) -> None:
        """Refuse another folder than the one that was imported; a folder that moved has most of its files still.

        Raises:
            ConflictError: it is another one.
        """
        if known.path == str(folder) or not known.files:
            return
        files = list(known.files.values())[:COMPARED_FILES]
        if Path(known.path).is_dir() or 2 * sum(is_same_file(folder, file) for file in files) < len(files):
            raise other_folder(self.reading.source, known.path)

    def _settle(self, connection: Connection, folder: Path, device: str) -> None:
        if is_tenant(connection, self.tenant):
            move_folder(connection, self.tenant, source=self.reading.source, path=str(folder), device=device)

    def _gone(self, folder: Path, found: Sequence[FoundFile], known: KnownFolder) -> dict[str, StoredFile]:
        """The files with notes that are gone for good.

        Those that were renamed get their new paths, among the known ones too; those that no note was made of are forgotten.
        """
        missing = missing_files(known.files, found)
        without_note = [path for path, file in missing.items() if file.note_id is None]
        if without_note:
            self._delete(without_note, known)
        return self._renamed(
            folder, found, known, {path: file for path, file in missing.items() if file.note_id is not None}
        )

    def _renamed(
        self, folder: Path, found: Sequence[FoundFile], known: KnownFolder, gone: Mapping[str, StoredFile]
    ) -> dict[str, StoredFile]:
        by_hash: defaultdict[bytes, deque[str]] = defaultdict(deque)
        sizes = {file.file_size for file in gone.values()}
        for path, file in gone.items():
            if file.file_hash is not None:
                by_hash[file.file_hash].append(path)
        renamed: dict[str, str] = {}
        for new in found:
            former_there = known.files.get(new.path)
            is_new = former_there is None or former_there.note_id is None
            if is_new and not new.error and new.size in sizes and new.size <= self.reading.max_bytes:
                digest = self._digest(folder, new)
                if digest is not None and by_hash.get(digest):
                    renamed[by_hash[digest].popleft()] = new.path
        done = self._rename(renamed, known) if renamed else set()
        for before in done:
            after = renamed[before]
            known.files[after] = replace(known.files.pop(before), path=after, parser=None)
        return {path: file for path, file in gone.items() if path not in done}

    def _digest(self, folder: Path, file: FoundFile) -> bytes | None:
        """SHA-256 of a file; None where it cannot be read."""
        try:
            return hashlib.sha256(self._bytes(folder, file)).digest()
        except OSError:
            return None

    def _bytes(self, folder: Path, file: FoundFile) -> bytes:
        """The bytes of a file that was found, and may be another by now."""
        return read_below(folder, file.file.relative_to(folder).as_posix(), max_bytes=self.reading.max_bytes)

    def _rename(self, renamed: Mapping[str, str], known: KnownFolder) -> set[str]:
        assert known.moment is not None
        rename = partial(
            rename_files, tenant=self.tenant, source=self.reading.source, renamed=renamed, before=known.moment
        )
        return self._write(rename)

    def _prune(self, gone: Mapping[str, StoredFile], known: KnownFolder, report: FolderReport, *, reason: str) -> None:
        paths = sorted(gone)
        if reason and paths:
            report.withheld, report.withheld_reason = tuple(paths), reason
            return
        for place in range(0, len(paths), BATCH_FILES):
            deleted = self._delete(paths[place : place + BATCH_FILES], known)
            report.files += [FileOutcome(path=path, status="removed", parser=gone[path].parser) for path in deleted]

    def _delete(self, paths: Sequence[str], known: KnownFolder) -> list[str]:
        assert known.moment is not None
        delete = partial(delete_files, tenant=self.tenant, source=self.reading.source, paths=paths, before=known.moment)
        return self._write(delete)

    # The files -------------------------------------------------------------------------------------------------------

    def _items(
        self, folder: Path, found: Sequence[FoundFile], known: Mapping[str, StoredFile], *, retries: bool
    ) -> Iterator[_Item | FileOutcome]:
        def item_of(file: FoundFile) -> _Item | FileOutcome:
            former = known.get(file.path)
            return outcome_as_before(file, former, retries=retries) or self._item(folder, file, former)

        for file, item in zip(found, map_in_order(item_of, found, workers=self.parser.workers), strict=True):
            yield item
            self.on_progress(file.size)

    def _item(self, folder: Path, file: FoundFile, known: StoredFile | None) -> _Item:
        stored = StoredFile(path=file.path, status="imported", file_size=file.size, modified_ns=file.modified_ns)
        try:
            source = self._source_file(folder, file)
            stored = replace(stored, file_hash=hashlib.sha256(source.data).digest(), file_size=len(source.data))
            if known and is_good(known) and known.file_hash == stored.file_hash:
                return _Item(stored=replace(known, modified_ns=file.modified_ns))
            read = self.reading.read(source, file.path, file.modified_ns, self.parser)
            is_renamed = known is not None and known.parser is None
            return _Item(stored=read.recorded(stored), read=read, is_renamed=is_renamed)
        except ConfigurationError:
            raise
        except InvalidInputError as error:
            return _Item(stored=replace(stored, status="refused", error=str(error)))
        except DocumentFailedError as error:
            return _Item(stored=replace(stored, status="failed", error=str(error)))
        except OSError as error:
            return _Item(stored=replace(stored, status="failed", error=f"it cannot be read: {error.strerror}"))
        except Exception as error:  # a defect of reading is one file's, and logged with its stack
            logger.exception("a file of source %s cannot be read", self.reading.source)
            name = suffix_of(file.path)[1:]
            failed = f"the parser of {name} failed ({type(error).__name__}); save the file again in the program it comes from"
            return _Item(stored=replace(stored, status="failed", error=failed))

    def _source_file(self, folder: Path, file: FoundFile) -> SourceFile:
        if file.error:
            raise InvalidInputError(file.error)
        if suffix_of(file.path) and not is_supported_name(file.path):
            raise InvalidInputError(f"files of the kind {suffix_of(file.path)} are not taken")
        limit = self.reading.max_bytes
        if file.size > limit:
            raise InvalidInputError(
                f"it has {file.size / 1e6:,.0f} MB, at most {limit / 1e6:,.0f} are taken; raise BRAIN_DOCUMENT_MAX_MB"
            )
        return SourceFile(name=Path(file.path).name, data=self._bytes(folder, file))

    # Storing ---------------------------------------------------------------------------------------------------------

    def _store_all(
        self, items: Iterable[_Item | FileOutcome], report: FolderReport, folder: Path, known: KnownFolder
    ) -> None:
        batch: list[_Item] = []
        characters, began = 0, time.monotonic()
        for item in items:
            if isinstance(item, FileOutcome):
                report.files.append(item)
                continue
            batch.append(item)
            characters += len(item.read.document.text) if item.read else 0
            is_late = time.monotonic() - began > BATCH_SECONDS
            if len(batch) == BATCH_FILES or characters > BATCH_CHARACTERS or is_late:
                self._store(batch, report, folder, known)
                batch, characters, began = [], 0, time.monotonic()
        if batch:
            self._store(batch, report, folder, known)

    def _store(self, batch: Sequence[_Item], report: FolderReport, folder: Path, known: KnownFolder) -> None:
        """Store a batch; when the database refuses it, store it file by file, so that only the bad ones are left out."""
        device = str(folder.stat().st_dev)

        def write(connection: Connection) -> tuple[bool, list[FileOutcome]]:
            is_new = not is_tenant(connection, self.tenant)
            if is_new and not (known.is_new_tenant and not report.is_new_tenant):
                raise TenantDeletedError(f"the tenant {self.tenant} was deleted; nothing of this import is left")
            ensure_tenant(connection, self.tenant)
            hold_folder(connection, self.tenant, source=self.reading.source, path=str(folder), device=device)
            return is_new, self._stored(connection, batch)

        try:
            is_new, outcomes = self._write(write)
        except TenantDeletedError:
            raise
        except QueryFailedError as error:
            if len(batch) > 1:
                for item in batch:
                    self._store([item], report, folder, known)
            elif batch[0].read:
                refused = replace(batch[0].stored, status="failed", error=f"PostgreSQL refuses it: {error.__cause__}")
                self._store([_Item(stored=refused)], report, folder, known)
            else:
                report.files.append(outcome_of(batch[0].stored, None))
            return
        report.is_new_tenant |= is_new
        report.files += outcomes

    def _stored(self, connection: Connection, batch: Sequence[_Item]) -> list[FileOutcome]:
        with_notes = [item for item in batch if item.read]
        result = store_notes(connection, self.tenant, [item.read.note for item in with_notes if item.read])
        status: dict[str, FileStatus] = {}
        files = {item.stored.path: item.stored for item in batch}
        for place, item in enumerate(with_notes):
            path = item.stored.path
            if place in result.refused:
                files[path] = replace(
                    item.stored, status="refused", file_hash=None, error=full_tenant(self.tenant, result.max_notes)
                )
            elif place in result.new:
                status[path] = "imported"
            elif place in result.changed or item.is_renamed:
                status[path] = "updated"
        taken = {
            item.stored.path: item.read.contents
            for item in with_notes
            if item.read and files[item.stored.path].error is None
        }
        store_files(connection, self.tenant, self.reading.source, list(files.values()), taken)
        return [outcome_of(file, status.get(path)) for path, file in files.items()]

    def _write(self, run: Callable[[Connection], Result]) -> Result:
        def write() -> Result:
            return self.database.write(self.tenant, run, has_copy=True)

        return when_back(write, on_waiting=self.on_waiting)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Tell of a folder that cannot be read.

    Raises:
        InvalidInputError: it cannot.
    """
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be read: {error.strerror}") from error

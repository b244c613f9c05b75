"""Followed folders: what changes on disk is imported within seconds."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event

from rag_core.errors import BusyError, RagError
from rag_core.folders.comparing import FolderReport, missing_files
from rag_core.folders.opening import open_folder_import
from rag_core.folders.scanning import scan_folder
from rag_core.model.note import TenantId
from rag_core.settings import Settings
from rag_core.storage.database import Connection, Database
from rag_core.storage.documents import (
    WatchedFolder,
    fetch_files,
    fetch_folder_problem,
    list_watched_folders,
    record_folder_problem,
)

logger = logging.getLogger("brain.folders")

POLL_SECONDS = 2.0
"""Pause between looks at the list of followed folders."""
RESCAN_SECONDS = 60.0
"""Pause between whole comparisons, for changes that no event told of: of network drives, of folders that were away."""
DEBOUNCE_MS = 400
"""A file that is being written is read once it has rested for so long."""

Told = Callable[[WatchedFolder, FolderReport], None]
Index = Callable[[TenantId], object]


def follow_folders(
    settings: Settings,
    database: Database,
    stop: Event,
    *,
    tell: Told = lambda _folder, _report: None,
    index: Index = lambda _tenant: None,
) -> None:
    """Import followed folders until ``stop`` is set: at once, then what changes; ``tell`` gets each report with a change.

    ``index`` is called for a tenant with new or changed notes, and after each whole comparison: others may have imported.

    A folder that cannot be imported is told in the log and in its row, and tried again.
    """
    compared: dict[WatchedFolder, float] = {}
    while not stop.is_set():
        try:
            _follow(settings, database, stop, compared, tell=tell, index=index)
        except RagError as error:
            logger.warning("the folders are not followed at the moment: %s", error)
        stop.wait(POLL_SECONDS)


def _follow(
    settings: Settings,
    database: Database,
    stop: Event,
    compared: dict[WatchedFolder, float],
    *,
    tell: Told,
    index: Index,
) -> None:
    """Follow the folders that there are, until others are to be followed; ``compared`` holds when each was compared whole.

    What changed before the watch began is found by a whole comparison.
    """
    folders = list_watched_folders(database)
    there = _existing(folders)
    for folder in there:
        compared.pop(folder, None)
    for paths in _changes(there, stop):
        oldest = time.monotonic() - RESCAN_SECONDS
        due = [folder for folder in folders if compared.get(folder, oldest) <= oldest]
        compared |= dict.fromkeys(due, time.monotonic())
        for folder in [*due, *(one for one in _of(there, paths) if one not in due)]:
            try:
                report = _sync(settings, database, folder)
            except BusyError:  # who imports it now may have looked before the change
                compared.pop(folder, None)
                continue
            if report is not None and report.count("imported", "updated", "removed", "refused", "failed"):
                tell(folder, report)
            if report is not None and (folder in due or report.count("imported", "updated")):
                _index(index, folder.tenant)
        if list_watched_folders(database) != folders or _existing(folders) != there:
            return


def _index(index: Index, tenant: TenantId) -> None:
    try:
        index(tenant)
    except RagError as error:  # the notes are stored, and a run of the pipeline indexes them
        logger.warning("new notes of %s are not indexed at once: %s", tenant, error)


def _existing(folders: Iterable[WatchedFolder]) -> list[WatchedFolder]:
    return [folder for folder in folders if Path(folder.path).is_dir()]


def _changes(folders: Sequence[WatchedFolder], stop: Event) -> Iterator[list[str]]:
    """Paths that changed, none after a pause. What changes while they are worked on is in the next list."""
    from watchfiles import watch  # a compiled library that only this process needs

    if not folders:
        yield []
        return
    changes = watch(
        *{folder.path for folder in folders},
        watch_filter=None,
        debounce=4 * DEBOUNCE_MS,
        step=DEBOUNCE_MS,
        stop_event=stop,
        rust_timeout=int(POLL_SECONDS * 1000),
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    for found in changes:
        yield [path for _, path in found]


def _of(folders: Iterable[WatchedFolder], paths: Iterable[str]) -> list[WatchedFolder]:
    changed = [Path(path) for path in paths]
    return [folder for folder in folders if any(path.is_relative_to(folder.path) for path in changed)]


def sync_folder(settings: Settings, database: Database, folder: WatchedFolder) -> FolderReport | None:
    """Import a followed folder and remove what is gone from it; None where it cannot be imported, or is already."""
    try:
        return _sync(settings, database, folder)
    except BusyError:
        return None


def _sync(settings: Settings, database: Database, folder: WatchedFolder) -> FolderReport | None:
    """Import a followed folder, and record what is left undone; None where it cannot be imported.

    Raises:
        BusyError: it is being imported already.
    """
    try:
        with open_folder_import(
            settings, database, folder.tenant, source=folder.source, language=folder.language
        ) as folder_import:
            report = folder_import.run(
                Path(folder.path), exclude=folder.exclude, prunes=True, retries=False, waits=False
            )
    except BusyError:
        raise
    except RagError as error:
        logger.warning("folder %s of source %s: %s", folder.path, folder.source, error)
        _record(database, folder.tenant, folder.source, str(error))
        return None
    except Exception as error:  # a defect with one folder, logged with its stack, ends the following of no other
        logger.exception("folder %s of source %s", folder.path, folder.source)
        _record(
            database, folder.tenant, folder.source, f"the import failed ({type(error).__name__}); the log holds why"
        )
        return None
    _record(database, folder.tenant, folder.source, _withheld(folder, report))
    return report


def has_changed(database: Database, folder: WatchedFolder) -> bool:
    """Tell whether any file of a folder was added, changed or removed since its last import, by names, sizes and times.

    A folder that cannot be read has not; neither has one whose import withheld removals, until another file changes.
    """
    with database.transaction(folder.tenant) as connection:
        known = fetch_files(connection, folder.tenant, folder.source)
        problem = fetch_folder_problem(connection, folder.tenant, folder.source)
    try:
        found = list(scan_folder(Path(folder.path), exclude=folder.exclude))
    except (OSError, RagError):
        return False
    there = {file.path: (file.size, file.modified_ns) for file in found if not file.error}
    facts = {path: (file.file_size, file.modified_ns) for path, file in known.items()}
    differs = any(facts.get(path) != one for path, one in there.items())
    return differs or (problem is None and any(not file.error for file in missing_files(known, found).values()))


def _withheld(folder: WatchedFolder, report: FolderReport) -> str | None:
    if not report.withheld:
        return None
    return (
        f"{report.withheld_reason}; the notes of {len(report.withheld)} files stay until "
        f"`brain import {folder.path} --source {folder.source} --prune --confirm-removals`"
    )


def _record(database: Database, tenant: TenantId, source: str, problem: str | None) -> None:
    def write(connection: Connection) -> None:
        record_folder_problem(connection, tenant, source, problem)

    try:
        database.write(tenant, write)
    except RagError as error:
        logger.warning("the state of source %s is not recorded: %s", source, error)

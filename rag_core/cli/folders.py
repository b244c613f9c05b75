"""Followed folders: `brain folder`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, own_tenant, print_json, say, table
from rag_core.cli.importing import DEFAULT_SOURCE, ExcludeOption, NoteLanguageOption, tell_messages
from rag_core.cli.messages import amount, headings, label, localised, tr

if TYPE_CHECKING:
    from rag_core.folders.comparing import FolderReport
    from rag_core.model.note import TenantId
    from rag_core.storage.database import Database
    from rag_core.storage.documents import StoredFolder, WatchedFolder

folder_app = typer.Typer(
    no_args_is_help=True, help="Followed folders: what changes in them is imported, what is gone is removed."
)
app.add_typer(folder_app, name="folder")

_PROBLEMS = ("refused", "failed")
SourceArgument = Annotated[str, typer.Argument(help="Source of the folder, or its path.")]


@folder_app.command("add")
def add_folder(
    path: Annotated[Path, typer.Argument(help="Folder to follow.")],
    source: Annotated[str | None, typer.Option(help="Source of its notes; default: the folder's name.")] = None,
    language: NoteLanguageOption = None,
    tenant: TenantOption = None,
    exclude: ExcludeOption = None,
    is_json: JsonOption = False,
) -> None:
    """Follow a folder: import it now, and from then on what changes, while `brain up` runs.

    Changed, renamed and removed files follow within seconds. Nothing is removed while the folder is missing, empty, on another
    device, or has lost over half of its files: `brain folder list` says so.

    Example: brain folder add ~/Notas
    """
    from rag_core.errors import InvalidInputError
    from rag_core.folders.following import sync_folder
    from rag_core.folders.sources import check_source
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.documents import WatchedFolder
    from rag_core.storage.notes import ensure_tenant

    with command(is_json=is_json):
        settings = read_settings()
        path = path.expanduser().resolve()
        if not path.is_dir():
            found = f"{path} is a file; `brain import` takes it" if path.exists() else f"there is no folder {path}"
            raise InvalidInputError(found)
        folder = WatchedFolder(
            tenant=own_tenant(settings, tenant),
            source=source or path.name or DEFAULT_SOURCE,
            path=str(path),
            exclude=tuple(exclude or ()),
            language=language,
        )
        check_source(folder.source)
        with open_database(settings) as database:
            with database.transaction(folder.tenant) as connection:
                ensure_tenant(connection, folder.tenant)
            _follow(database, folder)
            report = sync_folder(settings, database, folder)
            stored = _stored(database, folder.tenant, folder.source)
        if is_json:
            print_json(asdict(stored))
        else:
            _show_report(report, stored)


def _follow(database: "Database", folder: "WatchedFolder") -> None:
    """Have a folder followed. Folders are read between the transactions, because a disk may be slow, and again after a change."""
    from rag_core.folders.sources import require_free
    from rag_core.storage.documents import hold_folder, list_folders, lock_folders, watch_folder

    place = {"source": folder.source, "path": folder.path, "device": str(Path(folder.path).stat().st_dev)}
    while True:
        with database.transaction(folder.tenant) as connection:
            seen = list_folders(connection, folder.tenant)
        require_free(folder, seen)
        paths = {folder.path, *(one.path for one in seen if one.source == folder.source)}
        with database.transaction(folder.tenant) as connection:
            lock_folders(connection, folder.tenant)
            is_same = _followed(list_folders(connection, folder.tenant)) == _followed(seen)
            if is_same and hold_folder(connection, folder.tenant, **place).path in paths:
                watch_folder(connection, folder.tenant, **place, exclude=folder.exclude, language=folder.language)
                return


def _followed(folders: "list[StoredFolder]") -> "list[tuple[str, str, list[str]]]":
    return [(one.source, one.path, one.exclude) for one in folders if one.is_watched]


def _show_report(report: "FolderReport | None", stored: "StoredFolder") -> None:
    if report is not None:
        counts = {
            "imported": report.count("imported"),
            "updated": report.count("updated"),
            "unchanged": report.count("unchanged"),
            "removed": report.count("removed"),
            "rejected": report.count("refused", "failed"),
        }
        print("  ".join(f"{label(name)} {count}" for name, count in counts.items()))
        tell_messages(report.files)
    if stored.refused or stored.failed:
        say(_how_to_list(stored.source))
    if stored.problem:
        say(localised(stored.problem))
    print(tr("{path} is followed as source {source} while `brain up` runs.", path=stored.path, source=stored.source))


def _stored(database: "Database", tenant: "TenantId", named: str) -> "StoredFolder":
    """The folder of that source or path.

    Raises:
        NotFoundError: there is none.
    """
    from rag_core.errors import NotFoundError
    from rag_core.storage.documents import list_folders

    path = str(Path(named).expanduser().resolve())
    with database.transaction(tenant) as connection:
        folders = list_folders(connection, tenant)
    found = [one for one in folders if one.source == named] or [one for one in folders if one.path == path]
    if not found:
        known = ", ".join(one.source for one in folders)
        raise NotFoundError(f"no folder was imported as {named!r}" + (f"; there are {known}" if known else ""))
    return found[0]


@folder_app.command("list")
def list_all(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """List the folders that notes come from, followed or not, and what is to be done about them.

    Example: brain folder list
    """
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.database import open_database
    from rag_core.storage.documents import list_folders

    with command(is_json=is_json):
        settings = read_settings_to_read()
        owner = own_tenant(settings, tenant)
        with open_database(settings) as database, database.transaction(owner) as connection:
            folders = list_folders(connection, owner)
        if is_json:
            print_json({"folders": [asdict(folder) for folder in folders]})
            return
        if not folders:
            say(tr("No folder yet. `brain folder add PATH` follows one."))
            return
        for one in folders:
            _show_folder(one)


def _show_folder(folder: "StoredFolder") -> None:
    """A folder in a few lines: its source, where it is, what became of its files, and what is to be done."""
    followed = tr("followed while `brain up` runs") if folder.is_watched else tr("not followed")
    print(f"{folder.source}: {followed}\n  {folder.path}")
    counts = {"indexed": folder.indexed, "waiting": folder.waiting, "refused": folder.refused, "failed": folder.failed}
    print("  " + ", ".join(f"{label(name)}: {count:,}" for name, count in counts.items() if count or name == "indexed"))
    if folder.refused or folder.failed:
        print("  " + _how_to_list(folder.source))
    if folder.problem:
        print(f"  {localised(folder.problem)}")


def _how_to_list(source: str) -> str:
    from shlex import quote

    return tr("`brain folder status {source}` lists every file with its state and reason.", source=quote(source))


@folder_app.command("status")
def show_status(
    source: SourceArgument,
    only_problems: Annotated[bool, typer.Option("--problems", help="Only files refused or failed.")] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Show the state of each file of a folder, refused and failed ones with the reason first.

    Example: brain folder status Notas
    """
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.database import open_database
    from rag_core.storage.documents import list_file_states

    with command(is_json=is_json):
        settings = read_settings_to_read()
        owner = own_tenant(settings, tenant)
        with open_database(settings) as database:
            folder = _stored(database, owner, source)
            with database.transaction(owner) as connection:
                states = list_file_states(connection, owner, folder.source)
        states = sorted(states, key=lambda file: file.state not in _PROBLEMS)
        files = [asdict(file) for file in states if file.state in _PROBLEMS or not only_problems]
        if is_json:
            print_json({**asdict(folder), "files": [_localised(file) for file in files]})
            return
        if files:
            table(folder.source, headings("file", "state", "reason"), [_row(_localised(file)) for file in files])
        else:
            say(
                tr("No file of {source} was refused or failed.", source=folder.source)
                if only_problems
                else tr("No files.")
            )
        if folder.problem:
            say(localised(folder.problem))


def _localised(file: dict[str, Any]) -> dict[str, Any]:
    warnings = [localised(warning) for warning in file["warnings"]]
    return file | {"warnings": warnings, "error": localised(file["error"]) or None}


def _row(file: dict[str, Any]) -> list[str]:
    return [file["path"], label(file["state"]), file["error"] or "; ".join(file["warnings"])]


@folder_app.command("remove")
def remove_folder(
    source: SourceArgument,
    deletes_notes: Annotated[
        bool, typer.Option("--delete-notes", help="Delete its notes too; files are never touched.")
    ] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Follow a folder no longer. Its notes stay unless --delete-notes is given.

    Example: brain folder remove Notas
    """
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.documents import folder_lock, forget_folder, unwatch_folder

    with command(is_json=is_json):
        settings = read_settings()
        owner = own_tenant(settings, tenant)
        with open_database(settings) as database:
            folder = _stored(database, owner, source)
            with (
                folder_lock(database, owner, folder.source, waits=True),
                database.transaction(owner) as connection,
            ):
                unwatch_folder(connection, owner, folder.source)
                deleted = forget_folder(connection, owner, folder.source) if deletes_notes else 0
        if is_json:
            print_json({"source": folder.source, "deleted": deleted})
        else:
            print(tr("{source} is not followed; deleted {notes}", source=folder.source, notes=amount(deleted, "note")))


@folder_app.command("watch")
def watch_folders() -> None:
    """Import and index what changes in followed folders, in the foreground, until Ctrl-C; `brain up` does so by itself.

    Example: brain folder watch
    """
    import signal
    from threading import Event

    from rag_core.folders.following import follow_folders
    from rag_core.indexing.few_notes import index_few
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.live_engine import LiveEngine
    from rag_core.settings import read_settings

    with command(is_json=False):
        settings = read_settings()
        stop = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: stop.set())
        with open_engine(settings) as opened:
            live = LiveEngine(opened)

            def index(tenant: "TenantId") -> None:
                engine = live.current()
                index_few(engine.database, tenant, engine.pipeline, chat=engine.chat)

            follow_folders(settings, opened.database, stop, tell=_tell, index=index)


def _tell(folder: "WatchedFolder", report: "FolderReport") -> None:
    counts = {name: report.count(name) for name in ("imported", "updated", "removed", "refused", "failed")}
    told = "  ".join(f"{label(name)} {count}" for name, count in counts.items() if count)
    print(f"{folder.source}: {told}", flush=True)

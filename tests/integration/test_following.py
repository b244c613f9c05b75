"""Followed folders: changes are imported within seconds, and what cannot be is told."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest
from folders import Vault

from rag_core.folders import following as following_folders
from rag_core.folders.comparing import FolderReport
from rag_core.folders.following import follow_folders, has_changed, sync_folder
from rag_core.folders.scanning import FoundFile
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import Database
from rag_core.storage.documents import (
    WatchedFolder,
    fetch_folder_problem,
    folder_lock,
    list_watched_folders,
    watch_folder,
)

PATIENCE = 30.0


@pytest.fixture
def vault(tmp_path: Path, database: Database, tenant: TenantId) -> Vault:
    folder = tmp_path / "vault"
    folder.mkdir()
    return Vault(path=folder, database=database, tenant=tenant)


def watched(vault: Vault) -> WatchedFolder:
    device = str(vault.path.stat().st_dev)
    with vault.database.transaction(vault.tenant) as connection:
        watch_folder(
            connection,
            vault.tenant,
            source=vault.source,
            path=str(vault.path),
            device=device,
            exclude=[],
            language=None,
        )
    (folder,) = list_watched_folders(vault.database)
    return folder


def problem(vault: Vault) -> str | None:
    with vault.database.transaction(vault.tenant) as connection:
        return fetch_folder_problem(connection, vault.tenant, vault.source)


@contextmanager
def following(database: Database) -> Iterator[Callable[[], FolderReport]]:
    """Follow folders in a thread; the value gives the next report with a change."""
    reports: Queue[FolderReport] = Queue()
    stop = threading.Event()
    thread = threading.Thread(
        target=follow_folders,
        args=(read_settings(), database, stop),
        kwargs={"tell": lambda _folder, report: reports.put(report)},
    )
    thread.start()
    try:
        yield lambda: reports.get(timeout=PATIENCE)
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_what_is_written_changed_and_removed_follows(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.write("b.md", "Dos")
    watched(vault)

    with following(vault.database) as next_report:
        assert next_report().count("imported") == 2
        vault.write("c.md", "Tres")
        assert next_report().count("imported") == 1
        (vault.path / "a.md").unlink()
        assert next_report().count("removed") == 1
        vault.write("b.md", "Cuatro")
        assert next_report().count("updated") == 1

    assert vault.notes() == {"b.md": "Cuatro", "c.md": "Tres"}


def test_a_folder_that_is_added_while_others_are_followed_is_followed_too(vault: Vault) -> None:
    vault.write("a.md", "Uno")

    with following(vault.database) as next_report:
        watched(vault)
        assert next_report().count("imported") == 1


def follow(vault: Vault, monkeypatch: pytest.MonkeyPatch, watches: Iterator[Iterator[list[str]]]) -> list[str]:
    """Follow folders through watches that tell of these changes; return the files that were imported, in their order."""
    stop = threading.Event()
    imported: list[str] = []
    monkeypatch.setattr(following_folders, "POLL_SECONDS", 0)
    monkeypatch.setattr(following_folders, "_changes", lambda _folders, stop: next(watches, None) or stop.set() or ())
    follow_folders(
        read_settings(),
        vault.database,
        stop,
        tell=lambda _folder, report: imported.extend(f.path for f in report.files),
    )
    return imported


def test_what_changes_between_two_watches_is_followed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.md", "Uno")
    watched(vault)

    def watches() -> Iterator[Iterator[list[str]]]:
        yield iter([[]])
        vault.write("b.md", "Dos")
        yield iter([[]])

    assert follow(vault, monkeypatch, watches()) == ["a.md", "a.md", "b.md"]


def test_what_changes_while_another_import_runs_is_followed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    watched(vault)

    def changes() -> Iterator[list[str]]:
        yield []
        with folder_lock(vault.database, vault.tenant, vault.source, waits=True):
            yield [str(vault.write("a.md", "Uno"))]
        yield []

    assert follow(vault, monkeypatch, iter([changes()])) == ["a.md"]


def leave_out(vault: Vault) -> None:
    vault.write(".gitignore", "a.md")


def make_a_folder_of_it(vault: Vault) -> None:
    (vault.path / "a.md").unlink()
    vault.write("a.md/x.md", "Otra")


@pytest.mark.parametrize("change", [leave_out, make_a_folder_of_it])
def test_a_file_that_is_taken_no_more_is_removed_once(vault: Vault, change: Callable[[Vault], None]) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    change(vault)

    assert has_changed(vault.database, folder)
    sync_folder(read_settings(), vault.database, folder)

    assert "a.md" not in vault.notes()
    assert not has_changed(vault.database, folder)


def test_a_subfolder_that_cannot_be_read_has_not_changed(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("sub/a.md", "Uno")
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    unread = FoundFile(path="sub", file=vault.path / "sub", error="the folder cannot be read: Permission denied")
    monkeypatch.setattr(following_folders, "scan_folder", lambda *_, **__: iter([unread]))

    assert not has_changed(vault.database, folder)


def test_a_missing_folder_is_told_and_keeps_its_notes(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    vault.path.rename(vault.path.with_name("away"))

    assert sync_folder(read_settings(), vault.database, folder) is None
    assert "cannot be read" in (problem(vault) or "")
    assert set(vault.notes()) == {"a.md"}


def test_withheld_removals_are_told_until_they_are_confirmed(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    (vault.path / "a.md").unlink()

    sync_folder(read_settings(), vault.database, folder)

    assert "--confirm-removals" in (problem(vault) or "")
    assert set(vault.notes()) == {"a.md"}


def test_a_problem_that_is_over_is_told_no_more(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    file = (vault.path / "a.md").rename(vault.path.with_name("a.md"))
    sync_folder(read_settings(), vault.database, folder)
    file.rename(vault.path / "a.md")

    sync_folder(read_settings(), vault.database, folder)

    assert problem(vault) is None


@pytest.mark.parametrize("change", ["add", "edit", "remove"])
def test_a_change_is_seen_by_names_sizes_and_times(vault: Vault, change: str) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    assert not has_changed(vault.database, folder)

    if change == "remove":
        (vault.path / "a.md").unlink()
    else:
        vault.write("a.md" if change == "edit" else "d.md", "Otra")

    assert has_changed(vault.database, folder)


def test_a_folder_that_is_away_has_not_changed(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    folder = watched(vault)
    sync_folder(read_settings(), vault.database, folder)
    vault.path.rename(vault.path.with_name("away"))

    assert not has_changed(vault.database, folder)

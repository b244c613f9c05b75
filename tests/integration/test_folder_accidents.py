"""Import of a folder where something is wrong: hostile files, other folders, deletions meanwhile, two imports at once."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from folders import Vault

from rag_core.errors import BusyError, ConflictError, InvalidInputError, TenantDeletedError
from rag_core.folders import importing
from rag_core.folders.importing import FolderImport
from rag_core.folders.opening import open_folder_import
from rag_core.folders.scanning import FoundFile
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import Database
from rag_core.storage.documents import folder_lock


@pytest.fixture
def vault(tmp_path: Path, database: Database, tenant: TenantId) -> Vault:
    folder = tmp_path / "vault"
    folder.mkdir()
    return Vault(path=folder, database=database, tenant=tenant)


@pytest.mark.parametrize(
    "front",
    ["x: !!bool maybe", "x: !!int ''", "x: !!timestamp foo", f"title: 0x{'f' * 5000}", f"tags: [0x{'f' * 5000}]"],
)
def test_hostile_front_matter_leaves_the_other_files(vault: Vault, front: str) -> None:
    vault.write("a.md", f"---\n{front}\n---\nUno")
    vault.write("b.md", "Dos")

    assert vault.statuses() == {"a.md": "imported", "b.md": "imported"}


def test_a_defect_of_reading_fails_one_file(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.md", "Uno")
    vault.write("b.csv", "Mes;Euros\nenero;12\n")

    def fail(*_: object, **__: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("rag_core.folders.reading.markdown_document", fail)

    assert vault.statuses() == {"a.md": "failed", "b.csv": "imported"}


def test_the_source_of_uploads_is_refused(vault: Vault) -> None:
    vault.source = "uploads"

    with pytest.raises(InvalidInputError, match="--source NAME"):
        vault.take()


def test_a_tenant_that_is_deleted_meanwhile_is_not_made_again(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_core.folders.importing.BATCH_FILES", 1)
    for name in "abc":
        vault.write(f"{name}.md", name)
    store = FolderImport._store

    def delete_before(self: FolderImport, batch: Any, *given: Any) -> None:
        if batch[0].stored.path == "b.md":
            with vault.database.owner() as owner:
                owner.execute("delete from brain.tenants where tenant_id = %s", (vault.tenant,))
        store(self, batch, *given)

    monkeypatch.setattr(FolderImport, "_store", delete_before)

    with pytest.raises(TenantDeletedError):
        vault.take()
    with vault.database.owner() as owner:
        assert owner.execute("select count(*) from brain.tenants where tenant_id = %s", (vault.tenant,)).fetchone() == (
            0,
        )


def test_a_file_that_is_back_when_it_would_be_removed_stays(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    vault.take()
    (vault.path / "a.md").unlink()
    find_gone = FolderImport._gone

    def write_again(self: FolderImport, *given: Any) -> Any:
        gone = find_gone(self, *given)
        vault.write("a.md", "a")
        return gone

    monkeypatch.setattr(FolderImport, "_gone", write_again)

    assert "removed" not in vault.statuses(prunes=True).values()
    assert set(vault.notes()) == {"a.md", "b.md", "c.md"}


def test_what_is_gone_is_removed_before_others_are_read(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    vault.take()
    (vault.path / "a.md").unlink()

    def stop(*_: object) -> None:
        raise BusyError("stopped")

    monkeypatch.setattr(FolderImport, "_store_all", stop)

    with pytest.raises(BusyError):
        vault.take(prunes=True)
    assert set(vault.notes()) == {"b.md", "c.md"}


def test_what_was_read_is_stored_after_some_seconds(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[list[str]] = []
    store = FolderImport._store

    def count(self: FolderImport, batch: Any, *given: Any) -> None:
        batches.append([item.stored.path for item in batch])
        store(self, batch, *given)

    monkeypatch.setattr(FolderImport, "_store", count)
    monkeypatch.setattr("rag_core.folders.importing.BATCH_SECONDS", 0)
    for name in "ab":
        vault.write(f"{name}.md", name)

    vault.take()

    assert batches == [["a.md"], ["b.md"]]


@pytest.mark.parametrize(
    ("path", "become"),
    [
        ("a.md", lambda file: file.write_bytes(bytes(2_000))),
        ("a.md", lambda file: file.symlink_to(file.with_name("otra") / "a.md")),
        ("sub/a.md", lambda file: file.parent.rmdir() or file.parent.symlink_to(file.parent.with_name("otra"))),
        ("a.md", os.mkfifo),
    ],
    ids=["large", "link", "linked folder", "pipe"],
)
def test_a_file_that_is_another_when_it_is_read_is_not_taken(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, path: str, become: Callable[[Path], object]
) -> None:
    """Neither as a new file nor as one that was renamed."""
    for name in ("b.md", "otra/a.md", path):
        vault.write(name, "Uno")
    vault.take(only="b.md")
    (vault.path / "b.md").rename(vault.path / "c.md")
    scan = importing.scan_folder

    def scan_folder(folder: Path, **options: Any) -> list[FoundFile]:
        found = list(scan(folder, **options))
        (folder / path).unlink()
        become(folder / path)
        return found

    monkeypatch.setattr(importing, "scan_folder", scan_folder)
    with open_folder_import(read_settings(), vault.database, vault.tenant, source=vault.source) as opened:
        small = replace(opened, reading=replace(opened.reading, max_bytes=1_000))
        statuses = {file.path: file.status for file in small.run(vault.path).files}

    assert statuses == {"c.md": "updated", "otra/a.md": "imported", path: "failed"}


def test_names_that_differ_in_their_encoding_alone_leave_the_first_alone(vault: Vault) -> None:
    for name in ("mañana.md", "man\u0303ana.md"):
        vault.write(name, "Uno [[b]]")

    assert list(vault.statuses().values()) == ["imported", "refused"]
    assert list(vault.statuses().values()) == ["unchanged", "refused"]
    assert vault.rows("select path, status from documents where note_id is not null") == [("mañana.md", "imported")]
    assert vault.rows("select target from note_links") == [("b",)]


def test_a_folder_that_moved_is_the_same_though_its_names_have_accents_apart(vault: Vault, tmp_path: Path) -> None:
    vault.write("an\u0303o/man\u0303ana.md", "Uno")
    vault.take()
    vault.path = vault.path.rename(tmp_path / "nueva")

    assert vault.statuses() == {"año/mañana.md": "unchanged"}


def test_front_matter_that_cannot_be_read_leaves_a_hidden_note_as_it_was(vault: Vault) -> None:
    text = "---\nvisibility: department\ndepartments: [rrhh]\ndate: 2024-01-{}\n---\nUno"
    vault.write("a.md", text.format(31))
    vault.take()
    vault.write("a.md", text.format(32), modified_ns=1_600_000_000_000_000_000)

    assert vault.statuses() == {"a.md": "refused"}
    assert vault.rows("select departments, content from notes") == [(["rrhh"], "Uno")]


def test_another_folder_is_not_taken_for_one_that_is_away(vault: Vault, tmp_path: Path) -> None:
    vault.write("README.md", "Uno")
    vault.write("b.md", "Dos")
    vault.take()
    vault.path.rename(tmp_path / "away")
    vault.write("README.md", "De otro")

    other = tmp_path / "otra/vault"
    other.mkdir(parents=True)
    (other / "README.md").write_text("De otro", encoding="utf-8")
    shutil.rmtree(vault.path)
    second = Vault(path=other, database=vault.database, tenant=vault.tenant)

    with pytest.raises(ConflictError, match="--source NAME"):
        second.take()
    assert vault.notes() == {"README.md": "Uno", "b.md": "Dos"}


def test_removals_in_small_steps_add_up(vault: Vault) -> None:
    for number in range(12):
        vault.write(f"{number}.md", str(number))
    vault.take(prunes=True)
    for step in range(3):
        for number in range(3 * step, 3 * step + 3):
            (vault.path / f"{number}.md").unlink()
        report = vault.take(prunes=True)

    assert report.withheld_reason == "9 of 12 files are gone"
    assert len(vault.notes()) == 6


def test_a_note_that_was_deleted_comes_back_with_its_file(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    vault.rows("delete from notes returning 1")

    assert vault.statuses() == {"a.md": "imported"}


@pytest.mark.parametrize("path", [" Inbox/n.md", "a .md", "man\u0303ana.md"])
def test_names_are_ids_as_they_are(vault: Vault, path: str) -> None:
    vault.write(path, "Uno [[b]]")

    assert list(vault.statuses().values()) == ["imported"]
    assert vault.statuses(only=path) == {normalize("NFC", path): "unchanged"}
    assert list(vault.notes()) == [normalize("NFC", path)]


@pytest.mark.parametrize("text", ["[a](b.md#%00)", f"[[{'x' * 450}]]", f"---\naliases: ['{'ñ' * 3000}']\n---\nUno"])
def test_hostile_links_and_names_are_stored_or_left_out(vault: Vault, text: str) -> None:
    vault.write("a.md", text)

    assert vault.statuses() == {"a.md": "imported"}


def test_a_path_that_is_too_long_is_told_and_recorded(vault: Vault) -> None:
    vault.write("/".join(["x" * 200] * 4) + "/a.md", "Uno")

    (file,) = vault.take().files

    assert file.status == "refused"
    assert "shorten" in (file.error or "")
    assert vault.rows("select count(*) from documents") == [(1,)]


def test_a_rename_to_the_name_of_another_note_leaves_both(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    vault.rows(
        "insert into notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at) "
        "values (%s, gen_random_uuid(), %s, 'b.md', 'Otra', sha256('x'), 'es', now()) returning 1",
        vault.tenant,
        vault.source,
    )
    shutil.move(vault.path / "a.md", vault.path / "b.md")

    assert vault.statuses() == {"b.md": "updated"}
    assert vault.notes() == {"a.md": "Uno", "b.md": "Uno"}


def test_a_second_import_of_the_source_waits_or_is_refused(vault: Vault) -> None:
    vault.write("a.md", "Uno")

    with folder_lock(vault.database, vault.tenant, vault.source, waits=True) as is_alone:
        assert is_alone
        with pytest.raises(BusyError):
            vault.take(waits=False)
    assert vault.statuses() == {"a.md": "imported"}

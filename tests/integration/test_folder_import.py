"""Import of a folder: notes and documents, what changed, what was renamed, what is gone."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from folders import Vault

from rag_core.errors import ConflictError, InvalidInputError
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.documents import fetch_backlinks, fetch_links
from rag_core.storage.notes import find_note


@pytest.fixture
def vault(tmp_path: Path, database: Database, tenant: TenantId) -> Vault:
    folder = tmp_path / "vault"
    folder.mkdir()
    return Vault(path=folder, database=database, tenant=tenant)


def test_files_become_notes_named_by_their_paths(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.write("viajes/roma.md", "Dos")

    assert vault.statuses() == {"a.md": "imported", "viajes/roma.md": "imported"}
    assert vault.notes() == {"a.md": "Uno", "viajes/roma.md": "Dos"}


def test_front_matter_is_told_behind_the_text_where_it_has_no_meaning_of_its_own(vault: Vault) -> None:
    vault.write("a.md", "---\ntitle: Pan\ndate: 2024-04-03\ntags: [b]\nmesa: 4\n---\n# Otra\n\nHola #c")

    vault.take()

    assert vault.rows("select title, content, tags, metadata->'mesa', dated_by, created_at from notes") == [
        ("Pan", "# Otra\n\nHola #c\n\nmesa: 4", ["b", "c"], 4, "given", datetime(2024, 4, 2, 22, tzinfo=UTC))
    ]


def test_a_field_of_front_matter_is_found_by_its_words_and_its_links_lead_to_notes(vault: Vault) -> None:
    vault.write("a.md", "---\nautora: Marta Ruiz\nproyecto: '[[casa]]'\n---\nHola")
    vault.write("casa.md", "Obras")
    vault.take()

    assert vault.rows("select content from chunks where lexemes @@ to_tsquery('spanish', 'marta & proyecto')") == [
        ("Hola\n\nautora: Marta Ruiz\nproyecto: [[casa]]",)
    ]
    with vault.database.transaction(vault.tenant) as connection:
        source, target = (find_note(connection, vault.tenant, name) for name in ("a.md", "casa.md"))
        (link,) = fetch_links(connection, vault.tenant, source)

    assert (link.start, link.end, link.note_id) == (35, 43, target)


def test_front_matter_alone_is_a_note(vault: Vault) -> None:
    vault.write("Lucía.md", "---\ncumpleaños: 14 de mayo\n---\n")

    vault.take()

    assert vault.notes() == {"Lucía.md": "cumpleaños: 14 de mayo"}


@pytest.mark.parametrize(
    ("path", "text", "dated_by"),
    [("2024-04-03.md", "Hola", "name"), ("a.md", "# 3 de abril de 2024\n\nHola", "heading"), ("a.md", "Hola", "file")],
)
def test_a_date_is_marked_with_its_origin(vault: Vault, path: str, text: str, dated_by: str) -> None:
    vault.write(path, text)

    vault.take()

    assert vault.rows("select dated_by from notes") == [(dated_by,)]


def test_a_title_is_the_first_heading_else_the_files_name(vault: Vault) -> None:
    vault.write("a.md", "# Pan de masa\n\nHola")
    vault.write("Sopa de ajo.md", "## Ingredientes\n\nAjo")

    vault.take()

    assert dict(vault.rows("select external_id, title from notes")) == {
        "a.md": "Pan de masa",
        "Sopa de ajo.md": "Sopa de ajo",
    }


def test_links_mean_notes_by_path_name_and_alias(vault: Vault) -> None:
    vault.write("a.md", "Ver [[roma]], [[Urbe]], [mapa](viajes/roma.md#centro) y [[nada]].")
    vault.write("viajes/Roma.md", "---\naliases: [urbe]\n---\nHola")
    vault.take()

    with vault.database.transaction(vault.tenant) as connection:
        source, target = (find_note(connection, vault.tenant, name) for name in ("a.md", "viajes/Roma.md"))
        links = fetch_links(connection, vault.tenant, source)
        back = fetch_backlinks(connection, vault.tenant, target)

    assert [(link.target, link.heading, link.note_id == target) for link in links] == [
        ("roma", None, True),
        ("Urbe", None, True),
        ("viajes/roma.md", "centro", True),
        ("nada", None, False),
    ]
    assert [note.note_id for note in back] == [source]


def test_a_link_means_the_note_with_the_shortest_path(vault: Vault) -> None:
    vault.write("a.md", "[[plan]]")
    vault.write("x/y/plan.md", "Uno")
    vault.write("x/plan.md", "Dos")
    vault.take()

    with vault.database.transaction(vault.tenant) as connection:
        links = fetch_links(connection, vault.tenant, find_note(connection, vault.tenant, "a.md"))

    assert [link.external_id for link in links] == ["x/plan.md"]


def test_a_document_is_a_note_of_its_kind_with_its_tables(vault: Vault) -> None:
    vault.write("gastos.csv", "Mes;Euros\nenero;12\nfebrero;30\n")

    report = vault.take()

    assert [(file.status, file.parser) for file in report.files] == [("imported", "csv/2")]
    assert vault.rows("select kind, title from notes") == [("document", "gastos")]
    spans = "substring(n.content from b.start_char + 1 for b.end_char - b.start_char)"
    assert vault.rows(f"select b.kind, {spans} from blocks b join notes n using (note_id)") == [
        ("table", "| Mes | Euros |\n| --- | --- |\n| enero | 12 |\n| febrero | 30 |")
    ]


def test_an_unchanged_file_is_neither_read_nor_stored(vault: Vault) -> None:
    file = vault.write("a.md", "Uno")
    vault.take()
    before = vault.rows("select updated_at from notes")
    file.write_bytes(b"Dos")  # as long as before
    vault.write("a.md", "Dos")  # and as old

    assert vault.statuses() == {"a.md": "unchanged"}
    assert vault.rows("select updated_at from notes") == before


def test_a_file_with_another_time_is_compared_by_its_content(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    vault.write("a.md", "Uno", modified_ns=1_600_000_000_000_000_000)

    assert vault.statuses() == {"a.md": "unchanged"}


def test_an_edit_within_the_tick_of_the_first_import_is_seen(vault: Vault) -> None:
    now = int(datetime.now(UTC).timestamp() * 1e9)
    vault.write("a.md", "Uno", modified_ns=now)
    vault.take()
    vault.write("a.md", "Dos", modified_ns=now)

    assert vault.statuses() == {"a.md": "updated"}


def test_an_edited_file_updates_its_note(vault: Vault) -> None:
    vault.write("a.md", "Uno [[b]]")
    vault.take()
    vault.write("a.md", "Dos", modified_ns=1_600_000_000_000_000_000)

    assert vault.statuses() == {"a.md": "updated"}
    assert vault.notes() == {"a.md": "Dos"}
    assert vault.rows("select * from note_links") == []


def test_a_renamed_file_keeps_its_note(vault: Vault) -> None:
    vault.write("a.md", "# Pan\n\nHola")
    vault.take()
    before = vault.rows("select note_id, content_hash, updated_at is null from notes")
    (vault.path / "sub").mkdir()
    shutil.move(vault.path / "a.md", vault.path / "sub/b.md")

    assert vault.statuses() == {"sub/b.md": "updated"}
    assert vault.rows("select note_id, content_hash, updated_at is null from notes") == before
    assert vault.notes() == {"sub/b.md": "# Pan\n\nHola"}


def test_names_of_a_renamed_file_are_its_new_ones(vault: Vault) -> None:
    vault.write("a.md", "# Pan\n\nHola")
    vault.take()
    shutil.move(vault.path / "a.md", vault.path / "b.md")
    vault.take()

    assert {key for (key,) in vault.rows("select name_key from note_names")} == {"b", "pan"}


def test_a_new_file_of_the_former_name_is_a_note_of_its_own(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    shutil.move(vault.path / "a.md", vault.path / "b.md")
    vault.take()
    vault.write("a.md", "Dos")

    assert vault.statuses() == {"a.md": "imported", "b.md": "unchanged"}
    assert vault.notes() == {"a.md": "Dos", "b.md": "Uno"}


def test_a_missing_file_keeps_its_note_until_it_is_pruned(vault: Vault) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    vault.take()
    (vault.path / "a.md").unlink()
    vault.take()
    assert set(vault.notes()) == {"a.md", "b.md", "c.md"}

    assert vault.statuses(prunes=True)["a.md"] == "removed"
    assert set(vault.notes()) == {"b.md", "c.md"}


def test_nothing_is_removed_from_an_empty_folder_until_confirmed(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    (vault.path / "a.md").unlink()

    report = vault.take(prunes=True)

    assert report.withheld == ("a.md",)
    assert "empty" in report.withheld_reason
    assert set(vault.notes()) == {"a.md"}
    assert vault.statuses(prunes=True, is_confirmed=True) == {"a.md": "removed"}


def test_nothing_is_removed_when_over_half_is_gone_until_confirmed(vault: Vault) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    vault.take()
    for name in "ab":
        (vault.path / f"{name}.md").unlink()

    report = vault.take(prunes=True)

    assert report.withheld_reason == "2 of 3 files are gone"
    assert set(vault.notes()) == {"a.md", "b.md", "c.md"}


def test_nothing_is_removed_from_another_device_until_confirmed(vault: Vault) -> None:
    for name in "abc":
        vault.write(f"{name}.md", name)
    vault.take()
    with vault.database.owner() as connection:
        connection.execute("update brain.folders set device = 'other'")
    (vault.path / "a.md").unlink()

    assert "device" in vault.take(prunes=True).withheld_reason
    assert "device" in vault.take(prunes=True).withheld_reason  # it does not get used to it
    assert vault.statuses(prunes=True, is_confirmed=True)["a.md"] == "removed"


def test_notes_of_a_subfolder_that_cannot_be_read_stay(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.md", "b.md", "sub/c.md"):
        vault.write(name, name)
    vault.take()
    real = os.scandir

    def scandir(path: Path) -> object:
        if path.name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr("rag_core.folders.scanning.os.scandir", scandir)
        statuses = vault.statuses(prunes=True)

    assert "removed" not in statuses.values()
    assert set(vault.notes()) == {"a.md", "b.md", "sub/c.md"}


def test_a_second_folder_of_the_same_source_is_refused(vault: Vault, tmp_path: Path) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    other = tmp_path / "otra/vault"
    other.mkdir(parents=True)
    second = Vault(path=other, database=vault.database, tenant=vault.tenant)

    with pytest.raises(ConflictError, match="--source"):
        second.take()


def test_a_folder_that_moved_is_the_same(vault: Vault, tmp_path: Path) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    vault.path = vault.path.rename(tmp_path / "nueva")

    assert vault.statuses() == {"a.md": "unchanged"}


def test_a_folder_that_is_missing_is_refused_and_keeps_its_notes(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    shutil.rmtree(vault.path)

    with pytest.raises(InvalidInputError, match="cannot be read"):
        vault.take(prunes=True)
    assert set(vault.notes()) == {"a.md"}


def test_a_bad_file_leaves_the_others_and_its_last_good_version(vault: Vault) -> None:
    vault.write("a.csv", "Mes;Euros\nenero;12\n")
    vault.take()
    vault.write("a.csv", b"\0\1\2", modified_ns=1_600_000_000_000_000_000)
    vault.write("b.md", "Dos")
    vault.write("c.xyz", "?")

    report = vault.take()

    assert {file.path: file.status for file in report.files} == {
        "a.csv": "refused",
        "b.md": "imported",
        "c.xyz": "refused",
    }
    assert set(vault.notes()) == {"a.csv", "b.md"}
    assert vault.rows("select path, status, note_id is not null from documents order by path") == [
        ("a.csv", "refused", True),
        ("b.md", "imported", True),
        ("c.xyz", "refused", False),
    ]


def test_a_refused_file_is_tried_again_only_where_asked(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.xyz", "?")
    vault.take()
    monkeypatch.setattr("rag_core.folders.importing.is_supported_name", lambda _name: pytest.fail("tried"))

    assert vault.statuses(retries=False) == {"a.xyz": "refused"}


def test_a_file_is_parsed_again_by_a_newer_parser(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.csv", "Mes;Euros\nenero;12\n")
    vault.take()
    for module in ("reading", "comparing"):
        monkeypatch.setattr(f"rag_core.folders.{module}.parser_version", lambda name: f"{name}/next")

    vault.take()

    assert vault.rows("select parser from documents") == [("csv/next",)]


def test_beyond_the_tenants_limit_files_are_refused_and_taken_when_there_is_room(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.take()
    vault.write("b.md", "Dos")
    with vault.database.owner() as connection:
        connection.execute("update brain.tenants set max_notes = 1 where tenant_id = %s", (vault.tenant,))

    assert vault.statuses() == {"a.md": "unchanged", "b.md": "refused"}
    with vault.database.owner() as connection:
        connection.execute("update brain.tenants set max_notes = 2 where tenant_id = %s", (vault.tenant,))
    assert vault.statuses()["b.md"] == "imported"


def test_one_file_of_a_folder_leaves_the_others_alone(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.write("b.md", "Dos")

    assert vault.statuses(only="b.md") == {"b.md": "imported"}
    assert vault.statuses(only="a.md", prunes=True) == {"a.md": "imported"}
    assert set(vault.notes()) == {"a.md", "b.md"}


def test_an_edit_over_the_api_forgets_spans_of_the_former_text(vault: Vault) -> None:
    vault.write("a.md", "Uno [[b]]")
    vault.take()

    vault.rows("update notes set content = 'Otra', content_hash = sha256('x') returning 1")

    assert vault.rows("select * from note_links") == []
    assert vault.rows("select * from blocks") == []


def test_a_file_renamed_to_one_that_was_refused_keeps_its_note(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.write("b.md", "")
    vault.take()
    before = vault.rows("select note_id from notes")
    shutil.move(vault.path / "a.md", vault.path / "b.md")

    assert vault.statuses() == {"b.md": "updated"}
    assert vault.rows("select note_id from notes") == before


def test_a_refused_file_that_is_gone_is_forgotten(vault: Vault) -> None:
    vault.write("a.md", "Uno")
    vault.write("b.xyz", "?")
    vault.take()
    (vault.path / "b.xyz").unlink()
    vault.take()

    assert vault.rows("select path from documents") == [("a.md",)]

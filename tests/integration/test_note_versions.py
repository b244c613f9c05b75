"""Versions of notes: kept at every change and deletion whatever makes it, found by nobody, gone when they are to be."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from command_line import Brain
from filling import TENANT

from rag_core.model.note import TenantId, note_id_for
from rag_core.notes.validation import parse_note
from rag_core.notes.versions import restored
from rag_core.storage.connecting import application_pool
from rag_core.storage.database import Database
from rag_core.storage.note_versions import NoteVersion, list_deleted, list_versions, purge_versions
from rag_core.storage.notes import delete_notes, ensure_tenant, fetch_note, find_notes, store_notes
from rag_core.storage.tenants import count_rows, delete_tenant

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
ID = note_id_for(TENANT, "diario", "a")


@pytest.fixture
def keeping(database_url: str) -> Iterator[Database]:
    """The database as whoever keeps versions opens it."""
    with application_pool(database_url, pool_size=2, version_days=30) as pool:
        yield Database(owner_conninfo=database_url, pool=pool)


def store(database: Database, text: str, **more: Any) -> None:
    facts = {"title": "Título", "created_at": "2025-03-01", "metadata": {"tags": ["x"]}} | more
    kind = facts.pop("kind", None)
    note = parse_note(
        external_id="a", source="diario", text=text, language="es", zone=UTC, max_characters=1_000_000, **facts
    )
    with database.transaction(TENANT, has_copy=True) as connection:
        ensure_tenant(connection, TENANT)
        store_notes(connection, TENANT, [replace(note, kind=kind)])


def delete(database: Database) -> None:
    with database.transaction(TENANT) as connection:
        delete_notes(connection, TENANT, [ID])


def versions(database: Database) -> list[NoteVersion]:
    with database.transaction(TENANT) as connection:
        return list_versions(connection, TENANT, ID, since=LONG_AGO)


def test_each_change_keeps_what_was_there_before(keeping: Database) -> None:
    store(keeping, "uno")
    store(keeping, "uno")
    store(keeping, "dos", title="Otro")
    store(keeping, "dos", title="Otro", metadata={"tags": ["y"]})

    kept = versions(keeping)

    assert [(one.content, one.title, one.metadata) for one in kept] == [
        ("dos", "Otro", {"tags": ["x"]}),
        ("uno", "Título", {"tags": ["x"]}),
    ]
    assert not any(one.is_deletion for one in kept)


def test_a_deleted_note_is_stored_again_as_it_was(keeping: Database) -> None:
    store(keeping, "secreto", metadata={"tags": ["x"], "visibility": "private", "n": 1})
    delete(keeping)

    with keeping.transaction(TENANT, has_copy=True) as connection:
        (gone,) = list_deleted(connection, TENANT, since=LONG_AGO)
        store_notes(connection, TENANT, [restored(gone)])
        note = fetch_note(connection, TENANT, ID)
        (departments,) = connection.execute("select departments from notes").fetchone() or (None,)
        again = list_deleted(connection, TENANT, since=LONG_AGO)

    assert (note.content, note.metadata) == ("secreto", {"tags": ["x"], "visibility": "private", "n": 1})
    assert departments == []
    assert again == []


def test_of_a_deleted_note_only_its_version_is_left(keeping: Database) -> None:
    store(keeping, "uno")
    delete(keeping)

    with keeping.owner() as connection:
        rows = count_rows(connection, TENANT)
    sums = {"corpus_statistics", "posting_blocks"}  # what came and what went, until they are folded
    assert {table: rows[table] for table in rows.keys() - sums} == {"note_versions": 1, "tenants": 1}
    with keeping.transaction(TENANT) as connection:
        assert find_notes(connection, TENANT, ["a"]) == {}


def test_nothing_is_kept_where_none_is_wanted(database: Database) -> None:
    store(database, "uno")
    store(database, "dos")
    delete(database)

    assert versions(database) == []


def test_documents_have_no_versions(keeping: Database) -> None:
    store(keeping, "uno", kind="document")
    store(keeping, "dos")
    delete(keeping)

    assert versions(keeping) == []


def test_the_newest_thirty_are_kept(keeping: Database) -> None:
    for number in range(33):
        store(keeping, f"texto {number}")

    kept = versions(keeping)

    assert [one.content for one in (kept[0], kept[-1])] == ["texto 31", "texto 2"]
    assert len(kept) == 30


def test_old_ones_are_purged(keeping: Database) -> None:
    store(keeping, "uno")
    delete(keeping)
    now = datetime.now(UTC)

    assert purge_versions(keeping, TENANT, before=now - timedelta(days=1)) == 0
    assert purge_versions(keeping, TENANT, before=now + timedelta(days=1)) == 1
    assert versions(keeping) == []


def test_another_tenant_and_a_department_see_none(keeping: Database) -> None:
    store(keeping, "uno")
    delete(keeping)
    other = TenantId("otra")

    with keeping.transaction(other) as connection:
        assert list_versions(connection, TENANT, ID, since=LONG_AGO) == []
    with keeping.seen_by(["ventas"]).transaction(TENANT) as connection:
        assert list_deleted(connection, TENANT, since=LONG_AGO) == []


def test_a_change_by_a_department_is_kept_all_the_same(keeping: Database) -> None:
    store(keeping, "uno")
    store(keeping.seen_by(["ventas"]), "dos")

    assert [one.content for one in versions(keeping)] == ["uno"]


def test_a_deleted_tenant_leaves_none(keeping: Database) -> None:
    store(keeping, "uno")
    store(keeping, "dos")

    delete_tenant(keeping, TENANT)

    with keeping.owner() as connection:
        assert connection.execute("select count(*) from brain.note_versions").fetchone() == (0,)


class TestCommand:
    @pytest.fixture
    def stored(self, keeping: Database) -> None:
        store(keeping, "Compré harina")

    def test_a_deletion_says_how_it_is_undone_and_is(self, brain: Brain, stored: None) -> None:
        deleted = brain("delete", "diario:a")
        unfound = brain("search", "harina", "--json").json["results"]
        back = brain("delete", "--undo", "a")

        assert "`brain delete --undo NOTE` brings a note back for 30 days." in deleted.stderr
        assert unfound == []
        assert "restored 1" in back.stdout
        assert len(brain("search", "harina", "--json").json["results"]) == 1

    def test_an_undone_deletion_has_its_links_again(self, brain: Brain, keeping: Database) -> None:
        store(keeping, "Compré harina en [[La tahona]]")
        brain("delete", "a")

        brain("delete", "--undo", "a")

        with keeping.owner() as connection:
            assert connection.execute("select target from brain.note_links").fetchall() == [("La tahona",)]

    def test_forever_keeps_nothing(self, brain: Brain, stored: None, keeping: Database) -> None:
        deleted = brain("delete", "a", "--forever")
        back = brain("delete", "--undo", "a")

        assert "--undo" not in deleted.stderr
        assert back.exit_code == 1
        assert "no deleted note called 'a' is kept" in back.stderr
        assert versions(keeping) == []

    def test_a_setting_of_no_days_keeps_nothing(
        self, brain: Brain, stored: None, keeping: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BRAIN_NOTE_VERSION_DAYS", "0")

        assert brain("delete", "a", "--json").json["kept"] == 0
        assert versions(keeping) == []

"""Whole tenants on a real database: limits hold, and a deletion leaves nothing of one and everything of the others."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

import psycopg
import pytest
from backup_data import EVERY_TABLE, rows_of

from rag_core.conversation.sessions import begin_session
from rag_core.errors import (
    BusyError,
    NotFoundError,
    QueryFailedError,
    TenantDeletedError,
    TenantFullError,
    UnauthenticatedError,
)
from rag_core.evaluation.jobs.queue import submit
from rag_core.indexing.one_note import store_and_index
from rag_core.model.access import TenantSummary
from rag_core.model.note import TenantId
from rag_core.notes import importing
from rag_core.notes.importing import ImportReport, import_lines
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine
from rag_core.storage import tenants as store
from rag_core.storage.database import Database
from rag_core.storage.tenants import create_tenant, delete_tenant, describe_tenant, limit_tenant, list_tenants

OTHER = TenantId("otra")


@pytest.fixture
def filled(database: Database, make_note, index_notes, tenant) -> Database:
    """Two tenants with rows in every table."""
    theirs = (
        ("'pruebas'", "'otra'"),
        ("abcdefghijkl", "mnopqrstuvwx"),
        ("'r', 's'", "'r', 'otra'"),
        ("('p',", "('q',"),
    )
    statements = EVERY_TABLE
    for mine, other in theirs:
        statements = statements.replace(mine, other)
    for owner, rows in ((tenant, EVERY_TABLE), (OTHER, statements)):
        make_note("El paraguas verde se quedó en el museo.", owner=owner, metadata={"tags": ["Viaje"]})
        index_notes(owner)
        with database.owner() as connection:
            connection.execute("set search_path = brain, public")
            connection.execute(rows)
            connection.execute(
                "insert into alerts (tenant_id, rule, subject, severity, title, message) values (%s, 'q', %s, 'info', 't', 'm')",
                (owner, owner),
            )
    return database


def imported(database: Database, tenant: TenantId, *names: str) -> ImportReport:
    lines = [f'{{"id": "{name}", "text": "Nota {name} sobre el tren."}}'.encode() for name in names]
    return import_lines(
        database, tenant, lines, source="s", language="es", zone=ZoneInfo("Europe/Madrid"), max_characters=1_000
    )


def limited(database: Database, tenant: TenantId, max_notes: int | None) -> None:
    with database.owner() as connection:
        limit_tenant(connection, tenant, {"max_notes": max_notes})


class TestDeleteTenant:
    """All that is a tenant's goes, and nothing else."""

    def test_no_row_of_it_is_left_in_any_table(self, filled: Database, tenant: TenantId) -> None:
        before = rows_of(filled.owner_conninfo)

        deleted = delete_tenant(filled, tenant)

        after = rows_of(filled.owner_conninfo)
        assert [(name, row) for name, rows in after.items() for row in rows if "pruebas" in row] == []
        assert {
            name: len(rows) - len(after[name]) for name, rows in before.items() if rows != after[name]
        } == deleted.rows
        assert set(deleted.rows) == {name for name, rows in before.items() if any("pruebas" in row for row in rows)}
        assert deleted.batches == ("pruebas-000000",)

    def test_every_row_of_the_others_is_left(self, filled: Database, tenant: TenantId) -> None:
        before = rows_of(filled.owner_conninfo)

        delete_tenant(filled, tenant)

        after = rows_of(filled.owner_conninfo)
        others = {name: [row for row in rows if "pruebas" not in row] for name, rows in before.items()}
        assert after == others
        assert sum(len(rows) for rows in others.values()) > 40

    def test_one_that_is_not_there_is_told(self, database: Database) -> None:
        with pytest.raises(NotFoundError, match="there is no tenant 'nadie'"):
            delete_tenant(database, TenantId("nadie"))

    def test_what_cannot_be_deleted_whole_is_not_deleted_at_all(
        self, filled: Database, tenant: TenantId, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = rows_of(filled.owner_conninfo)
        whole_order = store.deletion_order
        monkeypatch.setattr(
            store, "deletion_order", lambda *given: [name for name in whole_order(*given) if name != "posting_blocks"]
        )
        with filled.owner() as connection:
            connection.execute("alter table brain.chunks disable trigger chunks_deleted")

        with pytest.raises(QueryFailedError, match="rows of pruebas were left in posting_blocks; nothing was deleted"):
            delete_tenant(filled, tenant)

        assert rows_of(filled.owner_conninfo) == before

    def test_who_writes_for_it_meanwhile_is_waited_for_and_told_of(
        self, filled: Database, tenant: TenantId, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store, "LOCK_SECONDS", 0.2)

        with filled.transaction(tenant) as writer:
            writer.execute("update notes set title = 'x'")
            writer.execute("select 1").fetchone()
            with pytest.raises(BusyError, match="nothing was deleted"):
                delete_tenant(filled, tenant)

        assert delete_tenant(filled, tenant).rows["notes"] == 1

    def test_an_import_that_begins_meanwhile_waits_and_leaves_nothing(
        self, filled: Database, tenant: TenantId, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[str] = []

        def write() -> None:
            with pytest.raises(TenantDeletedError) as caught:
                imported(filled, tenant, "tarde")
            told.append(str(caught.value))

        late = threading.Thread(target=write)
        whole_order, waited = store.deletion_order, []

        def overtaken(*given):
            late.start()
            late.join(0.3)
            waited.append(late.is_alive())
            return whole_order(*given)

        monkeypatch.setattr(store, "deletion_order", overtaken)
        delete_tenant(filled, tenant)
        late.join(10)

        assert waited == [True]
        assert "the tenant pruebas was deleted meanwhile; nothing of this import is left" in told[0]
        assert [row for rows in rows_of(filled.owner_conninfo).values() for row in rows if "pruebas" in row] == []

    def test_an_import_ends_where_its_tenant_goes_halfway(
        self, database: Database, tenant: TenantId, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_NOTES", 2)
        read: list[int] = []

        def lines() -> Iterator[bytes]:
            for number in range(1_000):
                if number == 5:
                    delete_tenant(database, tenant)
                read.append(number)
                yield f'{{"id": "{number}", "text": "Nota {number}."}}'.encode()

        with pytest.raises(TenantDeletedError, match="the tenant pruebas was deleted meanwhile"):
            import_lines(
                database,
                tenant,
                lines(),
                source="s",
                language="es",
                zone=ZoneInfo("Europe/Madrid"),
                max_characters=1_000,
            )

        assert len(read) < 10
        assert [one.name for one in tenants_there(database)] == []


def tenants_there(database: Database) -> list[TenantSummary]:
    with database.owner() as connection:
        return list_tenants(connection)


class TestKeysOfADeletedTenant:
    """Who still remembers a key makes nothing of a tenant that is gone."""

    @pytest.fixture
    def writes(self, engine: Engine) -> dict[str, Callable[[Database, TenantId], object]]:
        """Writes on behalf of a key, by name."""
        note = parse_note(
            external_id="b", source="s", title=None, text="Otra.", created_at=None, language="es", metadata=None,
            zone=ZoneInfo("Europe/Madrid"), max_characters=1_000,
        )  # fmt: skip

        def golden(database: Database, tenant: TenantId) -> object:
            with database.transaction(tenant) as connection:
                return connection.execute("insert into golden_sets (tenant_id, name) values (%s, 'x')", (tenant,))

        return {
            "note": lambda database, tenant: store_and_index(database, tenant, note, engine.pipeline),
            "session": lambda database, tenant: begin_session(
                database, tenant, settings=engine.settings, user_hash="a" * 16
            ),
            "job": lambda database, tenant: submit(database, tenant, "evaluation", {}),
            "golden set": golden,
        }

    @pytest.mark.parametrize("what", ["note", "session", "job", "golden set"])
    def test_they_are_refused_and_leave_no_row(self, database: Database, tenant: TenantId, writes, what) -> None:
        delete_tenant(database, tenant)

        with pytest.raises(UnauthenticatedError) as caught:
            writes[what](database.of_key(None), tenant)

        assert caught.value.is_key_refused
        assert tenants_there(database) == []

    @pytest.mark.parametrize("what", ["note", "session", "job", "golden set"])
    def test_who_waits_for_the_deletion_is_refused_too(
        self, database: Database, tenant: TenantId, writes, what, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole_order, refused, waited = store.deletion_order, [], []

        def write() -> None:
            with pytest.raises(UnauthenticatedError):
                writes[what](database.of_key(["ventas"] if what == "session" else None), tenant)
            refused.append(what)

        late = threading.Thread(target=write)

        def overtaken(*given):
            late.start()
            late.join(0.3)
            waited.append(late.is_alive())
            return whole_order(*given)

        monkeypatch.setattr(store, "deletion_order", overtaken)
        delete_tenant(database, tenant)
        late.join(10)

        assert (waited, refused, tenants_there(database)) == ([True], [what], [])

    @pytest.mark.parametrize("what", ["note", "session", "job"])
    def test_without_keys_the_first_write_makes_the_tenant(self, database: Database, writes, what) -> None:
        writes[what](database, OTHER)

        assert [one.name for one in tenants_there(database)] == [OTHER]


class TestLimits:
    """A tenant has at most so many notes."""

    def test_good_lines_are_taken_until_it_is_full(self, database: Database, tenant: TenantId) -> None:
        limited(database, tenant, 3)

        report = imported(database, tenant, "a", "b", "c", "d", "e")

        assert (report.imported, [rejection.line for rejection in report.rejected]) == (3, [4, 5])
        assert "pruebas has the 3 notes it may have" in report.rejected[0].error
        with database.transaction(tenant) as connection:
            names = connection.execute("select external_id from notes order by 1").fetchall()
        assert names == [("a",), ("b",), ("c",)]

    def test_notes_that_are_there_are_still_updated(self, database: Database, tenant: TenantId) -> None:
        imported(database, tenant, "a", "b")
        limited(database, tenant, 1)

        report = import_lines(
            database,
            tenant,
            [b'{"id": "z", "text": "nueva"}', b'{"id": "b", "text": "otra cosa"}'],
            source="s",
            language="es",
            zone=ZoneInfo("Europe/Madrid"),
            max_characters=1_000,
        )

        assert (report.updated, report.imported, report.rejected[0].line) == (1, 0, 1)

    def test_without_a_limit_of_its_own_again_everything_is_taken(self, database: Database, tenant: TenantId) -> None:
        limited(database, tenant, 1)
        limited(database, tenant, None)

        assert imported(database, tenant, "a", "b").imported == 2

    def test_writers_at_once_do_not_exceed_it_together(self, database: Database, tenant: TenantId) -> None:
        limited(database, tenant, 10)
        names = [[f"{writer}-{number}" for number in range(8)] for writer in range(3)]
        writers = [threading.Thread(target=imported, args=(database, tenant, *some)) for some in names]

        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(20)

        with database.transaction(tenant) as connection:
            assert connection.execute("select count(*) from notes").fetchone() == (10,)

    def test_one_note_more_is_refused_and_nothing_of_it_is_stored(self, engine, tenant: TenantId) -> None:
        imported(engine.database, tenant, "a")
        limited(engine.database, tenant, 1)
        note = parse_note(
            external_id="b", source="s", title=None, text="Otra.", created_at=None, language="es", metadata=None,
            zone=ZoneInfo("Europe/Madrid"), max_characters=1_000,
        )  # fmt: skip

        with pytest.raises(TenantFullError) as caught:
            store_and_index(engine.database, tenant, note, engine.pipeline)
        known = store_and_index(engine.database, tenant, replace(note, external_id="a"), engine.pipeline)

        assert caught.value.limit == 1
        assert known.is_embedded

    @pytest.mark.parametrize("value", [0, -1])
    def test_a_limit_is_above_zero(self, database: Database, tenant: TenantId, value: int) -> None:
        with pytest.raises(psycopg.errors.CheckViolation):
            limited(database, tenant, value)


class TestOverview:
    """The overview tells an operator of tenants."""

    def test_all_are_listed_with_what_they_have(self, filled: Database) -> None:
        limited(filled, OTHER, 7)

        with filled.owner() as connection:
            found = {tenant.name: (tenant.notes, tenant.keys, tenant.max_notes) for tenant in list_tenants(connection)}

        assert found == {"otra": (1, 1, 7), "pruebas": (1, 1, None)}

    def test_one_is_described_with_its_rows_and_who_may_see_its_notes(
        self, database: Database, make_note, tenant: TenantId
    ) -> None:
        make_note("Para todos.")
        make_note("Para dos.", metadata={"visibility": "department", "departments": ["Ventas", "Compras"]})
        make_note("Para nadie más.", metadata={"visibility": "private"})

        with database.owner() as connection:
            found = describe_tenant(connection, tenant)

        assert dict(found.audiences) == {None: 1, "": 1, "compras": 1, "ventas": 1}
        assert (found.rows["notes"], found.rows["chunks"], found.rows["tenants"]) == (3, 3, 1)

    def test_one_is_made_once(self, database: Database) -> None:
        with database.owner() as connection:
            assert [create_tenant(connection, OTHER), create_tenant(connection, OTHER)] == [True, False]

"""Restorations that fail, are killed, or are read meanwhile, and backups of other versions."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from backup_data import differing, rows_of
from backups import TENANT, add_note, put_back
from backups import file as file  # noqa: PLC0414  a fixture, re-exported to pytest
from backups import filled as filled  # noqa: PLC0414  a fixture, re-exported to pytest
from backups import other as other  # noqa: PLC0414  a fixture, re-exported to pytest
from databases import cloned_database

from rag_core.backup import restore as restoring
from rag_core.backup.archive import Archive, ArchiveError
from rag_core.backup.create import back_up
from rag_core.errors import BusyError, ConflictError, DatabaseUnavailableError, QueryFailedError
from rag_core.storage import backup as stored
from rag_core.storage.database import Database
from rag_core.storage.migrate import Migration, apply_migration, migrate, read_migrations
from rag_core.storage.schema import SCHEMA_FILE, dump_schema
from rag_core.storage.search import search_fulltext


class TestFailure:
    """A restoration that fails leaves the installation as it was."""

    @pytest.fixture
    def used(self, other: Database) -> Database:
        add_note(other, "mia")
        return other

    @pytest.fixture
    def as_it_was(self, used: Database) -> Iterator[None]:
        rows, schema = rows_of(used.owner_conninfo), dump_schema(used.owner_conninfo)
        yield
        assert differing(rows, rows_of(used.owner_conninfo)) == []
        assert dump_schema(used.owner_conninfo) == schema

    def test_half_way(self, file: Path, used: Database, as_it_was: None, monkeypatch) -> None:
        def fail(*_arguments: object) -> str:
            raise RuntimeError("planted")

        monkeypatch.setattr(stored, "hash_rows", fail)

        with pytest.raises(RuntimeError, match="planted"):
            put_back(used, file, is_replacing=True)

    def test_rows_that_arrive_changed(self, file: Path, used: Database, as_it_was: None, monkeypatch) -> None:
        copy_in = stored.copy_in

        def change_too(connection, table, columns, blocks):
            rows = copy_in(connection, table, columns, blocks)
            if table == "notes":
                connection.execute("update brain.notes set title = 'x' where external_id = 'paraguas'")
            return rows

        monkeypatch.setattr(stored, "copy_in", change_too)

        with pytest.raises(ArchiveError, match="table notes has 14 rows"):
            put_back(used, file, is_replacing=True)

    def test_a_member_that_is_damaged_after_it_was_verified(
        self, file: Path, used: Database, as_it_was: None, monkeypatch
    ) -> None:
        blocks = Archive.blocks

        def damaged(archive: Archive, table):
            read = b"".join(blocks(archive, table))
            yield read[:-30] if table.name == "posting_blocks" else read

        monkeypatch.setattr(restoring, "_verify", lambda *_: None)
        monkeypatch.setattr(Archive, "blocks", damaged)

        with pytest.raises((ArchiveError, QueryFailedError)):
            put_back(used, file, is_replacing=True)

    def test_a_reference_to_nothing(self, file: Path, used: Database, as_it_was: None, monkeypatch) -> None:
        copy_in = stored.copy_in

        def lose_notes(connection, table, columns, blocks):
            rows = copy_in(connection, table, columns, blocks)
            if table == "tenants":
                connection.execute("delete from brain.notes where external_id = 'paraguas'")
            return rows

        monkeypatch.setattr(stored, "copy_in", lose_notes)

        with pytest.raises(QueryFailedError, match=r"violates foreign key .* Nothing was changed"):
            put_back(used, file, is_replacing=True)

    def test_a_killed_connection(self, file: Path, used: Database, as_it_was: None, monkeypatch) -> None:
        copy_in = stored.copy_in

        def die(connection, table, columns, blocks):
            if table == "notes":
                with used.owner() as another:
                    another.execute("select pg_terminate_backend(%s, 5000)", (connection.info.backend_pid,))
            return copy_in(connection, table, columns, blocks)

        monkeypatch.setattr(stored, "copy_in", die)

        with pytest.raises(DatabaseUnavailableError, match="Nothing was changed"):
            put_back(used, file, is_replacing=True)

    def test_tables_that_others_keep(self, file: Path, used: Database, as_it_was: None, monkeypatch) -> None:
        monkeypatch.setattr(stored, "LOCK_SECONDS", 0.2)

        with used.owner() as another, another.transaction():
            another.execute("select from brain.notes")
            with pytest.raises(BusyError, match="Nothing was changed"):
                put_back(used, file, is_replacing=True)


class TestKilledAfterTheCommit:
    """A restore that was killed when its rows were committed has put the backup in place; the next one says so and does the rest."""

    @pytest.fixture
    def killed(self, file: Path, other: Database, monkeypatch) -> Database:
        def die(_database: Database) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(restoring, "vacuum", die)
            put_back(other, file)
        return other

    def test_the_next_restore_of_the_file_finishes_it_and_says_so(self, file: Path, killed: Database) -> None:
        assert put_back(killed, file).is_continued

    def test_what_was_written_meanwhile_is_kept(self, file: Path, killed: Database) -> None:
        add_note(killed, "mia")
        before = rows_of(killed.owner_conninfo)

        put_back(killed, file)

        assert differing(before, rows_of(killed.owner_conninfo)) == []

    def test_replacing_puts_it_in_place_anew(self, filled: Database, file: Path, killed: Database) -> None:
        add_note(killed, "mia")

        assert not put_back(killed, file, is_replacing=True).is_continued
        assert differing(rows_of(filled.owner_conninfo), rows_of(killed.owner_conninfo)) == []

    def test_another_file_is_refused_as_ever(self, filled: Database, killed: Database, tmp_path: Path) -> None:
        back_up(filled, tmp_path / "later.zip")

        with pytest.raises(ConflictError, match="--replace"):
            put_back(killed, tmp_path / "later.zip")

    def test_a_restore_that_was_finished_is_not_taken_for_one_that_was_killed(
        self, file: Path, killed: Database
    ) -> None:
        put_back(killed, file)

        with pytest.raises(ConflictError, match="--replace"):
            put_back(killed, file)


def test_readers_wait_for_a_restoration_and_see_it_whole(file: Path, other: Database, monkeypatch) -> None:
    seen: list[int] = []
    is_loading, copy_in = threading.Event(), stored.copy_in

    def read() -> None:
        is_loading.wait(10)
        with other.transaction(TENANT) as connection:
            seen.append(connection.execute("select count(*) from notes").fetchone()[0])

    def load(*arguments):
        is_loading.set()
        return copy_in(*arguments)

    monkeypatch.setattr(stored, "copy_in", load)
    reader = threading.Thread(target=read)
    reader.start()

    put_back(other, file)
    reader.join(20)

    assert seen == [13]


def test_a_program_that_goes_on_finds_what_was_restored_by_the_connections_it_has(file: Path, other: Database) -> None:
    def found() -> int:
        return len(search_fulltext(other, TENANT, "paraguas", limit=5, timeout_ms=9_000).ranking)

    before = [found() for _ in range(12)]  # often enough for its statements to be prepared, and planned for good
    put_back(other, file)

    assert before == [0] * 12
    assert [found() for _ in range(12)] == [1] * 12


class TestVersions:
    """A backup of another version of the schema."""

    @pytest.fixture
    def old(self, server: str, tmp_path: Path) -> Path:
        """A backup of a schema of version 5, with a word that later versions read otherwise."""
        with cloned_database(server, "template0") as url, psycopg.connect(url, autocommit=True) as connection:
            migrate(connection, read_migrations()[:5])
            connection.execute("set search_path = brain, public")
            connection.execute("insert into tenants values ('pruebas')")
            connection.execute(
                "insert into notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at)"
                " values ('pruebas', gen_random_uuid(), 's', 'a', 'La «casa» azul', sha256('x'), 'es', now())"
            )
            connection.execute(
                "insert into chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content, token_count,"
                " chunking_method, language) select tenant_id, note_id, note_id, 0, 0, 14, content, 3, 'whole_note', 'es'"
                " from notes"
            )
            back_up(Database(owner_conninfo=url, pool=None), tmp_path / "old.zip")  # type: ignore[arg-type]
        return tmp_path / "old.zip"

    def test_an_earlier_one_is_brought_up_to_date(self, old: Path, other: Database) -> None:
        report = put_back(other, old)

        assert (report.manifest.schema_version, report.schema_version) == (5, read_migrations()[-1].version)
        assert dump_schema(other.owner_conninfo) == SCHEMA_FILE.read_text(encoding="utf-8")
        assert len(search_fulltext(other, TENANT, "casa", limit=5, timeout_ms=9_000).ranking) == 1
        with other.owner() as connection:
            assert migrate(connection) == []

    def test_a_migration_that_fails_on_it_leaves_what_was_there(self, old: Path, other: Database, monkeypatch) -> None:
        add_note(other, "mia")
        before = rows_of(other.owner_conninfo)

        def fail(connection: psycopg.Connection, migration: Migration) -> None:
            apply_migration(connection, migration)
            connection.execute("select 1 / 0")

        monkeypatch.setattr(restoring, "apply_migration", fail)

        with pytest.raises(QueryFailedError, match="division by zero"):
            put_back(other, old, is_replacing=True)
        assert differing(before, rows_of(other.owner_conninfo)) == []

    def test_a_later_one_is_refused_with_the_version_it_needs(self, file: Path, other: Database, monkeypatch) -> None:
        monkeypatch.setattr(restoring, "read_migrations", known_up_to(5))

        with pytest.raises(ArchiveError, match="knows up to 0005; use the newer"):
            put_back(other, file)

    def test_one_made_by_other_migrations_is_refused(self, file: Path, other: Database, monkeypatch) -> None:
        changed = [Migration(version=m.version, name=m.name, sql=m.sql + " ") for m in read_migrations()]
        monkeypatch.setattr(restoring, "read_migrations", lambda: changed)

        with pytest.raises(ArchiveError, match="migration 0001 is another one"):
            put_back(other, file)


def known_up_to(version: int) -> Callable[[], list[Migration]]:
    return lambda: read_migrations()[:version]

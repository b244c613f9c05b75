"""A backup and its restoration: every row of every table, or nothing."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from backup_data import EVERY_TABLE, differing, rows_of
from databases import cloned_database
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rag_core.backup import restore as restoring
from rag_core.backup.archive import Archive, ArchiveError, open_archive
from rag_core.backup.create import back_up
from rag_core.backup.restore import restore
from rag_core.errors import BusyError, ConflictError, DatabaseSetupError, DatabaseUnavailableError, QueryFailedError
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage import backup as stored
from rag_core.storage.connecting import ensure_database
from rag_core.storage.database import Database, open_database
from rag_core.storage.migrate import Migration, apply_migration, migrate, read_migrations
from rag_core.storage.schema import SCHEMA_FILE, dump_schema
from rag_core.storage.search import search_fulltext, search_semantic
from rag_core.storage.vector_index import ensure_vector_index

TENANT = TenantId("pruebas")


@pytest.fixture
def filled(database: Database, make_note, index_notes, tenant) -> Database:
    """A database with rows in every table."""
    for number in range(12):
        make_note(
            f"Nota {number}: el tren de las {number} llegó tarde; comí «casa» y ñoquis 🍅.",
            metadata={"tags": ["Viaje"]},
        )
    make_note("El paraguas verde se quedó en el museo.", external_id="paraguas", title="Paraguas\tverde")
    make_note("Ein Regenschirm.", owner=TenantId("otra"), language="de")
    index_notes()
    with database.owner() as connection:
        connection.execute("set search_path = brain, public")
        connection.execute(EVERY_TABLE)
    return database


@pytest.fixture
def file(filled: Database, tmp_path: Path) -> Path:
    """A backup of it."""
    path = tmp_path / "brain.zip"
    back_up(filled, path)
    return path


@pytest.fixture
def other(server: str, template: str) -> Iterator[Database]:
    """A new installation."""
    with cloned_database(server, template) as url, open_database(read_settings(database_url=url)) as opened:
        yield opened


def put_back(database: Database, file: Path, **options):
    with open_archive(file) as archive:
        return restore(database, archive, **options)


def add_note(database: Database, tenant: str) -> None:
    with database.owner() as connection:
        connection.execute("insert into brain.tenants values (%s) on conflict do nothing", (tenant,))
        connection.execute(
            "insert into brain.notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at)"
            " values (%s, gen_random_uuid(), 's', gen_random_uuid()::text, 'Otra cosa', sha256('x'), 'es', now())",
            (tenant,),
        )


class TestEveryTable:
    """What is restored is what was backed up."""

    def test_every_table_has_a_row_to_lose(self, filled: Database) -> None:
        assert [name for name, rows in rows_of(filled.owner_conninfo).items() if not rows] == []

    def test_every_row_comes_back(self, filled: Database, file: Path, other: Database) -> None:
        report = put_back(other, file)

        before, after = rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)
        assert differing(before, after) == []
        assert {table.name: table.rows for table in report.manifest.tables} == {
            name: len(rows) for name, rows in before.items()
        }

    @pytest.mark.parametrize(
        "change",
        [
            "update brain.notes set metadata = metadata || '{\"x\": 1}' where external_id = 'paraguas'",
            "delete from brain.note_tags where ctid = (select min(ctid) from brain.note_tags)",
            "update brain.service_minutes set latency_p50_ms = 0.1",
        ],
    )
    def test_a_planted_difference_is_seen(self, filled: Database, file: Path, other: Database, change: str) -> None:
        put_back(other, file)
        with other.owner() as connection:
            connection.execute(change)

        assert differing(rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)) != []

    def test_the_schema_is_the_migrations_with_every_key_index_and_trigger(self, file: Path, other: Database) -> None:
        put_back(other, file)

        assert dump_schema(other.owner_conninfo) == SCHEMA_FILE.read_text(encoding="utf-8")

    def test_searches_find_the_same(self, engine, filled: Database, file: Path, other: Database) -> None:
        put_back(other, file)

        def found(database: Database):
            vector = engine.embedder.embed(["el paraguas verde"], role="query")[0]
            return (
                search_fulltext(database, TENANT, "paraguas en el tren", limit=20, timeout_ms=9_000),
                search_semantic(
                    database, TENANT, vector, model=engine.model, kind="contextual", limit=20, timeout_ms=9_000
                ),
            )

        assert found(filled) == found(other)
        assert all(found(other))

    def test_what_comes_after_is_indexed_and_numbered_as_ever(self, file: Path, other: Database) -> None:
        put_back(other, file)
        with other.owner() as connection:
            connection.execute(
                "insert into brain.chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content,"
                " token_count, chunking_method, language) select tenant_id, gen_random_uuid(), note_id, 99, 0, 9,"
                " 'zanahoria', 1, 'fixed', 'es' from brain.notes where external_id = 'paraguas'"
            )

        assert len(search_fulltext(other, TENANT, "zanahorias", limit=5, timeout_ms=9_000)) == 1

    def test_vectors_are_indexed_again(self, engine, file: Path, other: Database, monkeypatch) -> None:
        monkeypatch.setattr(restoring, "ensure_vector_index", partial(ensure_vector_index, exact_scan_chunks=0))

        report = put_back(other, file)

        with other.owner() as connection:
            found = connection.execute("select to_regclass('brain.embeddings_hnsw_1_contextual')::text").fetchone()
        assert report.indexes == 1
        assert found == ("brain.embeddings_hnsw_1_contextual",)

    def test_it_shows_one_moment_although_others_write_meanwhile(
        self, filled: Database, other: Database, tmp_path: Path, monkeypatch
    ) -> None:
        before = rows_of(filled.owner_conninfo)
        copy_out = stored.copy_out

        def copy_and_write(*arguments):
            add_note(filled, "nueva")
            return copy_out(*arguments)

        monkeypatch.setattr(stored, "copy_out", copy_and_write)
        back_up(filled, tmp_path / "brain.zip")
        monkeypatch.setattr(stored, "copy_out", copy_out)

        put_back(other, tmp_path / "brain.zip")

        assert differing(before, rows_of(other.owner_conninfo)) == []
        assert differing(rows_of(filled.owner_conninfo), before) == ["corpus_statistics", "notes", "tenants"][1:]

    def test_an_owner_who_is_no_superuser_backs_up_and_restores(
        self, ordinary_owner: str, filled: Database, file: Path, tmp_path: Path
    ) -> None:
        with open_database(read_settings(database_url=ordinary_owner)) as owned:
            put_back(owned, file)
            back_up(owned, tmp_path / "own.zip")

        assert differing(rows_of(filled.owner_conninfo), rows_of(ordinary_owner)) == []
        with open_archive(file) as one, open_archive(tmp_path / "own.zip") as two:
            assert one.manifest.tables == two.manifest.tables

    def test_a_server_that_takes_words_apart_otherwise_indexes_them_its_own_way(
        self, server: str, filled: Database, file: Path
    ) -> None:
        with cloned_database(server, "template0") as url:  # libc knows that an emoji is no letter
            with open_database(read_settings(database_url=url)) as moved:
                report = put_back(moved, file)
                found = search_fulltext(moved, TENANT, "ñoquis en casa", limit=50, timeout_ms=9_000)
                with moved.owner() as connection:
                    (odd,) = connection.execute(ODD_POSTINGS).fetchone()
                    (sums,) = connection.execute(ODD_SUMS).fetchone()
            after = rows_of(url)

        assert report.is_fulltext_rebuilt
        assert (len(found), odd, sums) == (12, 0, 0)
        assert differing(rows_of(filled.owner_conninfo), after) == [
            "chunks",
            "corpus_statistics",
            "lexeme_statistics",
            "postings",
        ]


ODD_POSTINGS = """
select count(*) from (
    select tenant_id, language, lexeme, chunk_id, cardinality(positions)::smallint as frequency
    from brain.chunks, unnest(lexemes)
) c full join brain.postings p using (tenant_id, language, lexeme, chunk_id)
where c.frequency is distinct from p.term_frequency
"""
ODD_SUMS = """
select count(*) from (
    select tenant_id, language, lexeme, count(*) as n from brain.postings group by 1, 2, 3
) p full join (
    select tenant_id, language, lexeme, sum(document_frequency) as n from brain.lexeme_statistics group by 1, 2, 3
) s using (tenant_id, language, lexeme)
where p.n is distinct from s.n
"""


@pytest.fixture
def ordinary_owner(server: str, template: str) -> Iterator[str]:
    """A database whose owner an administrator prepared as deploy/prepare-database.sql does."""
    name = f"{template}_owned"
    conninfo = ensure_database(server, name)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("create role dueno login")
        connection.execute("grant brain_app to dueno with inherit false, set true")
        connection.execute(sql.SQL("alter database {} owner to dueno").format(sql.Identifier(name)))
        connection.execute("create extension vector")
    yield make_conninfo(conninfo, user="dueno")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
        connection.execute("drop role dueno")


class TestWhatIsThere:
    """An installation that holds something is replaced only when that is asked for."""

    def test_it_is_left_alone_unless_replacing_is_asked_for(self, file: Path, other: Database) -> None:
        add_note(other, "mia")
        before = rows_of(other.owner_conninfo)

        with pytest.raises(ConflictError, match="--replace"):
            put_back(other, file)

        assert differing(before, rows_of(other.owner_conninfo)) == []

    def test_it_goes_when_replacing_is_asked_for(self, filled: Database, file: Path, other: Database) -> None:
        add_note(other, "mia")

        put_back(other, file, is_replacing=True)

        assert differing(rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)) == []

    def test_a_service_that_only_ran_counts_as_empty(self, file: Path, other: Database) -> None:
        with other.owner() as connection:
            connection.execute("insert into brain.service_minutes values ('p', now(), 0, 0, 0)")

        assert put_back(other, file).manifest.tables

    def test_numbers_given_out_are_never_given_out_again(self, file: Path, other: Database) -> None:
        with other.owner() as connection:
            connection.execute("select setval('brain.corpus_statistics_change_id_seq', 500000)")

        put_back(other, file, is_replacing=True)

        with other.owner() as connection:
            row = connection.execute("select nextval('brain.corpus_statistics_change_id_seq')").fetchone()
        assert row == (500_001,)

    def test_a_table_of_somebody_else_is_neither_backed_up_nor_dropped(
        self, filled: Database, file: Path, tmp_path: Path
    ) -> None:
        with filled.owner() as connection:
            connection.execute("create table brain.mine (id int)")

        with pytest.raises(DatabaseSetupError, match=r"ALTER TABLE brain\.mine SET SCHEMA"):
            back_up(filled, tmp_path / "two.zip")
        with pytest.raises(DatabaseSetupError, match="mine"):
            put_back(filled, file, is_replacing=True)

        assert not (tmp_path / "two.zip").exists()


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
            yield read[:-30] if table.name == "postings" else read

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
        return len(search_fulltext(other, TENANT, "paraguas", limit=5, timeout_ms=9_000))

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
        assert len(search_fulltext(other, TENANT, "casa", limit=5, timeout_ms=9_000)) == 1
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

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from databases import cloned_database
from psycopg import sql

from rag_core.errors import DatabaseSetupError, DatabaseUnavailableError
from rag_core.settings import read_settings
from rag_core.storage import migrate as migrating
from rag_core.storage.database import open_database
from rag_core.storage.migrate import Migration, migrate, read_migrations
from rag_core.storage.schema import SCHEMA_FILE, dump_schema


@pytest.fixture
def empty_database(server: str):
    with cloned_database(server, "template0") as conninfo:
        yield conninfo


def connect(conninfo: str) -> psycopg.Connection:
    return psycopg.connect(conninfo, autocommit=True)


def test_the_schema_file_is_what_the_migrations_add_up_to(database_url: str) -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == dump_schema(database_url)


def test_a_second_migration_run_does_nothing(database_url: str) -> None:
    with connect(database_url) as connection:
        assert migrate(connection) == []


def test_processes_that_migrate_at_once_apply_each_migration_once(empty_database: str) -> None:
    applied: list[list[int]] = []

    def run() -> None:
        with connect(empty_database) as connection:
            applied.append(migrate(connection))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [versions for versions in applied if versions] == [[m.version for m in read_migrations()]]


def test_a_migration_changed_after_it_was_applied_is_refused(database_url: str) -> None:
    changed = [Migration(version=m.version, name=m.name, sql=m.sql + " ") for m in read_migrations()]

    with connect(database_url) as connection, pytest.raises(DatabaseSetupError, match="must not change"):
        migrate(connection, changed)


def test_a_database_newer_than_the_program_is_refused(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute("insert into brain.schema_migrations values (9999, 'future', 'x')")

        with pytest.raises(DatabaseSetupError, match="newer"):
            migrate(connection)


def test_a_failing_migration_leaves_nothing_behind(database_url: str) -> None:
    bad = Migration(version=9000, name="bad", sql="create table brain.half (id int); select 1/0")

    with connect(database_url) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            migrate(connection, [*read_migrations(), bad])
        found = connection.execute("select to_regclass('brain.half')").fetchone()

    assert found == (None,)


WIDENED = Migration(version=9000, name="widened", sql="alter table brain.notes add column wide int")


def is_awaited(connection: psycopg.Connection) -> bool:
    """Test whether somebody waits for the table of notes."""
    return connection.execute(
        "select exists (select from pg_locks where relation = 'brain.notes'::regclass and not granted)"
    ).fetchone() == (True,)


def test_searches_go_on_while_a_migration_waits_for_somebody_who_reads(database_url: str, monkeypatch) -> None:
    monkeypatch.setattr(migrating, "LOCK_SECONDS", 0.2)
    with (
        connect(database_url) as owner,
        connect(database_url) as other,
        ThreadPoolExecutor(1) as thread,
        psycopg.connect(database_url) as reader,
    ):
        other.execute("set statement_timeout = '5s'")
        reader.execute("select from brain.notes")
        migrated = thread.submit(migrate, owner, [*read_migrations(), WIDENED])
        while not is_awaited(other):
            time.sleep(0.005)

        other.execute("select from brain.notes")  # behind the migration, which lets it go on

        assert not migrated.done()
        reader.rollback()
        assert migrated.result(20) == [9000]
        assert owner.execute("show lock_timeout").fetchone() == ("0",)


def test_a_migration_that_finds_no_gap_says_what_to_do_and_leaves_nothing_behind(
    database_url: str, monkeypatch
) -> None:
    monkeypatch.setattr(migrating, "LOCK_SECONDS", 0.05)
    monkeypatch.setattr(migrating, "LOCK_ATTEMPTS", 2)
    with psycopg.connect(database_url) as reader, connect(database_url) as owner:
        reader.execute("select from brain.notes")

        with pytest.raises(DatabaseSetupError, match=r"9000_widened was not applied: .* Stop the other programs"):
            migrate(owner, [*read_migrations(), WIDENED])

        reader.rollback()
        assert migrate(owner, [*read_migrations(), WIDENED]) == [9000]


def test_a_database_that_cannot_lower_case_accents_is_refused(server: str, template: str) -> None:
    name = template.replace("_template", "_ascii")
    with connect(server) as connection:
        connection.execute(
            sql.SQL("create database {} template template0 encoding 'UTF8' locale_provider libc locale 'C'").format(
                sql.Identifier(name)
            )
        )

    with (
        pytest.raises(DatabaseSetupError, match="UTF-8 locale"),
        connect(psycopg.conninfo.make_conninfo(server, dbname=name)) as connection,
    ):
        migrate(connection)


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    settings = read_settings(database_url="postgresql://ana:secreto@127.0.0.1:9/notas")

    with pytest.raises(DatabaseUnavailableError) as caught, open_database(settings):
        pass

    assert "127.0.0.1:9/notas" in str(caught.value)
    assert "secreto" not in str(caught.value)


def test_an_ordinary_user_who_may_not_create_roles_is_told_what_an_administrator_does(
    server: str, empty_database: str
) -> None:
    with connect(server) as connection:
        connection.execute("drop role if exists sin_permisos")
        connection.execute("create role sin_permisos login")

    with (
        connect(psycopg.conninfo.make_conninfo(empty_database, user="sin_permisos")) as connection,
        pytest.raises(DatabaseSetupError, match=r"prepare-database\.sql"),
    ):
        migrate(connection)


def test_an_ordinary_owner_can_migrate_once_the_role_is_prepared(server: str, empty_database: str) -> None:
    name = psycopg.conninfo.conninfo_to_dict(empty_database)["dbname"]
    with connect(server) as connection:
        connection.execute("drop role if exists duena")
        connection.execute("create role duena login")
        connection.execute("grant brain_app to duena with inherit false, set true")
        connection.execute(sql.SQL("alter database {} owner to duena").format(sql.Identifier(name)))
    with connect(empty_database) as connection:
        connection.execute("create extension vector")

    with (
        open_database(
            read_settings(database_url=psycopg.conninfo.make_conninfo(empty_database, user="duena"))
        ) as opened,
        opened.transaction("una") as connection,
    ):
        row = connection.execute("select current_user").fetchone()

    assert row == ("brain_app",)
    with connect(server) as connection:
        connection.execute(sql.SQL("alter database {} owner to postgres").format(sql.Identifier(name)))
    with connect(empty_database) as connection:
        connection.execute("reassign owned by duena to postgres")
        connection.execute("drop owned by duena")

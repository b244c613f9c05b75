"""The pool of connections: its limits, its waits, connections that break, statements that are given up."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rag_core.errors import DatabaseUnavailableError, DeadlineExceededError, QueryFailedError
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage import database as module
from rag_core.storage.database import Connection, Database, open_database

ANA = TenantId("ana")


@contextmanager
def opened(database_url: str, *, pool_size: int) -> Iterator[Database]:
    with open_database(read_settings(database_url=database_url), pool_size=pool_size) as database:
        yield database


def select_one(connection: Connection) -> int:
    row = connection.execute("select 1").fetchone()
    assert row is not None
    return int(row[0])


def end_connections(database_url: str) -> None:
    """End every other connection to the database, as a server that restarts does."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )


def running_statements(database_url: str, text: str) -> int:
    with psycopg.connect(database_url, autocommit=True) as connection:
        row = connection.execute(
            "select count(*) from pg_stat_activity where datname = current_database() and state = 'active' "
            "and query like %s and pid <> pg_backend_pid()",
            (f"%{text}%",),
        ).fetchone()
    assert row is not None
    return int(row[0])


def wait_until(condition) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not come true within 10 s"
        time.sleep(0.02)


class TestSize:
    def test_a_pool_for_requests_keeps_five_connections_and_a_command_none(self, database_url: str) -> None:
        with opened(database_url, pool_size=20) as serving:
            wait_until(lambda: serving.figures.size == 5)
            assert serving.pool.max_size == 20
        with opened(database_url, pool_size=4) as command:
            assert command.figures.size == 0

    def test_figures_show_what_is_in_use_and_what_was_asked(self, database_url: str) -> None:
        with opened(database_url, pool_size=4) as database:
            with database.transaction(ANA) as connection:
                select_one(connection)
                during = database.figures
            after = database.figures

        assert (during.size, during.active) == (1, 1)
        assert (after.size, after.active, after.queries) == (1, 0, 1)
        assert after.average_ms > 0


class TestWaiting:
    def test_more_requests_than_connections_queue_and_are_all_served(self, database_url: str) -> None:
        def work(_number: int) -> int:
            with database.transaction(ANA, timeout_ms=2000) as connection:
                connection.execute("select pg_sleep(0.01)")
                return select_one(connection)

        with opened(database_url, pool_size=2) as database, ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(work, range(40)))

        assert answers == [1] * 40

    def test_a_request_waits_no_longer_than_it_has_and_is_told_why(self, database_url: str) -> None:
        with (
            opened(database_url, pool_size=2) as database,
            database.transaction(ANA),
            database.transaction(ANA),
            pytest.raises(DatabaseUnavailableError, match=r"all 2 connections.*BRAIN_POOL_MAX_SIZE"),
            database.transaction(ANA, timeout_ms=100),
        ):
            pass

    def test_a_full_pool_does_not_count_as_a_server_that_is_down(self, database_url: str) -> None:
        with opened(database_url, pool_size=2) as database:
            with database.transaction(ANA), database.transaction(ANA):
                for _ in range(6):
                    with pytest.raises(DatabaseUnavailableError), database.transaction(ANA, timeout_ms=50):
                        pass

            assert database.breaker.state == "closed"
            assert database.read(ANA, select_one, timeout_ms=2000) == 1

    def test_the_wait_for_a_connection_is_part_of_the_time_of_the_statement(self, database_url: str) -> None:
        with opened(database_url, pool_size=1) as database, ThreadPoolExecutor(1) as threads:
            with database.transaction(ANA):
                waiting = threads.submit(lambda: database.read(ANA, _timeout_ms, timeout_ms=5000))
                wait_until(lambda: database.figures.waiting == 1)
                time.sleep(0.2)

            assert waiting.result(10) <= 4800


def _timeout_ms(connection: Connection) -> int:
    row = connection.execute("select setting from pg_settings where name = 'statement_timeout'").fetchone()
    assert row is not None
    return int(row[0])


class TestLostConnections:
    def test_connections_that_the_server_closed_are_replaced_before_anybody_gets_one(self, database_url: str) -> None:
        with opened(database_url, pool_size=8) as database:
            wait_until(lambda: database.figures.size == 5 and database.figures.active == 0)
            end_connections(database_url)

            answers = []
            for _ in range(8):
                with database.transaction(ANA, timeout_ms=2000) as connection:
                    answers.append(select_one(connection))

        assert answers == [1] * 8

    def test_a_read_whose_connection_breaks_is_run_again(self, database_url: str) -> None:
        runs = 0

        def read(connection: Connection) -> int:
            nonlocal runs
            runs += 1
            if runs < 3:
                end_connections(database_url)
            return select_one(connection)

        with opened(database_url, pool_size=4) as database:
            assert database.read(ANA, read, timeout_ms=5000) == 1

        assert runs == 3

    def test_a_read_is_run_three_times_at_most(self, database_url: str) -> None:
        runs = 0

        def read(connection: Connection) -> int:
            nonlocal runs
            runs += 1
            end_connections(database_url)
            return select_one(connection)

        with opened(database_url, pool_size=4) as database, pytest.raises(DatabaseUnavailableError):
            database.read(ANA, read, timeout_ms=5000)

        assert runs == 3

    def test_a_refused_statement_is_not_run_again(self, database_url: str) -> None:
        runs = 0

        def read(connection: Connection) -> None:
            nonlocal runs
            runs += 1
            connection.execute("select no_such_column").fetchone()

        with opened(database_url, pool_size=4) as database, pytest.raises(QueryFailedError):
            database.read(ANA, read, timeout_ms=5000)

        assert runs == 1

    def test_a_write_is_never_run_again_by_itself(self, database_url: str) -> None:
        runs = 0
        with opened(database_url, pool_size=4) as database:
            with pytest.raises(DatabaseUnavailableError), database.transaction(ANA, timeout_ms=5000) as connection:
                runs += 1
                end_connections(database_url)
                connection.execute("insert into tenants values ('ana')").fetchall()

            found = database.read(ANA, lambda c: c.execute("select count(*) from tenants").fetchone(), timeout_ms=5000)

        assert runs == 1
        assert found == (0,)


class TestAServerThatIsDown:
    def test_the_breaker_opens_then_requests_fail_at_once_and_recover_by_themselves(
        self, server: str, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "BREAKER_RESET_SECONDS", 0.5)
        with opened(database_url, pool_size=4) as database:
            with closed_to_newcomers(server, database_url):
                for _ in range(5):
                    with pytest.raises(DatabaseUnavailableError):
                        database.read(ANA, select_one, timeout_ms=300)
                state = database.breaker.state
                waits_before = database.pool.get_stats()["requests_num"]
                with pytest.raises(DatabaseUnavailableError, match="left alone"):
                    database.read(ANA, select_one, timeout_ms=300)
                waits_after = database.pool.get_stats()["requests_num"]

            wait_until(lambda: database.breaker.state == "half_open")
            wait_until(lambda: answers(database))
            assert database.breaker.state == "closed"

        assert state == "open"
        assert waits_after == waits_before


def answers(database: Database) -> bool:
    try:
        return database.read(ANA, select_one, timeout_ms=2000) == 1
    except DatabaseUnavailableError:
        return False


@contextmanager
def closed_to_newcomers(server: str, database_url: str) -> Iterator[None]:
    name = str(conninfo_to_dict(database_url)["dbname"])
    with psycopg.connect(make_conninfo(server, dbname="postgres"), autocommit=True) as connection:
        connection.execute(f'alter database "{name}" allow_connections false')
        connection.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", (name,))
        try:
            yield
        finally:
            connection.execute(f'alter database "{name}" allow_connections true')


class TestGivingUp:
    def test_a_statement_that_takes_too_long_leaves_nothing_running(self, database_url: str) -> None:
        with opened(database_url, pool_size=4) as database:
            database.read(ANA, select_one, timeout_ms=2000)  # opens a connection, which takes its time under load
            with pytest.raises(DeadlineExceededError):
                database.read(ANA, lambda c: c.execute("select pg_sleep(30)").fetchone(), timeout_ms=200)

            assert running_statements(database_url, "pg_sleep(30)") == 0
            assert database.read(ANA, select_one, timeout_ms=2000) == 1

    def test_a_thread_that_nobody_waits_for_any_more_ends_its_statement_with_its_deadline(
        self, database_url: str
    ) -> None:
        started = threading.Event()

        def slow(connection: Connection) -> None:
            started.set()
            connection.execute("select pg_sleep(30)").fetchone()

        with opened(database_url, pool_size=4) as database, ThreadPoolExecutor(1) as threads:
            left_alone = threads.submit(database.read, ANA, slow, timeout_ms=400)
            started.wait(5)
            left_alone.cancel()

            wait_until(lambda: running_statements(database_url, "pg_sleep(30)") == 0)
            assert isinstance(left_alone.exception(5), DeadlineExceededError)


class TestSharedAmongTenants:
    """With ``is_shared`` one tenant cannot take every connection."""

    @pytest.fixture
    def shared(self, database_url: str) -> Iterator[Database]:
        with open_database(read_settings(database_url=database_url), pool_size=4, is_shared=True) as database:
            yield database

    def test_a_tenant_that_holds_its_share_leaves_connections_for_another(self, shared: Database) -> None:
        with (
            shared.transaction(ANA),
            shared.transaction(ANA),
            shared.transaction(TenantId("luis"), timeout_ms=500) as own,
        ):
            assert select_one(own) == 1

    def test_beyond_its_share_it_waits_and_is_told_what_was_in_use(self, shared: Database) -> None:
        with (
            shared.transaction(ANA),
            shared.transaction(ANA),
            pytest.raises(DatabaseUnavailableError, match="the tenant's share of 4 connections"),
            shared.transaction(ANA, timeout_ms=50),
        ):
            raise AssertionError("there was no connection")

    def test_what_it_gives_back_it_gets_again(self, shared: Database) -> None:
        for _ in range(5):
            with shared.transaction(ANA), shared.transaction(ANA) as own:
                assert select_one(own) == 1

    def test_a_view_for_some_departments_counts_as_the_same_tenant(self, shared: Database) -> None:
        with (
            shared.transaction(ANA),
            shared.seen_by(["Ventas"]).transaction(ANA),
            pytest.raises(DatabaseUnavailableError),
            shared.transaction(ANA, timeout_ms=50),
        ):
            raise AssertionError("there was no connection")

"""The databases of the tests: one server a run, one migrated template on it, one clone a test, of it or of a filled one.

The server is an embedded one in a temporary folder, shared by all workers of a run, or the one of
``BRAIN_TEST_DATABASE_URL``, whose user must be allowed to create databases. Every database of a run carries
its name, so that what a killed worker left behind can be found and dropped.
"""

import os
import shutil
import tempfile
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rag_core.storage.connecting import ensure_database
from rag_core.storage.embedded import embedded_server, stop
from rag_core.storage.migrate import migrate

_SHARED_BUFFERS_MB = 128
_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 * 1024**3
_MOST_LEFT = 4
_kept: dict[str, psycopg.Connection] = {}
_left: deque[str] = deque()
"""Databases that this process is to drop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """What the workers of one run share; without a URL the server lives in the folder."""

    __test__ = False

    folder: Path
    url: str | None

    @property
    def prefix(self) -> str:
        """How the names of the run's databases begin."""
        return self.folder.name.replace("-", "_")

    @property
    def template(self) -> str:
        """The migrated database that every test's is a copy of."""
        return f"{self.prefix}_template"


def begin_run(url: str | None) -> TestRun:
    """Make the run's folder, open to the user that PostgreSQL runs as when we are root; in memory where there is room."""
    folder = Path(tempfile.mkdtemp(prefix="brain-tests-", dir=memory_folder()))
    folder.chmod(0o755)
    return TestRun(folder=folder, url=url)


def memory_folder() -> Path | None:
    """A folder in memory with room for a run's databases, where copying one takes 20 ms instead of 80 to 300; else None."""
    is_roomy = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    return _MEMORY if is_roomy else None


def end_run(run: TestRun) -> None:
    """Drop the run's databases, stop its server if a killed worker left it, and remove the folder."""
    if run.url is not None:
        _drop_databases(run.url, run.prefix)
    stop(run.folder)
    shutil.rmtree(run.folder, ignore_errors=True)


@contextmanager
def run_server(run: TestRun) -> Iterator[str]:
    """The connection string of the run's server; the last worker that leaves stops an embedded one."""
    with ExitStack() as stack:
        server = run.url or stack.enter_context(embedded_server(run.folder, shared_buffers_mb=_SHARED_BUFFERS_MB))
        if run.url is None:
            _forgo_durability(server)
        stack.callback(_close_administration, server)
        yield server


def ensure_template(run: TestRun, server: str) -> str:
    """The name of the migrated template, made by whichever worker comes first."""
    return _ensure(server, run.template, lambda: _migrated(server, run.template))


def ensure_filled(run: TestRun, server: str, *, name: str, fill: Callable[[str], None]) -> str:
    """The name of a copy of the template with contents that several tests begin with, made by whichever worker comes first.

    ``fill`` gets the connection string of the copy, and leaves no connection open.
    """
    filled = f"{run.prefix}_{name}"

    def make() -> None:
        _copy(server, run.template, filled)
        fill(make_conninfo(server, dbname=filled))

    return _ensure(server, filled, make)


def _ensure(server: str, name: str, make: Callable[[], None]) -> str:
    """Make the database unless it is there.

    Connections to it are refused once it is whole: a database in use cannot be copied.
    """
    with _connect(server) as connection:
        connection.execute("select pg_advisory_lock(hashtextextended(%s, 0))", (name,))
        row = connection.execute("select datallowconn from pg_database where datname = %s", (name,)).fetchone()
        if row != (False,):
            _drop(connection, name)  # a killed worker may have left a half-made one
            make()
            connection.execute(sql.SQL("alter database {} allow_connections false").format(sql.Identifier(name)))
    return name


@contextmanager
def cloned_database(server: str, template: str) -> Iterator[str]:
    """The connection string of a fresh copy of the template, closed to everybody afterwards and dropped later."""
    name = f"{template.removesuffix('_template')}_{uuid.uuid4().hex[:12]}"
    _copy(server, template, name)
    try:
        yield make_conninfo(server, dbname=name)
    finally:
        _drop_later(_administration(server), name)


def _drop_later(administration: psycopg.Connection, name: str) -> None:
    """End every connection to the database, and drop it once they are gone: a backend that ends is waited for 0.1 s."""
    administration.execute(sql.SQL("alter database {} allow_connections false").format(sql.Identifier(name)))
    administration.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
    while len(_left) >= _MOST_LEFT:
        _drop(administration, _left.popleft())
    _left.append(name)


def _copy(server: str, template: str, name: str) -> None:
    names = map(sql.Identifier, (name, template, _copy_strategy(server)))
    _administration(server).execute(sql.SQL("create database {} template {} strategy {}").format(*names))


def _administration(server: str) -> psycopg.Connection:
    """The process's connection for creating and dropping databases; it is kept, because making one takes 5 ms."""
    connection = _kept.get(server)
    if connection is None or not _is_alive(connection):
        connection = _kept[server] = _connect(server)
    return connection


def _is_alive(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("select 1")
    except psycopg.OperationalError:
        return False  # a test may have ended every connection, or the server
    return True


def _close_administration(server: str) -> None:
    if (connection := _kept.pop(server, None)) is not None:
        connection.close()


@cache
def _copy_strategy(server: str) -> str:
    """Copying files takes 50 ms, through the log 120 ms, but forces checkpoints, dear where fsync is on."""
    return "file_copy" if _administration(server).execute("show fsync").fetchone() == ("off",) else "wal_log"


def _migrated(server: str, name: str) -> None:
    with _connect(ensure_database(server, name)) as connection:
        migrate(connection)
    with _connect(make_conninfo(server, dbname=name)) as connection:
        connection.execute(
            "select 1"
        )  # leaves a file with the descriptions of system tables, which every copy then has


def _forgo_durability(server: str) -> None:
    """Nothing here outlives the run, so nothing need reach the disk."""
    with _connect(server) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(sql.SQL("alter system set {} = off").format(sql.Identifier(name)))
        connection.execute("select pg_reload_conf()")


def _drop_databases(server: str, prefix: str) -> None:
    with _connect(server) as connection:
        rows = connection.execute("select datname from pg_database where starts_with(datname, %s)", (prefix,))
        for (name,) in rows.fetchall():
            _drop(connection, name)


def _drop(connection: psycopg.Connection, name: str) -> None:
    connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _connect(conninfo: str) -> psycopg.Connection:
    return psycopg.connect(conninfo, autocommit=True)

"""Connections: which server, in which role, for which tenant.

``open_database`` is what every entry point calls: it starts the embedded server or reaches the one of
``DATABASE_URL``, creates and migrates the database, and hands out a ``Database``. The application's connections run as
``brain_app``, which owns nothing and cannot bypass row-level security; the tenant is set per transaction.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from rag_core.errors import (
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    QueryFailedError,
)
from rag_core.model import TenantId
from rag_core.settings import Settings
from rag_core.storage.migrate import APPLICATION_ROLE, migrate

Connection = psycopg.Connection[TupleRow]

CONNECT_TIMEOUT_SECONDS = 10
_DISK_FULL = "53100"
_SEARCH_PATH = "brain,public,extensions"


@dataclass(slots=True)
class Database:
    """An open database: the application's pool and the owner's connection string."""

    owner_conninfo: str
    pool: ConnectionPool[Connection]
    revive: Callable[[], bool] | None = None
    _reviving: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def transaction(
        self,
        tenant: TenantId,
        *,
        timeout_ms: int | None = None,
        has_copy: bool = False,
        local: Mapping[str, str | int] | None = None,
    ) -> Iterator[Connection]:
        """A transaction as one tenant; it commits when the block ends and rolls back when it raises.

        The tenant, the statement timeout and other settings travel with the first statement of the block, in one
        round trip. ``has_copy`` turns that off, because COPY cannot be part of a pipeline.

        Raises:
            DatabaseUnavailableError: no connection within the time allowed, or it broke.
            DeadlineExceededError: a statement took longer than ``timeout_ms``.
            QueryFailedError: the server refused a statement; its cause is the driver's error.
        """
        try:
            with (
                self._connection(timeout_ms) as connection,
                nullcontext() if has_copy else connection.pipeline(),
                connection.transaction(),
            ):
                connection.execute(*_settings_statement(tenant, timeout_ms, local or {}))
                yield connection
        except psycopg.errors.QueryCanceled as error:
            raise DeadlineExceededError(f"PostgreSQL did not answer within {timeout_ms} ms") from error
        except (psycopg.Error, PoolTimeout, PoolClosed) as error:
            if _is_unreachable(error):
                self._revive_soon()
                raise DatabaseUnavailableError(f"no connection to PostgreSQL: {type(error).__name__}") from error
            raise QueryFailedError(f"PostgreSQL refused a statement: {type(error).__name__}, {error}") from error

    @contextmanager
    def _connection(self, timeout_ms: int | None) -> Iterator[Connection]:
        seconds = CONNECT_TIMEOUT_SECONDS if timeout_ms is None else timeout_ms / 1000
        with self.pool.connection(timeout=seconds) as connection:
            yield connection

    @contextmanager
    def owner(self) -> Iterator[Connection]:
        """An autocommit connection as owner of the schema: for migrations, DDL and lists over all tenants."""
        try:
            with _connect(self.owner_conninfo) as connection:
                yield connection
        except psycopg.OperationalError as error:
            if isinstance(error, psycopg.errors.QueryCanceled):
                raise
            self._revive_soon()
            raise DatabaseUnavailableError(f"no connection to PostgreSQL: {error}") from error

    def _revive_soon(self) -> None:
        """Start a crashed embedded server again, once at a time, without making the caller wait."""
        if self.revive is None or not self._reviving.acquire(blocking=False):
            return
        threading.Thread(target=self._revive, name="revive-postgres", daemon=True).start()

    def _revive(self) -> None:
        assert self.revive is not None
        try:
            if self.revive():
                self.pool.check()
        except DatabaseSetupError:
            time.sleep(1)  # the next request tries again
        finally:
            self._reviving.release()


def _is_unreachable(error: Exception) -> bool:
    """Whether the connection is what failed; a deadlock is an OperationalError too, and no reason to reconnect.

    SQLSTATE classes: 08 connection, 53 resources (such as too many connections), 57 intervention (such as shutdown).
    """
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return not isinstance(error, psycopg.Error)  # the pool's own errors
    return error.sqlstate is None or (error.sqlstate[:2] in {"08", "53", "57"} and error.sqlstate != _DISK_FULL)


def _settings_statement(
    tenant: TenantId, timeout_ms: int | None, local: Mapping[str, str | int]
) -> tuple[sql.Composed, list[str]]:
    values = {"brain.tenant": str(tenant)} | {name: str(value) for name, value in local.items()}
    if timeout_ms is not None:
        values["statement_timeout"] = str(max(1, timeout_ms))
    calls = sql.SQL(", ").join([sql.SQL("set_config(%s, %s, true)")] * len(values))
    return sql.SQL("select {}").format(calls), [part for pair in values.items() for part in pair]


@contextmanager
def open_database(settings: Settings, *, pool_size: int = 4) -> Iterator[Database]:
    """Reach the database the settings name, started, created and migrated.

    Raises:
        DatabaseUnavailableError: nobody answers at ``DATABASE_URL``.
        DatabaseSetupError: the server cannot be used; the message names what is missing.
    """
    if settings.database_url is not None:
        with _open(settings.database_url, pool_size=pool_size, revive=None) as database:
            yield database
        return
    from rag_core.storage.embedded import embedded_server, revive  # psutil is needed for the embedded server only

    with embedded_server(settings.home, shared_buffers_mb=settings.shared_buffers_mb) as server:
        conninfo = ensure_database(server, "brain")
        home: Path = settings.home
        buffers = settings.shared_buffers_mb
        with _open(conninfo, pool_size=pool_size, revive=lambda: revive(home, shared_buffers_mb=buffers)) as database:
            yield database


@contextmanager
def _open(conninfo: str, *, pool_size: int, revive: Callable[[], bool] | None) -> Iterator[Database]:
    try:
        with _connect(conninfo) as connection:
            migrate(connection)
            _check_application_role(connection)
    except psycopg.ProgrammingError as error:
        raise DatabaseSetupError(
            f"DATABASE_URL cannot be used: {str(error).strip()}. It looks like postgresql://user:password@host:5432/database"
        ) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailableError(
            f"no PostgreSQL answers at {_public(conninfo)}: {str(error).strip()}. Check DATABASE_URL and that the server runs."
        ) from error
    with ConnectionPool[Connection](
        application_conninfo(conninfo),
        min_size=0 if pool_size <= 4 else 2,
        max_size=pool_size,
        max_idle=30,
        configure=_configure,
        timeout=CONNECT_TIMEOUT_SECONDS,
        reconnect_timeout=5,
        name="brain",
        open=True,
    ) as pool:
        yield Database(owner_conninfo=conninfo, pool=pool, revive=revive)


def application_conninfo(conninfo: str) -> str:
    """The same server as ``brain_app``: the role is taken on when the connection starts, without a round trip."""
    given = str(conninfo_to_dict(conninfo).get("options") or "")
    options = f"{given} -c role={APPLICATION_ROLE} -c search_path={_SEARCH_PATH} -c jit=off".strip()
    return make_conninfo(conninfo, options=options, application_name="brain", connect_timeout=5, client_encoding="utf8")


def ensure_database(server: str, name: str) -> str:
    """Create the database on a server where we may, and return its connection string."""
    with _connect(server) as connection:
        if connection.execute("select from pg_database where datname = %s", (name,)).fetchone() is None:
            _create_database(connection, name)
    return make_conninfo(server, dbname=name)


def _create_database(connection: Connection, name: str) -> None:
    locale: LiteralString = (
        "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'"
        if connection.info.server_version >= 170_000
        else "lc_collate 'C' lc_ctype 'C.UTF-8'"
    )
    statement = sql.SQL("create database {} template template0 encoding 'UTF8' " + locale)
    try:
        connection.execute(statement.format(sql.Identifier(name)))
    except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
        return  # another process was faster


def _connect(conninfo: str) -> Connection:
    return psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_TIMEOUT_SECONDS)


def _configure(connection: Connection) -> None:
    register_vector(connection)
    connection.commit()


def _check_application_role(connection: Connection) -> None:
    row = connection.execute(
        "select rolsuper or rolbypassrls from pg_roles where rolname = %s", (APPLICATION_ROLE,)
    ).fetchone()
    if row != (False,):
        raise DatabaseSetupError(
            f"the role {APPLICATION_ROLE} can bypass row-level security, so tenants would see each other's notes; run "
            f"ALTER ROLE {APPLICATION_ROLE} NOSUPERUSER NOBYPASSRLS"
        )


def _public(conninfo: str) -> str:
    """Host and database of a connection string, without its password."""
    parts: dict[str, Any] = conninfo_to_dict(conninfo)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"

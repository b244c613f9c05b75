"""Connections to a server: the owner's, the application's pool, and creation of a missing database."""

import json
import select
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from rag_core.errors import DatabaseSetupError
from rag_core.model.note import TenantId
from rag_core.storage.migrate import APPLICATION_ROLE

Connection = psycopg.Connection[TupleRow]

CONNECT_TIMEOUT_SECONDS = 10
SERVING_MIN_SIZE = 5
"""Connections a pool for requests keeps open; a command's pool opens them when it needs them."""
_SEARCH_PATH = "brain,public,extensions"
_EVERYTHING = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFigures:
    """The pool now, and its use since it was opened; a transaction counts as one query."""

    size: int
    active: int
    waiting: int
    queries: int
    average_ms: float


def connect(conninfo: str) -> Connection:
    """A connection of its own, each statement a transaction."""
    return psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_TIMEOUT_SECONDS)


@contextmanager
def application_pool(conninfo: str, *, pool_size: int, version_days: int = 0) -> Iterator[ConnectionPool[Connection]]:
    """The application's connections, closed when the block ends; those that change notes keep versions for so many days."""

    def check(connection: Connection) -> None:
        """Tell a connection that the server has closed, without asking it, and renew all that wait in the pool with it."""
        if not _has_news(connection):
            return
        try:
            ConnectionPool.check_connection(connection)
        except psycopg.Error:
            pool.drain()
            raise

    with ConnectionPool[Connection](
        application_conninfo(conninfo, version_days=version_days),
        min_size=0 if pool_size < SERVING_MIN_SIZE else SERVING_MIN_SIZE,
        max_size=pool_size,
        max_idle=30,
        configure=_configure,
        check=check,
        timeout=CONNECT_TIMEOUT_SECONDS,
        reconnect_timeout=1,  # then the next request tries at once, which finds a server that is back sooner
        name="brain",
        open=True,
    ) as pool:
        yield pool


def application_conninfo(conninfo: str, *, version_days: int = 0) -> str:
    """Return the connection string with the role ``brain_app``, which is set at the start of a connection, without a round trip."""
    given = str(conninfo_to_dict(conninfo).get("options") or "")
    own = {"role": APPLICATION_ROLE, "search_path": _SEARCH_PATH, "jit": "off", "brain.version_days": version_days}
    options = " ".join([given, *(f"-c {name}={value}" for name, value in own.items())]).strip()
    return make_conninfo(conninfo, options=options, application_name="brain", connect_timeout=5, client_encoding="utf8")


def _has_news(connection: Connection) -> bool:
    """Tell whether the server sent an unrequested message, as a rule that it closes the connection. No round trip."""
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN)
    return bool(poller.poll(0))


def _configure(connection: Connection) -> None:
    register_vector(connection)
    connection.commit()


def ensure_database(server: str, name: str) -> str:
    """Create the database on a server where we may, and return its connection string."""
    with connect(server) as connection:
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


def check_application_role(connection: Connection) -> None:
    """Have the tenants kept apart by a role that can be kept to it.

    Raises:
        DatabaseSetupError: it can bypass row-level security.
    """
    row = connection.execute(
        "select rolsuper or rolbypassrls from pg_roles where rolname = %s", (APPLICATION_ROLE,)
    ).fetchone()
    if row != (False,):
        raise DatabaseSetupError(
            f"the role {APPLICATION_ROLE} can bypass row-level security, so tenants would see each other's notes; run "
            f"ALTER ROLE {APPLICATION_ROLE} NOSUPERUSER NOBYPASSRLS"
        )


def public_address(conninfo: str) -> str:
    """Host and database of a connection string, without its password."""
    parts: dict[str, Any] = conninfo_to_dict(conninfo)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def settings_statement(
    tenant: TenantId, departments: Sequence[str] | None, timeout_ms: int | None, local: Mapping[str, str | int]
) -> tuple[sql.Composed, list[str]]:
    """Statement, with its parameters, that sets the tenant, the departments and other settings until the transaction ends."""
    seen = _EVERYTHING if departments is None else json.dumps(list(departments), ensure_ascii=False)
    values = {"brain.tenant": str(tenant), "brain.departments": seen}
    values |= {name: str(value) for name, value in local.items()}
    if timeout_ms is not None:
        values["statement_timeout"] = str(max(1, timeout_ms))
    calls = sql.SQL(", ").join([sql.SQL("set_config(%s, %s, true)")] * len(values))
    return sql.SQL("select {}").format(calls), [part for pair in values.items() for part in pair]

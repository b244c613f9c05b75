"""Somebody's table of notes, read and never written to: in one read-only transaction, a page at a time.

Which column is what is ``rag_core.migration.legacy_table``'s business; what becomes of the rows ``storage.attachment``'s.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg import sql

from rag_core.errors import DatabaseUnavailableError, InvalidInputError, NotFoundError, QueryFailedError
from rag_core.storage.connecting import CONNECT_TIMEOUT_SECONDS, Connection, public_address
from rag_core.storage.queries import query

READ_ROWS = 1_000
_AS_JSON = frozenset({"tags", "metadata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column with its type as PostgreSQL writes it: ``text``, ``vector(768)``."""

    name: str
    type: str

    @property
    def is_vector(self) -> bool:
        """Tell whether it is of pgvector's type, in whatever schema that is."""
        return self.type.rpartition(".")[2].partition("(")[0] == "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDescription:
    """A table or view and where it is, without a password."""

    schema: str
    name: str
    columns: tuple[TableColumn, ...]
    origin: str


@contextmanager
def reading(conninfo: str) -> Iterator[Connection]:
    """A connection that cannot write and sees one moment of the database, whatever is written meanwhile.

    Raises:
        InvalidInputError: ``conninfo`` is no address.
        DatabaseUnavailableError: nobody answers there, or the connection broke.
        QueryFailedError: the server refused to give the rows.
    """
    try:
        with _connect(conninfo) as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.execute(query("begin_legacy_reading"))
            yield connection
    except psycopg.OperationalError as error:
        raise DatabaseUnavailableError(
            f"the legacy notes' server {public_address(conninfo)} does not answer: {str(error).strip()}"
        ) from error
    except psycopg.Error as error:
        raise QueryFailedError(
            f"the legacy notes' server {public_address(conninfo)} refused a statement: {str(error).strip()}"
        ) from error


def _connect(conninfo: str) -> Connection:
    try:
        return psycopg.connect(
            conninfo,
            connect_timeout=CONNECT_TIMEOUT_SECONDS,
            client_encoding="utf8",
            application_name="brain migration attach",
        )
    except psycopg.ProgrammingError as error:
        raise InvalidInputError(
            "--from is no address of a PostgreSQL; expected one such as postgresql://user:password@host:5432/database"
        ) from error


def describe_table(connection: Connection, name: str) -> TableDescription:
    """The table or view of that name, ``schema.table`` or as the server's search path finds it.

    Raises:
        NotFoundError: there is none; the message lists those there are.
        InvalidInputError: it is no name of a table.
    """
    try:
        rows = connection.execute(query("describe_legacy_table"), {"table": name}).fetchall()
    except (psycopg.errors.SyntaxError, psycopg.errors.FeatureNotSupported) as error:
        raise InvalidInputError(
            f"--table {name} is no name of a table ({error.diag.message_primary}); expected table or schema.table, each in "
            "double quotes where it has capitals or spaces"
        ) from error
    if not rows:
        raise NotFoundError(f"there is no table {name}; there are: {_tables(connection)}. Give one with --table")
    return TableDescription(
        schema=rows[0][0],
        name=rows[0][1],
        columns=tuple(TableColumn(name=column, type=kind) for _, _, column, kind in rows),
        origin=f"{rows[0][0]}.{rows[0][1]} at {public_address(connection.info.dsn)}",
    )


def _tables(connection: Connection) -> str:
    return ", ".join(row[0] for row in connection.execute(query("list_legacy_tables")).fetchall()) or "none"


def count_rows(connection: Connection, table: TableDescription) -> int:
    """Count the rows to read."""
    statement = sql.SQL("select count(*) from {}").format(sql.Identifier(table.schema, table.name))
    row = connection.execute(statement).fetchone()
    assert row is not None
    return int(row[0])


def iterate_rows(
    connection: Connection, table: TableDescription, columns: Mapping[str, TableColumn]
) -> Iterator[dict[str, Any]]:
    """The rows, newest first, each as texts by role; a vector of pgvector comes as an array, tags and metadata as JSON.

    As texts, because a date that Python cannot hold (infinity, before our era) would else end the reading of all rows.
    """
    if any(column.is_vector for column in columns.values()):
        register_vector(connection)
    statement = sql.SQL("select {} from {} {}").format(
        sql.SQL(", ").join(_expression(role, column) for role, column in columns.items()),
        sql.Identifier(table.schema, table.name),
        _order(columns),
    )
    with connection.cursor(name="brain_legacy_notes") as cursor:
        cursor.itersize = READ_ROWS
        cursor.execute(statement, binary=True)
        for row in cursor:
            yield {role: _value(value) for role, value in zip(columns, row, strict=True)}


def _expression(role: str, column: TableColumn) -> sql.Composable:
    name = sql.Identifier(column.name)
    if role in _AS_JSON:
        return sql.SQL("to_jsonb({})::text").format(name)
    return name if column.is_vector else sql.SQL("{}::text").format(name)


def _order(columns: Mapping[str, TableColumn]) -> sql.Composable:
    wanted = [columns[role] for role in ("created_at", "updated_at", "id") if role in columns]
    return sql.SQL("order by {}").format(
        sql.SQL(", ").join(sql.SQL("{} desc nulls last").format(sql.Identifier(column.name)) for column in wanted)
    )


def _value(value: Any) -> Any:
    return value.to_numpy() if isinstance(value, Vector) else value

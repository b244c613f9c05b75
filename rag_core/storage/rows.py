"""Rows of named queries as values."""

from collections.abc import Mapping
from typing import Any, TypeVar

from psycopg.rows import class_row, scalar_row

from rag_core.storage.database import Connection
from rag_core.storage.queries import query

Value = TypeVar("Value")
Parameters = Mapping[str, Any]


def fetch_all(
    connection: Connection, kind: type[Value], name: str, parameters: Parameters | None = None
) -> list[Value]:
    """All rows of a query whose columns have the names of the fields of a class."""
    return connection.cursor(row_factory=class_row(kind)).execute(query(name), parameters).fetchall()


def fetch_one(
    connection: Connection, kind: type[Value], name: str, parameters: Parameters | None = None
) -> Value | None:
    """The first row of a query whose columns have the names of the fields of a class; None without any."""
    return connection.cursor(row_factory=class_row(kind)).execute(query(name), parameters).fetchone()


def fetch_value(connection: Connection, name: str, parameters: Parameters | None = None) -> Any:
    """The first column of the first row of a query; None without any row."""
    return connection.cursor(row_factory=scalar_row).execute(query(name), parameters).fetchone()


def fetch_column(connection: Connection, name: str, parameters: Parameters | None = None) -> list[Any]:
    """The first column of all rows of a query."""
    return connection.cursor(row_factory=scalar_row).execute(query(name), parameters).fetchall()

"""The bare statements of a search: recorded from a real one, sent again by one connection, one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql

from rag_core.configuration import configure
from rag_core.engine import Engine
from rag_core.model import TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.database import Connection, Database, application_conninfo

from .scratch import TENANT

TIMEOUT_MS = 60_000
_LEGS = ("postings", "embeddings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """What one search sends, in order, and the settings of its transactions."""

    queries: Sequence[tuple[bytes, Any]]
    settings: dict[str, str]


def recorded_statements(engine: Engine, question: str) -> Statements:
    """The statements of a hybrid search, rendered, with their parameters.

    Raises:
        RuntimeError: a leg was not seen: the search sends its statements in a way that is not recorded.
    """
    recorder = _Recorder(database=engine.database)
    recording = replace(engine, database=cast("Database", recorder))
    retrieve(recording, TENANT, question, config=configure(strategy="hybrid"), timeout_ms=TIMEOUT_MS)
    missing = [leg for leg in _LEGS if not any(leg.encode() in query for query, _ in recorder.queries)]
    if missing:
        raise RuntimeError(f"no statement of a search reads {', '.join(missing)}; record it where it is sent")
    return Statements(queries=recorder.queries, settings=recorder.settings)


@contextmanager
def open_replay(database: Database, statements: Statements) -> Iterator[Connection]:
    """A connection in the application's role, under the same row-level security; its settings hold for all of it."""
    conninfo = application_conninfo(database.owner_conninfo)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        register_vector(connection)
        for name, value in {"brain.tenant": str(TENANT), **statements.settings}.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        yield connection


def replay(connection: Connection, statements: Statements) -> None:
    """Send the statements, prepared, and read all rows."""
    for query, parameters in statements.queries:
        connection.execute(query, parameters, prepare=True).fetchall()


@dataclass(slots=True, kw_only=True)
class _Recorder:
    """Stands in for the database: hands on to it and remembers."""

    database: Database
    queries: list[tuple[bytes, Any]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def transaction(
        self, tenant: TenantId, *, local: Mapping[str, str | int] | None = None, **options: Any
    ) -> Iterator["_RecordedConnection"]:
        with self.database.transaction(tenant, local=local, **options) as connection:
            self.settings |= {name: str(value) for name, value in (local or {}).items()}
            yield _RecordedConnection(connection=connection, queries=self.queries)


@dataclass(slots=True, kw_only=True)
class _RecordedConnection:
    connection: Connection
    queries: list[tuple[bytes, Any]]

    def execute(self, query: str | sql.Composed, parameters: Any = None) -> psycopg.Cursor[Any]:
        self.queries.append((_rendered(query, self.connection), parameters))
        return self.connection.execute(query, parameters)


def _rendered(query: str | sql.Composed, connection: Connection) -> bytes:
    return query.encode() if isinstance(query, str) else query.as_bytes(connection)

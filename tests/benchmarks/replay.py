"""The bare statements of a search: recorded from a real one, sent again one after the other or both legs at once."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql

from rag_core.configuration.schema import configure
from rag_core.model.note import TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.connecting import application_conninfo
from rag_core.storage.database import Connection, Database

from .scratch import TENANT

TIMEOUT_MS = 60_000
_LEGS = ("posting_blocks", "embeddings")

Statement = tuple[bytes, Any, bool]
Transaction = Sequence[Statement]
"""Statements, rendered, with their parameters and whether their rows come in binary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Statements of one search: each leg's, the transactions after them, and the settings of all."""

    legs: Sequence[Transaction]
    texts: Sequence[Transaction]
    settings: dict[str, str]


def recorded_statements(engine: Engine, question: str) -> Statements:
    """The statements of a hybrid search.

    Raises:
        RuntimeError: a leg was not seen: the search sends its statements in a way that is not recorded.
    """
    recorder = _Recorder(database=engine.database)
    recording = replace(engine, database=cast("Database", recorder))
    config = configure(strategy="hybrid")
    retrieve(recording, TENANT, question, config=config, timeout_ms=TIMEOUT_MS, use_cache=False)
    legs = [[statement for one in recorder.transactions if _reads(one, leg) for statement in one] for leg in _LEGS]
    if not all(legs):
        raise RuntimeError(f"no transaction of a search reads one of {', '.join(_LEGS)}; record it where it is sent")
    texts = [one for one in recorder.transactions if not any(_reads(one, leg) for leg in _LEGS)]
    return Statements(legs=legs, texts=texts, settings=recorder.settings)


def _reads(transaction: Transaction, table: str) -> bool:
    return any(table.encode() in query for query, *_ in transaction)


@contextmanager
def open_replay(database: Database, statements: Statements) -> Iterator[Connection]:
    """A connection in the application's role, under the same row-level security; its settings hold for all of it."""
    conninfo = application_conninfo(database.owner_conninfo)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        register_vector(connection)
        for name, value in {"brain.tenant": str(TENANT), "brain.departments": "*", **statements.settings}.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        yield connection


def replay(connection: Connection, statements: Statements) -> None:
    """Send the statements, prepared, one after the other, and read all rows."""
    for transaction in (*statements.legs, *statements.texts):
        _send(connection, transaction)


def replay_at_once(connections: Sequence[Connection], statements: Statements, executor: ThreadPoolExecutor) -> None:
    """Send both legs at once, each by its own connection, as a search does, then the rest."""
    running = [executor.submit(_send, *pair) for pair in zip(connections, statements.legs, strict=True)]
    for sent in running:
        sent.result()
    for transaction in statements.texts:
        _send(connections[0], transaction)


def _send(connection: Connection, transaction: Transaction) -> None:
    for query, parameters, binary in transaction:
        connection.execute(query, parameters, prepare=True, binary=binary).fetchall()


@dataclass(slots=True, kw_only=True)
class _Recorder:
    """Stands in for the database: hands on to it and remembers."""

    database: Database
    transactions: list[list[Statement]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def transaction(
        self, tenant: TenantId, *, local: Mapping[str, str | int] | None = None, **options: Any
    ) -> Iterator["_RecordedConnection"]:
        queries: list[Statement] = []
        self.transactions.append(queries)
        self.settings |= {name: str(value) for name, value in (local or {}).items()}
        with self.database.transaction(tenant, local=local, **options) as connection:
            yield _RecordedConnection(connection=connection, queries=queries)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.database, name)


@dataclass(slots=True, kw_only=True)
class _RecordedConnection:
    connection: Connection
    queries: list[Statement]

    def execute(
        self, query: str | sql.Composed, parameters: Any = None, *, binary: bool = False
    ) -> psycopg.Cursor[Any]:
        self.queries.append((_rendered(query, self.connection), parameters, binary))
        return self.connection.execute(query, parameters, binary=binary)


def _rendered(query: str | sql.Composed, connection: Connection) -> bytes:
    return query.encode() if isinstance(query, str) else query.as_bytes(connection)

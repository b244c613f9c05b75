"""SQL of backups: a snapshot, COPY out and in, and a schema to load into.

All of it runs on the owner's connection, because a backup holds every tenant's rows.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

import psycopg
from psycopg import sql

from rag_core.errors import BusyError, DatabaseSetupError, DatabaseUnavailableError, QueryFailedError
from rag_core.storage.database import Connection, Database
from rag_core.storage.failures import is_unreachable
from rag_core.storage.migrate import ADVISORY_LOCK, Migration, apply_migration, read_migrations
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value
from rag_core.storage.tenants import table_named

LOCK_SECONDS = 30
"""Limit for a restore that waits for users of the tables, and for either that waits for the other."""
HISTORY = "schema_migrations"
_SEEDED = ("embedding_models", HISTORY)
_OF_ITSELF = ("alerts", "service_minutes")
"""Tables about the service's own operation; their rows do not make an installation without notes worth keeping."""
_OF_WORDS = ("postings", "lexeme_statistics", "posting_blocks", "corpus_statistics")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A table of the schema, the columns that are written, those that PostgreSQL computes, and its size on disk."""

    name: str
    columns: tuple[str, ...]
    computed: tuple[str, ...]
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSource:
    """Origin and time of a snapshot."""

    taken_at: datetime
    server_version: str
    pgvector_version: str
    migrations: Sequence[tuple[int, str, str]]


@contextmanager
def snapshot(database: Database) -> Iterator[Connection]:
    """A connection that sees all tables as they are now, whatever others write meanwhile, and changes nothing.

    Migrations and restores wait until it is closed.

    Raises:
        BusyError: the tables are being restored or migrated.
        DatabaseUnavailableError, DatabaseSetupError, QueryFailedError: the connection broke; a table is not Brain Sync's;
            the user does not own the tables.
    """
    with database.owner() as connection, _failures_explained(what="The backup was not written."):
        _take_time(connection)
        connection.execute("select pg_advisory_lock_shared(%s)", (ADVISORY_LOCK,))
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            connection.execute("set local row_security = off")  # rows that a policy hides are an error, not left out
            _lock_own_tables(connection, "access share")
            yield connection


def list_tables(connection: Connection) -> list[StoredTable]:
    """Every table of the schema, by name."""
    rows = connection.execute(query("stored_tables")).fetchall()
    return [
        StoredTable(name=name, columns=tuple(columns), computed=tuple(computed), bytes=size)
        for name, columns, computed, size in rows
    ]


def describe_source(connection: Connection) -> SnapshotSource:
    """The moment of the snapshot, and what it was taken of."""
    row = connection.execute(query("backup_source")).fetchone()
    assert row is not None
    taken_at, server, pgvector = row
    migrations = connection.execute(query("backup_migrations")).fetchall()
    return SnapshotSource(taken_at=taken_at, server_version=server, pgvector_version=pgvector, migrations=migrations)


def read_sequences(connection: Connection) -> dict[str, int]:
    """The last number that each sequence gave out, of those that gave out any."""
    return dict(connection.execute(query("read_sequences")).fetchall())


def copy_out(connection: Connection, table: str, columns: Sequence[str], write: Callable[[memoryview], object]) -> int:
    """Hand over a table's rows in binary COPY format; how many they were."""
    statement = sql.SQL("copy (select {} from {}) to stdout (format binary)").format(
        _listed(columns), table_named(table)
    )
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for block in copy:
                write(memoryview(block))
        return cursor.rowcount


@contextmanager
def replacement(database: Database) -> Iterator[Connection]:
    """A connection whose one transaction replaces everything, or nothing: it commits when the block ends.

    Raises:
        BusyError: others used the tables for too long.
        DatabaseUnavailableError, DatabaseSetupError, QueryFailedError: the connection broke; a table is not Brain Sync's; the
            server refused what was to be loaded.
    """
    with database.owner() as connection, _failures_explained(what="Nothing was changed."):
        _take_time(connection)
        connection.execute("set search_path = brain, public, extensions")
        connection.execute("select pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        with connection.transaction():
            _lock_own_tables(connection, "access exclusive")
            yield connection


def is_empty(connection: Connection) -> bool:
    """Tell whether the installation holds no data of users."""
    names = [table.name for table in list_tables(connection) if table.name not in (*_SEEDED, *_OF_ITSELF)]
    held = sql.SQL(" or ").join(sql.SQL("exists (select from {})").format(table_named(name)) for name in names)
    models = connection.execute(query("count_registered_models")).fetchone()
    return connection.execute(sql.SQL("select {}").format(held)).fetchone() == (False,) and models == (1,)


def count_conversations_of_others(connection: Connection, known: Sequence[str]) -> int:
    """Count the conversations of all tenants whose owner's pseudonym is not known."""
    return int(fetch_value(connection, "count_conversations_of_others", {"known": list(known)}))


def find_unfinished_restore(connection: Connection) -> str | None:
    """The mark of the restore that was committed last, where it ended before ``mark_restore`` was called with None."""
    backup: str | None = fetch_value(connection, "unfinished_restore")
    return backup


def mark_restore(connection: Connection, mark: str | None) -> None:
    """Note that what follows a restore's commit is due, or with None that it is done.

    The note is a comment on a table, so it commits with the rows and is part of no backup.
    """
    connection.execute(sql.SQL("comment on table {} is {}").format(table_named(HISTORY), sql.Literal(mark)))


def rebuild_schema(connection: Connection, migrations: Iterable[Migration]) -> None:
    """Drop every table and function of the schema, and make what the migrations make, all tables empty.

    The schema itself stays, with the privileges an administrator gave on it.
    """
    for table in list_tables(connection):
        if table.name != HISTORY:
            connection.execute(sql.SQL("drop table {} cascade").format(table_named(table.name)))
    for (signature,) in connection.execute(query("functions_of_schema")).fetchall():
        connection.execute(sql.SQL("drop routine if exists {} cascade").format(sql.SQL(signature)))
    connection.execute(sql.SQL("truncate {}").format(table_named(HISTORY)))
    for migration in migrations:
        apply_migration(connection, migration)


@contextmanager
def bulk_load(connection: Connection) -> Iterator[None]:
    """Empty tables without triggers, keys, references and indexes, which are all made again when the block ends.

    So a load takes three quarters of the time (50,000 chunks: 25 s, not 35), and every reference is checked when all is there.
    """
    names = [table.name for table in list_tables(connection)]
    constraints = connection.execute(query("keys_and_references")).fetchall()
    indexes = connection.execute(query("indexes_beside_keys")).fetchall()
    for table, name, _ in reversed(constraints):
        statement = sql.SQL("alter table {} drop constraint {}").format(sql.SQL(table), sql.Identifier(name))
        connection.execute(statement)
    for name, _ in indexes:
        connection.execute(sql.SQL("drop index {}").format(sql.SQL(name)))
    connection.execute(sql.SQL("truncate {}").format(sql.SQL(", ").join(map(table_named, names))))
    _switch_triggers(connection, names, "disable")
    yield
    _switch_triggers(connection, names, "enable")
    for _, definition in indexes:
        connection.execute(sql.SQL(definition))
    for table, name, definition in constraints:
        connection.execute(
            sql.SQL("alter table {} add constraint {} {}").format(
                sql.SQL(table), sql.Identifier(name), sql.SQL(definition)
            )
        )


def copy_in(connection: Connection, table: str, columns: Sequence[str], blocks: Iterable[bytes]) -> int:
    """Load rows in binary COPY format into a table that was emptied in this transaction; how many they were."""
    statement = sql.SQL("copy {} ({}) from stdin (format binary, freeze)").format(table_named(table), _listed(columns))
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for block in blocks:
                copy.write(block)
        return cursor.rowcount


def hash_rows(connection: Connection, table: str, columns: Sequence[str]) -> str:
    """SHA-256 of a table in binary COPY format, in the order it was loaded in."""
    digest = hashlib.sha256()
    copy_out(connection, table, columns, digest.update)
    return digest.hexdigest()


def empty_fulltext_index(connection: Connection) -> None:
    """Remove the postings and statistics of whatever version the schema is, for later migrations not to meet those of other lexemes."""
    held = [table.name for table in list_tables(connection) if table.name in _OF_WORDS]
    connection.execute(sql.SQL("truncate {}").format(sql.SQL(", ").join(map(table_named, held))))


def rebuild_fulltext_index(connection: Connection) -> None:
    """Make postings and statistics anew from the lexemes of the chunks."""
    connection.execute("truncate corpus_statistics")
    for part in ("rebuild_postings", "rebuild_corpus_statistics"):
        connection.execute(query(part))


def advance_sequences(connection: Connection, last: dict[str, int]) -> None:
    """Let each sequence go on after the number given, or where it is if that is further."""
    for sequence, number in last.items():
        parameters = {"name": f"brain.{sequence}", "sequence": sequence, "last": number}
        connection.execute(query("advance_sequence"), parameters)


def _take_time(connection: Connection) -> None:
    """Wait for locks for so long, and for nothing else: whatever limits the role has, a large table takes longer."""
    limits = {"lock_timeout": f"{LOCK_SECONDS}s", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
    if connection.info.server_version >= 170_000:
        limits["transaction_timeout"] = "0"
    for name, value in limits.items():
        connection.execute("select set_config(%s, %s, false)", (name, value))
    # Rows are read in the order they stand in, again and again.
    connection.execute("set synchronize_seqscans = off; set max_parallel_workers_per_gather = 0")


def _lock_own_tables(connection: Connection, mode: LiteralString) -> None:
    names = [table.name for table in list_tables(connection)]
    _check_own(names)
    listed = sql.SQL(", ").join(map(table_named, names))
    connection.execute(sql.SQL("lock table {} in " + mode + " mode").format(listed))


def _check_own(names: Iterable[str]) -> None:
    """A table that no migration makes could be written to a backup and never be restored."""
    made = (re.findall(r"^create table (\w+)", migration.sql, re.MULTILINE) for migration in read_migrations())
    foreign = sorted(set(names).difference([HISTORY], *made))
    if foreign:
        raise DatabaseSetupError(
            f"the schema brain holds {', '.join(foreign)}, which Brain Sync did not make; move it out first, for example "
            f"with ALTER TABLE brain.{foreign[0]} SET SCHEMA public"
        )


def _switch_triggers(connection: Connection, names: Iterable[str], word: LiteralString) -> None:
    for name in names:
        connection.execute(sql.SQL("alter table {} " + word + " trigger user").format(table_named(name)))


@contextmanager
def _failures_explained(*, what: str) -> Iterator[None]:
    """Say what the server's errors mean for whoever backs up or restores."""
    try:
        yield
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        raise BusyError(
            f"others used the tables for more than {LOCK_SECONDS} s. {what} Stop the programs that use this database, or "
            "try again when there is less to do"
        ) from error
    except psycopg.Error as error:
        if is_unreachable(error):
            raise DatabaseUnavailableError(
                f"the connection to PostgreSQL broke: {_first_line(error)}. {what}"
            ) from error
        raise QueryFailedError(f"PostgreSQL refused a statement: {_first_line(error)}. {what}") from error


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().partition("\n")[0].removesuffix(".")


def _listed(columns: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))

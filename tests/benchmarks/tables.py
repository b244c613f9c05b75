"""Rows in and out of tables by COPY as the owner: the bare cost of storing what the pipeline has made."""

import time
from collections.abc import Mapping

from psycopg import sql

from rag_core.storage.database import Connection

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "notes": (
        "tenant_id",
        "note_id",
        "source",
        "external_id",
        "title",
        "content",
        "content_hash",
        "language",
        "tags",
        "metadata",
        "created_at",
    ),
    "chunks": (
        "tenant_id",
        "chunk_id",
        "note_id",
        "chunk_index",
        "start_char",
        "end_char",
        "title",
        "content",
        "context",
        "token_count",
        "chunking_method",
        "language",
    ),
    "embeddings": ("tenant_id", "model_id", "kind", "chunk_id", "input_hash", "vector"),
}
"""What a writer gives; the rest are defaults and generated columns."""


def finished_rows(connection: Connection, table: str) -> bytes:
    """All rows of the table, as COPY takes them."""
    statement = sql.SQL("copy brain.{} ({}) to stdout (format binary)").format(*_names(table))
    with connection.cursor().copy(statement) as copy:
        return b"".join(copy)


def copy_seconds(connection: Connection, tables: Mapping[str, bytes]) -> float:
    """Seconds to put finished rows into tables; indexes, foreign keys and triggers do their part."""
    began = time.perf_counter()
    for table, rows in tables.items():
        statement = sql.SQL("copy brain.{} ({}) from stdin (format binary)").format(*_names(table))
        with connection.cursor().copy(statement) as copy:
            copy.write(rows)
    return time.perf_counter() - began


def _names(table: str) -> tuple[sql.Identifier, sql.Composed]:
    columns = sql.SQL(", ").join(map(sql.Identifier, COLUMNS[table]))
    return sql.Identifier(table), columns


def empty_index(connection: Connection) -> None:
    """Remove all chunks with everything made of them; the notes stay."""
    connection.execute(
        "truncate brain.chunks, brain.embeddings, brain.embedding_cache, brain.posting_blocks, "
        "brain.corpus_statistics cascade"
    )


def empty_notes(connection: Connection) -> None:
    """Remove all notes with everything made of them; the tenant stays."""
    empty_index(connection)
    connection.execute("truncate brain.notes cascade")

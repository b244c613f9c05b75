"""The HNSW index of an embedding model: made when exact scans begin to cost more than it does.

pgvector indexes a ``vector`` of up to 2,000 dimensions. A longer one is indexed by its first 4,000 in half precision, and
searches compare what the index finds by the whole vectors.
"""

import time
from typing import LiteralString

from psycopg import sql

from rag_core.model.embedding import EmbeddingKind, EmbeddingModel
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value

EXACT_SCAN_CHUNKS = 5_000
"""Up to here every vector is compared: some 3 µs each with 768 dimensions (33 ms for 10,000), recall 1, no index to keep up."""

MAX_VECTOR_DIMENSIONS = 2_000
"""Dimensions of the longest ``vector`` that fits a page of an index."""
MAX_HALFVEC_DIMENSIONS = 4_000
_BUSY_SECONDS = 0.2
_REWRITTEN = ("notes", "chunks", "posting_blocks", "corpus_statistics", "embeddings", "embedding_cache")


def vector_kind(model: EmbeddingModel) -> EmbeddingKind:
    """Kind of vector that the model's index holds: the one that is searched by default, of two the contextual."""
    return "standard" if model.searched_vectors == "standard" else "contextual"


def is_halved(model: EmbeddingModel) -> bool:
    """Tell whether the model's index holds its vectors in half precision."""
    return model.dimensions > MAX_VECTOR_DIMENSIONS


def with_dimensions(name: LiteralString, model: EmbeddingModel) -> sql.Composed:
    """A named piece of SQL with the model's dimensions and how many of them are indexed, as literals."""
    return sql.SQL(query(name)).format(
        dimensions=sql.Literal(model.dimensions), indexed=sql.Literal(min(model.dimensions, MAX_HALFVEC_DIMENSIONS))
    )


def index_name(model: EmbeddingModel, kind: str) -> str:
    """Name of the model's index over one kind of vector."""
    return f"embeddings_hnsw_{model.id}_{kind}"


def vacuum(database: Database) -> None:
    """Mark rewritten pages visible, so that index-only scans stay so, and refresh the planner's figures."""
    with database.owner() as connection:
        for table in _REWRITTEN:
            connection.execute(sql.SQL("vacuum (analyze) {}").format(sql.Identifier("brain", table)))


def analyze_grown(database: Database) -> tuple[str, ...]:
    """Refresh the planner's figures of tables that have more than doubled since they were last analysed; returns their names.

    Autovacuum looks once a minute. Until it does, a join of a few thousand notes may be planned as one of a single note: the
    check of 67,000 postings was seen to run for minutes instead of 0.7 s.
    """
    with database.owner() as connection:
        grown = [name for (name,) in connection.execute(query("list_grown_tables"), {"tables": list(_REWRITTEN)})]
        for table in grown:
            connection.execute(sql.SQL("analyze {}").format(sql.Identifier("brain", table)))
    return tuple(grown)


def ensure_vector_index(
    database: Database, model: EmbeddingModel, *, exact_scan_chunks: int = EXACT_SCAN_CHUNKS
) -> bool:
    """Make the index of the model's searched vectors once there are enough of them; whether it was made now.

    One process makes it, the others go on without. A build that was killed is dropped and begun anew.
    """
    name = index_name(model, vector_kind(model))
    with database.owner() as connection:
        state = connection.execute(query("vector_index_state"), {"name": name}).fetchone()
        if state == (True,) or _count(connection, model) <= exact_scan_chunks or not _take_turn(connection, name):
            return False
        connection.execute("set search_path = brain, public, extensions")
        _drop_index(connection, name)
        connection.execute(_create_index(name, model))
    return True


def drop_vector_index(database: Database, model: EmbeddingModel) -> bool:
    """Remove the index of a model that nobody searches by any more; whether there was one. Waits for one being built."""
    name = index_name(model, vector_kind(model))
    with database.owner() as connection:
        while not _take_turn(
            connection, name
        ):  # a build waits for every running statement, so ours must not wait for it
            time.sleep(_BUSY_SECONDS)
        was_there = connection.execute(query("vector_index_state"), {"name": name}).fetchone() is not None
        connection.execute("set search_path = brain, public, extensions")
        _drop_index(connection, name)
    return was_there


def _take_turn(connection: Connection, name: str) -> bool:
    """Try to take the lock for creating or dropping the index; it is held until the connection ends."""
    row = connection.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", (name,)).fetchone()
    return row == (True,)


def _drop_index(connection: Connection, name: str) -> None:
    connection.execute(sql.SQL("drop index concurrently if exists {}").format(sql.Identifier(name)))


def _create_index(name: str, model: EmbeddingModel) -> sql.Composed:
    return sql.SQL(
        "create index concurrently {name} on embeddings using hnsw ({indexed}) with (m = 16, ef_construction = 100)"
        " where model_id = {model} and kind = {kind}"
    ).format(
        name=sql.Identifier(name),
        indexed=with_dimensions("indexed_halved" if is_halved(model) else "indexed_whole", model),
        model=sql.Literal(model.id),
        kind=sql.Literal(vector_kind(model)),
    )


def _count(connection: Connection, model: EmbeddingModel) -> int:
    return int(fetch_value(connection, "count_vectors", {"model": model.id, "kind": vector_kind(model)}))

"""The HNSW index of an embedding model: made when exact scans begin to cost more than it does."""

from psycopg import sql

from rag_core.embedding import EmbeddingModel
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query

EXACT_SCAN_CHUNKS = 5_000
"""Up to here every vector is compared: some 3 µs each with 768 dimensions (33 ms for 10,000), recall 1, no index to keep up."""

MAX_INDEX_DIMENSIONS = 2000
_REWRITTEN = ("notes", "chunks", "postings", "lexeme_statistics", "corpus_statistics", "embeddings", "embedding_cache")


def vector_kind(model: EmbeddingModel) -> str:
    """Which of a chunk's vectors the model searches by default."""
    return "contextual" if model.uses_contextual else "standard"


def index_name(model: EmbeddingModel, kind: str) -> str:
    """Name of the model's index over one kind of vector."""
    return f"embeddings_hnsw_{model.id}_{kind}"


def vacuum(database: Database) -> None:
    """Mark rewritten pages visible, so that index-only scans stay so, and refresh the planner's figures."""
    with database.owner() as connection:
        for table in _REWRITTEN:
            connection.execute(sql.SQL("vacuum (analyze) {}").format(sql.Identifier("brain", table)))


def ensure_vector_index(
    database: Database, model: EmbeddingModel, *, exact_scan_chunks: int = EXACT_SCAN_CHUNKS
) -> bool:
    """Make the index of the model's searched vectors once there are enough of them; whether it was made now.

    One process makes it, the others go on without. A build that was killed is dropped and begun anew.
    """
    name = index_name(model, vector_kind(model))
    if model.dimensions > MAX_INDEX_DIMENSIONS:
        return False
    with database.owner() as connection:
        state = connection.execute(query("vector_index_state"), {"name": name}).fetchone()
        if state == (True,) or _count(connection, model) <= exact_scan_chunks:
            return False
        if connection.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", (name,)).fetchone() != (True,):
            return False
        connection.execute("set search_path = brain, public, extensions")
        connection.execute(sql.SQL("drop index concurrently if exists {}").format(sql.Identifier(name)))
        connection.execute(_create_index(name, model))
    return True


def _create_index(name: str, model: EmbeddingModel) -> sql.Composed:
    return sql.SQL(
        "create index concurrently {name} on embeddings using hnsw"
        " ((vector::vector({dimensions})) vector_cosine_ops) with (m = 16, ef_construction = 100)"
        " where model_id = {model} and kind = {kind}"
    ).format(
        name=sql.Identifier(name),
        dimensions=sql.Literal(model.dimensions),
        model=sql.Literal(model.id),
        kind=sql.Literal(vector_kind(model)),
    )


def _count(connection: Connection, model: EmbeddingModel) -> int:
    row = connection.execute(query("count_vectors"), {"model": model.id, "kind": vector_kind(model)}).fetchone()
    assert row is not None
    return int(row[0])

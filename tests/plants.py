"""Regressions to be planted in an indexed corpus, each as it might happen.

A plant changes the database or the chunks of one tenant for good: plant it in a copy.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import LiteralString

from rag_core.configuration.schema import Chunking
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_batches, register_batches

Plant = Callable[[Engine, TenantId], None]

DOUBLED = Chunking(max_chunk_size=1024, overlap_size=0, min_chunk_size=200)
_WITHOUT_STEMMER = """
    create or replace function brain.text_search_configuration(language text) returns regconfig
    language sql immutable parallel safe return 'simple'::regconfig"""
_STALE_VECTORS = """
    with numbered as (
        select chunk_id, kind, vector, row_number() over (partition by kind order by chunk_id) as place,
            count(*) over (partition by kind) as total
        from brain.embeddings where tenant_id = %(tenant)s
    ), stale as (
        select mine.chunk_id, mine.kind, others.vector
        from numbered mine
        join numbered others on others.kind = mine.kind and others.place = 1 + (mine.place + mine.total / 2) %% mine.total
        where mine.place %% 5 = 0
    )
    update brain.embeddings e set vector = stale.vector
    from stale where e.tenant_id = %(tenant)s and e.chunk_id = stale.chunk_id and e.kind = stale.kind"""


def index(engine: Engine, tenant: TenantId, *, chunking: Chunking | None = None) -> None:
    """Chunk, embed and publish every note of a tenant anew."""
    pipeline = engine.pipeline if chunking is None else replace(engine.pipeline, chunking=chunking)
    register_batches(engine.database, tenant)
    keys = [batch.key for batch in list_batches(engine.database) if batch.tenant == tenant]
    stage_notes(engine.database, tenant, keys, pipeline, is_full=True)
    embed_staged(engine.database, tenant, keys, pipeline)
    publish_staged(engine.database, tenant, keys, pipeline)
    maintain(engine.database, tenant, pipeline)


def without_stemmer(engine: Engine, tenant: TenantId) -> None:
    """The words of chunks and of queries as they are written, not their stems."""
    _execute(engine, tenant, _WITHOUT_STEMMER)
    index(engine, tenant)


def without_weight(*, semantic: float, fulltext: float) -> Plant:
    """One leg counts for nothing in the fusion."""

    def plant(engine: Engine, tenant: TenantId) -> None:
        statement = "update brain.embedding_models set semantic_weight = %(semantic)s, fulltext_weight = %(fulltext)s"
        _execute(engine, tenant, statement, semantic=semantic, fulltext=fulltext)

    return plant


def without_vectors(engine: Engine, tenant: TenantId) -> None:
    """The vectors are gone, the chunks are not."""
    _execute(engine, tenant, "delete from brain.embeddings where tenant_id = %(tenant)s")


def without_postings(engine: Engine, tenant: TenantId) -> None:
    """The posting lists are gone, the chunks are not."""
    _execute(engine, tenant, "delete from brain.posting_blocks where tenant_id = %(tenant)s")


def high_threshold(engine: Engine, tenant: TenantId) -> None:
    """Only what is nearly the query itself is similar enough."""
    _execute(engine, tenant, "update brain.embedding_models set similarity_threshold = 0.99")


def doubled_chunks(engine: Engine, tenant: TenantId) -> None:
    """Chunks of twice the size, and none shares a sentence with the next."""
    index(engine, tenant, chunking=DOUBLED)


def stale_vectors(engine: Engine, tenant: TenantId) -> None:
    """Every fifth chunk has the vector of another one."""
    _execute(engine, tenant, _STALE_VECTORS)


PLANTS: Mapping[str, Plant] = {
    "stemmer off": without_stemmer,
    "semantic leg off: weight 0": without_weight(semantic=0, fulltext=1),
    "full-text leg off: weight 0": without_weight(semantic=1, fulltext=0),
    "semantic leg off: vectors gone": without_vectors,
    "full-text leg off: postings gone": without_postings,
    "threshold 0.99": high_threshold,
    "chunks doubled, no overlap": doubled_chunks,
    "stale vectors of 20 % of chunks": stale_vectors,
}


def _execute(engine: Engine, tenant: TenantId, statement: LiteralString, **values: float) -> None:
    with engine.database.owner() as connection:
        connection.execute(statement, {"tenant": tenant, **values})

"""Storage of an embedding model's vectors, and texts to time it with."""

from dataclasses import dataclass

from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.vector_index import index_name, vector_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStorage:
    """A tenant's vectors of a model, their bytes, and those of the index over all tenants'; None while there is no index."""

    vectors: int
    vector_bytes: int
    index_bytes: int | None


def measure_model_storage(connection: Connection, tenant: TenantId, model: EmbeddingModel) -> ModelStorage:
    """Measure the storage of a model's vectors."""
    parameters = {"tenant": tenant, "model": model.id, "index": index_name(model, vector_kind(model))}
    row = connection.execute(query("measure_model_storage"), parameters).fetchone()
    assert row is not None  # an aggregate gives a row
    vectors, vector_bytes, index_bytes = row
    return ModelStorage(vectors=vectors, vector_bytes=vector_bytes, index_bytes=index_bytes)


def sample_chunk_texts(connection: Connection, tenant: TenantId, *, limit: int) -> list[str]:
    """The texts of some of a tenant's live chunks, the same ones each time."""
    rows = connection.execute(query("sample_chunk_texts"), {"tenant": tenant, "limit": limit}).fetchall()
    return [content for (content,) in rows]

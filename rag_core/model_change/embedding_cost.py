"""Cost of an embedding model: time for a query, chunks a second, memory, and space on disk."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag_core.embedding import Embedder, provider_of
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.model.statistics import percentile
from rag_core.model_change.memory_probe import measure_memory_bytes
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.model_costs import ModelStorage, measure_model_storage, sample_chunk_texts

TIMED_QUERIES = 100
TIMED_CHUNKS = 256
BATCH_CHUNKS = 32
_MEGABYTE = 1024 * 1024
_ASK_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingCost:
    """Milliseconds to embed one query, chunks embedded a second, megabytes in use, bytes stored.

    ``memory_mb`` is of the ``process`` that embeds, or of the ``server`` that holds the model; None where the server does not say.
    ``chunks_per_second`` is None without chunks, and the latencies without queries.
    """

    query_p50_ms: float | None
    query_p95_ms: float | None
    timed_queries: int
    chunks_per_second: float | None
    timed_chunks: int
    memory_mb: float | None
    memory_of: Literal["process", "server"]
    storage: ModelStorage

    def to_json(self) -> dict[str, Any]:
        """The costs as the report holds them."""
        return {
            "embeddingLatencyMs": {"p50": self.query_p50_ms, "p95": self.query_p95_ms, "queries": self.timed_queries},
            "chunksPerSecond": self.chunks_per_second,
            "memoryUsageMb": self.memory_mb,
            "memoryOf": self.memory_of,
            "storageBytes": {
                "vectors": self.storage.vector_bytes,
                "vectorCount": self.storage.vectors,
                "index": self.storage.index_bytes,
            },
        }


def measure_cost(
    database: Database,
    tenant: TenantId,
    model: EmbeddingModel,
    queries: Sequence[str],
    *,
    embedder: Embedder,
    settings: Settings,
) -> EmbeddingCost:
    """Time the model on queries, one at a time, and on chunks of the tenant's, in batches; nothing is kept or cached.

    Raises:
        EmbeddingError: the model does not embed; a server that is away is an ``EmbeddingUnavailableError``.
    """
    with database.transaction(tenant) as connection:
        texts = sample_chunk_texts(connection, tenant, limit=TIMED_CHUNKS)
        storage = measure_model_storage(connection, tenant, model)
    embedder.embed(["hola"], role="query")  # a server loads the model at the first call
    latencies = [_timed_ms(embedder, query) for query in queries[:TIMED_QUERIES]]
    seconds = _timed_seconds(embedder, texts)
    return EmbeddingCost(
        query_p50_ms=percentile(latencies, 0.5),
        query_p95_ms=percentile(latencies, 0.95),
        timed_queries=len(latencies),
        chunks_per_second=len(texts) / seconds if texts else None,
        timed_chunks=len(texts),
        memory_mb=_memory_mb(settings, model, texts[:BATCH_CHUNKS] or ["hola"]),
        memory_of="process" if provider_of(model).is_in_process else "server",
        storage=storage,
    )


def _timed_ms(embedder: Embedder, text: str) -> float:
    began = time.perf_counter()
    embedder.embed([text], role="query")
    return (time.perf_counter() - began) * 1000


def _timed_seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    began = time.perf_counter()
    for start in range(0, len(texts), BATCH_CHUNKS):
        embedder.embed(texts[start : start + BATCH_CHUNKS], role="document")
    return time.perf_counter() - began


def _memory_mb(settings: Settings, model: EmbeddingModel, texts: Sequence[str]) -> float | None:
    provider = provider_of(model)
    if provider.is_in_process:
        return measure_memory_bytes(model, texts) / _MEGABYTE
    held = provider.fetch_held_bytes(model, settings, _ASK_SECONDS)
    return None if held is None else held / _MEGABYTE

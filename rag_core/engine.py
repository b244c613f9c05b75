"""The open resources of one process: database, active embedding model, its embedder, the threads of the search legs."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from rag_core.configuration import DEFAULT_RETRIEVAL_CONFIG
from rag_core.embedding import Embedder, EmbeddingModel, build_embedder
from rag_core.indexing.pipeline import Pipeline
from rag_core.model import TenantId
from rag_core.resilience import CircuitBreaker
from rag_core.retrieval.cache import Caches, build_caches
from rag_core.settings import Settings
from rag_core.storage.database import Database, open_database
from rag_core.storage.models import fetch_active_model
from rag_core.storage.notes import has_notes
from rag_core.telemetry.metrics import Metrics

DEFAULT_TENANT = TenantId("default")
DEMO_TENANT = TenantId("demo")


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What a request needs; made once by an entry point and passed on.

    ``query_embedder`` gives up when a request would; each leg has threads of its own, so that a stalled embedding
    provider leaves the other leg's free.
    """

    settings: Settings
    database: Database
    model: EmbeddingModel
    embedder: Embedder
    query_embedder: Embedder
    executors: Mapping[str, ThreadPoolExecutor]
    caches: Caches
    metrics: Metrics = field(default_factory=Metrics)
    breakers: Mapping[str, CircuitBreaker] = field(default_factory=dict)

    @cached_property
    def pipeline(self) -> Pipeline:
        """How notes are chunked and embedded now."""
        return Pipeline(chunking=DEFAULT_RETRIEVAL_CONFIG.chunking, model=self.model, embedder=self.embedder)

    @property
    def model_names(self) -> dict[str, str]:
        """The models that take part, by what they do; part of a configuration's hash."""
        return {"embedding": f"{self.model.name}@{self.model.version}"}

    def tenant(self) -> TenantId:
        """Whose notes a reader sees when no tenant is named: the setting's, the default, or the demo while that is empty."""
        if self.settings.tenant is not None:
            return TenantId(self.settings.tenant)
        for tenant in (DEFAULT_TENANT, DEMO_TENANT):
            with self.database.transaction(tenant, timeout_ms=self.settings.request_timeout_ms) as connection:
                if has_notes(connection, tenant):
                    return tenant
        return DEFAULT_TENANT

    def named_tenant(self, name: str | None) -> TenantId:
        """The tenant a command names, else the one a reader sees."""
        return TenantId(name) if name else self.tenant()

    def writing_tenant(self, name: str | None = None) -> TenantId:
        """Whose notes a writer changes: the tenant named, the setting's, or the default; never the demo unasked."""
        return TenantId(name or self.settings.tenant or DEFAULT_TENANT)


@contextmanager
def open_engine(settings: Settings, *, pool_size: int = 4) -> Iterator[Engine]:
    """Open the database and the active model; everything is closed when the block ends.

    Raises:
        DatabaseUnavailableError, DatabaseSetupError: see ``open_database``.
    """
    with open_database(settings, pool_size=pool_size) as database:
        with database.owner() as connection:
            model = fetch_active_model(connection)
        seconds = settings.request_timeout_ms / 1000
        with _threads("semantic", pool_size) as semantic, _threads("fulltext", pool_size) as fulltext:
            yield Engine(
                settings=settings,
                database=database,
                model=model,
                embedder=build_embedder(model, ollama_host=settings.ollama_host),
                query_embedder=build_embedder(model, ollama_host=settings.ollama_host, timeout_seconds=seconds),
                executors={"semantic": semantic, "fulltext": fulltext},
                caches=build_caches(
                    query_seconds=settings.query_cache_seconds,
                    embedding_seconds=settings.embedding_cache_seconds,
                    context_seconds=settings.context_cache_seconds,
                ),
            )


@contextmanager
def _threads(leg: str, count: int) -> Iterator[ThreadPoolExecutor]:
    """A leg's threads; what still waits when the block ends is not begun."""
    executor = ThreadPoolExecutor(max_workers=max(4, count), thread_name_prefix=leg)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)

"""The open resources of one process: database, models and what guards them, caches, the threads of the search legs."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from rag_core.chat import ChatModel, Message, build_chat
from rag_core.chat.guarded import GuardedChat
from rag_core.chunking import parse_choice
from rag_core.chunking.breaks import parse_threshold
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, Reranking, RetrievalConfig, served_strategy
from rag_core.configuration.served import ActiveConfigurations, Configurations, OneConfiguration, ServedConfiguration
from rag_core.embedding import Embedder, build_embedder, provider_of
from rag_core.embedding.active import ModelWatch, WatchedEmbedder
from rag_core.embedding.first import choose_first_model
from rag_core.embedding.guarded import GuardedEmbedder
from rag_core.embedding.pieces import PiecewiseEmbedder
from rag_core.embedding.summaries import Summariser
from rag_core.errors import ConfigurationError, RagError
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.plugins.loading import PLUGINS
from rag_core.reranking import RERANKERS, Reranker, RerankerParts
from rag_core.reranking.guarded import GuardedReranker
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.circuit_breaker import CircuitBreaker
from rag_core.runtime.cache import Caches, CachingEmbedder, build_caches
from rag_core.settings import Settings
from rag_core.storage.database import Connection, Database, open_database
from rag_core.storage.models import find_model
from rag_core.storage.notes import has_notes
from rag_core.telemetry.logs import log_degraded
from rag_core.telemetry.metrics import Metrics

DEFAULT_TENANT = TenantId("default")
DEMO_TENANT = TenantId("demo")
EMBEDDING_SHARE = 0.6
"""Share of a request's time for an embedding provider, so that full text can still answer when it fails."""
DOCUMENT_SECONDS = 30
"""Limit of an embedding provider for a batch of an index run."""
WARM_UP_SECONDS = 120
READER_SECONDS = 5
"""Time for which the default tenant is known to have notes; the demo gives way to the first note at once."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Open resources of a process, made once by an entry point and passed on. It has one embedding model from beginning to end.

    ``query_embedder`` gives up before a request would and leaves a failing provider alone for a while; searches go by
    ``query_embedder_of`` their tenant, which remembers vectors. Each leg has threads of its own, so that one that stalls leaves
    the others' free. ``chat`` is None without a chat model.
    """

    settings: Settings
    database: Database
    model: EmbeddingModel
    embedder: Embedder
    query_embedder: Embedder
    chat: ChatModel | None = None
    executors: Mapping[str, ThreadPoolExecutor]
    caches: Caches
    metrics: Metrics = field(default_factory=Metrics)
    breakers: Mapping[str, CircuitBreaker] = field(default_factory=dict)
    places: Bounded
    watch: ModelWatch
    configurations: Configurations
    rerankers: dict[tuple[str, int], Reranker] = field(default_factory=dict)
    _seen: dict[TenantId, float] = field(default_factory=dict)

    @cached_property
    def pipeline(self) -> Pipeline:
        """Current chunking and embedding of notes."""
        return Pipeline(
            chunking=DEFAULT_RETRIEVAL_CONFIG.chunking,
            model=self.model,
            embedder=self.embedder,
            summariser=self._summariser,
            chunkers=parse_choice(self.settings.chunker),
            breaks=parse_threshold(self.settings.chunker_breaks),
        )

    @property
    def _summariser(self) -> Summariser | None:
        if self.chat is None or not self.settings.context_summaries:
            return None
        return Summariser(chat=self.chat, concurrency=self.settings.ollama_concurrency)

    def model_names(self, tenant: TenantId, config: RetrievalConfig) -> dict[str, str]:
        """The models that take part in a retrieval, by what they do; part of the configuration's hash."""
        return self.names_beside(self.reranker_of(tenant, config))

    def names_beside(self, reranker: Reranker | None) -> dict[str, str]:
        """Return the models' names for a retrieval with this re-ranker, or none."""
        names = {"embedding": f"{self.model.name}@{self.model.version}"}
        if (
            self.model.similarity_threshold is not None
        ):  # it can be calibrated anew, so it is part of what is searched by
            names["similarityThreshold"] = f"{self.model.similarity_threshold:g}"
        if self.chat is not None:
            names["chat"] = self.chat.name
        if reranker is not None:
            names["reranking"] = reranker.name
        return names

    def reranker_of(self, tenant: TenantId, config: RetrievalConfig) -> Reranker | None:
        """Return the re-ranker of searches with the configuration; None where they are not re-ranked.

        Raises:
            ConfigurationError: see ``reranker``.
        """
        return self.reranker(tenant, config.reranking) if served_strategy(config) == "hybrid+rerank" else None

    def reranker(self, tenant: TenantId, config: Reranking) -> Reranker:
        """Return the re-ranker of the configuration's provider, else of the process's.

        Raises:
            ConfigurationError: the provider the configuration names is not set up here.
        """
        provider = config.provider or self.settings.reranker
        kind = RERANKERS.get(provider, given_by=None if config.provider else "BRAIN_RERANKER")
        parts = RerankerParts(
            settings=self.settings, chat=self.chat, batch_size=config.batch_size, executor=self.executors["chat"]
        )
        if kind.is_fitted:
            return kind.build(replace(parts, weights=self.served(tenant).weights))
        key = (provider, config.batch_size if kind.asks_chat else 0)
        built = self.rerankers.get(key)
        if built is None:
            built = self.rerankers[key] = self._build_reranker(provider, parts)
        return built

    def _build_reranker(self, provider: str, parts: RerankerParts) -> Reranker:
        kind = RERANKERS.get(provider)
        try:
            reranker = kind.build(parts)
        except ConfigurationError as error:
            if provider == self.settings.reranker:
                raise
            raise ConfigurationError(f"reranking.provider: este servidor no tiene configurado «{provider}»") from error
        is_guarded = kind.is_in_process or kind.asks_chat  # the chat model has a circuit breaker of its own
        return reranker if is_guarded else GuardedReranker(reranker, breaker=self.breakers["reranker"])

    def query_embedder_of(self, tenant: TenantId) -> Embedder:
        """Return the embedder of the tenant's queries; it refuses once the model is retired, even with a cached vector."""
        cached = CachingEmbedder(self.query_embedder, self.model, self.caches.embedding, tenant=tenant)
        return WatchedEmbedder(cached, self.model, self.watch)

    def served(self, tenant: TenantId) -> ServedConfiguration:
        """Return the tenant's served configuration: the last promotion, else the defaults.

        Raises:
            DatabaseUnavailableError: the database is away, and nothing is known from before.
        """
        return self.configurations.of(tenant, self.model, timeout_ms=self.settings.request_timeout_ms)

    def served_config(self, tenant: TenantId) -> RetrievalConfig:
        """Return the served values as a configuration, the ``base`` that a caller's values are merged over."""
        return self.served(tenant).config

    def tenant(self) -> TenantId:
        """Tenant of a reader who names none: the setting's, the default, or the demo while that is empty."""
        if self.settings.tenant is not None:
            return TenantId(self.settings.tenant)
        if time.monotonic() < self._seen.get(DEFAULT_TENANT, 0):
            return DEFAULT_TENANT
        return self._find_reader()

    def _find_reader(self) -> TenantId:
        timeout_ms = self.settings.request_timeout_ms
        for tenant in (DEFAULT_TENANT, DEMO_TENANT):
            if self.database.read(tenant, partial(has_notes, tenant=tenant), timeout_ms=timeout_ms):
                self._seen[tenant] = time.monotonic() + READER_SECONDS
                return tenant
        return DEFAULT_TENANT

    def named_tenant(self, name: str | None) -> TenantId:
        """The tenant a command names, else the one a reader sees."""
        return TenantId(name) if name else self.tenant()

    def warm_up(self) -> None:
        """Load models before the first request, whose time is too short for that."""
        self.warm_up_embedder()
        try:
            if self.chat is not None:
                hello = Message(role="user", content="Hola")
                self.chat.complete([hello], timeout_seconds=WARM_UP_SECONDS, max_tokens=1)
        except RagError as error:
            log_degraded("warm-up", error)

    def warm_up_embedder(self) -> None:
        """Load the embedding model alone."""
        try:
            if provider_of(self.model).has_to_load:
                self.embedder.embed(["hola"], role="query")
        except RagError as error:
            log_degraded("warm-up", error)

    def writing_tenant(self, name: str | None = None) -> TenantId:
        """Tenant of a writer: the one named, the setting's, or the default; the demo only if named."""
        return TenantId(name or self.settings.tenant or DEFAULT_TENANT)


@contextmanager
def open_engine(
    settings: Settings, *, pool_size: int = 4, model_name: str | None = None, is_shared: bool = False
) -> Iterator[Engine]:
    """Open the database and the active model, or the one named; everything is closed when the block ends.

    ``is_shared``: several tenants are served, and none may take all connections.

    Raises:
        NotFoundError: no model has that name.
        EmbeddingError: this program has no such provider or version as the model's.
        ConfigurationError: a plugin cannot be imported, or what re-ranks is not set up.
        DatabaseUnavailableError, DatabaseSetupError: see ``open_database``.
    """
    PLUGINS.load()
    models: list[EmbeddingModel] = []

    def choose_models(connection: Connection) -> None:
        active = choose_first_model(connection, settings)
        models.extend((active, active if model_name is None else find_model(connection, model_name).model))

    with open_database(settings, pool_size=pool_size, is_shared=is_shared, prepare=choose_models) as database:
        active, model = models
        with compose_engine(settings, database, active=active, model=model, pool_size=pool_size) as engine:
            yield engine


@contextmanager
def compose_engine(
    settings: Settings, database: Database, *, active: EmbeddingModel, model: EmbeddingModel, pool_size: int = 4
) -> Iterator[Engine]:
    """Compose what answers from an open database: threads, caches, breakers and providers.

    Raises:
        EmbeddingError: this program has no such provider or version as the model's.
        ConfigurationError: what re-ranks is not set up.
    """
    caches = build_caches(
        query_seconds=settings.query_cache_seconds,
        embedding_seconds=settings.embedding_cache_seconds,
        context_seconds=settings.context_cache_seconds,
    )
    breakers = {name: CircuitBreaker(name) for name in ("embedding", "chat", "reranker")}
    places, watch = Bounded(settings.ollama_concurrency), ModelWatch(database, active)
    with ExitStack() as stack:
        engine = Engine(
            settings=settings,
            database=database,
            model=model,
            embedder=_document_embedder(model, settings, breakers["embedding"], places),
            query_embedder=_query_embedder(model, settings, breakers["embedding"], places),
            chat=_guarded_chat(settings, breakers["chat"], places),
            executors={
                leg: stack.enter_context(_threads(leg, pool_size))
                for leg in ("semantic", "fulltext", "graph", "chat", "experiments")
            },
            caches=caches,
            breakers=breakers,
            places=places,
            watch=watch,
            configurations=ActiveConfigurations(database),
        )
        reranker = RERANKERS.get(settings.reranker, given_by="BRAIN_RERANKER")
        if not reranker.is_fitted:  # what is missing is told at the start
            engine.reranker(DEFAULT_TENANT, DEFAULT_RETRIEVAL_CONFIG.reranking)
        yield engine


def with_model(engine: Engine, model: EmbeddingModel) -> Engine:
    """Return the engine with another embedding model; threads, caches and connections are shared.

    Raises:
        EmbeddingError: this program has no such provider or version.
    """
    settings, breaker = engine.settings, CircuitBreaker("embedding")  # the other model's failures are not this one's
    return replace(
        engine,
        model=model,
        embedder=_document_embedder(model, settings, breaker, engine.places),
        query_embedder=_query_embedder(model, settings, breaker, engine.places),
        breakers={**engine.breakers, "embedding": breaker},
    )


def with_configuration(engine: Engine, served: ServedConfiguration) -> Engine:
    """Return the engine serving this configuration, whatever is promoted; threads, caches and connections are shared."""
    return replace(engine, configurations=OneConfiguration(served=served))


def _document_embedder(model: EmbeddingModel, settings: Settings, breaker: CircuitBreaker, places: Bounded) -> Embedder:
    embedder = _guarded(model, settings, breaker, places, seconds=DOCUMENT_SECONDS)
    return embedder if provider_of(model).takes_any_length else PiecewiseEmbedder(embedder)


def _query_embedder(model: EmbeddingModel, settings: Settings, breaker: CircuitBreaker, places: Bounded) -> Embedder:
    return _guarded(model, settings, breaker, places, seconds=EMBEDDING_SHARE * settings.request_timeout_ms / 1000)


def _guarded(
    model: EmbeddingModel, settings: Settings, breaker: CircuitBreaker, places: Bounded, *, seconds: float
) -> Embedder:
    """The model's embedder with so much time for a call; one on a server is guarded."""
    embedder = build_embedder(model, settings=settings, timeout_seconds=seconds)
    if provider_of(model).is_in_process:
        return embedder
    return GuardedEmbedder(embedder, breaker=breaker, places=places, wait_seconds=seconds)


def _guarded_chat(settings: Settings, breaker: CircuitBreaker, places: Bounded) -> ChatModel | None:
    """The chat model of the settings; None without one."""
    if settings.chat_model is None:
        return None
    chat = build_chat(settings.chat_model, settings, timeout_seconds=max(60, settings.chat_timeout_ms / 1000))
    return GuardedChat(chat, breaker=breaker, places=places)


@contextmanager
def _threads(leg: str, count: int) -> Iterator[ThreadPoolExecutor]:
    """A leg's threads; what still waits when the block ends is not begun."""
    executor = ThreadPoolExecutor(max_workers=max(4, count), thread_name_prefix=leg)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)

"""The configuration that searches without one of their own get: the promoted one over the program's defaults."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from cachetools import LRUCache

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, RetrievalConfig, configure
from rag_core.embedding import EMBEDDING_PROVIDERS
from rag_core.errors import (
    ConfigurationError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    QueryFailedError,
    RagError,
    RerankingError,
)
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.reranking.weights import Weights, parse_weights, shipped_weights
from rag_core.storage.configurations import Configuration, StoredServed, fetch_served, fetch_weights
from rag_core.storage.database import Connection, Database
from rag_core.telemetry.logs import log_degraded

INVALID_CONFIGURATION = "Configuración inválida, usando valores predeterminados"
"""The warning of a search whose stored configuration, or its weights, this version of the program cannot use."""
REMEMBERED_SECONDS = 10
"""A promotion by another process is served this much later at most."""
REMEMBERED_TENANTS = 1024
RETRY_SECONDS = 1.0
"""Seconds that the last known configuration is used after a lookup failed."""
RENEWAL_MS = 250
"""For looking it up anew; nobody waits longer than that for what is known already."""
MODEL_DEPENDENT: Mapping[str, tuple[str, ...]] = {
    "hybridSearch": ("method", "semanticWeight", "fulltextWeight", "threshold"),
    "contextualEmbeddings": ("useForRetrieval",),
}
"""Values whose null means the embedding model's own; measured with one model they say nothing about another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedConfiguration:
    """A configuration as it is searched with, and where it comes from.

    ``number`` is None for the program's defaults. ``override`` is what it says; where ``is_model_dependent_left_out``, the values
    that were chosen for another embedding model, and weights fitted with one, are not used. ``in_force`` is what of it ``config``
    has, nothing where its values cannot be used. ``problems`` says what of it cannot be used by this version of the program.
    ``promotion`` is the number of the promotion that it is served by.
    """

    config: RetrievalConfig = DEFAULT_RETRIEVAL_CONFIG
    override: Mapping[str, Any] = field(default_factory=dict)
    in_force: Mapping[str, Any] = field(default_factory=dict)
    number: int | None = None
    promotion: int | None = None
    reranker_version: str | None = None
    embedding_model: str | None = None
    is_model_dependent_left_out: bool = False
    weights: Weights = field(default_factory=shipped_weights)
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """``configuration 3``, or ``the program's defaults``."""
        return "the program's defaults" if self.number is None else f"configuration {self.number}"

    def to_json(self) -> dict[str, Any]:
        """Return the served configuration as printable JSON."""
        return {
            "configuration": self.number,
            "override": dict(self.override),
            "reranker": self.weights.version,
            "embedding_model": self.embedding_model,
            "is_model_dependent_left_out": self.is_model_dependent_left_out,
            "problems": list(self.problems),
        }


class Configurations(Protocol):
    """Source of the served configurations."""

    def of(self, tenant: TenantId, model: EmbeddingModel, *, timeout_ms: int | None = None) -> ServedConfiguration:
        """Return the configuration served to a tenant whose queries are embedded by this model."""
        ...


def served_configuration(
    database: Database, tenant: TenantId, model: EmbeddingModel, *, timeout_ms: int | None = None
) -> ServedConfiguration:
    """Return the configuration served to a tenant, read from the database.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: it could not be read.
    """
    if timeout_ms is not None:
        stored = database.read(tenant, lambda connection: fetch_served(connection, tenant), timeout_ms=timeout_ms)
        return resolve(stored, model)
    with database.transaction(tenant) as connection:
        return resolve(fetch_served(connection, tenant), model)


def as_served(
    connection: Connection, tenant: TenantId, configuration: Configuration, model: EmbeddingModel
) -> ServedConfiguration:
    """A stored configuration as it would be served with that embedding model.

    Raises:
        NotFoundError: its weights are gone.
    """
    version = configuration.reranker_version
    stored = StoredServed(
        number=configuration.number,
        override=configuration.override,
        embedding_model=configuration.embedding_model,
        reranker_version=version,
        reranker_weights=None if version is None else fetch_weights(connection, tenant, version),
    )
    return resolve(stored, model)


def model_key(model: EmbeddingModel) -> str:
    """Key of an embedding model in a configuration: ``name@version``."""
    return f"{model.name}@{model.version}"


def resolve(stored: StoredServed, model: EmbeddingModel) -> ServedConfiguration:
    """A configuration as searched with by this version of the program with this embedding model.

    What the program does not understand any more is left out as a whole, the configuration or the weights, and named.
    """
    problems: list[str] = []
    is_foreign = stored.embedding_model not in {None, model_key(model)}
    usable = without_model_values(stored.override) if is_foreign else stored.override
    in_force = usable
    try:
        config = configure(usable)
    except ConfigurationError as error:
        problems.append(f"its values do not fit this version of the program: {error}")
        config, in_force = DEFAULT_RETRIEVAL_CONFIG, {}
    weights = default_weights(model)
    if stored.reranker_weights is not None and not is_foreign:
        try:
            weights = parse_weights(stored.reranker_weights)
        except RerankingError as error:
            problems.append(str(error))
    return ServedConfiguration(
        config=config,
        override=stored.override,
        in_force=in_force,
        number=stored.number,
        promotion=stored.promotion,
        reranker_version=stored.reranker_version,
        embedding_model=stored.embedding_model,
        is_model_dependent_left_out=usable != stored.override or (is_foreign and stored.reranker_weights is not None),
        weights=weights,
        problems=tuple(problems),
    )


def default_weights(model: EmbeddingModel) -> Weights:
    """The shipped weights of the embedded re-ranker for searches with this embedding model."""
    provider = EMBEDDING_PROVIDERS.find(model.provider)
    return shipped_weights(is_by_meaning=provider is not None and provider.knows_meaning)


def without_model_values(override: Mapping[str, Any]) -> dict[str, Any]:
    """The override without the values that depend on the embedding model; groups that are empty then are gone."""
    kept = {
        group: {key: value for key, value in values.items() if key not in MODEL_DEPENDENT.get(group, ())}
        if isinstance(values, Mapping)
        else values
        for group, values in override.items()
    }
    return {group: values for group, values in kept.items() if values != {} or override[group] == {}}


@dataclass(slots=True)
class _Known:
    served: ServedConfiguration
    due_at: float


class ActiveConfigurations:
    """Cache of served configurations, looked up once in ``REMEMBERED_SECONDS`` a tenant and embedding model.

    When a lookup fails, the last known configuration is used. Without one, the program's defaults are used where the database
    answers with an error; where the database is unavailable, the error is raised.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._known: LRUCache[tuple[TenantId, str], _Known] = LRUCache(maxsize=REMEMBERED_TENANTS)
        self._lock = threading.Lock()

    def of(self, tenant: TenantId, model: EmbeddingModel, *, timeout_ms: int | None = None) -> ServedConfiguration:
        """Return the configuration served to a tenant whose queries are embedded by this model.

        Raises:
            DatabaseUnavailableError: the database is away, and nothing is known from before.
        """
        key = (tenant, model_key(model))
        with self._lock:
            known = self._known.get(key)
            if known is not None and self._clock() < known.due_at:
                return known.served
            if known is not None:  # others go on with what is known while this one looks
                known.due_at = self._clock() + RETRY_SECONDS
        if known is not None:
            return self._renewed(key, model, known, timeout_ms=timeout_ms)
        try:
            served = served_configuration(self._database, tenant, model, timeout_ms=timeout_ms)
        except (QueryFailedError, DeadlineExceededError) as error:
            log_degraded("configuration", error, tenant=tenant)
            return ServedConfiguration(weights=default_weights(model))
        return self._remember(key, served)

    def _renewed(
        self, key: tuple[TenantId, str], model: EmbeddingModel, known: _Known, *, timeout_ms: int | None
    ) -> ServedConfiguration:
        limit = RENEWAL_MS if timeout_ms is None else min(RENEWAL_MS, timeout_ms)
        try:
            served = served_configuration(self._database, key[0], model, timeout_ms=limit)
        except (DatabaseUnavailableError, QueryFailedError, DeadlineExceededError) as error:
            log_degraded("configuration", error, tenant=key[0])
            return known.served
        return self._remember(key, served)

    def _remember(self, key: tuple[TenantId, str], served: ServedConfiguration) -> ServedConfiguration:
        for problem in served.problems:
            log_degraded(served.name, RagError(problem), tenant=key[0])
        with self._lock:
            self._known[key] = _Known(served, self._clock() + REMEMBERED_SECONDS)
        return served


@dataclass(frozen=True, slots=True, kw_only=True)
class OneConfiguration:
    """Provider of one configuration for every tenant: one on trial before it is served, or beside the served one."""

    served: ServedConfiguration

    def of(
        self,
        tenant: TenantId,  # noqa: ARG002  it is the same for all
        model: EmbeddingModel,  # noqa: ARG002
        *,
        timeout_ms: int | None = None,  # noqa: ARG002
    ) -> ServedConfiguration:
        """Return that configuration."""
        return self.served

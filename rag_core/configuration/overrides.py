"""Overrides of a configuration written by a person: merged over the served configuration, and numbered."""

from collections.abc import Mapping
from typing import Any

from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.schema import deep_merge
from rag_core.configuration.served import model_key, without_model_values
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.storage.configurations import Configuration, StoredServed, fetch_served, fetch_weights
from rag_core.storage.database import Connection, Database


def adopt_override(
    database: Database, model: EmbeddingModel, tenant: TenantId, override: Mapping[str, Any], *, reason: str | None
) -> Configuration:
    """Number what a person wrote: it is merged over what is served, as a search with it would be, and stored.

    The re-ranker's weights stay those that are served; values of the served configuration that were chosen for another
    embedding model are not taken over.

    Raises:
        ConfigurationError: see ``propose_configuration``.
    """
    with database.transaction(tenant) as connection:
        merged = over_served(connection, tenant, override, model)
        return propose_configuration(
            connection,
            tenant,
            override=merged.override,
            embedding_model=merged.embedding_model,
            reranker_weights=merged.reranker_weights,
            origin="manual",
            evidence={} if reason is None else {"reason": reason},
        )


def over_served(
    connection: Connection, tenant: TenantId, override: Mapping[str, Any], model: EmbeddingModel
) -> StoredServed:
    """The override merged over what the tenant is served, as it would be stored."""
    stored = fetch_served(connection, tenant)
    is_foreign = stored.embedding_model not in {None, model_key(model)}
    former = without_model_values(stored.override) if is_foreign else stored.override
    version = stored.reranker_version
    return StoredServed(
        override=deep_merge(former, override),
        embedding_model=model_key(model),
        reranker_version=version,
        reranker_weights=None if version is None else fetch_weights(connection, tenant, version),
    )

"""Configurations that may be promoted: checked, and stored under a number."""

from collections.abc import Mapping
from typing import Any

from rag_core.configuration.schema import configure, of_search
from rag_core.configuration.served import without_model_values
from rag_core.model.note import TenantId
from rag_core.reranking.weights import parse_weights
from rag_core.storage.configurations import Configuration, Origin, store_configuration
from rag_core.storage.database import Connection


def propose_configuration(
    connection: Connection,
    tenant: TenantId,
    *,
    override: Mapping[str, Any],
    embedding_model: str | None,
    reranker_weights: Mapping[str, Any] | None = None,
    origin: Origin = "tuning",
    evidence: Mapping[str, Any] | None = None,
) -> Configuration:
    """Store a configuration for ``brain promote``; nothing is served otherwise than before.

    ``override`` says all that differs from the program's defaults, not from what is served. ``embedding_model``
    (``name@version``) is kept only where a value depends on it. ``reranker_weights`` are as ``Weights.to_json`` gives them. The
    same configuration written by hand again keeps its number.

    Raises:
        ConfigurationError: an unknown key, a value out of bounds, or chunking, which is indexing's and no search's.
        RerankingError: the weights are no weights of this version of the program.
    """
    check_configuration(override, reranker_weights=reranker_weights)
    depends = without_model_values(override) != override
    return store_configuration(
        connection,
        tenant,
        override=override,
        embedding_model=embedding_model if depends else None,
        reranker_weights=reranker_weights,
        origin=origin,
        evidence=evidence or {},
    )


def check_configuration(override: Mapping[str, Any], *, reranker_weights: Mapping[str, Any] | None) -> None:
    """Check that it could be promoted.

    Raises:
        ConfigurationError, RerankingError: see ``propose_configuration``.
    """
    configure(of_search(override))
    if reranker_weights is not None:
        parse_weights(reranker_weights)

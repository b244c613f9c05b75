"""Numbered configurations, and the promotions that say which of them is served."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from rag_core.errors import ConflictError, NotFoundError
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one

Origin = Literal["tuning", "manual"]
Action = Literal["promote", "return", "reset"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Differences from the program's defaults, with the reason for them; never changed once stored.

    ``embedding_model`` (``name@version``) is the one that the values which depend on it were chosen for; None fits any.
    ``reranker_version`` names the weights of the embedded re-ranker; None are the shipped ones.
    """

    configuration_id: UUID
    number: int
    override: Mapping[str, Any]
    embedding_model: str | None
    reranker_version: str | None
    origin: Origin
    evidence: Mapping[str, Any]
    created_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The configuration as it is printed."""
        return {
            "number": self.number,
            "override": dict(self.override),
            "embedding_model": self.embedding_model,
            "reranker": self.reranker_version,
            "origin": self.origin,
            "evidence": dict(self.evidence),
            "created_at": self.created_at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationPromotion:
    """From this moment on a configuration was served; ``configuration`` is its number, None the program's defaults."""

    number: int
    configuration: int | None
    action: Action
    reason: str | None
    evidence: Mapping[str, Any]
    promoted_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The promotion as it is printed."""
        return {
            "number": self.number,
            "configuration": self.configuration,
            "action": self.action,
            "reason": self.reason,
            "evidence": dict(self.evidence),
            "promoted_at": self.promoted_at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredServed:
    """Stored values of the last promotion; all None where nothing was promoted, or the defaults were restored.

    ``promotion`` is the number of that promotion, None before the first.
    """

    promotion: int | None = None
    number: int | None = None
    override: Mapping[str, Any] = field(default_factory=dict)
    embedding_model: str | None = None
    reranker_version: str | None = None
    reranker_weights: Mapping[str, Any] | None = None


def fetch_served(connection: Connection, tenant: TenantId) -> StoredServed:
    """Fetch the served configuration in one look-up."""
    row = connection.execute(query("fetch_served_configuration"), {"tenant": tenant}).fetchone()
    if row is None:
        return StoredServed()
    promotion, number, override, embedding_model, reranker_version, weights = row
    return StoredServed(
        promotion=promotion,
        number=number,
        override=override or {},
        embedding_model=embedding_model,
        reranker_version=reranker_version,
        reranker_weights=weights,
    )


def fetch_configuration(connection: Connection, tenant: TenantId, number: int) -> Configuration:
    """The configuration of that number.

    Raises:
        NotFoundError: the tenant has none.
    """
    found = fetch_one(connection, Configuration, "fetch_configuration", {"tenant": tenant, "number": number})
    if found is None:
        raise NotFoundError(
            f"there is no configuration {number}; brain promote lists those there are, brain tune and "
            "brain promote --config FILE make some"
        )
    return found


def list_configurations(connection: Connection, tenant: TenantId, *, limit: int) -> list[Configuration]:
    """The newest configurations, newest first, whether promoted or not."""
    return fetch_all(connection, Configuration, "list_configurations", {"tenant": tenant, "limit": limit})


def fetch_weights(connection: Connection, tenant: TenantId, version: str) -> Mapping[str, Any]:
    """The stored weights of that version.

    Raises:
        NotFoundError: the tenant has none.
    """
    row = connection.execute(query("fetch_reranker_weights"), {"tenant": tenant, "version": version}).fetchone()
    if row is None:
        raise NotFoundError(f"there are no re-ranker weights {version!r}; brain tune fits some")
    weights: Mapping[str, Any] = row[0]
    return weights


def store_configuration(
    connection: Connection,
    tenant: TenantId,
    *,
    override: Mapping[str, Any],
    embedding_model: str | None,
    reranker_weights: Mapping[str, Any] | None,
    origin: Origin,
    evidence: Mapping[str, Any],
) -> Configuration:
    """Number a configuration, with its weights; one that is written by hand twice keeps its first number."""
    connection.execute(query("lock_configurations"), {"tenant": tenant})
    values = {
        "tenant": tenant,
        "override": Jsonb(dict(override)),
        "embedding_model": embedding_model,
        "reranker_version": None if reranker_weights is None else reranker_weights["version"],
        "origin": origin,
        "evidence": Jsonb(dict(evidence)),
    }
    if reranker_weights is not None:
        _store_weights(connection, tenant, reranker_weights)
    if origin == "manual":
        same = fetch_one(connection, Configuration, "find_same_configuration", values)
        if same is not None:
            return same
    stored = fetch_one(connection, Configuration, "insert_configuration", values)
    assert stored is not None  # it returns what it inserts
    return stored


def _store_weights(connection: Connection, tenant: TenantId, weights: Mapping[str, Any]) -> None:
    connection.execute(
        query("store_reranker_weights"),
        {
            "tenant": tenant,
            "version": weights["version"],
            "weights": Jsonb(dict(weights)),
            "fitted_on": Jsonb(weights["fitted_on"]),
        },
    )


def list_promotions(
    connection: Connection, tenant: TenantId, *, limit: int | None = None
) -> list[ConfigurationPromotion]:
    """List the promotions, newest first."""
    return fetch_all(connection, ConfigurationPromotion, "list_promotions", {"tenant": tenant, "limit": limit})


def append_promotion(
    connection: Connection,
    tenant: TenantId,
    *,
    configuration: int | None,
    action: Action,
    expected: int | None,
    reason: str | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> ConfigurationPromotion:
    """Serve a configuration, or the defaults, from now on; ``expected`` is the last promotion that the caller knows of.

    Raises:
        ConflictError: there was another promotion since.
    """
    connection.execute(query("lock_configurations"), {"tenant": tenant})
    values = {
        "tenant": tenant,
        "configuration": configuration,
        "action": action,
        "reason": reason,
        "evidence": Jsonb(dict(evidence or {})),
        "expected": expected,
    }
    row = connection.execute(query("insert_promotion"), values).fetchone()
    if row is None:
        raise ConflictError("another configuration was promoted meanwhile; see brain promote, then try again")
    return ConfigurationPromotion(
        number=row[0],
        configuration=configuration,
        action=action,
        reason=reason,
        evidence=row[1],
        promoted_at=row[2],
    )

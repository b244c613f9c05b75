"""Which weights the embedded re-ranker has for a tenant: those fitted on the tenant's own golden set, else the shipped ones."""

import threading
from dataclasses import dataclass, field

from cachetools import TTLCache

from rag_core.model import TenantId
from rag_core.reranking.embedded import Weights, parse_weights, shipped_weights
from rag_core.storage.database import Database
from rag_core.storage.rerankers import fetch_active_weights

REMEMBERED_SECONDS = 10
REMEMBERED_TENANTS = 1024


def active_weights(database: Database, tenant: TenantId, *, timeout_ms: int | None = None) -> Weights:
    """The weights in use for a tenant, read from the database.

    Raises:
        RerankingError: the stored weights are for another version's features.
        DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: they could not be read.
    """
    stored = fetch_active_weights(database, tenant, timeout_ms=timeout_ms)
    return shipped_weights() if stored is None else parse_weights(stored)


def _remembered() -> TTLCache[TenantId, Weights]:
    return TTLCache(maxsize=REMEMBERED_TENANTS, ttl=REMEMBERED_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveWeights:
    """The same, remembered for ``REMEMBERED_SECONDS`` a tenant: a fit by another process is served that much later."""

    database: Database
    _known: TTLCache[TenantId, Weights] = field(default_factory=_remembered)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, tenant: TenantId, *, timeout_ms: int | None = None) -> Weights:
        """The weights in use for a tenant; see ``active_weights``."""
        with self._lock:
            known = self._known.get(tenant)
        if known is None:
            known = active_weights(self.database, tenant, timeout_ms=timeout_ms)
            with self._lock:
                self._known[tenant] = known
        return known

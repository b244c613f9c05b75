"""``POST /api/retrieve``: the passages that answer a query."""

from typing import Any

from fastapi import APIRouter

from rag_core.api.access import EngineOf, time_left_ms
from rag_core.api.schemas import RetrieveRequest, RetrieveResponse, failures
from rag_core.configuration import RetrievalConfig, configure
from rag_core.engine import Engine
from rag_core.errors import DeadlineExceededError
from rag_core.filters import WireFilters, fetch_filters
from rag_core.model import NO_FILTERS, Filters, Retrieval, TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.readiness import check_ready
from rag_core.wire import retrieval_to_wire

PROBE_MS = 100

router = APIRouter(tags=["retrieval"])


@router.post(
    "/api/retrieve",
    response_model=RetrieveResponse,
    response_model_exclude_unset=True,
    responses=failures(400, 415, 500, 503, 504),
)
def search(request: RetrieveRequest, engine: EngineOf) -> dict[str, Any]:
    """Search the notes and return the best passages, each with the sentences around it.

    `config` is merged deeply over the defaults; `topK` and `strategy` of the request win over it. `filters` hold
    for every result, in every leg. A degraded search still answers 200 and says so in `metadata.warnings`.
    """
    config = configure(request.config, strategy=request.strategy, top_k=request.top_k)
    tenant = engine.tenant()
    filters = read_filters(engine, tenant, request.filters)
    return retrieval_to_wire(find(engine, tenant, request.query, config, filters))


def read_filters(engine: Engine, tenant: TenantId, wire: WireFilters) -> Filters:
    """Filters as the caller wrote them; their notes are the tenant's.

    Raises:
        InvalidInputError, DatabaseUnavailableError, DeadlineExceededError: see ``fetch_filters``.
    """
    settings = engine.settings
    return fetch_filters(engine.database, tenant, wire, zone=settings.zone, timeout_ms=settings.request_timeout_ms)


def find(
    engine: Engine, tenant: TenantId, query: str, config: RetrievalConfig, filters: Filters = NO_FILTERS
) -> Retrieval:
    """Search within the time a request has; what it waited for a free worker is gone of it.

    Raises:
        DatabaseUnavailableError: also when the time went by waiting for a connection, which the search cannot
            tell from a slow leg.
        InvalidInputError, DeadlineExceededError, RetrievalFailedError: see ``retrieve``.
    """
    timeout_ms = time_left_ms(engine)
    if timeout_ms <= 0:
        raise DeadlineExceededError("the request waited for a free worker longer than it may take")
    try:
        return retrieve(engine, tenant, query, config=config, filters=filters, timeout_ms=timeout_ms)
    except DeadlineExceededError:
        check_ready(engine.database, timeout_ms=PROBE_MS)
        raise

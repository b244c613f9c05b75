"""``POST /api/retrieve``: the passages that answer a query."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from fastapi import APIRouter, Request

from rag_core.api.access import EngineOf, ExperimentsOf, time_left_ms
from rag_core.api.schemas import RetrieveRequest, RetrieveResponse, failures
from rag_core.api.streaming import searched
from rag_core.configuration.schema import RetrievalConfig, configure, of_search
from rag_core.errors import DeadlineExceededError
from rag_core.experiments.live_query import Answered, LiveQuery
from rag_core.experiments.serving import LiveExperiments
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.filters import WireFilters, fetch_filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.readiness import check_ready
from rag_core.wire.values import retrieval_to_wire

PROBE_MS = 100
Found = TypeVar("Found")

router = APIRouter(tags=["retrieval"])


@router.post(
    "/api/retrieve",
    response_model=RetrieveResponse,
    response_model_exclude_unset=True,
    responses=failures(400, 415, 500, 503, 504),
)
async def search(body: RetrieveRequest, request: Request, engine: EngineOf, experiments: ExperimentsOf) -> Any:
    """Search the notes and return the best passages, each with the sentences around it.

    `config` is merged deeply over what is served; `topK` and `strategy` of the request win over it. `filters` hold
    for every result, in every leg. A degraded search still answers 200 and says so in `metadata.warnings`.

    A query that says neither `config` nor `strategy` may take part in an experiment; `metadata.experiment` is there then, and
    `POST /api/experiments/feedback` takes its `queryId`.
    """
    return await searched(request, lambda cancellation: _found(body, engine, experiments, cancellation))


def _found(
    body: RetrieveRequest, engine: Engine, experiments: LiveExperiments, cancellation: Cancellation
) -> dict[str, Any]:
    tenant = engine.tenant()
    filters = read_filters(engine, tenant, body.filters)
    if not body.config and body.strategy is None:
        return _answered(
            find_live(
                experiments,
                engine,
                tenant,
                body.query,
                top_k=body.top_k,
                filters=filters,
                cancellation=cancellation,
            )
        )
    base = engine.served_config(tenant)
    config = configure(of_search(body.config or {}), strategy=body.strategy, top_k=body.top_k, base=base)
    return retrieval_to_wire(find(engine, tenant, body.query, config, filters, cancellation=cancellation))


def _answered(answered: Answered) -> dict[str, Any]:
    body, part = retrieval_to_wire(answered.retrieval), answered.participation
    if part is not None:
        body["metadata"]["experiment"] = {"queryId": str(part.query_id), "arm": part.arm}
    return body


def read_filters(engine: Engine, tenant: TenantId, wire: WireFilters) -> Filters:
    """Filters as the caller wrote them; their notes are the tenant's.

    Raises:
        InvalidInputError, DatabaseUnavailableError, DeadlineExceededError: see ``fetch_filters``.
    """
    settings = engine.settings
    return fetch_filters(engine.database, tenant, wire, zone=settings.zone, timeout_ms=settings.request_timeout_ms)


def find(
    engine: Engine,
    tenant: TenantId,
    query: str,
    config: RetrievalConfig,
    filters: Filters = NO_FILTERS,
    *,
    cancellation: Cancellation | None = None,
) -> Retrieval:
    """Search within the time a request has; see ``_within_time``."""
    return _within_time(
        engine,
        lambda timeout_ms: retrieve(
            engine,
            tenant,
            query,
            config=config,
            filters=filters,
            timeout_ms=timeout_ms,
            cancellation=cancellation,
        ),
    )


def find_live(
    experiments: LiveExperiments,
    engine: Engine,
    tenant: TenantId,
    query: str,
    *,
    top_k: int | None,
    filters: Filters = NO_FILTERS,
    repeated: UUID | None = None,
    cancellation: Cancellation | None = None,
) -> Answered:
    """The same for a query that does not say how, by what is served or by the sides of an experiment.

    ``repeated`` names the answer that a reader comes back to.
    """

    def answer(timeout_ms: int) -> Answered:
        asked = LiveQuery(
            tenant=tenant,
            text=query,
            top_k=top_k,
            timeout_ms=timeout_ms,
            filters=filters,
            repeated=repeated,
            cancellation=cancellation,
        )
        return experiments.answer(engine, asked)

    return _within_time(engine, answer)


def _within_time(engine: Engine, search: Callable[[int], Found]) -> Found:
    """What is found within the milliseconds a request has; what it waited for a free worker is gone of them.

    Raises:
        DatabaseUnavailableError: also when the time went by waiting for a connection, which the search cannot
            tell from a slow leg.
        InvalidInputError, DeadlineExceededError, RetrievalFailedError, SearchCancelledError: see ``retrieve``.
    """
    try:
        return search(_time_left_ms(engine))
    except DeadlineExceededError:
        check_ready(engine.database, timeout_ms=PROBE_MS)
        raise


def _time_left_ms(engine: Engine) -> int:
    timeout_ms = time_left_ms(engine)
    if timeout_ms <= 0:
        raise DeadlineExceededError("the request waited for a free worker or a connection longer than it may take")
    return timeout_ms

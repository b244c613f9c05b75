"""Searches of one request: its filters, its time, and the experiments that it may take part in."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from rag_core.api.access import RequestContext, time_left_ms
from rag_core.configuration.schema import RetrievalConfig
from rag_core.errors import DeadlineExceededError
from rag_core.experiments.live_query import Answered, LiveQuery
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.filters import WireFilters, fetch_filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.readiness import check_ready

PROBE_MS = 100
Found = TypeVar("Found")


def read_filters(context: RequestContext, wire: WireFilters) -> Filters:
    """Check filters as the caller wrote them, and look up their notes among the tenant's.

    Raises:
        InvalidInputError, DatabaseUnavailableError, DeadlineExceededError: see ``fetch_filters``.
    """
    return fetch_filters(context.database, context.tenant, wire, zone=context.zone, timeout_ms=context.timeout_ms)


def find(
    context: RequestContext,
    query: str,
    config: RetrievalConfig,
    filters: Filters = NO_FILTERS,
    *,
    cancellation: Cancellation | None = None,
) -> Retrieval:
    """Search with this configuration within the request's time; see ``_within_time``."""
    return _within_time(
        context,
        lambda timeout_ms: retrieve(
            context.engine,
            context.tenant,
            query,
            config=config,
            filters=filters,
            timeout_ms=timeout_ms,
            cancellation=cancellation,
        ),
    )


def find_live(
    context: RequestContext,
    query: str,
    *,
    top_k: int | None,
    filters: Filters = NO_FILTERS,
    repeated: UUID | None = None,
    cancellation: Cancellation | None = None,
) -> Answered:
    """Search with the served configuration, or as a live query of an experiment, within the request's time.

    ``repeated`` names the answer that a reader comes back to.
    """

    def answer(timeout_ms: int) -> Answered:
        asked = LiveQuery(
            tenant=context.tenant,
            text=query,
            top_k=top_k,
            timeout_ms=timeout_ms,
            filters=filters,
            repeated=repeated,
            cancellation=cancellation,
        )
        return context.experiments.answer(context.engine, asked)

    return _within_time(context, answer)


def _within_time(context: RequestContext, search: Callable[[int], Found]) -> Found:
    """Search within the milliseconds left to the request; it may have waited for a free worker.

    Raises:
        DatabaseUnavailableError: also when the time went by waiting for a connection, which the search cannot
            tell from a slow leg.
        InvalidInputError, DeadlineExceededError, RetrievalFailedError, SearchCancelledError: see ``retrieve``.
    """
    try:
        return search(_checked_time_left_ms(context.timeout_ms))
    except DeadlineExceededError:
        check_ready(context.database, timeout_ms=PROBE_MS)
        raise


def _checked_time_left_ms(timeout_ms: int) -> int:
    left_ms = time_left_ms(timeout_ms)
    if left_ms <= 0:
        raise DeadlineExceededError("the request waited for a free worker or a connection longer than it may take")
    return left_ms

"""The first half of a search, for whoever measures what a configuration would make of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, TransformedQuery
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.plan import Search
from rag_core.retrieval.request import Asked, checked_query, understood
from rag_core.retrieval.searching import search
from rag_core.runtime.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class LegsOnly:
    """What the legs found for a query, before any of it is ranked."""

    query: str
    transformed: TransformedQuery
    searches: Sequence[Search]
    legs: LegResults


def search_only(
    engine: Engine, tenant: TenantId, text: str, *, config: RetrievalConfig, timeout_ms: int, now: datetime
) -> LegsOnly:
    """The first half of ``retrieve``: what the legs find, with nothing remembered.

    Raises:
        InvalidInputError: see ``retrieve``.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
    """
    asked = Asked(
        tenant=tenant,
        text=text,
        query=checked_query(text),
        config=config,
        config_hash="",
        filters=NO_FILTERS,
        now=now,
        deadline=Deadline.after_ms(timeout_ms),
    )
    request = understood(asked)
    return LegsOnly(
        query=request.query,
        transformed=request.transformed,
        searches=request.searches,
        legs=search(engine, request),
    )

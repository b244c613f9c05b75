"""The first half of a search, for measuring configurations by replay."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.note import TenantId
from rag_core.model.retrieval import TransformedQuery
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.plan import TextSearch
from rag_core.retrieval.request import planned, search_request
from rag_core.retrieval.searching import search
from rag_core.runtime.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class LegsOnly:
    """The results of the legs for a query, before fusion."""

    query: str
    transformed: TransformedQuery
    searches: Sequence[TextSearch]
    legs: LegResults


def search_only(
    engine: Engine, tenant: TenantId, text: str, *, config: RetrievalConfig, timeout_ms: int, now: datetime
) -> LegsOnly:
    """Run the first half of ``retrieve``: the legs alone, without caches of results.

    Raises:
        InvalidInputError: see ``retrieve``.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: the search failed.
    """
    request = planned(search_request(tenant, text, config=config, timeout_ms=timeout_ms, now=now))
    return LegsOnly(
        query=request.query,
        transformed=request.transformed,
        searches=request.searches,
        legs=search(
            request,
            database=engine.database,
            executors=engine.executors,
            model=engine.model,
            embedder=engine.query_embedder_of(tenant),
            chat=engine.chat,
        ),
    )

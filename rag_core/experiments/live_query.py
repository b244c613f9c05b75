"""A query as a reader asked it, and the answer one side gives."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.configuration.served import ServedConfiguration
from rag_core.model.experiment import Arm
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, with_configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveQuery:
    """A query with nothing said of how to search.

    ``repeated`` names the answer that its reader comes back to, ``cancellation`` says whether that reader still waits.
    """

    tenant: TenantId
    text: str
    top_k: int | None
    timeout_ms: int
    filters: Filters = NO_FILTERS
    repeated: UUID | None = None
    cancellation: Cancellation | None = None

    def config(self, served: ServedConfiguration) -> RetrievalConfig:
        """Return the configuration of a search by a side that serves ``served``."""
        return configure(top_k=self.top_k, base=served.config)


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Facts about the experiment for the reader of an answer, who gives feedback by them."""

    query_id: UUID
    arm: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Served retrieval, and its part in an experiment with readers' feedback."""

    retrieval: Retrieval
    participation: Participation | None = None


class LiveSearch(Protocol):
    """A search for live queries."""

    def __call__(self, asked: LiveQuery, served: ServedConfiguration, *, use_cache: bool = True) -> Retrieval:
        """Search like ``search``."""
        ...


def search(engine: Engine, asked: LiveQuery, served: ServedConfiguration, *, use_cache: bool = True) -> Retrieval:
    """Search for the query with a side that serves ``served``.

    Raises:
        InvalidInputError, DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError, SearchCancelledError: see
            ``retrieve``.
    """
    return retrieve(
        with_configuration(engine, served),
        asked.tenant,
        asked.text,
        config=asked.config(served),
        filters=asked.filters,
        timeout_ms=asked.timeout_ms,
        use_cache=use_cache,
        cancellation=asked.cancellation,
    )


def searched_ms(retrieval: Retrieval) -> float | None:
    """Return the duration of the search; None when the answer was cached."""
    return None if set(retrieval.stages) == {"cache"} else retrieval.latency_ms

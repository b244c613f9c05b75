"""Evaluation of what is served: the same path as a search, with what it found beside listed below for every metric's depth."""

from collections.abc import Callable

from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, with_configuration

DEPTH = 50
"""How many hits are looked at, so that hit@10 and recall@20 are defined whatever is served: a reader's five come first, as served."""


def pinned(engine: Engine, tenant: TenantId) -> Engine:
    """The engine with what it serves the tenant now, for a whole run: what is promoted meanwhile changes nothing of it.

    Raises:
        DatabaseUnavailableError: the database is away, and nothing is known from before.
    """
    return with_configuration(engine, engine.served(tenant))


def searcher(
    engine: Engine, tenant: TenantId, *, config: RetrievalConfig, timeout_ms: int
) -> Callable[[str], Retrieval]:
    """A function that searches as the API would and lists what follows below, to ``DEPTH``; the engine is a ``pinned`` one."""
    return lambda query: retrieve(
        engine, tenant, query, config=config, timeout_ms=timeout_ms, use_cache=False, depth=DEPTH
    )

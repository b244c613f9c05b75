"""Evaluation of what is served: the same path as a search, deep enough for every metric."""

from collections.abc import Callable

from rag_core.configuration import RetrievalConfig, configure
from rag_core.engine import Engine
from rag_core.model import Retrieval, TenantId
from rag_core.retrieval.retrieve import retrieve

EVALUATION_TOP_K = 50


def evaluation_config(config: RetrievalConfig) -> RetrievalConfig:
    """The configuration with the final cut at 50, so that hit@10 and recall@20 are not cut by the serving top k."""
    return configure(config.to_wire(), top_k=EVALUATION_TOP_K)


def searcher(
    engine: Engine, tenant: TenantId, *, config: RetrievalConfig, timeout_ms: int
) -> Callable[[str], Retrieval]:
    """A function that searches as the API would."""
    return lambda query: retrieve(engine, tenant, query, config=config, timeout_ms=timeout_ms, use_cache=False)

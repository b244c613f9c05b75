"""Evaluation of what is served: the same path as a search, with what it found beside listed below for every metric's depth."""

from rag_core.configuration.schema import RetrievalConfig
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.model.note import TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, with_configuration

DEPTH = 50
"""Number of hits examined, so that hit@10 and recall@20 are always defined; the five that readers get come first, as served."""


def pinned(engine: Engine, tenant: TenantId) -> Engine:
    """The engine with what it serves the tenant now, for a whole run: what is promoted meanwhile changes nothing of it.

    Raises:
        DatabaseUnavailableError: the database is away, and nothing is known from before.
    """
    return with_configuration(engine, engine.served(tenant))


def evaluated_search(engine: Engine, tenant: TenantId, *, config: RetrievalConfig, timeout_ms: int) -> EvaluatedSearch:
    """A search as the API does it that lists what follows below, to ``DEPTH``; the engine is a ``pinned`` one.

    Raises:
        ConfigurationError: the re-ranker that the configuration names is not set up here.
    """
    return EvaluatedSearch(
        search=lambda query: retrieve(
            engine, tenant, query, config=config, timeout_ms=timeout_ms, use_cache=False, depth=DEPTH
        ),
        config=config,
        models=engine.model_names(tenant, config),
        pipeline_fingerprint=engine.pipeline.fingerprint,
    )

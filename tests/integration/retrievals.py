"""A search with the default configuration."""

from rag_core.configuration.schema import configure
from rag_core.model.note import TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine


def find(engine: Engine, tenant: TenantId, text: str, **more: object):
    strategy, now = more.pop("strategy", "hybrid"), more.pop("now", None)
    return retrieve(engine, tenant, text, config=configure(more, strategy=strategy), timeout_ms=30_000, now=now)

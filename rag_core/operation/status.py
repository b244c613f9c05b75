"""Status of one tenant, in one document."""

from typing import Any

from rag_core.access.pseudonyms import pseudonyms
from rag_core.chat import chat_provider
from rag_core.configuration.served import served_configuration
from rag_core.graph.llm import causal_extractor
from rag_core.migration.status import read_migration_status
from rag_core.model.addresses import leaves_machine
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.operation.running_api import fetch_access, fetch_performance
from rag_core.operation.running_parts import read_parts
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.status import fetch_status


def read_status(engine: Engine, tenant: TenantId) -> dict[str, Any]:
    """Counts, what is stale, the migration, the models in use, the last evaluation, what runs, and the API's figures."""
    notes, indexed, stale, chunks, vectors, cached, batches, unread, lag, golden, last, version = fetch_status(
        engine.database,
        tenant,
        fingerprint=engine.pipeline.fingerprint,
        extractor=causal_extractor(engine.chat).fingerprint,
    )
    settings = engine.settings
    access = fetch_access(port=settings.api_port, home=settings.home) or settings.access  # the running API's counts
    return {
        "tenant": tenant,
        "notes": notes,
        "indexed_notes": indexed,
        "stale_notes": stale,
        "chunks": chunks,
        "vectors": vectors,
        "cached_vectors": cached,
        "batches": batches,
        "batches_without_graph": unread,
        "graph_lag_seconds": lag,
        "migration": read_migration_status(engine.database, tenant).summary(),
        "golden_queries": golden,
        "last_evaluation": last,
        "embedding_model": f"{engine.model.name} ({engine.model.dimensions} dimensions, {engine.model.provider})",
        "served": _served(engine.database, engine.model, tenant),
        "chat_model": None if engine.chat is None else engine.chat.name,
        "chat_server": None if engine.chat is None else _chat_server(settings),
        "pipeline_fingerprint": engine.pipeline.fingerprint,
        "server": version,
        "database": "DATABASE_URL" if engine.settings.database_url else "embedded",
        "home": str(engine.settings.home),
        "access": access,
        "page": engine.settings.api_url,
        "dagster": engine.settings.dagster_page,
        "parts": read_parts(engine.settings.home),
        "performance": fetch_performance(
            port=engine.settings.api_port, home=engine.settings.home, key=_key(engine.settings, access=access)
        ),
    }


def _chat_server(settings: Settings) -> dict[str, Any] | None:
    """Address that questions and passages of notes are sent to, and whether they leave this machine."""
    address = chat_provider(settings).find_address(settings)
    return None if address is None else {"address": address, "leaves_machine": leaves_machine(address)}


def _key(settings: Settings, *, access: str) -> str | None:
    """Key that this process sends to read the API's figures, where the API requires keys."""
    return pseudonyms(settings.home, settings.secret).process_key if access == "keys" else None


def _served(database: Database, model: EmbeddingModel, tenant: TenantId) -> dict[str, Any]:
    served = served_configuration(database, tenant, model)
    return {"configuration": served.number, "strategy": served.config.strategy, "reranker": served.weights.version}

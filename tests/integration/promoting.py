"""Embedding models that are added, filled, promoted and searched with."""

from rag_core.configuration.schema import configure
from rag_core.model.embedding import EmbeddingModel, WantedModel
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.registration import register_model
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, with_model
from rag_core.settings import read_settings
from rag_core.storage.database import Database

RIVER = "La casa azul está junto al río."
BILLS = "Treinta y dos facturas sin pagar, todas de marzo."
OTHER = "hashing-1536"


def add(database: Database, name: str = OTHER, dimensions: int = 1536) -> EmbeddingModel:
    wanted = WantedModel(name=name, provider="hashing", dimensions=dimensions)
    return register_model(database, wanted, settings=read_settings(ollama_host="")).model


def backfilled(engine: Engine, name: str = OTHER, dimensions: int = 1536) -> EmbeddingModel:
    add(engine.database, name, dimensions)
    model = begin_backfill(engine.database, name)
    fill_model(engine.database, model, with_model(engine, model).embedder)
    return settle_model(engine.database, model)


def find(engine: Engine, tenant: TenantId, query: str, *, strategy: str = "semantic") -> Retrieval:
    return retrieve(engine, tenant, query, config=configure(strategy=strategy), timeout_ms=10_000, use_cache=False)

"""The embedding model that a new home begins with.

The migrations register hashed n-grams, which every machine can compute. Before the first vector is stored the model of
``BRAIN_EMBEDDING_PROVIDER`` takes their place, or without that setting the first of ``PREFERRED`` that is installed. A home with
vectors keeps its model.
"""

from rag_core.embedding import EMBEDDING_PROVIDERS
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel, WantedModel, candidate, columns_of
from rag_core.settings import Settings
from rag_core.storage.database import Connection
from rag_core.storage.models import fetch_active_model, has_unused_model, list_models, replace_unused_model

BUILT_IN = "hashing"
PREFERRED: tuple[str, ...] = ("e5", "use", BUILT_IN)
"""Providers that a new home's model is taken from, best first; the built-in one is always there."""
_NAMES = {"e5": "multilingual-e5-small", "use": "universal-sentence-encoder-multilingual"}
"""Name of the first model of a provider, where it is not the provider's own name."""
_SECONDS = 10.0


def choose_first_model(connection: Connection, settings: Settings) -> EmbeddingModel:
    """The active model, after the one of a new home has taken the place of an unused first one; the owner's connection.

    Raises:
        ConfigurationError: ``BRAIN_EMBEDDING_PROVIDER`` names no provider.
        EmbeddingError: its model cannot be used here.
    """
    active = fetch_active_model(connection)
    if active.name != BUILT_IN or settings.embedding_provider == BUILT_IN or not has_unused_model(connection):
        return active
    first = _first_model(settings)
    if first.name == active.name:
        return active
    replace_unused_model(connection, columns_of(first))
    return fetch_active_model(connection)


def find_model_of_meaning(connection: Connection, settings: Settings) -> EmbeddingModel | None:
    """The model that a new home would begin with, where this one has vectors of the built-in model and knows no other."""
    is_chosen = settings.embedding_provider is not None or len(list_models(connection)) > 1
    if is_chosen or fetch_active_model(connection).name != BUILT_IN or has_unused_model(connection):
        return None
    first = _first_model(settings)
    return None if first.name == BUILT_IN else first


def how_to_change(model: EmbeddingModel) -> str:
    """Commands that put the model in the active one's place."""
    add = f"`brain models add {model.name} --provider {model.provider}`"
    return f"{add}, `brain models backfill {model.name}`, `brain models promote {model.name}`"


def _first_model(settings: Settings) -> EmbeddingModel:
    if settings.embedding_provider is None:
        usable = (_candidate(name, settings) for name in PREFERRED)
        return next(model for model, fault in usable if fault is None)
    model, fault = _candidate(settings.embedding_provider, settings)
    if fault is not None:
        raise EmbeddingError(f"BRAIN_EMBEDDING_PROVIDER={model.provider!r}: {fault}")
    return model


def _candidate(name: str, settings: Settings) -> tuple[EmbeddingModel, str | None]:
    """The provider's first model, and why it cannot be used here."""
    provider = EMBEDDING_PROVIDERS.get(name, given_by="BRAIN_EMBEDDING_PROVIDER")
    wanted = WantedModel(name=_NAMES.get(name, name), provider=name)
    model = candidate(wanted, provider.complete(wanted, settings, _SECONDS))
    return model, provider.find_fault(model, settings, _SECONDS)

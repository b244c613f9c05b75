"""The embedding model that a new home begins with.

The migrations register hashed n-grams, which every machine can compute. Before the first vector is stored the model of
``BRAIN_EMBEDDING_PROVIDER`` takes their place. A home with vectors keeps its model.
"""

from rag_core.embedding import EMBEDDING_PROVIDERS
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel, WantedModel, candidate, columns_of
from rag_core.settings import Settings
from rag_core.storage.database import Connection
from rag_core.storage.models import fetch_active_model, has_unused_model, replace_unused_model

BUILT_IN = "hashing"
_NAMES = {"e5": "multilingual-e5-small", "use": "universal-sentence-encoder-multilingual"}
"""Name of the first model of a provider, where it is not the provider's own name."""
_SECONDS = 10.0


def choose_first_model(connection: Connection, settings: Settings) -> EmbeddingModel:
    """The active model, after the one of the settings has taken the place of an unused first one; the owner's connection.

    Raises:
        ConfigurationError: ``BRAIN_EMBEDDING_PROVIDER`` names no provider.
        EmbeddingError: its model cannot be used here.
    """
    active = fetch_active_model(connection)
    is_chosen = active.name != BUILT_IN or settings.embedding_provider == BUILT_IN
    if is_chosen or not has_unused_model(connection):
        return active
    replace_unused_model(connection, columns_of(_first_model(settings)))
    return fetch_active_model(connection)


def _first_model(settings: Settings) -> EmbeddingModel:
    name = settings.embedding_provider
    provider = EMBEDDING_PROVIDERS.get(name, given_by="BRAIN_EMBEDDING_PROVIDER")
    wanted = WantedModel(name=_NAMES.get(name, name), provider=name)
    model = candidate(wanted, provider.complete(wanted, settings, _SECONDS))
    if (fault := provider.find_fault(model, settings, _SECONDS)) is not None:
        raise EmbeddingError(f"BRAIN_EMBEDDING_PROVIDER={name!r}: {fault}")
    return model

"""Text into vectors: the interface, the registered model, and the key a vector is stored under.

Here: one file a provider (``providers``), what every provider's vectors must hold (``vectors``), texts longer than
a model's context (``pieces``), the prefixes of known models (``prefixes``), and the words put before a chunk (``context``,
``summaries``).
Not here: the tables of models and cached vectors (``rag_core.storage``), and which model is active.
A provider's file is imported when a model of it is built, so that a machine without Ollama loads no HTTP client.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, UsualModel, WantedModel
from rag_core.plugins.registry import Registry
from rag_core.settings import Settings


class Embedder(Protocol):
    """Model that turns texts into vectors; the interface of every provider."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Raises:
            EmbeddingError: a text is blank, the provider failed, or a vector would be zero or not finite.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProvider:
    """A kind of embedding model.

    ``build`` makes the embedder of a registered model and contacts nobody; its last argument bounds one request to a server.
    ``complete`` finds out what a model to be registered is like, ``find_fault`` why a registered one cannot be used (None when
    it can), ``fetch_held_bytes`` how much memory its server holds it in; each is given the settings and the seconds it has.
    ``rename`` says how a model comes to another name. The first text of a model that ``has_to_load`` waits for it; it is loaded
    before searches are. ``language_gap`` is how much nearer texts of one language are for that alone. Embedders of a provider
    that ``reads_together`` are a ``TogetherEmbedder`` (``rag_core.embedding.together``).
    """

    build: Callable[[EmbeddingModel, Settings, float], Embedder]
    complete: Callable[[WantedModel, Settings, float], UsualModel]
    find_fault: Callable[[EmbeddingModel, Settings, float], str | None] = lambda _model, _settings, _seconds: None
    fetch_held_bytes: Callable[[EmbeddingModel, Settings, float], int | None] = lambda _model, _settings, _seconds: None
    is_in_process: bool
    has_to_load: bool = True
    knows_meaning: bool = True
    takes_any_length: bool = False
    language_gap: float = 0.0
    reads_together: bool = False
    rename: str = "register it under another name"


EMBEDDING_PROVIDERS: Registry[EmbeddingProvider] = Registry("embedding provider", folder="rag_core.embedding.providers")


def provider_of(model: EmbeddingModel) -> EmbeddingProvider:
    """The provider of a registered model.

    Raises:
        EmbeddingError: there is no such provider here.
    """
    provider = EMBEDDING_PROVIDERS.find(model.provider)
    if provider is None:
        raise EmbeddingError(
            f"model {model.name!r} has provider {model.provider!r}; expected one of: {', '.join(EMBEDDING_PROVIDERS.names())}. "
            "Register it again with one of these, or install the plugin that it needs."
        )
    return provider


def knows_meaning(model: EmbeddingModel) -> bool:
    """True when near vectors mean near meanings; hashed n-grams are near where words are spelled alike."""
    return provider_of(model).knows_meaning


def language_gap(model: EmbeddingModel) -> float:
    """Cosine similarity that texts of one language gain for that alone; 0 for a model that cannot be used here."""
    provider = EMBEDDING_PROVIDERS.find(model.provider)
    return 0.0 if provider is None else provider.language_gap


def reads_together(model: EmbeddingModel) -> bool:
    """True where the model gives vectors of sentences read with those around them."""
    provider = EMBEDDING_PROVIDERS.find(model.provider)
    return provider is not None and provider.reads_together


def build_embedder(model: EmbeddingModel, *, settings: Settings, timeout_seconds: float = 30) -> Embedder:
    """Build the embedder of a registered model; contacts nobody.

    ``timeout_seconds`` is for one request to a server.

    Raises:
        EmbeddingError: this program has no such provider or version.
        ConfigurationError: the host is no address.
    """
    return provider_of(model).build(model, settings, timeout_seconds)

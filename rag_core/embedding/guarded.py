"""An embedder behind a circuit breaker and bounded concurrency."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rag_core.embedding import Embedder
from rag_core.embedding.together import ReadTogether, TogetherEmbedder
from rag_core.errors import (
    BusyError,
    CircuitOpenError,
    EmbeddingUnavailableError,
)
from rag_core.model.embedding import EmbeddingRole, FloatMatrix
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.circuit_breaker import CircuitBreaker

_Vectors = TypeVar("_Vectors")


class GuardedEmbedder:
    """An embedder behind a breaker, and behind the places that all calls to its server share.

    ``wait_seconds`` is for a place; the call itself has the embedder's own time.
    """

    def __init__(self, embedder: Embedder, *, breaker: CircuitBreaker, places: Bounded, wait_seconds: float) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.breaker = breaker
        self._embedder = embedder
        self._places = places
        self._wait_seconds = wait_seconds

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed as the embedder does; an open circuit or no place in time is no failure of the texts either."""
        return self._guarded(lambda: self._embedder.embed(texts, role=role))

    def embed_together(self, inputs: Sequence[ReadTogether]) -> list[FloatMatrix]:
        """Embed as the embedder does, which must be able to; else as ``embed``."""
        embedder = self._embedder
        assert isinstance(embedder, TogetherEmbedder), f"{self.name} cannot read texts together"
        return self._guarded(lambda: embedder.embed_together(inputs))

    def _guarded(self, embed: Callable[[], _Vectors]) -> _Vectors:
        try:
            self.breaker.check()
            with self._places.place(timeout_seconds=self._wait_seconds):
                return self.breaker.call(embed, counts=(EmbeddingUnavailableError,))
        except (CircuitOpenError, BusyError) as error:
            raise EmbeddingUnavailableError(f"embedding model {self.name} was not asked: {error}") from error

"""A re-ranker behind a circuit breaker."""

from collections.abc import Sequence

from rag_core.errors import (
    CircuitOpenError,
    RerankerUnavailableError,
    RerankingError,
)
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate, Reranker
from rag_core.resilience.cancellation import Cancellation
from rag_core.resilience.circuit_breaker import CircuitBreaker


class GuardedReranker:
    """A re-ranker on a server behind a breaker; an open circuit is a RerankingError like any other."""

    def __init__(self, reranker: Reranker, *, breaker: CircuitBreaker) -> None:
        self.name = reranker.name
        self.breaker = breaker
        self._reranker = reranker

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """Score as the re-ranker does."""
        try:
            with self.breaker.watching(counts=(RerankerUnavailableError,)):
                return self._reranker.score(
                    query,
                    candidates,
                    statistics=statistics,
                    timeout_seconds=timeout_seconds,
                    cancellation=cancellation,
                )
        except CircuitOpenError as error:
            raise RerankingError(f"re-ranker {self.name} was not asked: {error}") from error

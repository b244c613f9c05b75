"""The re-ranker that needs no model: what a passage shares with the query, weighed."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts, RerankerProvider
from rag_core.reranking.features import features
from rag_core.reranking.weights import Weights, shipped_weights
from rag_core.resilience.cancellation import Cancellation


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedReranker:
    """Scores passages by what they share with the query; a few milliseconds for thirty."""

    weights: Weights

    @property
    def name(self) -> str:
        """``embedded@`` and the version of the weights."""
        return f"embedded@{self.weights.version}"

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,  # noqa: ARG002  milliseconds of arithmetic cannot be interrupted
        cancellation: Cancellation | None = None,  # noqa: ARG002  nor need they be
    ) -> list[float]:
        """Probabilities that a candidate answers the query; see ``Weights.probabilities``."""
        return self.weights.probabilities(features(query, candidates, statistics))


def _build(parts: RerankerParts) -> EmbeddedReranker:
    return EmbeddedReranker(weights=parts.weights or shipped_weights())


RERANKERS.register("embedded")(RerankerProvider(build=_build, is_in_process=True, is_fitted=True))

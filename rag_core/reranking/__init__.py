"""A second look at the best candidates: the query beside each passage, one score each.

Here: what every re-ranker gets and gives, the embedded one with its features and the fitting of its weights, and one file
a provider. Not here: where candidates come from and what becomes of the scores (``rag_core.retrieval.rerank``), SQL
(``storage.rerankers``).
A provider's file is imported when it is built.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import QueryStatistics
from rag_core.resilience.cancellation import Cancellation

CALIBRATED_RERANKERS = ("http:", "cross_encoder:")
"""Re-rankers whose scores say how likely a passage answers a question; those of ``embedded`` are evened out, those of ``llm`` a chat
model's marks, and what a search that is not re-ranked gives is no probability at all."""


def is_calibrated(reranker: str | None) -> bool:
    """Whether a re-ranker of that name (``http:…``) gives probabilities; None is none."""
    return reranker is not None and reranker.startswith(CALIBRATED_RERANKERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage to be scored: its text, its public score so far, and each leg's own score and rank where one found it."""

    chunk_id: ChunkId
    note_id: NoteId
    title: str | None
    content: str
    language: Language
    score: float
    leg_scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)


class Reranker(Protocol):
    """What scores passages against a query; the same for every provider."""

    @property
    def name(self) -> str:
        """Provider and version (``embedded@1``): part of a configuration's hash."""
        ...

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """One score in [0, 1] a candidate, in their order; no candidates gives [].

        Raises:
            RerankingError: a candidate could not be scored in time; then none is.
            SearchCancelledError: it was cancelled, from another thread; whoever is asked elsewhere is asked no more.
        """
        ...

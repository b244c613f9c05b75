"""A second look at the best candidates: the query beside each passage, one score each.

Here: what every re-ranker gets and gives, the embedded one's features, weights and their fitting, and one file a provider.
Not here: where candidates come from and what becomes of the scores (``rag_core.retrieval.rerank``), SQL
(``storage.rerankers``).
A provider's file is imported when it is built.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from rag_core.chat import ChatModel
from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import QueryStatistics
from rag_core.plugins.registry import Registry
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings

if TYPE_CHECKING:
    from rag_core.reranking.weights import Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage to be scored: its text, its public score so far, and each leg's own score and rank where one found it.

    ``classification`` is its note's, which may forbid that the text leaves this machine.
    """

    chunk_id: ChunkId
    note_id: NoteId
    title: str | None
    content: str
    language: Language
    score: float
    leg_scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    classification: str | None = None


class Reranker(Protocol):
    """Scorer of passages against a query; the interface of every provider."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerParts:
    """Dependencies of re-rankers; without an executor one that calls in threads has its own, without weights the shipped ones."""

    settings: Settings
    chat: ChatModel | None = None
    batch_size: int = 5
    executor: Executor | None = None
    weights: "Weights | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerProvider:
    """A kind of re-ranker. ``build`` contacts nobody and raises a ConfigurationError that names the setting it lacks.

    The scores of one that ``is_fitted`` depend on weights fitted to a tenant's golden set. One that ``asks_chat`` gives the
    chat model ``reranking.batchSize`` passages at a time. Names of its re-rankers begin with the provider's: ``http:model``.
    """

    build: Callable[[RerankerParts], Reranker]
    is_in_process: bool
    scores_are_probabilities: bool = False
    is_fitted: bool = False
    asks_chat: bool = False


RERANKERS: Registry[RerankerProvider] = Registry("re-ranker", folder="rag_core.reranking.providers")


def is_calibrated(reranker: str | None) -> bool:
    """True when the scores of a re-ranker of that name (``http:…``) are probabilities; None is no re-ranker.

    The scores of ``embedded`` are evened out and those of ``llm`` are a chat model's marks.
    """
    provider = None if reranker is None else RERANKERS.find(re.split("[:@]", reranker)[0])
    return provider is not None and provider.scores_are_probabilities

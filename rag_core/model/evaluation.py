"""Evaluation runs and what their queries brought back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from rag_core.model.answer_metrics import AnswerMetrics, AnswerRecord
from rag_core.model.golden import Category
from rag_core.model.metrics.notes import HIT_RATE_DEPTHS, RANKING_DEPTH
from rag_core.model.note import NoteId
from rag_core.model.ranking_metrics import first_relevant_rank, ndcg_at, recall_at
from rag_core.model.run_comparison import MAX_DISTURBED_SHARE, Comparison

NDCG_DEPTH = 10
Purpose = Literal["manual", "nightly", "migration", "model", "gate", "promotion", "benchmark"]
"""Purpose of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """Result of one golden query: unique notes, best first, at most ``RANKING_DEPTH``.

    A query that failed has no notes and its error; it counts as a miss. ``grades`` say how relevant notes are, 1 to 3; a
    note without one has 1. ``u_measure`` and ``first_passage_rank`` are of the passages and need golden spans,
    ``is_confident`` is whether results reached the similarity threshold, where there is one; each is None where it is undefined
    or was not kept. ``stages`` are milliseconds by stage. ``linked_note_ids`` are notes that stand where they do for names that they
    share with others; they are not kept.
    """

    query_id: UUID
    query: str
    category: Category
    difficulty: int
    relevant_note_ids: tuple[NoteId, ...]
    ranked_note_ids: tuple[NoteId, ...]
    latency_ms: float
    is_degraded: bool
    error: str | None
    grades: Mapping[NoteId, int] = field(default_factory=dict)
    u_measure: float | None = None
    first_passage_rank: int | None = None
    is_confident: bool | None = None
    stages: Mapping[str, float] = field(default_factory=dict)
    answer: AnswerRecord | None = None
    linked_note_ids: frozenset[NoteId] = frozenset()

    @property
    def is_disturbed(self) -> bool:
        """Tell whether an outage made the result differ from the strategy's own."""
        return self.is_degraded or self.error is not None

    @property
    def first_relevant_rank(self) -> int | None:
        """The rank of the first relevant note, from 1; None when none is ranked."""
        return first_relevant_rank(self.ranked_note_ids, self.relevant_note_ids)

    @property
    def ndcg_at_10(self) -> float:
        """NDCG over the first ten notes, by grade."""
        return _defined(ndcg_at(self.ranked_note_ids, self.relevant_note_ids, NDCG_DEPTH, grades=self.grades))

    @property
    def recall_at_20(self) -> float:
        """Relevant notes among the ranked ones / relevant notes."""
        return _defined(recall_at(self.ranked_note_ids, self.relevant_note_ids, RANKING_DEPTH))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMetrics:
    """Means over queries, each in [0, 1]; ``hit_rate_at`` by depth."""

    hit_rate_at: Mapping[int, float]
    mrr: float
    ndcg_at_10: float
    recall_at_20: float

    @property
    def by_name(self) -> dict[str, float]:
        """The means by the names of their metrics, which are the columns of a stored run."""
        hits = {f"hit_rate_at_{k}": rate for k, rate in self.hit_rate_at.items()}
        return {**hits, "mrr": self.mrr, "ndcg_at_10": self.ndcg_at_10, "recall_at_20": self.recall_at_20}


COLUMN_METRICS = (*(f"hit_rate_at_{k}" for k in HIT_RATE_DEPTHS), "mrr", "ndcg_at_10", "recall_at_20")
"""The metrics that ``RetrievalMetrics`` holds; those of a run's ``extra`` are the others."""
HEADLINE_METRICS = ("ndcg_at_10", "mrr", "hit_rate_at_10", "recall_at_20")
"""The metrics of a run in short."""


def retrieval_metrics_of(means: Mapping[str, float]) -> RetrievalMetrics:
    """The metrics of ``RetrievalMetrics.by_name``."""
    return RetrievalMetrics(
        hit_rate_at={k: means[f"hit_rate_at_{k}"] for k in HIT_RATE_DEPTHS},
        mrr=means["mrr"],
        ndcg_at_10=means["ndcg_at_10"],
        recall_at_20=means["recall_at_20"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyPercentiles:
    """Nearest-rank percentiles in milliseconds, p50 <= p95 <= p99."""

    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as its row tells it; the metrics of answers are None until a judge has scored them.

    ``strategy`` is what baselines go by, beside the set; ``circumstances`` is what was so at the time. ``extra`` are the means
    that ``extra_metrics`` gives, ``latency_stages`` the latencies by stage; runs from before they were kept have none.
    """

    run_id: UUID
    set_name: str
    set_version: int
    category: Category | None
    config_hash: str
    config: Mapping[str, Any]
    models: Mapping[str, str]
    pipeline_fingerprint: str
    metrics: RetrievalMetrics
    faithfulness: float | None
    answer_relevance: float | None
    latency_ms: LatencyPercentiles
    total_queries: int
    degraded_queries: int
    failed_queries: int
    created_at: datetime
    purpose: Purpose = "manual"
    strategy: str | None = None
    circumstances: Mapping[str, Any] = field(default_factory=dict)
    comparison: Comparison | None = None
    set_id: UUID | None = None
    set_vocabulary: str | None = None
    extra: Mapping[str, float | None] = field(default_factory=dict)
    latency_stages: Mapping[str, LatencyPercentiles] = field(default_factory=dict)
    answers: AnswerMetrics | None = None

    @property
    def is_disturbed(self) -> bool:
        """Tell whether too many queries were degraded or failed for the figures to be the strategy's."""
        return self.degraded_queries + self.failed_queries > MAX_DISTURBED_SHARE * self.total_queries


def _defined(value: float | None) -> float:
    if value is None:
        raise ValueError("a metric without a query or without a relevant note is undefined")
    return value

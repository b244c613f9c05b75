"""The values of an evaluation run, and how its metrics follow from what its queries brought back. No I/O."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from rag_core.evaluation.comparison import MAX_DISTURBED_SHARE, Comparison
from rag_core.evaluation.golden_query import CATEGORIES, Category
from rag_core.evaluation.metrics import (
    average_precision,
    first_relevant_rank,
    hit_rate_at,
    mean,
    ndcg_at,
    percentile,
    precision_at,
    precision_ceiling_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)
from rag_core.model import NoteId

HIT_RATE_DEPTHS = (1, 3, 5, 10)
NDCG_DEPTH = 10
PRECISION_DEPTH = 5
RANKING_DEPTH = 20
"""How many unique notes of a query's hits are ranked; a search to be evaluated must bring as many."""

Purpose = Literal["manual", "nightly", "migration", "model"]
"""Why a run was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """What one golden query brought back: unique notes, best first, at most ``RANKING_DEPTH``.

    A query that failed has no notes and its error; it counts as a miss.
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

    @property
    def is_disturbed(self) -> bool:
        """Whether what it brought back is not the strategy's own, because something was down."""
        return self.is_degraded or self.error is not None

    @property
    def first_relevant_rank(self) -> int | None:
        """The rank of the first relevant note, from 1; None when none is ranked."""
        return first_relevant_rank(self.ranked_note_ids, self.relevant_note_ids)

    @property
    def ndcg_at_10(self) -> float:
        """NDCG over the first ten notes."""
        return _defined(ndcg_at(self.ranked_note_ids, self.relevant_note_ids, NDCG_DEPTH))

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionMetrics:
    """Means of what is not stored with a run but follows from its queries.

    Precision at 5 has a ceiling where queries have fewer than five relevant notes; R-precision can reach 1.
    """

    precision_at_5: float
    precision_at_5_ceiling: float
    r_precision: float
    map_at_20: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyPercentiles:
    """Nearest-rank percentiles in milliseconds, p50 <= p95 <= p99."""

    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as its row tells it; the metrics of answers are None until a judge has scored them.

    ``strategy`` is what baselines go by, beside the set; ``circumstances`` is what was so at the time.
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

    @property
    def is_disturbed(self) -> bool:
        """Whether too many of its queries were degraded or failed for its figures to be the strategy's."""
        return self.degraded_queries + self.failed_queries > MAX_DISTURBED_SHARE * self.total_queries


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun(StoredRun):
    """A run with its queries, and how many golden queries were left out: all their notes are deleted."""

    queries: tuple[QueryResult, ...]
    orphaned_queries: int


def retrieval_metrics(results: Collection[QueryResult]) -> RetrievalMetrics:
    """The means over at least one query; a failed query counts as a miss.

    Raises:
        ValueError: there is no query.
    """
    pairs = _pairs(results)
    return RetrievalMetrics(
        hit_rate_at={k: _mean(hit_rate_at(*pair, k) for pair in pairs) for k in HIT_RATE_DEPTHS},
        mrr=_mean(reciprocal_rank(*pair) for pair in pairs),
        ndcg_at_10=_mean(ndcg_at(*pair, NDCG_DEPTH) for pair in pairs),
        recall_at_20=_mean(recall_at(*pair, RANKING_DEPTH) for pair in pairs),
    )


def precision_metrics(results: Collection[QueryResult]) -> PrecisionMetrics:
    """The means of the precision family over at least one query.

    Raises:
        ValueError: there is no query.
    """
    pairs = _pairs(results)
    return PrecisionMetrics(
        precision_at_5=_mean(precision_at(*pair, PRECISION_DEPTH) for pair in pairs),
        precision_at_5_ceiling=_mean(precision_ceiling_at(relevant, PRECISION_DEPTH) for _, relevant in pairs),
        r_precision=_mean(r_precision(*pair) for pair in pairs),
        map_at_20=_mean(average_precision(*pair) for pair in pairs),
    )


def metrics_by_category(results: Collection[QueryResult]) -> dict[Category, RetrievalMetrics]:
    """The metrics of each category that has queries, in the categories' own order."""
    grouped = {category: queries_of(category, results) for category in CATEGORIES}
    return {category: retrieval_metrics(found) for category, found in grouped.items() if found}


def queries_of(category: Category, results: Iterable[QueryResult]) -> list[QueryResult]:
    """The results of one category."""
    return [result for result in results if result.category == category]


def latency_percentiles(results: Collection[QueryResult]) -> LatencyPercentiles:
    """The percentiles over all queries of a run, failed ones too: somebody waited for them.

    Raises:
        ValueError: there is no query.
    """
    latencies = [result.latency_ms for result in results]
    p50, p95, p99 = (_defined(percentile(latencies, p)) for p in (0.50, 0.95, 0.99))
    return LatencyPercentiles(p50=p50, p95=p95, p99=p99)


def _pairs(results: Iterable[QueryResult]) -> Sequence[tuple[tuple[NoteId, ...], tuple[NoteId, ...]]]:
    return [(result.ranked_note_ids, result.relevant_note_ids) for result in results]


def _mean(values: Iterable[float | None]) -> float:
    return _defined(mean(values))


def _defined(value: float | None) -> float:
    if value is None:
        raise ValueError("a metric without a query or without a relevant note is undefined")
    return value

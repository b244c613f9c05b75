"""The values of an evaluation run, and how its metrics follow from what its queries brought back. No I/O."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import UUID

from rag_core.evaluation.comparison.compare import MAX_DISTURBED_SHARE, Comparison
from rag_core.evaluation.golden.query import ALL_CATEGORIES, JOINT_GROUPS, Category, joint_difficulty, joint_group
from rag_core.evaluation.runs.metrics import average_precision, first_relevant_rank, hit_rate_at, ndcg_at, precision_at, precision_ceiling_at, r_precision, recall_at, reciprocal_rank
from rag_core.model.statistics import mean, percentile
from rag_core.evaluation.runs.unanswerable import UnanswerableFigures
from rag_core.model.note import NoteId

if TYPE_CHECKING:
    from rag_core.evaluation.runs.answers import AnswerMetrics, AnswerRecord

HIT_RATE_DEPTHS = (1, 3, 5, 10)
NDCG_DEPTH = 10
PRECISION_DEPTH = 5
PRECISION_DEPTHS = (1, 3, 5, 10, 20)
RECALL_DEPTHS = (1, 3, 5, 10)
MAP_DEPTHS = (10, 20)
OTHER_NDCG_DEPTHS = (5, 20)
RANKING_DEPTH = 20
"""How many unique notes of a query's hits are ranked; a search to be evaluated must bring as many."""

Purpose = Literal["manual", "nightly", "migration", "model", "gate", "promotion", "benchmark"]
"""Why a run was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """What one golden query brought back: unique notes, best first, at most ``RANKING_DEPTH``.

    A query that failed has no notes and its error; it counts as a miss. ``grades`` say how relevant notes are, 1 to 3; a
    note without one has 1. ``u_measure`` and ``first_passage_rank`` are of the passages and need golden spans,
    ``is_confident`` is whether results reached the similarity threshold, where there is one; each is None where it is undefined
    or was not kept. ``stages`` are milliseconds by stage.
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
    answer: "AnswerRecord | None" = None

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
    answers: "AnswerMetrics | None" = None

    @property
    def is_disturbed(self) -> bool:
        """Whether too many of its queries were degraded or failed for its figures to be the strategy's."""
        return self.degraded_queries + self.failed_queries > MAX_DISTURBED_SHARE * self.total_queries


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun(StoredRun):
    """A run with its queries, and how many golden queries were left out: all their notes are deleted.

    ``lost_spans`` counts golden spans whose quote is no longer in their note. ``unanswerable`` tells of queries that the notes do
    not answer, which are none of ``queries``; None where the set has none.
    """

    queries: tuple[QueryResult, ...]
    orphaned_queries: int
    lost_spans: int = 0
    unanswerable: UnanswerableFigures | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMetrics:
    """The means over the queries of one group; ``extra`` as ``extra_metrics`` gives them."""

    total_queries: int
    metrics: RetrievalMetrics
    extra: Mapping[str, float | None]


Grouping = Literal["category", "difficulty", "joint_group", "joint_difficulty"]
"""By the set's own words, or by those that both vocabularies share."""


def retrieval_metrics(results: Collection[QueryResult]) -> RetrievalMetrics:
    """The means over at least one query; a failed query counts as a miss.

    Raises:
        ValueError: there is no query.
    """
    pairs = _pairs(results)
    return RetrievalMetrics(
        hit_rate_at={k: _mean(hit_rate_at(*pair, k) for pair in pairs) for k in HIT_RATE_DEPTHS},
        mrr=_mean(reciprocal_rank(*pair) for pair in pairs),
        ndcg_at_10=_mean(result.ndcg_at_10 for result in results),
        recall_at_20=_mean(recall_at(*pair, RANKING_DEPTH) for pair in pairs),
    )


def extra_metrics(results: Collection[QueryResult]) -> dict[str, float | None]:
    """The means that have no column of their own, by name; those that no query defines are None.

    ``passage_`` and ``u_measure`` are over the queries with golden spans, ``confidence_rate`` is over those where it is known
    whether results reached the similarity threshold.
    """
    pairs = _pairs(results)
    return {
        **{f"precision_at_{k}": mean(precision_at(*pair, k) for pair in pairs) for k in PRECISION_DEPTHS},
        **{f"recall_at_{k}": mean(recall_at(*pair, k) for pair in pairs) for k in RECALL_DEPTHS},
        **{f"map_at_{k}": mean(average_precision(*pair, k) for pair in pairs) for k in MAP_DEPTHS},
        "r_precision": mean(r_precision(*pair) for pair in pairs),
        **{f"ndcg_at_{k}": mean(_ndcg(result, k) for result in results) for k in OTHER_NDCG_DEPTHS},
        "u_measure": mean(result.u_measure for result in results),
        **{f"passage_hit_rate_at_{k}": mean(_passage_hit(result, k) for result in results) for k in HIT_RATE_DEPTHS},
        "passage_mrr": mean(_passage_reciprocal_rank(result) for result in results),
        "confidence_rate": mean(None if r.is_confident is None else float(r.is_confident) for r in results),
    }


def _ndcg(result: QueryResult, k: int) -> float | None:
    return ndcg_at(result.ranked_note_ids, result.relevant_note_ids, k, grades=result.grades)


def _passage_hit(result: QueryResult, k: int) -> float | None:
    if result.u_measure is None:
        return None
    return float(result.first_passage_rank is not None and result.first_passage_rank <= k)


def _passage_reciprocal_rank(result: QueryResult) -> float | None:
    if result.u_measure is None:
        return None
    return 0.0 if result.first_passage_rank is None else 1 / result.first_passage_rank


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
    return {cast(Category, name): found.metrics for name, found in metrics_by("category", results).items()}


def queries_of(category: Category, results: Iterable[QueryResult]) -> list[QueryResult]:
    """The results of one category."""
    return [result for result in results if result.category == category]


def metrics_by(group: Grouping, results: Collection[QueryResult]) -> dict[str, GroupMetrics]:
    """The metrics of each group that has queries: categories and joint groups in their own order, difficulties ascending."""
    grouped: dict[str, list[QueryResult]] = {}
    for result in sorted(results, key=lambda result: _place(group, result)):
        grouped.setdefault(group_of(group, result), []).append(result)
    return {name: group_metrics(found) for name, found in grouped.items()}


def group_metrics(results: Collection[QueryResult]) -> GroupMetrics:
    """The metrics of one group of at least one query.

    Raises:
        ValueError: there is no query.
    """
    return GroupMetrics(total_queries=len(results), metrics=retrieval_metrics(results), extra=extra_metrics(results))


def group_of(group: Grouping, result: QueryResult) -> str:
    """The name of the group that a query belongs to: "causal", "4", "multi-step", "hard"."""
    match group:
        case "category":
            return result.category
        case "difficulty":
            return str(result.difficulty)
        case "joint_group":
            return joint_group(result.category)
        case "joint_difficulty":
            return joint_difficulty(result.difficulty)


def _place(group: Grouping, result: QueryResult) -> int:
    match group:
        case "category":
            return ALL_CATEGORIES.index(result.category)
        case "joint_group":
            return JOINT_GROUPS.index(joint_group(result.category))
        case "difficulty" | "joint_difficulty":
            return result.difficulty


def latency_percentiles(results: Collection[QueryResult]) -> LatencyPercentiles:
    """The percentiles over all queries of a run, failed ones too: somebody waited for them.

    Raises:
        ValueError: there is no query.
    """
    return _percentiles([result.latency_ms for result in results])


def latency_by_stage(results: Collection[QueryResult]) -> dict[str, LatencyPercentiles]:
    """The percentiles of each stage over the queries that went through it, in the order of their first mention."""
    stages = dict.fromkeys(stage for result in results for stage in result.stages)
    return {
        stage: _percentiles([result.stages[stage] for result in results if stage in result.stages]) for stage in stages
    }


def _percentiles(latencies: Collection[float]) -> LatencyPercentiles:
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

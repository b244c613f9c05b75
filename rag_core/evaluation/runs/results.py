"""The values of an evaluation run, and how its metrics follow from what its queries brought back. No I/O."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from rag_core.evaluation.runs.unanswerable import UnanswerableFigures
from rag_core.model.evaluation import (
    HIT_RATE_DEPTHS,
    RANKING_DEPTH,
    LatencyPercentiles,
    QueryResult,
    RetrievalMetrics,
    StoredRun,
    _defined,
)
from rag_core.model.golden import ALL_CATEGORIES, JOINT_GROUPS, Category, joint_difficulty, joint_group
from rag_core.model.note import NoteId
from rag_core.model.ranking_metrics import (
    average_precision,
    hit_rate_at,
    ndcg_at,
    precision_at,
    precision_ceiling_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)
from rag_core.model.statistics import mean, percentile

if TYPE_CHECKING:
    pass

PRECISION_DEPTH = 5
PRECISION_DEPTHS = (1, 3, 5, 10, 20)
RECALL_DEPTHS = (1, 3, 5, 10)
MAP_DEPTHS = (10, 20)
OTHER_NDCG_DEPTHS = (5, 20)


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

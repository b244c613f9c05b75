"""The values of an evaluation run, and how its metrics follow from what its queries brought back. No I/O."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from rag_core.evaluation.runs.unanswerable import UnanswerableFigures
from rag_core.model.evaluation import (
    COLUMN_METRICS,
    LatencyPercentiles,
    QueryResult,
    RetrievalMetrics,
    StoredRun,
    _defined,
    retrieval_metrics_of,
)
from rag_core.model.golden import ALL_CATEGORIES, JOINT_GROUPS, Category, joint_difficulty, joint_group
from rag_core.model.metrics.registry import metrics
from rag_core.model.statistics import mean, percentile


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
    means = _means(results, COLUMN_METRICS)
    return retrieval_metrics_of({name: _defined(found) for name, found in means.items()})


def extra_metrics(results: Collection[QueryResult]) -> dict[str, float | None]:
    """The means of the registered metrics without a column of their own, by name; those that no query defines are None."""
    return _means(results, [name for name in metrics() if name not in COLUMN_METRICS])


def _means(results: Collection[QueryResult], names: Iterable[str]) -> dict[str, float | None]:
    return {name: mean(map(metrics()[name].figure, results)) for name in names}


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

"""Results of a benchmark of embedding models, and the computation of quality from the queries' results. No I/O."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rag_core.evaluation.comparison.holm import holm
from rag_core.evaluation.runs.results import EvaluationRun, extra_metrics, group_of, retrieval_metrics
from rag_core.language import LANGUAGES
from rag_core.language.technical_terms import technical_terms
from rag_core.model.evaluation import QueryResult
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import Comparison
from rag_core.model_change.embedding_cost import EmbeddingCost
from rag_core.query.transformation import query_language
from rag_core.wire.values import camel_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Means over some queries, each in [0, 1]."""

    queries: int
    precision_at_5: float
    precision_at_10: float
    recall_at_20: float
    mrr: float
    ndcg_at_10: float
    hit_rate_at_10: float

    def to_json(self) -> dict[str, Any]:
        """The means as the report holds them."""
        means: dict[str, Any] = camel_keys(asdict(self))
        return means


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityReport:
    """A model on one golden set under one strategy; ``comparison`` is with the active model, on the same queries.

    Groups without queries are absent. ``technical`` are the queries with a technical term, None without any. ``p_adjusted`` is
    the comparison's p of nDCG@10 after Holm's correction over the models that were set beside the active one here.
    """

    set_name: str
    strategy: Strategy
    run: EvaluationRun
    overall: Quality
    by_category: Mapping[str, Quality]
    by_difficulty: Mapping[str, Quality]
    by_language: Mapping[str, Quality]
    technical: Quality | None
    comparison: Comparison | None
    p_adjusted: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The report with the names of RAG V2; an accuracy is the hit rate at 10 of such queries, null without any."""
        german = self.by_language.get("de")
        groups = {
            "byCategory": self.by_category,
            "byDifficulty": self.by_difficulty,
            "byLanguage": self.by_language,
        }
        return {
            "set": self.set_name,
            "strategy": self.strategy,
            "runId": str(self.run.run_id),
            "degradedQueries": self.run.degraded_queries + self.run.failed_queries,
            **self.overall.to_json(),
            "germanQueryAccuracy": None if german is None else german.hit_rate_at_10,
            "technicalTermAccuracy": None if self.technical is None else self.technical.hit_rate_at_10,
            "technicalTermQueries": 0 if self.technical is None else self.technical.queries,
            "searchLatencyMs": {"p50": self.run.latency_ms.p50, "p95": self.run.latency_ms.p95},
            **{name: {key: found.to_json() for key, found in group.items()} for name, group in groups.items()},
            "comparedWithActive": None
            if self.comparison is None
            else _comparison_to_json(self.comparison, self.p_adjusted),
        }


def _comparison_to_json(comparison: Comparison, p_adjusted: float | None) -> dict[str, Any]:
    found = comparison.metrics["ndcg_at_10"]
    return {
        "metric": "ndcgAt10",
        "difference": found.difference,
        "interval": list(found.interval),
        "pValue": found.p_value,
        "pAdjusted": p_adjusted,
        "queries": comparison.queries,
        "objection": comparison.objection,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBenchmark:
    """One model: what it costs and what it finds, or why it could not be measured."""

    name: str
    is_active: bool
    dimensions: int
    cost: EmbeddingCost | None = None
    quality: tuple[QualityReport, ...] = ()
    failure: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The model as the report holds it."""
        return {
            "modelName": self.name,
            "isActive": self.is_active,
            "dimensions": self.dimensions,
            "failure": self.failure,
            **({} if self.cost is None else self.cost.to_json()),
            "quality": [found.to_json() for found in self.quality],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """All models that were measured, the active one first, those that were left out with the reason."""

    models: tuple[ModelBenchmark, ...]
    left_out: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The report as it is printed and stored with its job."""
        return {
            "models": [model.to_json() for model in self.models],
            "leftOut": dict(self.left_out),
        }


def adjusted_over_models(models: Sequence[ModelBenchmark]) -> tuple[ModelBenchmark, ...]:
    """Adjust each p for the number of models compared with the active one, for every set and strategy by itself.

    With many models the best of equals looks better than it is: Holm keeps the chance that any of them differs by chance alone
    below the level.
    """
    p_values: dict[tuple[str, Strategy], list[float]] = {}
    for found in _compared(models):
        p_values.setdefault((found.set_name, found.strategy), []).append(_p_value(found))
    adjusted = {place: iter(holm(found)) for place, found in p_values.items()}
    return tuple(
        replace(
            model,
            quality=tuple(
                found
                if found.comparison is None
                else replace(found, p_adjusted=next(adjusted[found.set_name, found.strategy]))
                for found in model.quality
            ),
        )
        for model in models
    )


def _compared(models: Sequence[ModelBenchmark]) -> Iterator[QualityReport]:
    return (found for model in models for found in model.quality if found.comparison is not None)


def _p_value(found: QualityReport) -> float:
    assert found.comparison is not None
    return found.comparison.metrics["ndcg_at_10"].p_value


def quality_report(run: EvaluationRun, strategy: Strategy, comparison: Comparison | None) -> QualityReport:
    """Report the quality of a run's model: in all, by category, difficulty and language, and on technical queries."""
    results = run.queries
    technical = [result for result in results if technical_terms(result.query)]
    return QualityReport(
        set_name=run.set_name,
        strategy=strategy,
        run=run,
        overall=quality_of(results),
        by_category=_grouped([(group_of("category", result), result) for result in results]),
        by_difficulty=_grouped([(group_of("difficulty", result), result) for result in results]),
        by_language=_grouped([(query_language(result.query, known=LANGUAGES), result) for result in results]),
        technical=quality_of(technical) if technical else None,
        comparison=comparison,
    )


def _grouped(named: Sequence[tuple[str, QueryResult]]) -> dict[str, Quality]:
    names = sorted({name for name, _ in named})
    return {name: quality_of([result for other, result in named if other == name]) for name in names}


def quality_of(results: Sequence[QueryResult]) -> Quality:
    """The means over at least one query.

    Raises:
        ValueError: there is no query.
    """
    metrics, extra = retrieval_metrics(results), extra_metrics(results)
    return Quality(
        queries=len(results),
        precision_at_5=extra["precision_at_5"] or 0.0,
        precision_at_10=extra["precision_at_10"] or 0.0,
        recall_at_20=metrics.recall_at_20,
        mrr=metrics.mrr,
        ndcg_at_10=metrics.ndcg_at_10,
        hit_rate_at_10=metrics.hit_rate_at[10],
    )

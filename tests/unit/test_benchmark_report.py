"""The p-values of a benchmark of models, adjusted for how many were compared; products worked out in sight."""

from typing import cast
from uuid import UUID

import pytest

from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import Comparison, MetricComparison
from rag_core.model_change.benchmark_report import (
    Benchmark,
    ModelBenchmark,
    Quality,
    QualityReport,
    adjusted_over_models,
)

NOTHING = Quality(
    queries=12, precision_at_5=0, precision_at_10=0, recall_at_20=0, mrr=0, ndcg_at_10=0, hit_rate_at_10=0
)


def compared(p: float) -> Comparison:
    ndcg = MetricComparison(
        baseline=0.5, current=0.6, difference=0.1, p_value=p, p_worse=1.0, interval=(0.0, 0.2), queries=12
    )
    return Comparison(
        baseline_run_id=UUID(int=1),
        metrics={"ndcg_at_10": ndcg},
        queries=12,
        left_out=0,
        disturbed=0,
        obstacle=None,
        losses=(),
    )


def report(p: float | None, *, set_name: str = "default", strategy: Strategy = "semantic") -> QualityReport:
    return QualityReport(
        set_name=set_name,
        strategy=strategy,
        run=cast(EvaluationRun, None),  # nothing here reads it
        overall=NOTHING,
        by_category={},
        by_difficulty={},
        by_language={},
        technical=None,
        comparison=None if p is None else compared(p),
    )


def model(name: str, *quality: QualityReport, failure: str | None = None) -> ModelBenchmark:
    return ModelBenchmark(name=name, is_active=name == "active", dimensions=8, quality=quality, failure=failure)


def adjusted(*models: ModelBenchmark) -> list[list[float | None]]:
    return [[found.p_adjusted for found in one.quality] for one in adjusted_over_models(models)]


def test_each_p_is_adjusted_for_the_models_beside_the_active_one() -> None:
    found = adjusted(model("active", report(None)), *(model(f"m{p}", report(p)) for p in (0.02, 0.3, 0.01)))

    # 0.01 · 3, 0.02 · 2, 0.3 · 1
    assert found == [[None], [pytest.approx(0.04)], [pytest.approx(0.3)], [pytest.approx(0.03)]]


def test_every_set_and_strategy_is_a_question_of_its_own() -> None:
    first = model("a", report(0.02), report(0.04, strategy="hybrid"), report(0.5, set_name="otra"))
    second = model("b", report(0.03), report(0.01, strategy="hybrid"))

    assert adjusted(first, second) == [
        [pytest.approx(0.04), pytest.approx(0.04), 0.5],
        [pytest.approx(0.04), pytest.approx(0.02)],
    ]


def test_a_model_that_failed_does_not_count() -> None:
    assert adjusted(model("a", report(0.03)), model("b", failure="its server is away")) == [[0.03], []]


def test_a_benchmark_without_models_has_nothing_to_adjust() -> None:
    assert Benchmark(models=adjusted_over_models([]), left_out={}).to_json() == {"models": [], "leftOut": {}}

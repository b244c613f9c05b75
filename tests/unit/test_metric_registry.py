"""One row adds a metric to runs, comparisons, reports and pages."""

from dataclasses import replace
from uuid import UUID

import pytest

from rag_core.api.brain_sync.schemas_comparison import ComparisonOut, wire_name
from rag_core.api.pages.evaluation.views.run_charts import metrics_chart
from rag_core.api.rag_v2.schemas_evaluation import GenerationMetricsV2
from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures
from rag_core.evaluation.runs.answers import summarise
from rag_core.evaluation.runs.results import extra_metrics
from rag_core.model.answer_metrics import AnswerRecord
from rag_core.model.evaluation import QueryResult
from rag_core.model.metrics import registry
from rag_core.model.metrics.registry import AnswerMetric, Metric, compared_metrics, decisive_metrics, register, title_of
from rag_core.model.note import NoteId

RELEVANT, OTHER = NoteId(UUID(int=1)), NoteId(UUID(int=2))
LAST_PLACE = Metric(
    name="is_last",
    titles={"en": "last place", "es": "Último puesto"},
    formula="1 if the last note is relevant, else 0",
    figure=lambda result: float(result.ranked_note_ids[-1] in result.relevant_note_ids),
    is_shown=True,
    compared_as="is_last",
    is_decisive=True,
)


@pytest.fixture
def last_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_METRICS", dict(registry._METRICS))
    register(LAST_PLACE)


def results(count: int, *, is_last: bool) -> list[QueryResult]:
    return [
        QueryResult(
            query_id=UUID(int=number),
            query=f"¿Pregunta {number}?",
            category="factual",
            difficulty=3,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=(OTHER, RELEVANT) if is_last else (RELEVANT, OTHER),
            latency_ms=1.0,
            is_degraded=False,
            error=None,
        )
        for number in range(count)
    ]


@pytest.mark.usefixtures("last_place")
class TestARegisteredMetric:
    def test_has_a_mean_in_every_run(self) -> None:
        assert extra_metrics([*results(1, is_last=True), *results(3, is_last=False)])["is_last"] == 0.25

    def test_is_compared(self) -> None:
        found = compare(UUID(int=99), results(12, is_last=False), results(12, is_last=True))

        assert found.metrics["is_last"].difference == 1.0

    def test_is_a_regression_when_it_drops_and_decides(self) -> None:
        found = compare(UUID(int=99), results(12, is_last=True), results(12, is_last=False))

        assert found.regressed == ("is_last",)

    def test_stands_on_the_page_of_a_run(self) -> None:
        chart = metrics_chart(metric_intervals(map(query_figures, results(12, is_last=True))))

        assert "Último puesto" in str(chart.drawing)

    def test_has_a_title_in_english_where_a_language_lacks_one(self) -> None:
        assert [title_of("is_last", language) for language in ("es", "en", "de")] == [
            "Último puesto",
            "last place",
            "last place",
        ]


BREVITY = AnswerMetric(
    name="short_and_sweet",
    titles={"en": "brevity", "es": "Brevedad"},
    formula="1 / (1 + characters)",
    figure=lambda reading: 1 / (1 + len(reading.answer.text)),
    undefined="no answer is short",
)


def scored(text: str = "abc", *, is_failed: bool = False) -> AnswerRecord:
    return AnswerRecord(
        answerer="someone",
        judge=None,
        text=None if is_failed else text,
        error="ChatError" if is_failed else None,
        is_refusal=False,
        latency_ms=1.0,
        scores={} if is_failed else {"short_and_sweet": 1 / (1 + len(text))},
    )


@pytest.fixture
def brevity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ANSWER_METRICS", dict(registry._ANSWER_METRICS))
    register(BREVITY)


@pytest.mark.usefixtures("brevity")
class TestARegisteredMetricOfAnswers:
    def test_has_a_mean_in_every_run(self) -> None:
        found = summarise([scored("abc"), scored("abcdefg"), scored(is_failed=True)])

        assert found is not None
        assert (found.means["short_and_sweet"], found.counts["short_and_sweet"]) == (0.1875, 2)

    def test_says_why_it_is_undefined(self) -> None:
        found = summarise([replace(scored(), scores={})])

        assert found is not None
        assert found.undefined["short_and_sweet"] == "no answer is short"

    def test_stands_in_the_schema_of_a_run(self) -> None:
        described = GenerationMetricsV2.model_json_schema()

        assert described["properties"]["shortAndSweet"]["description"] == "1 / (1 + characters)"
        assert "shortAndSweet" in described["required"]

    def test_has_a_title_in_each_language(self) -> None:
        assert [title_of("short_and_sweet", language) for language in ("es", "de")] == ["Brevedad", "brevity"]

    def test_shares_names_with_no_metric_of_retrieval(self) -> None:
        with pytest.raises(ValueError, match="a metric named 'short_and_sweet' is registered already"):
            register(replace(LAST_PLACE, name="short_and_sweet"))


@pytest.mark.usefixtures("last_place")
def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="a metric named 'is_last' is registered already"):
        register(LAST_PLACE)


def test_a_decisive_metric_is_compared() -> None:
    with pytest.raises(ValueError, match="decisive but not compared"):
        register(replace(LAST_PLACE, compared_as=None))


def test_what_is_not_registered_stands_for_itself() -> None:
    assert title_of("gone") == "gone"


def test_nothing_but_ndcg_the_u_measure_and_confidence_decides() -> None:
    assert decisive_metrics() == ("ndcg_at_10", "u_measure", "confidence")


def test_the_wire_keeps_the_names_of_the_compared_metrics() -> None:
    assert [wire_name(name) for name in compared_metrics()] == [
        "ndcgAt10",
        "mrr",
        "hitRateK1",
        "hitRateK10",
        "recallAt20",
        "mapAt20",
        "uMeasure",
        "confidence",
    ]


def test_the_schema_names_what_is_compared() -> None:
    described = ComparisonOut.model_json_schema()["properties"]["improvements"]["description"]

    assert "ndcgAt10, mrr, hitRateK1, hitRateK10, recallAt20, mapAt20, uMeasure, confidence" in described

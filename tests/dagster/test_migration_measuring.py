"""When a migration is evaluated."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from rag_core.migration.measuring import is_due, regression_reason
from rag_core.model.evaluation import LatencyPercentiles, RetrievalMetrics, StoredRun
from rag_core.model.run_comparison import Comparison, MetricComparison
from rag_core.storage.migration_runs import MigrationProgress

RUN = UUID(int=7)
PROGRESS = MigrationProgress(
    state="running",
    reason=None,
    stopped_by_run=None,
    evaluate_every=10,
    started_at=datetime(2024, 6, 30, tzinfo=UTC),
    changed_at=datetime(2024, 6, 30, tzinfo=UTC),
    notes=5000,
    pending=3000,
    failed=0,
    batches=50,
    waiting_batches=30,
)


@pytest.mark.parametrize(
    ("batches_then", "expected"),
    [
        (20, False),  # nothing done since
        (11, False),  # nine batches since
        (10, True),  # ten batches since
        (5, True),
        (21, True),  # more were done then: it was rolled back meanwhile
    ],
)
def test_it_is_evaluated_every_ten_batches_and_anew_after_a_rollback(batches_then: int, expected: bool) -> None:
    due = is_due(PROGRESS, _evaluation(batches=batches_then))

    assert due is expected


def test_it_is_evaluated_when_nothing_waits_any_more_however_few_batches_there_were() -> None:
    done = replace(PROGRESS, pending=0, waiting_batches=0)

    due = is_due(done, _evaluation(batches=49))

    assert due


def test_the_end_is_not_evaluated_twice() -> None:
    done = replace(PROGRESS, pending=0, waiting_batches=0)

    due = is_due(done, _evaluation(batches=50))

    assert not due


def test_what_was_rolled_back_after_the_end_and_migrated_again_is_evaluated_again() -> None:
    before = _evaluation(batches=50)
    again = replace(PROGRESS, pending=0, waiting_batches=0, changed_at=before.created_at + timedelta(hours=1))

    due = is_due(again, before)

    assert due


def test_a_migration_never_evaluated_is() -> None:
    assert is_due(PROGRESS, None)


def test_after_a_regression_the_next_batch_is_evaluated() -> None:
    worse = replace(_evaluation(batches=20), comparison=_comparison(current=0.5))

    assert is_due(PROGRESS, worse)


def test_an_evaluation_that_met_an_outage_is_made_again() -> None:
    disturbed = replace(_evaluation(batches=20), degraded_queries=15)

    assert is_due(PROGRESS, disturbed)


def test_the_reason_names_metric_drop_chance_batches_and_run() -> None:
    reason = regression_reason(_comparison(current=0.5), RUN, PROGRESS)

    assert reason == (
        "ndcg_at_10 fell by 0.300 from 0.800 to 0.500 (one-sided p = 0.0010) after 20 of 50 batches: evaluation run "
        "00000000-0000-0000-0000-000000000007"
    )


def _evaluation(*, batches: int) -> StoredRun:
    return StoredRun(
        run_id=RUN,
        set_name="default",
        set_version=1,
        category=None,
        config_hash="c",
        config={},
        models={},
        pipeline_fingerprint="p",
        metrics=RetrievalMetrics(
            hit_rate_at={1: 1.0, 3: 1.0, 5: 1.0, 10: 1.0}, mrr=1.0, ndcg_at_10=0.8, recall_at_20=1.0
        ),
        faithfulness=None,
        answer_relevance=None,
        latency_ms=LatencyPercentiles(p50=1.0, p95=1.0, p99=1.0),
        total_queries=20,
        degraded_queries=0,
        failed_queries=0,
        created_at=datetime(2024, 7, 1, tzinfo=UTC),
        purpose="migration",
        circumstances={"batches": batches},
    )


def _comparison(*, current: float) -> Comparison:
    metric = MetricComparison(
        baseline=0.8, current=current, difference=current - 0.8, p_value=0.002, p_worse=0.001, interval=(-0.4, -0.2)
    )
    return Comparison(
        baseline_run_id=RUN,
        metrics={"ndcg_at_10": metric, "mrr": metric, "hit_rate_at_10": metric},
        queries=20,
        left_out=0,
        disturbed=0,
        obstacle=None,
        losses=(),
    )

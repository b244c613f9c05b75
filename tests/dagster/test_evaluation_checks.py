"""The quality check on runs written down: red, amber, green, and what it says."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import dagster as dg
import pytest
from builders import make_run

from rag_assets.evaluation_checks import EVALUATION_CHECKS, Measurement, gate_checks, hybrid_check, quality_check
from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.gate import GateTargets
from rag_core.evaluation.comparison.quality_check import verdict_on
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import Strategy

RELEVANT = NoteId(UUID(int=1))
OTHERS = tuple(NoteId(UUID(int=number)) for number in range(2, 22))


def queries(ranks: Sequence[int], *, failed: int = 0, first_id: int = 0) -> tuple[QueryResult, ...]:
    """A query a rank, its one relevant note found there; the first ones failed."""
    return tuple(
        QueryResult(
            query_id=UUID(int=first_id + number),
            query=f"¿Pregunta {first_id + number}?",
            category="factual",
            difficulty=3,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=() if number < failed else (*OTHERS[: rank - 1], RELEVANT),
            latency_ms=1.0,
            is_degraded=False,
            error="EmbeddingUnavailableError" if number < failed else None,
        )
        for number, rank in enumerate(ranks)
    )


def measurement(
    before: tuple[QueryResult, ...],
    after: tuple[QueryResult, ...],
    *,
    tenant: str = "demo",
    strategy: Strategy = "hybrid",
) -> Measurement:
    run = make_run(after, degraded_queries=0, comparison=compare(UUID(int=6), before, after))
    return Measurement(tenant=TenantId(tenant), strategy=strategy, run=run, verdict=verdict_on(run))


STEADY = measurement(queries([1] * 12), queries([1] * 12))
WORSE = measurement(queries([1] * 12), queries([2] * 12), tenant="otra")
DISTURBED = measurement(queries([1] * 12), queries([1] * 12, failed=2))
ONE_FAILED = measurement(queries([1] * 12), queries([1] * 12, failed=1))
OUTDATED = measurement(queries([1] * 12), queries([1] * 12, first_id=100))
SMALL = measurement(queries([1] * 5), queries([9] * 5))


@pytest.mark.parametrize(
    ("measured", "passed", "severity"),
    [
        ([], True, "ERROR"),
        ([STEADY], True, "ERROR"),
        ([STEADY, WORSE], False, "ERROR"),
        ([DISTURBED, WORSE], False, "ERROR"),
        ([STEADY, DISTURBED], False, "WARN"),
        ([OUTDATED], False, "WARN"),
        ([ONE_FAILED], True, "ERROR"),
        ([SMALL], True, "ERROR"),
    ],
    ids=["nothing", "steady", "worse", "worse and disturbed", "disturbed", "outdated", "one failed", "small"],
)
def test_it_is_red_on_a_regression_and_amber_where_nothing_can_be_told(measured, passed, severity) -> None:
    found = quality_check(measured)

    assert (found.passed, found.severity) == (passed, dg.AssetCheckSeverity[severity])


def test_a_regression_is_described_by_its_figures() -> None:
    found = quality_check([STEADY, WORSE])

    # 12 queries from rank 1 to rank 2: nDCG 1 to 0.631, one of 4,096 sign patterns, the one that is worse
    assert found.description == (
        "otra, hybrid: regression. nDCG@10 0.631, was 1.000: -0.369 (-0.369 to -0.369), one-sided p 0.0002, on 12 queries."
    )
    assert found.metadata["regressions"].value == 1


def test_losses_of_strategies_that_lost_by_different_metrics_stand_in_one_table() -> None:
    ranks = queries([1] * 12)
    later_read = measurement(
        tuple(replace(query, u_measure=0.9) for query in ranks),
        tuple(replace(query, u_measure=0.4) for query in ranks),
        strategy="fulltext",
    )

    rows = [row.data for row in quality_check([WORSE, later_read]).metadata["queries_that_lost_most"].records]

    assert rows[0] == {
        "tenant": "otra",
        "strategy": "hybrid",
        "query": "¿Pregunta 0?",
        "metric": "ndcg_at_10",
        "was": 1.0,
        "is": 0.6309,
        "rank_was": 1,
        "rank_is": 2,
    }
    assert {(row["strategy"], row["metric"], row["was"], row["is"]) for row in rows} == {
        ("hybrid", "ndcg_at_10", 1.0, 0.6309),
        ("fulltext", "u_measure", 0.9, 0.4),
    }


def test_an_outage_is_described_by_its_count() -> None:
    assert quality_check([DISTURBED]).description == (
        "demo, hybrid: disturbed. 0 of 12 queries were degraded and 2 failed."
    )


def test_a_small_set_is_said_to_be_too_small() -> None:
    assert quality_check([SMALL]).description == "1 of 1 runs have too few queries for a verdict."


def test_the_remedy_promotes_what_can_be_promoted_for_each_tenant() -> None:
    remedy = quality_check([STEADY, WORSE, DISTURBED]).metadata["remedy"].value

    assert f"`brain golden baseline {UUID(int=7)} --tenant otra`" in remedy
    assert "--tenant demo" not in remedy
    assert "--tenant demo" in quality_check([OUTDATED]).metadata["remedy"].value
    assert "brain doctor" in remedy
    assert "brain doctor" not in quality_check([WORSE]).metadata["remedy"].value


def by_strategy(**ranks: Sequence[int]) -> list[Measurement]:
    """One night of a tenant: the rank of each query's note, by strategy."""
    return [measurement(queries(found), queries(found), strategy=name) for name, found in ranks.items()]  # type: ignore[arg-type]


def test_hybrid_search_that_loses_to_a_leg_on_most_queries_is_told_with_the_leg() -> None:
    found = hybrid_check(by_strategy(fulltext=[1] * 12, semantic=[3] * 12, hybrid=[2] * 12))

    assert (found.passed, found.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert (found.description or "").startswith(
        "demo: hybrid search loses 0.369 nDCG@10 to fulltext search alone on 12 queries (one-sided p = 0.000)"
    )


def test_one_query_lost_is_chance() -> None:
    found = hybrid_check(by_strategy(fulltext=[1] * 12, semantic=[3] * 12, hybrid=[1] * 11 + [2]))

    assert found.passed
    assert found.metadata["demo_ndcg_at_10_lost"].value == pytest.approx(0.369 / 12, abs=1e-3)


def test_hybrid_search_above_both_legs_passes() -> None:
    found = hybrid_check(by_strategy(fulltext=[2] * 12, semantic=[3] * 12, hybrid=[1] * 12))

    assert found.passed
    assert found.description is None


TARGETS = GateTargets(hit_rate_at_10=0.85, latency_p95_ms=2000)


def of_the_gate(measured: Sequence[Measurement], targets: GateTargets = TARGETS) -> dict[str, dg.AssetCheckResult]:
    return {str(found.check_name): found for found in gate_checks(measured, targets)}


def test_the_checks_of_the_gate_are_those_that_are_announced() -> None:
    announced = {spec.name for spec in EVALUATION_CHECKS}

    assert announced == {*of_the_gate([STEADY]), "hybrid_is_not_below_its_better_leg", "quality_has_not_dropped"}


def test_without_anything_measured_they_pass() -> None:
    assert all(found.passed for found in of_the_gate([]).values())


def test_one_tenant_below_the_hit_rate_is_named() -> None:
    low = measurement(queries([1] * 12), queries([1] * 10 + [12] * 2), tenant="otra")

    found = of_the_gate([STEADY, low])["hit_rate_reaches_target"]

    assert (found.passed, found.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert found.description == (
        "otra: hit rate @10 of hybrid is 0.833 (95 %: 0.583 to 1.000, 12 queries), the target is 0.850; so few queries do not tell "
        "it from the target."
    )


def test_queries_that_take_too_long_are_told() -> None:
    found = of_the_gate([STEADY], GateTargets(hit_rate_at_10=0.85, latency_p95_ms=0.5))["latency_p95_is_within_target"]

    assert not found.passed
    assert found.metadata["demo"].data["target_ms"] == 0.5


def test_what_cannot_be_judged_passes_and_is_said() -> None:
    found = of_the_gate([STEADY])["both_legs_take_part"]

    assert found.passed
    assert found.description == "demo: not judged: not measured: fulltext, semantic."

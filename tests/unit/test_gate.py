"""The gate's checks on runs written down: what opens it, what closes it, and what it cannot judge."""

from dataclasses import replace
from uuid import UUID

import pytest
from gated_runs import GOOD, HYBRID, OTHERS, RELEVANT, SEMANTIC, TARGETS, check, queries, run

from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.gate import judge_gate
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.evaluation import QueryResult
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import parse_comparison
from rag_core.promotion.trial import objection_to


def test_what_is_as_good_as_it_was_opens_it() -> None:
    report = judge_gate(GOOD, TARGETS)

    assert {found.name: found.passed for found in report.checks} == {
        "no_significant_drop": True,
        "hit_rate_reaches_target": True,
        "hybrid_not_below_best_leg": True,
        "both_legs_take_part": True,
        "rankings_are_explained": True,
        "latency_p95_within_target": True,
    }
    assert report.passed


def test_without_baselines_it_is_open_and_says_what_it_could_not_judge() -> None:
    runs = {name: replace(one, comparison=None) for name, one in GOOD.items()}

    report = judge_gate(runs, TARGETS)

    assert report.passed
    assert [(found.name, found.passed) for found in report.checks if found.passed is None] == [
        ("no_significant_drop", None),
        ("rankings_are_explained", None),
    ]
    assert check("no_significant_drop", runs).message == (
        "not judged: fulltext, semantic, hybrid, hybrid+rerank: no baseline"
    )


def test_one_strategy_that_got_worse_closes_it_and_is_named_with_its_figures() -> None:
    runs = {**GOOD, "semantic": run(queries([9] * 20), baseline=SEMANTIC)}

    found = check("no_significant_drop", runs)

    assert found.passed is False
    assert found.severity == "error"
    # rank 3 to 9: nDCG 0.5 to 0.301
    assert found.message.startswith("semantic: regression; nDCG@10 0.301, was 0.500: -0.199")
    assert found.details["semantic"]["regressed"] == ["ndcg_at_10"]
    assert not judge_gate(runs, TARGETS).passed


def test_an_outage_closes_it_as_a_warning() -> None:
    down = [replace(query, is_degraded=number < 5) for number, query in enumerate(SEMANTIC)]

    found = check("no_significant_drop", {**GOOD, "semantic": run(down, baseline=SEMANTIC)})

    assert found.passed is False
    assert found.severity == "warning"
    assert found.message == "semantic: disturbed; 5 of 20 queries were degraded and 0 failed"


def failing(found: list[QueryResult], first: int) -> list[QueryResult]:
    """The first queries failed."""
    return [
        replace(query, ranked_note_ids=(), error="RetrievalFailedError") if number < first else query
        for number, query in enumerate(found)
    ]


def test_queries_that_fail_and_did_not_before_close_it_as_a_warning_though_the_others_rank_as_they_did() -> None:
    """They are not compared, so no metric falls; 4 of 40 are within what is no outage."""
    before = queries([3] * 40)

    found = check("no_significant_drop", {"semantic": run(failing(before, 4), baseline=before)})

    assert found.passed is False
    assert found.severity == "warning"
    assert "nDCG@10 0.500, was 0.500" in found.message
    assert found.message.endswith("on 36 queries; 4 of 40 queries were degraded or failed, 0 in the baseline")


def test_what_got_worse_is_told_before_what_failed() -> None:
    after = failing(queries([9] * 40), 4)

    found = check("no_significant_drop", {"semantic": run(after, baseline=queries([3] * 40))})

    assert found.message.startswith("semantic: regression; nDCG@10 0.301, was 0.500")


@pytest.mark.parametrize(
    ("asked", "then", "now", "is_told"),
    [
        (40, 0, 1, False),  # one may be a hiccup
        (40, 0, 2, True),
        (40, 3, 4, False),  # it was as bad before
        (40, 2, 4, True),
        (40, 4, 0, False),
        (200, 0, 4, False),  # 2 %
        (200, 0, 5, True),
    ],
)
def test_a_candidate_that_makes_more_queries_fail_is_objected_to(
    asked: int, then: int, now: int, is_told: bool
) -> None:
    served, candidate = failing(queries([1] * asked), then), failing(queries([1] * asked), now)

    objection = objection_to(run(served), run(candidate, baseline=served), latency_ms=2000)

    told = f"more searches fail than with what is served: {now} of {asked} queries were degraded or failed, {then} in the baseline"
    assert objection == (told if is_told else None)


def test_how_many_queries_failed_is_kept_with_the_comparison() -> None:
    found = compare(UUID(int=6), queries([1] * 40), failing(queries([1] * 40), 4))

    kept = parse_comparison(found.to_json())

    assert kept.disturbance == "4 of 40 queries were degraded or failed, 0 in the baseline"


@pytest.mark.parametrize(
    ("before", "after", "is_told"), [(2100, 29_000, True), (2100, 2600, False), (1000, 1999, False)]
)
def test_what_is_too_slow_already_may_not_become_much_slower(before: float, after: float, is_told: bool) -> None:
    served, candidate = queries([1] * 40, latency_ms=before), queries([1] * 40, latency_ms=after)

    objection = objection_to(run(served), run(candidate, baseline=served), latency_ms=2000)

    assert (objection is not None and "too slow" in objection) == is_told


def test_a_small_set_is_not_judged() -> None:
    few: dict[Strategy, EvaluationRun] = {"hybrid": run(queries([9] * 5), baseline=queries([1] * 5))}

    assert check("no_significant_drop", few).message == "not judged: hybrid: too few queries"
    assert check("no_significant_drop", few).passed is None


@pytest.mark.parametrize(("found_of_twenty", "passed"), [(17, True), (16, False)])
def test_the_better_hybrid_strategy_must_reach_the_hit_rate(found_of_twenty: int, passed: bool) -> None:
    best = run(queries([10] * found_of_twenty + [0] * (20 - found_of_twenty)))
    worst = run(queries([0] * 20))

    found = check("hit_rate_reaches_target", {**GOOD, "hybrid": worst, "hybrid+rerank": best})

    assert found.passed == passed
    assert found.details["hybrid+rerank"] == found_of_twenty / 20


def test_without_a_hybrid_strategy_there_is_no_hit_rate_to_reach() -> None:
    assert check("hit_rate_reaches_target", {"fulltext": GOOD["fulltext"]}).passed is None


def test_hybrid_below_its_better_leg_closes_it_as_a_warning() -> None:
    found = check("hybrid_not_below_best_leg", {**GOOD, "hybrid": run(queries([5] * 20, others=OTHERS[2:]))})

    # rank 2: 0.631, rank 5: 0.387
    assert found.passed is False
    assert found.severity == "warning"
    assert found.message.startswith("hybrid search loses 0.244 nDCG@10 against fulltext search alone on 20 queries")


def other_notes(count: int) -> list[QueryResult]:
    """The hybrid's queries, so many of them with other notes behind the relevant one."""
    return [
        replace(query, ranked_note_ids=(RELEVANT, *OTHERS[15:34])) if number < count else query
        for number, query in enumerate(HYBRID)
    ]


@pytest.mark.parametrize(("count", "passed"), [(5, True), (6, False)])
def test_other_notes_on_more_than_a_quarter_of_the_queries_need_a_reason(count: int, passed: bool) -> None:
    found = check("rankings_are_explained", {**GOOD, "hybrid": run(other_notes(count), baseline=HYBRID, changed=())})

    assert found.passed == passed
    assert found.details["hybrid"] == {"reordered": count, "queries": 20}


def test_notes_that_changed_are_a_reason() -> None:
    found = check("rankings_are_explained", {"hybrid": run(other_notes(20), baseline=HYBRID, changed=("notes",))})

    assert found.passed is None
    assert (
        found.message
        == "not judged: changed since the baseline: notes; brain golden baseline RUN takes a run of now as the baseline"
    )


def test_a_baseline_that_did_not_say_what_it_searched_gives_no_verdict_on_rankings() -> None:
    found = check("rankings_are_explained", {"hybrid": run(other_notes(20), baseline=HYBRID)})

    assert found.passed is None
    assert found.message == "not judged: no baseline says what it searched"


def test_too_few_queries_in_common_give_no_verdict_on_rankings() -> None:
    few: dict[Strategy, EvaluationRun] = {
        name: run(HYBRID[:5], baseline=HYBRID[:5], changed=()) for name in ("hybrid", "hybrid+rerank")
    }

    assert check("rankings_are_explained", few).message == (
        "not judged: hybrid, hybrid+rerank: no verdict: 5 queries in common with the baseline, 10 are needed"
    )


def test_other_rankings_that_are_better_need_no_reason() -> None:
    better = run(HYBRID, baseline=queries([4] * 20), changed=())

    assert check("rankings_are_explained", {"hybrid": better}).passed


@pytest.mark.parametrize(("p95_ms", "passed"), [(2000.0, True), (2001.0, False)])
def test_the_slowest_strategy_must_be_in_time(p95_ms: float, passed: bool) -> None:
    slow = run(queries([1] * 20, others=OTHERS[2:], latency_ms=p95_ms))

    found = check("latency_p95_within_target", {**GOOD, "hybrid+rerank": slow})

    assert found.passed == passed
    assert found.details["hybrid+rerank"] == p95_ms


def test_it_is_printed_with_all_its_checks() -> None:
    document = judge_gate(GOOD, TARGETS).to_json()

    assert document["passed"] is True
    assert document["checks"][0]["name"] == "no_significant_drop"
    assert set(document["checks"][0]) == {"name", "passed", "severity", "message", "details"}


@pytest.mark.parametrize(("old", "passed"), [(14, False), (20, False), (21, True)])
def test_a_baseline_of_less_than_half_of_the_set_closes_it_as_a_warning_and_says_what_to_promote(
    old: int, passed: bool
) -> None:
    found = check("no_significant_drop", {"hybrid": run(queries([1] * 41), baseline=queries([1] * old))})

    assert found.passed == passed
    assert found.severity == ("error" if passed else "warning")
    assert f"{'j' if passed else 'J'}udged on {old} of 41 queries" in found.message
    assert ("brain golden baseline 00000000" in found.message) == (not passed)
    assert found.details["hybrid"]["queries"] == old
    assert found.details["hybrid"]["total_queries"] == 41


def test_what_got_worse_on_a_third_of_the_set_is_a_regression_all_the_same() -> None:
    found = check("no_significant_drop", {"hybrid": run(queries([9] * 41), baseline=queries([1] * 14))})

    assert found.passed is False
    assert found.severity == "error"


def test_the_hit_rate_is_told_with_how_sure_it_is() -> None:
    found = check("hit_rate_reaches_target", {"hybrid": run(queries([1] * 11 + [0] * 4))})

    assert found.passed is False
    assert found.message == (
        "hit rate @10 of hybrid is 0.733 (95 %: 0.467 to 0.933, 15 queries), the target is 0.850; so few queries do not tell it "
        "from the target"
    )


@pytest.mark.parametrize(("asked", "told"), [(19, "the slowest of 19 queries took"), (20, "p95 of")])
def test_of_fewer_than_twenty_queries_the_slowest_is_not_called_p95(asked: int, told: str) -> None:
    assert check("latency_p95_within_target", {"hybrid": run(queries([1] * asked))}).message.startswith(told)


def test_how_many_queries_the_legs_would_have_to_differ_on_is_told() -> None:
    alike = queries([1] * 20)
    runs: dict[Strategy, EvaluationRun] = {"fulltext": run(alike), "semantic": run(alike), "hybrid": run(alike)}

    assert check("both_legs_take_part", runs).message == ("not judged: the legs differ on 0 queries, 10 are needed")

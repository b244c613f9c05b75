"""Regressions, at their borders."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from builders import make_query_result

from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.effects import query_effects
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId
from rag_core.model.run_comparison import Comparison, parse_comparison

RELEVANT = NoteId(UUID(int=1))
OTHER = NoteId(UUID(int=2))
OTHERS = tuple(NoteId(UUID(int=number)) for number in range(2, 22))


def queries(ranks: Sequence[int | None]) -> list[QueryResult]:
    """A query a rank, its one relevant note found there or not at all."""
    return [
        make_query_result(
            number,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=OTHERS if rank is None else (*OTHERS[: rank - 1], RELEVANT),
        )
        for number, rank in enumerate(ranks)
    ]


def compared(before: Sequence[int | None], after: Sequence[int | None]) -> Comparison:
    return compare(UUID(int=99), queries(before), queries(after))


@pytest.mark.parametrize(("lost", "is_regression"), [(4, False), (5, True)])
def test_five_of_74_queries_lost_outright_are_a_regression_and_four_are_not(lost: int, is_regression: bool) -> None:
    found = compared([1] * 74, [None] * lost + [1] * (74 - lost))

    # one pattern of 2^4 is 0.0625, one of 2^5 is 0.03125
    assert found.metrics["ndcg_at_10"].p_worse == 1 / 2**lost
    assert found.is_regression == is_regression


@pytest.mark.parametrize(("won", "is_significant"), [(7, False), (8, True)])
def test_a_difference_is_significant_only_after_the_correction_for_many_metrics(won: int, is_significant: bool) -> None:
    found = compared([2] * won + [1] * (60 - won), [1] * 60)

    # p = 2 / 2^won; of the metrics four differ, so Holm takes it times four: 0.0625 and 0.03125
    assert found.p_value == 2 / 2**won
    assert found.is_significant is is_significant


def test_a_sure_drop_of_less_than_two_hundredths_is_none() -> None:
    # nDCG 1 / log2(10) = 0.3010 to 1 / log2(11) = 0.2891
    found = compared([9] * 30, [10] * 30)

    assert found.difference == pytest.approx(-0.0120, abs=1e-4)
    assert found.is_significant is True
    assert found.is_regression is False


def test_a_drop_of_two_hundredths_is_enough_however_it_is_rounded() -> None:
    found = compared([1] * 12, [2] * 12)
    decisive = replace(found.metrics["ndcg_at_10"], difference=0.8 - 0.82)

    assert replace(found, metrics={**found.metrics, "ndcg_at_10": decisive}).is_regression
    assert not replace(
        found, metrics={**found.metrics, "ndcg_at_10": replace(decisive, difference=-0.0199)}
    ).is_regression


def test_nine_queries_are_too_few_however_bad_it_is() -> None:
    found = compared([1] * 9, [None] * 9)

    assert found.obstacle == "too_few_queries"
    assert found.is_regression is False


def test_the_queries_that_lost_most_come_first_and_winners_not_at_all() -> None:
    found = compared([1, 1, 3, 5], [2, None, 3, 1])

    assert [(loss.query, loss.current_rank) for loss in found.losses] == [("¿Pregunta 1?", None), ("¿Pregunta 0?", 2)]


def test_ten_losses_are_kept_at_most() -> None:
    assert len(compared([1] * 30, [2] * 30).losses) == 10


def test_what_won_most_comes_first_among_the_winners() -> None:
    found = compared([2, None, 3, 1], [1, 1, 3, 5])

    assert [(win.query, win.baseline_rank, win.current_rank) for win in found.wins] == [
        ("¿Pregunta 1?", None, 1),
        ("¿Pregunta 0?", 2, 1),
    ]


def test_every_query_in_common_has_its_effect_the_greatest_loss_first() -> None:
    effects = query_effects(queries([1, 1, 3, 5]), queries([2, None, 3, 1, 1]))

    assert [(effect.query, round(effect.difference, 4)) for effect in effects] == [
        ("¿Pregunta 1?", -1.0),
        ("¿Pregunta 0?", -0.3691),
        ("¿Pregunta 2?", 0.0),
        ("¿Pregunta 3?", 0.6131),  # 1 - 1 / log2(6)
    ]


def changed(found: list[QueryResult], *, first: int, **figures: object) -> list[QueryResult]:
    """The first queries with other figures."""
    return [replace(one, **figures) if place < first else one for place, one in enumerate(found)]  # type: ignore[arg-type]


def both(count: int, **figures: object) -> list[QueryResult]:
    return changed(queries([1] * count), first=count, **figures)


def test_passages_that_say_the_answer_later_are_a_regression_though_every_note_ranks_as_it_did() -> None:
    before, after = both(12, u_measure=0.95), both(12, u_measure=0.90)

    found = compare(UUID(int=99), before, after)

    assert found.is_regression is True
    assert found.metric == "u_measure"
    assert found.regressed == ("u_measure",)
    assert found.baseline == pytest.approx(0.95)
    assert found.current == pytest.approx(0.90)
    assert found.metrics["ndcg_at_10"].difference == 0.0
    assert len(found.losses) == 10


def test_results_that_are_no_longer_sure_are_a_regression() -> None:
    before = both(20, is_confident=True)

    found = compare(UUID(int=99), before, changed(before, first=6, is_confident=False))

    # six of twenty lose 1; one sign pattern of 2^6 is as low
    assert found.is_regression is True
    assert found.metric == "confidence"
    assert found.difference == -0.3
    assert found.p_worse == 1 / 64


def test_the_decisive_metric_that_fell_most_is_named() -> None:
    before = both(20, u_measure=0.9, is_confident=True)

    found = compare(UUID(int=99), before, changed(before, first=20, u_measure=0.8, is_confident=False))

    assert found.metric == "confidence"
    assert found.regressed == ("u_measure", "confidence")


def test_two_decisive_metrics_that_could_fall_cost_each_other_a_factor_two() -> None:
    before = both(20, u_measure=0.9)
    after = changed(queries([1] * 5 + [1] * 15), first=20, u_measure=0.9)
    after = changed(after, first=5, u_measure=0.1, ranked_note_ids=OTHERS)

    found = compare(UUID(int=99), before, after)

    # 1/32 twice: neither is below 0.05 when two are asked
    assert [found.metrics[name].p_worse for name in ("ndcg_at_10", "u_measure")] == [1 / 32, 1 / 32]
    assert [found.metrics[name].p_worse_adjusted for name in ("ndcg_at_10", "u_measure")] == [1 / 16, 1 / 16]
    assert not found.is_regression


def test_a_metric_that_cannot_reach_significance_costs_the_others_nothing() -> None:
    before = both(20, u_measure=0.9, is_confident=True)
    after = changed(changed(before, first=5, ranked_note_ids=OTHERS), first=4, u_measure=0.1)

    found = compare(UUID(int=99), before, after)

    # four that differ give 1/16 at best; confidence differs nowhere
    assert found.metrics["ndcg_at_10"].p_worse_adjusted == 1 / 32
    assert found.is_regression is True
    assert found.metric == "ndcg_at_10"


def test_nine_queries_with_spans_decide_nothing_among_many_without() -> None:
    before = changed(both(30), first=9, u_measure=0.9)

    found = compare(UUID(int=99), before, changed(before, first=9, u_measure=0.1))

    assert found.metrics["u_measure"].queries == 9
    assert found.metrics["u_measure"].difference == pytest.approx(-0.8)
    assert not found.is_regression


def test_a_metric_that_one_run_has_not_is_not_compared() -> None:
    assert "u_measure" not in compare(UUID(int=99), both(12), both(12, u_measure=0.5)).metrics
    assert "confidence" not in compare(UUID(int=99), both(12), both(12)).metrics


def test_every_metric_is_adjusted_for_the_others() -> None:
    found = compared([1] * 10, [2] * 10)

    # 10 queries from rank 1 to 2: nDCG, MRR, hit rate at 1 and MAP differ ten times, p 2/1024; the other two nowhere
    assert {name: compared.p_adjusted for name, compared in found.metrics.items()} == {
        "ndcg_at_10": 8 / 1024,
        "mrr": 8 / 1024,
        "hit_rate_at_1": 8 / 1024,
        "hit_rate_at_10": 1.0,
        "recall_at_20": 1.0,
        "map_at_20": 8 / 1024,
    }


def test_a_query_whose_grades_changed_is_another_question() -> None:
    before = both(12, relevant_note_ids=(RELEVANT, OTHER), grades={RELEVANT: 1, OTHER: 1})

    same = compare(UUID(int=99), before, both(12, relevant_note_ids=(RELEVANT, OTHER)))
    other = compare(UUID(int=99), before, both(12, relevant_note_ids=(RELEVANT, OTHER), grades={RELEVANT: 3}))

    assert same.queries == 12
    assert other.queries == 0


def test_it_says_how_many_queries_a_difference_would_need() -> None:
    # half the queries win 0.3691, half lose it: spread 0.3691 · sqrt(40 / 39) = 0.3738
    found = compared([1, 2] * 20, [2, 1] * 20)

    # ((1.960 + 0.842) · 0.3738 / δ)² + 1.92
    assert found.queries_needed == {"0.01": 10968, "0.02": 2744, "0.05": 441}
    assert found.detectable_difference == pytest.approx(0.1697, abs=1e-4)


def test_runs_that_do_not_differ_tell_nothing_of_the_noise() -> None:
    found = compared([1] * 20, [1] * 20)

    assert found.queries_needed == {"0.01": None, "0.02": None, "0.05": None}
    assert found.detectable_difference is None


def test_runs_in_which_all_queries_lose_alike_need_ten_queries_to_say_so() -> None:
    found = compared([1] * 40, [None] * 40)

    assert found.queries_needed == {"0.01": 10, "0.02": 10, "0.05": 10}
    assert found.detectable_difference == 0


def older(document: dict[str, object]) -> dict[str, object]:
    """A comparison as it was stored when three metrics were compared and none adjusted."""
    kept = ("baseline", "current", "difference", "p_value", "p_worse", "interval")
    metrics = document["metrics"]
    assert isinstance(metrics, dict)
    return {name: value for name, value in document.items() if name not in {"wins", "regressed"}} | {
        "metrics": {
            name: {field: metrics[name][field] for field in kept} for name in ("ndcg_at_10", "mrr", "hit_rate_at_10")
        }
    }


@pytest.mark.parametrize(("rank", "is_regression"), [(2, True), (1, False)])
def test_a_comparison_of_before_metrics_were_adjusted_is_read_with_its_verdict(rank: int, is_regression: bool) -> None:
    found = parse_comparison(older(compared([1] * 12, [rank] * 12).to_json()))

    assert found.is_regression == is_regression
    assert found.metric == "ndcg_at_10"
    assert found.wins == ()
    assert found.detectable_difference is None
    assert found.queries_needed["0.02"] is None


@pytest.mark.parametrize(("differing", "is_told"), [(2, False), (5, False), (6, True)])
def test_of_fewer_than_six_queries_that_differ_nothing_is_told_for_no_p_is_small_then(
    differing: int, is_told: bool
) -> None:
    before, after = [1] * 41, [1] * 41
    for place in range(differing):
        before[place], after[place] = (1, 2) if place % 2 else (2, 1)

    found = compared(before, after)

    assert (found.detectable_difference is not None) == is_told
    assert [needed is not None for needed in found.queries_needed.values()] == [is_told] * 3


def test_no_number_of_queries_is_told_on_which_too_few_would_differ() -> None:
    # the spread alone asks for 15; at 6 of 82 that differ it takes 82 for six to differ
    found = compared([2] * 3 + [1] * 79, [1] * 3 + [2] * 3 + [1] * 76)

    assert found.queries_needed["0.05"] == 82


def test_comparisons_are_read_with_how_many_queries_differ() -> None:
    found = compared([1] * 12, [2] * 12)

    assert parse_comparison(found.to_json()) == found
    assert found.metrics["ndcg_at_10"].differing == 12

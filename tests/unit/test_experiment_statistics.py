"""Statistics of an experiment, on records small enough to count."""

from collections.abc import Iterable
from datetime import UTC, datetime
from random import Random
from uuid import UUID, uuid4

import pytest
from scipy import stats

from rag_core.experiments.report import conclusion_on
from rag_core.experiments.statistics import (
    interleaving_figures,
    queries_for_preference,
    queries_for_rates,
    shadow_figures,
    split_figures,
)
from rag_core.model.experiment import Arm, ExperimentQuery, FeedbackKind, ReaderReaction, Side
from rag_core.model.note import NoteId

EXPERIMENT = UUID(int=1)
A, B, C = (NoteId(UUID(int=n)) for n in (10, 11, 12))


def asked(arm: Arm, *, feedback: Iterable[tuple[NoteId | None, FeedbackKind]] = (), **more: object) -> ExperimentQuery:
    values: dict[str, object] = {"served_notes": (A, B), **more}
    return ExperimentQuery(
        id=uuid4(),
        experiment_id=EXPERIMENT,
        arm=arm,
        asked_at=datetime(2025, 3, 1, tzinfo=UTC),
        feedback=tuple(ReaderReaction(note_id=note, kind=kind) for note, kind in feedback),
        **values,  # type: ignore[arg-type]
    )


def interleaved(*feedback: tuple[NoteId | None, FeedbackKind], teams: tuple[Side, ...] = ("control", "candidate")):
    return asked("interleaved", feedback=feedback, teams=teams, control_notes=(A,), candidate_notes=(B,))


def test_a_query_is_won_by_the_side_whose_notes_were_taken() -> None:
    queries = [
        interleaved((B, "open")),
        interleaved((B, "helpful")),
        interleaved((A, "open")),
        interleaved((A, "open"), (B, "open")),
        interleaved(),
        asked("interleaved", control_notes=(A, B)),
    ]

    found = interleaving_figures(queries)

    assert found.queries == 6
    assert found.wins == 2
    assert found.losses == 1
    assert found.ties == 1
    assert found.undecided == 1
    assert found.failed_candidates == 1
    assert found.preference == pytest.approx(2 / 3)
    assert found.p_value == 1.0  # 2 of 3 heads: every outcome is as likely or less


def test_a_note_that_was_opened_and_found_unhelpful_is_no_win() -> None:
    found = interleaving_figures([interleaved((B, "open"), (B, "unhelpful"))])

    assert found.wins == 0
    assert found.undecided == 1


def test_nine_wins_of_ten_are_no_chance_and_need_no_more_queries() -> None:
    found = interleaving_figures([interleaved((B, "open"))] * 9 + [interleaved((A, "open"))])

    assert found.p_value == pytest.approx(22 / 1024)  # (1 + 10) · 2 of 2¹⁰
    assert found.more_queries == 0


def test_a_preference_that_may_be_chance_says_how_many_more_queries_it_needs() -> None:
    undecided = [interleaved() for _ in range(10)]
    found = interleaving_figures([interleaved((B, "open"))] * 6 + [interleaved((A, "open"))] * 4 + undecided)

    # 60 % against 40 %: 204 decided ones in all, and one of two live queries is decided
    assert queries_for_preference(0.6) == 204
    assert found.more_queries == (204 - 10) * 2


def test_without_a_word_of_readers_nothing_is_known() -> None:
    found = interleaving_figures([interleaved()])

    assert found.preference is None
    assert found.p_value is None
    assert found.more_queries is None


def test_the_queries_needed_for_a_preference_give_four_times_in_five_a_small_p() -> None:
    random, needed = Random(7), queries_for_preference(0.65)
    trials = 2000

    found = sum(
        stats.binomtest(sum(random.random() < 0.65 for _ in range(needed)), needed).pvalue < 0.05 for _ in range(trials)
    )

    assert found / trials == pytest.approx(0.8, abs=0.04)


def test_the_queries_needed_for_two_rates_are_those_of_the_textbook() -> None:
    # p̄ = 0.55: (1.95996·√0.495 + 0.84162·√0.49)² / 0.01 = 387.3, with the correction 407.1
    assert queries_for_rates(0.5, 0.6) == 408


def test_the_queries_needed_for_two_rates_give_four_times_in_five_a_small_p() -> None:
    random, needed, trials = Random(8), queries_for_rates(0.5, 0.75), 1000

    def drawn(rate: float) -> list[int]:
        successes = sum(random.random() < rate for _ in range(needed))
        return [successes, needed - successes]

    found = sum(stats.fisher_exact([drawn(0.5), drawn(0.75)]).pvalue < 0.05 for _ in range(trials))

    assert found / trials == pytest.approx(0.8, abs=0.04)


def test_a_split_compares_rates_by_arm() -> None:
    control = [asked("control", control_notes=(A,), control_ms=10.0, feedback=[(None, "unhelpful")])] * 8
    candidate = [
        asked("candidate", candidate_notes=(A,), candidate_ms=30.0, feedback=[(None, "helpful"), (A, "open")])
    ] * 8

    found = split_figures([*control, *candidate])

    assert found.control.helpful_rate == 0.0
    assert found.candidate.helpful_rate == 1.0
    assert found.helpful.difference == 1.0
    assert found.helpful.p_value == pytest.approx(2 / 12870)  # two of C(16, 8) tables
    assert found.control.open_rate == 0.0
    assert found.candidate.open_rate == 1.0
    assert found.control.latency.p50_ms == 10.0
    assert found.candidate.latency.p95_ms == 30.0
    assert found.helpful.more_queries == 0


def test_a_query_drawn_for_a_candidate_that_failed_counts_for_the_candidate() -> None:
    rescued = asked("candidate", control_notes=(A,), control_ms=5.0, feedback=[(None, "unhelpful")])

    found = split_figures([rescued])

    assert found.candidate.queries == 1
    assert found.candidate.failed == 1
    assert found.candidate.helpful_rate == 0.0
    assert found.control.queries == 0
    assert found.candidate.latency.p50_ms is None
    assert found.helpful.p_value is None


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [
        ([], None),
        ([(None, "helpful")], True),
        ([(None, "unhelpful"), (A, "helpful")], False),
        ([(A, "helpful"), (B, "unhelpful")], None),
        ([(A, "helpful"), (B, "helpful"), (C, "unhelpful")], True),
        ([(A, "open")], None),
    ],
)
def test_the_word_on_the_whole_answer_goes_before_that_on_its_notes(feedback, expected: bool | None) -> None:
    assert asked("control", feedback=feedback).is_helpful is expected


def test_a_shadow_tells_agreement_and_both_latencies() -> None:
    queries = [
        asked("control", control_notes=(A, B), candidate_notes=(A, B), control_ms=10.0, candidate_ms=14.0),
        asked("control", control_notes=(A, B), candidate_notes=(B, A), control_ms=20.0, candidate_ms=26.0),
        asked("control", control_notes=(A, B), control_ms=10.0),
        asked("control", control_notes=(A, B), control_ms=10.0, candidate_ms=500.0),
    ]

    found = shadow_figures(queries)

    assert found.queries == 4
    assert found.compared == 2
    assert found.dropped == 1
    assert found.failed_candidates == 1
    assert found.rank_biased_overlap == pytest.approx((1 + 0.9) / 2)
    assert found.overlap_at_10 == 1.0
    assert found.same_top == 0.5
    assert found.candidate_latency.p95_ms == 26.0


def test_a_shadow_without_answers_of_the_candidate_is_undefined_and_not_zero() -> None:
    found = shadow_figures([asked("control", control_notes=(A,), control_ms=1.0)])

    assert found.rank_biased_overlap is None
    assert found.overlap_at_10 is None
    assert found.same_top is None
    assert found.candidate_latency.p50_ms is None
    assert found.more_queries is None


def test_a_shadow_whose_candidate_is_always_slower_gives_no_verdict_on_it() -> None:
    queries = [
        asked("control", control_notes=(A, B), candidate_notes=(A, B), control_ms=10.0 + n, candidate_ms=18.0 + n)
        for n in range(50)
    ]

    said = conclusion_on(shadow_figures(queries))

    assert "ms" not in said.split()
    assert "Nor which is faster: it ran second and in the background" in said


def test_from_a_few_queries_nobody_says_how_many_more_would_tell() -> None:
    one_click = interleaving_figures([interleaved((A, "open"))] + [interleaved() for _ in range(7)])
    nine = interleaving_figures([interleaved((B, "open"))] * 5 + [interleaved((A, "open"))] * 4)
    ten = interleaving_figures([interleaved((B, "open"))] * 6 + [interleaved((A, "open"))] * 4)

    assert one_click.more_queries is None
    assert nine.more_queries is None
    assert ten.more_queries == 194
    assert "about" not in conclusion_on(one_click)
    assert "Need at least 10 decisive queries to estimate how many more are required." in conclusion_on(one_click)
    assert "At this rate about 194 more live queries are needed." in conclusion_on(ten)


def test_arms_of_a_few_queries_do_not_say_either() -> None:
    def arms(trials: int) -> list[ExperimentQuery]:
        control = [asked("control", control_notes=(A,), control_ms=1.0, feedback=[(None, "unhelpful")])] * (trials - 1)
        liked = [asked("control", control_notes=(A,), control_ms=1.0, feedback=[(None, "helpful")])]
        candidate = [asked("candidate", candidate_notes=(A,), candidate_ms=1.0, feedback=[(None, "helpful")])] * 2
        disliked = [asked("candidate", candidate_notes=(A,), candidate_ms=1.0, feedback=[(None, "unhelpful")])]
        return control + liked + candidate + disliked * (trials - 2)

    few, enough = split_figures(arms(9)), split_figures(arms(10))

    assert few.helpful.more_queries is None
    assert enough.helpful.more_queries is not None

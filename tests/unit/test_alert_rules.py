"""Each rule on facts that are trouble, on facts that are not, and on none at all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rag_core.alerting import rules
from rag_core.alerting.facts import WITHOUT_PARTITIONS, AlertThresholds, CheckEnd, RunEnd, thresholds
from rag_core.alerting.incidents import RuleVerdict
from rag_core.alerting.messages import REMEDIES
from rag_core.model.incident import (
    GoldenSetState,
    MigrationFacts,
    NightlyEvaluation,
    ServiceProcess,
    ServiceWindow,
    StaleNotes,
)
from rag_core.model.note import TenantId
from rag_core.settings import read_settings

NOW = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)
ANA = TenantId("ana")
LIMITS = AlertThresholds()


def ago(**duration: float) -> datetime:
    return NOW - timedelta(**duration)


def subjects(judgement: RuleVerdict) -> list[str]:
    return [trouble.subject for trouble in judgement.troubles]


def test_the_settings_defaults_are_the_thresholds() -> None:
    assert thresholds(read_settings()) == AlertThresholds()


def test_every_rule_says_what_to_do() -> None:
    assert set(REMEDIES) == set(rules.RULES)


class TestEvaluationRegression:
    WORSE = NightlyEvaluation(
        tenant=ANA,
        set_name="default",
        strategy="hybrid",
        run_id="r1",
        created_at=NOW,
        comparison={
            "metric": "ndcg_at_10",
            "baseline": 0.812,
            "current": 0.744,
            "difference": -0.068,
            "p_worse": 0.0031,
            "queries": 50,
            "is_regression": True,
        },
    )

    def test_a_regression_is_critical_and_tells_its_figures(self) -> None:
        (trouble,) = rules.evaluation_regression([self.WORSE]).troubles

        assert (trouble.subject, trouble.severity) == ("ana/default", "critical")
        assert trouble.message == (
            "More than chance explains, on the golden set default. "
            "hybrid: nDCG@10 fell from 0.812 to 0.744 on 50 questions (p = 0.0031)."
        )

    def test_several_strategies_of_one_golden_set_are_one_trouble(self) -> None:
        others = [replace(self.WORSE, strategy="semantic"), replace(self.WORSE, tenant=TenantId("eva"))]

        first, second = rules.evaluation_regression([self.WORSE, *others]).troubles

        assert (list(first.details), second.subject) == (["hybrid", "semantic"], "eva/default")

    @pytest.mark.parametrize(("run", "link"), [("d1", "/runs/d1"), (None, "/assets/evaluation_report")])
    def test_it_leads_to_the_run_that_evaluated_or_to_the_report(self, run: str | None, link: str) -> None:
        (trouble,) = rules.evaluation_regression([replace(self.WORSE, dagster_run=run)]).troubles

        assert trouble.link == link

    @pytest.mark.parametrize(
        "comparison",
        [None, {}, {"is_regression": "yes"}, {"is_regression": False, "obstacle": "degraded"}],
    )
    def test_without_a_verdict_there_is_no_alarm_and_none_is_over(self, comparison: dict[str, object] | None) -> None:
        judgement = rules.evaluation_regression([replace(self.WORSE, comparison=comparison)])

        assert (subjects(judgement), judgement.over) == ([], {})

    def test_it_is_over_for_the_strategies_that_are_not_worse(self) -> None:
        sound = replace(self.WORSE, strategy="semantic", comparison={"is_regression": False, "obstacle": None})

        judgement = rules.evaluation_regression([self.WORSE, sound])

        assert [trouble.scope for trouble in judgement.troubles] == [{"hybrid"}]
        assert judgement.over == {"ana/default": {"semantic"}}

    def test_a_verdict_without_figures_is_an_alarm_all_the_same(self) -> None:
        bare = replace(self.WORSE, comparison={"is_regression": True})

        assert subjects(rules.evaluation_regression([bare])) == ["ana/default"]

    def test_no_evaluations_are_no_alarm(self) -> None:
        assert subjects(rules.evaluation_regression([])) == []


class TestRunFailed:
    FAILED = RunEnd(run_id="0123456789", job="index_notes", is_success=False, ended_at=NOW, cause="chunks: ValueError")
    SUCCEEDED = replace(FAILED, run_id="9", is_success=True)

    def test_a_failed_run_names_its_job_its_cause_and_its_page(self) -> None:
        (trouble,) = rules.run_failed([self.FAILED]).troubles

        assert (trouble.subject, trouble.link) == ("index_notes", "/runs/0123456789")
        assert trouble.message == "Run 01234567 failed: chunks: ValueError"

    @pytest.mark.parametrize("reason", ["is_retried", "is_check_failure", "is_interrupted"])
    def test_a_run_that_is_no_loss_of_its_own_is_no_alarm(self, reason: str) -> None:
        assert subjects(rules.run_failed([replace(self.FAILED, **{reason: True})])) == []

    def test_a_later_success_of_the_job_ends_it_and_the_failure_is_told_too(self) -> None:
        judgement = rules.run_failed([self.FAILED, self.SUCCEEDED])

        (trouble,) = judgement.troubles
        assert (trouble.subject, trouble.scope) == ("index_notes", frozenset())
        assert judgement.over == {"index_notes": WITHOUT_PARTITIONS}

    def test_a_failure_after_a_success_goes_on(self) -> None:
        (trouble,) = rules.run_failed([self.SUCCEEDED, self.FAILED]).troubles

        assert trouble.scope == WITHOUT_PARTITIONS

    def test_a_success_over_other_partitions_leaves_those_that_failed(self) -> None:
        failed = replace(self.FAILED, scope=frozenset({"b1", "b2"}))
        succeeded = [replace(self.SUCCEEDED, scope=frozenset({"b2", "b3"})), self.SUCCEEDED]

        (trouble,) = rules.run_failed([failed, *succeeded]).troubles

        assert trouble.scope == {"b1"}

    def test_a_success_of_another_job_ends_nothing(self) -> None:
        judgement = rules.run_failed([self.FAILED, replace(self.SUCCEEDED, job="check_index")])

        assert judgement.over == {"check_index": WITHOUT_PARTITIONS}

    def test_nothing_new_changes_nothing(self) -> None:
        assert rules.run_failed([]) == RuleVerdict(rule="run_failed", troubles=[], over={})


class TestCheckFailed:
    FAILED = CheckEnd(
        asset="fulltext_index",
        check="no_note_is_lost",
        run_id="r",
        is_passed=False,
        is_error=True,
        evaluated_at=NOW,
        description="notas:n1 has no chunk",
    )
    OWN = (("fulltext_index", "no_note_is_lost"),)

    @pytest.mark.parametrize(("is_error", "severity"), [(True, "critical"), (False, "warning")])
    def test_it_is_as_severe_as_the_check(self, is_error: bool, severity: str) -> None:
        (trouble,) = rules.check_failed([replace(self.FAILED, is_error=is_error)]).troubles

        assert (trouble.subject, trouble.severity) == ("fulltext_index/no_note_is_lost", severity)
        assert trouble.link == "/assets/fulltext_index?view=checks&checkDetail=no_note_is_lost"

    def test_the_next_evaluation_that_passes_ends_it(self) -> None:
        judgement = rules.check_failed([replace(self.FAILED, is_passed=True)])

        assert (subjects(judgement), judgement.over) == ([], {"fulltext_index/no_note_is_lost": None})

    def test_a_failure_between_two_looks_is_told_though_it_passed_later(self) -> None:
        judgement = rules.check_failed([self.FAILED, replace(self.FAILED, is_passed=True)])

        (trouble,) = judgement.troubles
        assert (trouble.scope, judgement.over) == (frozenset(), {"fulltext_index/no_note_is_lost": None})

    def test_a_pass_over_other_batches_ends_nothing_of_it(self) -> None:
        failed = replace(self.FAILED, scope=frozenset({"b1"}))
        passed = replace(self.FAILED, is_passed=True, scope=frozenset({"b2"}))

        (trouble,) = rules.check_failed([failed, passed]).troubles

        assert trouble.scope == {"b1"}

    def test_an_error_that_another_rule_tells_is_left_out(self) -> None:
        assert subjects(rules.check_failed([self.FAILED], with_own_rule=self.OWN)) == []

    def test_a_warning_of_such_a_check_is_told_here_and_ends_when_it_becomes_the_other_rules(self) -> None:
        warning = replace(self.FAILED, is_error=False)

        first = rules.check_failed([warning], with_own_rule=self.OWN)
        second = rules.check_failed([self.FAILED], with_own_rule=self.OWN)

        assert subjects(first) == ["fulltext_index/no_note_is_lost"]
        assert second.over == {"fulltext_index/no_note_is_lost": None}


class TestMigrationStalled:
    RUNNING = MigrationFacts(
        tenant=ANA,
        state="running",
        reason=None,
        changed_at=ago(hours=2),
        pending=300,
        given_up=0,
        has_begun=True,
        last_mark_at=ago(minutes=31),
        is_regressed=False,
    )

    def judged(self, facts: MigrationFacts) -> RuleVerdict:
        return rules.migration_stalled([facts], now=NOW, limits=LIMITS)

    def test_half_an_hour_without_a_note_is_a_warning(self) -> None:
        (trouble,) = self.judged(self.RUNNING).troubles

        assert (trouble.subject, trouble.severity) == ("ana", "warning")
        assert trouble.message == "No note was chunked for 31 minutes; 300 notes wait."

    def test_notes_that_were_given_up_are_counted(self) -> None:
        (trouble,) = self.judged(replace(self.RUNNING, given_up=7)).troubles

        assert "300 notes wait, 7 of them given up" in trouble.message

    @pytest.mark.parametrize(
        "change",
        [
            {"last_mark_at": ago(minutes=29)},
            {"changed_at": ago(minutes=1)},
            {"pending": 0},
            {"has_begun": False, "last_mark_at": None},
            {"state": "stopped"},
        ],
        ids=["a mark", "resumed just now", "nothing waits", "nobody began it", "stopped on purpose"],
    )
    def test_otherwise_there_is_no_alarm(self, change: dict[str, object]) -> None:
        assert subjects(self.judged(replace(self.RUNNING, **change))) == []

    def test_a_backfill_that_never_chunked_anything_counts_from_its_beginning(self) -> None:
        assert subjects(self.judged(replace(self.RUNNING, last_mark_at=None))) == ["ana"]

    def test_a_stop_by_a_regression_is_critical_and_says_why(self) -> None:
        stopped = replace(self.RUNNING, state="stopped", reason="nDCG@10 fell by 0.1", is_regressed=True)

        (trouble,) = self.judged(stopped).troubles

        assert trouble.severity == "critical"
        assert trouble.message == "nDCG@10 fell by 0.1. 300 notes wait."


class TestIndexStale:
    def test_notes_that_wait_too_long_are_counted(self) -> None:
        facts = StaleNotes(tenant=ANA, notes=12, given_up=2, oldest=ago(hours=7))

        (trouble,) = rules.index_stale([facts], now=NOW, limits=LIMITS).troubles

        assert trouble.message == (
            "12 notes have not been indexed as they are for more than 3 hours, the first for 7 hours. "
            "2 of them failed too often and are passed over."
        )

    def test_notes_that_have_not_waited_so_long_are_no_alarm(self) -> None:
        facts = StaleNotes(tenant=ANA, notes=12, given_up=0, oldest=ago(hours=2))

        assert subjects(rules.index_stale([facts], now=NOW, limits=LIMITS)) == []

    def test_no_stale_notes_are_no_alarm(self) -> None:
        assert subjects(rules.index_stale([], now=NOW, limits=LIMITS)) == []


class TestEvaluationMissing:
    @pytest.mark.parametrize(
        ("evaluated_at", "said"),
        [(ago(hours=37), "last was 37 hours ago"), (ago(days=5), "last was 5 days ago"), (None, "never was")],
    )
    def test_no_nightly_evaluation_for_too_long_is_a_trouble_of_its_own(
        self, evaluated_at: datetime | None, said: str
    ) -> None:
        facts = GoldenSetState(tenant=ANA, queries=50, since=ago(days=9), evaluated_at=evaluated_at)

        (trouble,) = rules.evaluation_missing([facts], now=NOW, limits=LIMITS).troubles

        assert said in trouble.message

    @pytest.mark.parametrize(
        "facts",
        [
            GoldenSetState(tenant=ANA, queries=50, since=ago(days=9), evaluated_at=ago(hours=35)),
            GoldenSetState(tenant=ANA, queries=50, since=ago(hours=35), evaluated_at=None),
            GoldenSetState(tenant=ANA, queries=0, since=ago(days=9), evaluated_at=None),
        ],
        ids=["evaluated", "new", "empty"],
    )
    def test_otherwise_there_is_no_alarm(self, facts: GoldenSetState) -> None:
        assert subjects(rules.evaluation_missing([facts], now=NOW, limits=LIMITS)) == []


EMPTY = ServiceWindow(requests=0, failed=0, degraded=0, p95_ms=None)


class TestServiceWindow:
    @pytest.mark.parametrize("limits", [LIMITS, replace(LIMITS, least_requests=0)])
    def test_an_empty_window_is_no_alarm(self, limits: AlertThresholds) -> None:
        assert subjects(rules.latency_high(EMPTY, limits=limits)) == []
        assert subjects(rules.error_rate_high(EMPTY, limits=limits)) == []

    @pytest.mark.parametrize(("p95_ms", "requests", "found"), [(2001, 20, 1), (2000, 20, 0), (9000, 19, 0)])
    def test_latency_needs_enough_requests_above_the_aim(self, p95_ms: float, requests: int, found: int) -> None:
        window = replace(EMPTY, requests=requests, p95_ms=p95_ms)

        assert len(rules.latency_high(window, limits=LIMITS).troubles) == found

    @pytest.mark.parametrize(("failed", "requests", "found"), [(2, 20, 1), (1, 20, 0), (19, 19, 0), (20, 20, 1)])
    def test_errors_need_enough_requests_and_too_large_a_share(self, failed: int, requests: int, found: int) -> None:
        window = replace(EMPTY, requests=requests, failed=failed)

        assert len(rules.error_rate_high(window, limits=LIMITS).troubles) == found

    def test_too_few_requests_end_nothing_and_enough_good_ones_do(self) -> None:
        few, good = replace(EMPTY, requests=19, p95_ms=5), replace(EMPTY, requests=20, p95_ms=5)

        assert [rules.latency_high(window, limits=LIMITS).over for window in (EMPTY, few, good)] == [{}, {}, None]
        assert [rules.error_rate_high(window, limits=LIMITS).over for window in (EMPTY, few, good)] == [{}, {}, None]

    def test_the_figures_are_told(self) -> None:
        window = ServiceWindow(requests=40, failed=10, degraded=3, p95_ms=2345.6)

        (slow,) = rules.latency_high(window, limits=LIMITS).troubles
        (failing,) = rules.error_rate_high(window, limits=LIMITS).troubles

        assert "is 2,346 ms over 40 requests; 2,000 ms is the aim" in slow.message
        assert "10 of 40 requests of the last 10 minutes failed (25%)" in failing.message


class TestServiceSilent:
    SILENT = ServiceProcess(
        process="casa/41/100.00", first_minute=ago(hours=1), last_minute=ago(minutes=6), has_ended=False
    )

    def judged(self, *processes: ServiceProcess) -> list[str]:
        return subjects(rules.service_silent(processes, now=NOW, limits=LIMITS))

    def test_five_minutes_without_a_row_are_an_alarm(self) -> None:
        assert self.judged(self.SILENT) == ["casa/41/100.00"]

    @pytest.mark.parametrize("change", [{"last_minute": ago(minutes=5)}, {"has_ended": True}])
    def test_one_that_writes_or_has_ended_as_it_should_is_none(self, change: dict[str, object]) -> None:
        assert self.judged(replace(self.SILENT, **change)) == []

    def test_one_that_was_started_again_is_none(self) -> None:
        again = replace(self.SILENT, process="casa/42/200.00", first_minute=ago(minutes=6), last_minute=ago(minutes=1))

        assert self.judged(self.SILENT, again) == []

    @pytest.mark.parametrize(
        "other",
        [
            {"process": "otra/42/200.00", "first_minute": ago(minutes=3)},
            {"process": "casa/42/90.00", "first_minute": ago(hours=2)},
        ],
        ids=["of another host", "there before"],
    )
    def test_another_one_does_not_take_its_place(self, other: dict[str, object]) -> None:
        neighbour = replace(self.SILENT, last_minute=ago(minutes=1), **other)

        assert self.judged(self.SILENT, neighbour) == ["casa/41/100.00"]

    def test_no_process_is_no_alarm_and_ends_none(self) -> None:
        assert rules.service_silent([], now=NOW, limits=LIMITS) == RuleVerdict(
            rule="service_silent", troubles=[], over={}
        )

    def test_after_a_day_nobody_is_told_any_more_and_it_is_not_over(self) -> None:
        judgement = rules.service_silent(
            [replace(self.SILENT, first_minute=ago(days=3), last_minute=ago(hours=24))], now=NOW, limits=LIMITS
        )

        assert (subjects(judgement), judgement.over) == ([], {})

    def test_it_is_over_however_late_somebody_takes_its_place(self) -> None:
        silent = replace(self.SILENT, first_minute=ago(days=3), last_minute=ago(days=2))
        again = replace(self.SILENT, process="casa/42/200.00", first_minute=ago(minutes=1), last_minute=ago(minutes=1))

        judgement = rules.service_silent([silent, again], now=NOW, limits=LIMITS)

        assert set(judgement.over or ()) == {"casa/41/100.00", "casa/42/200.00"}


def test_a_rule_that_cannot_be_judged_is_a_trouble_and_one_that_can_again_is_over() -> None:
    judgement = rules.watch_failed([("index_stale", "QueryFailedError")], judged=["run_failed"])

    assert subjects(judgement) == ["index_stale"]
    assert judgement.over == {"run_failed": None}

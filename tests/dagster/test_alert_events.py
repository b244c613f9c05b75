"""The events of runs and checks that the alert sensor reads: none is missed, and none is read twice."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from dagster import EventLogRecord
from watched_runs import Probe, soon
from watched_runs import probe as probe  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_assets import alerts
from rag_assets.alerts import WITH_OWN_RULE, Memory, NewEvents, in_order
from rag_assets.definitions import build_definitions
from rag_assets.worker_processes import PROCESS_TAG
from rag_core.alerting.facts import RunEnd


def events(instance: dg.DagsterInstance, *, after: int | None = None) -> NewEvents:
    memory = Memory(since=(soon() - timedelta(days=1)).timestamp(), after=after)
    return NewEvents(instance, memory, now=soon())


class TestRuns:
    def only(self, instance: dg.DagsterInstance) -> RunEnd:
        (end,) = events(instance).runs
        return end

    def test_a_failure_is_told_by_step_and_class_and_without_its_message(
        self, probe: Probe, instance: dg.DagsterInstance
    ) -> None:
        probe.error = ValueError("lo que escribió Ana")

        probe.run()

        end = self.only(instance)
        assert (end.job, end.is_success, end.is_check_failure, end.cause) == (
            "probe_job",
            False,
            False,
            "probe: ValueError",
        )

    def test_a_failed_blocking_check_is_known_as_the_cause(self, probe: Probe, instance: dg.DagsterInstance) -> None:
        probe.is_sound = False

        probe.run()

        assert self.only(instance).is_check_failure

    def test_a_run_that_will_be_done_again_is_known_by_its_tag(
        self, probe: Probe, instance: dg.DagsterInstance
    ) -> None:
        probe.error = ValueError()

        probe.run(**{"dagster/will_retry": "true"})

        assert self.only(instance).is_retried

    @pytest.mark.parametrize(("tags", "is_interrupted"), [({PROCESS_TAG: "casa/1/1.00"}, True), ({}, False)])
    def test_an_interruption_is_its_owners_only_when_a_command_executed_the_run(
        self, probe: Probe, instance: dg.DagsterInstance, tags: dict[str, str], is_interrupted: bool
    ) -> None:
        from dagster._core.errors import DagsterExecutionInterruptedError

        probe.error = DagsterExecutionInterruptedError()

        probe.run(**tags)

        assert self.only(instance).is_interrupted is is_interrupted

    def test_a_success_is_told_too(self, probe: Probe, instance: dg.DagsterInstance) -> None:
        probe.run()

        assert self.only(instance).is_success


class TestChecks:
    @pytest.mark.parametrize("severity", [dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN])
    def test_an_evaluation_has_its_severity_and_what_it_found(
        self, probe: Probe, instance: dg.DagsterInstance, severity: dg.AssetCheckSeverity
    ) -> None:
        probe.is_sound, probe.severity = False, severity

        probe.run()

        (end,) = events(instance).checks
        assert (end.asset, end.check, end.is_passed, end.description) == ("probe", "is_sound", False, "n1: no chunk")
        assert end.is_error is (severity is dg.AssetCheckSeverity.ERROR)

    def test_checks_with_a_rule_of_their_own_exist(self) -> None:
        graph = build_definitions().resolve_asset_graph()

        assert {dg.AssetCheckKey(dg.AssetKey(asset), check) for asset, check in WITH_OWN_RULE} <= set(
            graph.asset_check_keys
        )


class TestReading:
    def test_nothing_is_read_twice_and_nothing_missed(self, probe: Probe, instance: dg.DagsterInstance) -> None:
        probe.run()
        first = events(instance)
        seen = [end.run_id for end in first.runs]
        probe.run()

        second = events(instance, after=first.after)

        assert len(seen) == len(second.runs) == 1
        assert second.runs[0].run_id not in seen
        assert events(instance, after=second.after).runs == []

    def test_what_has_just_been_written_is_left_for_the_next_look(
        self, probe: Probe, instance: dg.DagsterInstance
    ) -> None:
        probe.run()

        now = datetime.now(UTC)
        found = NewEvents(instance, Memory(since=(now - timedelta(days=1)).timestamp()), now=now)

        assert (found.runs, found.after) == ([], None)

    def test_many_events_are_read_in_several_looks_in_their_order(
        self, probe: Probe, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(alerts, "MAX_EVENTS", 2)
        for error in (ValueError(), None, ValueError(), None, None, None):
            probe.error = error
            probe.run()

        ends: list[bool] = []
        after: int | None = None
        looks = 0
        while (found := events(instance, after=after)).after != after:
            ends += [end.is_success for end in found.runs]
            after, looks = found.after, looks + 1

        assert ends == [False, True, False, True, True, True]
        assert looks > 2

    def test_a_page_that_may_go_on_holds_back_what_came_later(self) -> None:
        def record(number: int) -> EventLogRecord:
            return EventLogRecord(storage_id=number, event_log_entry=_Entry(timestamp=float(number)))  # type: ignore[arg-type]

        pages = [[record(1), record(4)], [record(2), record(3), record(9)], []]

        def ids(*, now: float, page_size: int) -> list[int]:
            return [found.storage_id for found in in_order(pages, now=now, page_size=page_size)]

        assert ids(now=100, page_size=4) == [1, 2, 3, 4, 9]
        assert ids(now=100, page_size=2) == [1, 2, 3, 4]
        assert ids(now=9, page_size=4) == [1, 2, 3, 4]

    def test_a_record_of_the_future_holds_back_nothing(self) -> None:
        def record(number: int, moment: float) -> EventLogRecord:
            return EventLogRecord(storage_id=number, event_log_entry=_Entry(timestamp=moment))  # type: ignore[arg-type]

        pages = [[record(1, 700_000.0), record(2, 50.0)], [record(3, 98.0)]]

        assert [found.storage_id for found in in_order(pages, now=100, page_size=9)] == [1, 2]


@dataclass
class _Entry:
    timestamp: float

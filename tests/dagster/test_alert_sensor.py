"""The alert sensor: what it remembers, and the alerts that real runs and checks begin and end."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts, RunJob, range_tags
from watched_runs import NOTHING, QUIET, Looking, Probe
from watched_runs import probe as probe  # noqa: PLC0414  a fixture, re-exported to pytest
from webhook_server import WebhookServer
from webhook_server import webhook_server as webhook_server  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_assets.alerts import Memory, NewEvents, remember
from rag_assets.definitions import build_definitions
from rag_assets.indexing import dagster_instance
from rag_assets.partitions import PARTITIONS_NAME
from rag_core.alerting.delivery import Notifier, parse_addresses
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine


class TestMemory:
    NOW = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)

    @pytest.mark.parametrize("cursor", [None, "", "17", "[]", '{"other": 1}', "no JSON"])
    def test_without_a_cursor_of_ours_the_last_day_is_looked_at(self, cursor: str | None) -> None:
        memory = remember(cursor, pipeline="p", now=self.NOW)

        assert (memory.after, memory.since) == (None, (self.NOW - timedelta(days=1)).timestamp())
        assert (memory.pipeline, memory.pipeline_since) == ("p", self.NOW.timestamp())

    def test_it_is_what_was_remembered(self) -> None:
        memory = Memory(since=1.0, after=7, pipeline="p", pipeline_since=2.0, stale_judged_at=3.0)

        assert remember(memory.to_json(), pipeline="p", now=self.NOW) == memory

    def test_after_the_clock_was_set_back_times_of_the_future_are_moved_back(self) -> None:
        ahead = (self.NOW + timedelta(days=7)).timestamp()
        memory = Memory(since=ahead, after=7, pipeline="p", pipeline_since=ahead, stale_judged_at=ahead)

        after = remember(memory.to_json(), pipeline="p", now=self.NOW)

        assert after.since == (self.NOW - timedelta(days=1)).timestamp()
        assert after.pipeline_since == after.stale_judged_at == self.NOW.timestamp()

    def test_a_pipeline_that_changed_is_new_from_now_on(self) -> None:
        memory = Memory(since=1.0, after=7, pipeline="old", pipeline_since=2.0)

        after = remember(memory.to_json(), pipeline="new", now=self.NOW)

        assert after == replace(memory, pipeline="new", pipeline_since=self.NOW.timestamp())


class TestLooking:
    def test_a_failed_run_is_told_once_and_its_mending_once(
        self, probe: Probe, instance: dg.DagsterInstance, engine: Engine, webhook_server: WebhookServer
    ) -> None:
        looking = Looking(instance, engine, Notifier(addresses=parse_addresses(webhook_server.url())))
        probe.error = ValueError()
        probe.run()
        looking.look()
        looking.look()

        probe.error = None
        probe.run()
        looking.look()
        looking.look()

        assert webhook_server.titles == ["[warning] A run of probe_job failed", "[resolved] A run of probe_job failed"]
        assert "http://127.0.0.1:3000/runs/" in webhook_server.bodies[0]["message"]

    def test_a_failed_blocking_check_is_one_alert_and_not_two(
        self, probe: Probe, instance: dg.DagsterInstance, engine: Engine
    ) -> None:
        looking = Looking(instance, engine)
        probe.is_sound = False
        probe.run()

        first = looking.look()
        probe.is_sound = True
        probe.run()

        assert first == "1 firing. began: check_failed of probe/is_sound."
        assert looking.look() == "Nothing is firing. ended: check_failed of probe/is_sound."

    def test_a_failure_that_was_mended_between_two_looks_is_told_as_that(
        self, probe: Probe, instance: dg.DagsterInstance, engine: Engine, webhook_server: WebhookServer
    ) -> None:
        looking = Looking(instance, engine, Notifier(addresses=parse_addresses(webhook_server.url())))
        probe.error = ValueError()
        probe.run()
        probe.error = None
        probe.run()

        looking.look()
        looking.look()

        assert webhook_server.titles == ["[resolved before you could be told] A run of probe_job failed"]

    def test_events_of_a_rule_that_failed_are_read_again(
        self, probe: Probe, instance: dg.DagsterInstance, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looking = Looking(instance, engine)
        probe.error = ValueError()
        probe.run()
        with monkeypatch.context() as broken:
            broken.setattr(NewEvents, "_tags", lambda *_: 1 / 0)
            first = looking.look()

        second = looking.look()

        assert "could not be judged: run_failed" in first
        assert "began: run_failed of probe_job" in second
        assert "ended: watch_failed of run_failed" in second

    def test_every_note_is_looked_at_every_ten_minutes(self, instance: dg.DagsterInstance, engine: Engine) -> None:
        looking = Looking(instance, engine)

        judged = set()
        for _ in range(12):
            looking.look()
            judged.add(looking.memory.stale_judged_at)

        assert len(judged) == 2


class TestSensor:
    @pytest.fixture
    def instance(self) -> Iterator[dg.DagsterInstance]:
        """An instance on disk, which keeps runs apart from each other."""
        with dg.instance_for_test() as opened:
            yield opened

    def tick(self, instance: dg.DagsterInstance, engine: Engine, cursor: str | None) -> tuple[str, str]:
        sensor = build_definitions().resolve_sensor_def("watch_and_alert")
        resources = {"engine": engine, "notifier": NOTHING}
        with dg.build_sensor_context(instance=instance, cursor=cursor, resources=resources) as context:
            data = sensor.evaluate_tick(context)
        assert not data.run_requests
        return data.skip_message or "", data.cursor or ""

    def test_a_tick_says_what_it_found_starts_nothing_and_remembers(
        self, instance: dg.DagsterInstance, engine: Engine, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])

        said, cursor = self.tick(instance, engine, None)
        said_again, cursor_again = self.tick(instance, engine, cursor)

        assert said == said_again == "Nothing is firing."
        assert json.loads(cursor)["pipeline"] == engine.pipeline.fingerprint
        assert cursor_again == cursor

    def test_it_runs_from_the_start_every_minute(self) -> None:
        sensor = build_definitions().resolve_sensor_def("watch_and_alert")

        assert (sensor.minimum_interval_seconds, sensor.default_status) == (60, dg.DefaultSensorStatus.RUNNING)


def test_runs_and_checks_are_read_from_dagsters_storage_in_postgresql(engine: Engine) -> None:
    with dagster_instance(engine.settings, engine.database, lambda event: pytest.fail(event.message)) as instance:
        looking = Looking(instance, engine)
        probe = Probe(instance, is_sound=False)
        probe.run()
        first = looking.look()
        probe.is_sound = True
        probe.run()
        second = looking.look()
        probe.error = ValueError()
        probe.run()

        third = looking.look()

    assert (first, second, third) == (
        "1 firing. began: check_failed of probe/is_sound.",
        "Nothing is firing. ended: check_failed of probe/is_sound.",
        "1 firing. began: run_failed of probe_job.",
    )


def test_a_defect_planted_in_the_index_is_told_by_the_pipelines_own_check(
    instance: dg.DagsterInstance, engine: Engine, import_texts: ImportTexts, run_job: RunJob
) -> None:
    import_texts(["Riego el huerto los martes. El pozo baja en agosto."])
    run_job("update_index")
    looking = Looking(instance, engine)
    before = looking.look()
    with engine.database.owner() as owner:
        owner.execute("delete from brain.posting_blocks where tenant_id = %s", (TENANT,))

    run_job("check_index", is_partitioned=False)

    assert before == "Nothing is firing."
    assert "check_failed of fulltext_index/postings_are_exact" in looking.look()


def test_a_run_over_other_batches_or_none_ends_no_alert_of_a_check(
    instance: dg.DagsterInstance, engine: Engine, import_texts: ImportTexts, run_job: RunJob
) -> None:
    import_texts(["Riego el huerto los martes."])
    import_texts(["El pozo baja en agosto."], owner=TenantId("otra"))
    run_job("update_index")
    instance.add_dynamic_partitions(PARTITIONS_NAME, ["vacía"])
    looking = Looking(instance, engine)
    with engine.database.owner() as owner:
        owner.execute("create table public.kept as select * from brain.posting_blocks where tenant_id = %s", (TENANT,))
        owner.execute("delete from brain.posting_blocks where tenant_id = %s", (TENANT,))
    run_job("check_index", is_partitioned=False)
    looking.look()

    said = []
    for key in ("otra-000000", "vacía"):
        assert _update(instance, engine, key).success
        said.append(looking.look())
    with engine.database.owner() as owner:
        owner.execute("insert into brain.posting_blocks select * from public.kept")
    run_job("check_index", is_partitioned=False)

    assert [one for one in said if "ended" in one] == []
    assert "ended: check_failed of fulltext_index/postings_are_exact" in looking.look()


def test_a_range_that_failed_is_over_when_all_of_it_succeeded(instance: dg.DagsterInstance, engine: Engine) -> None:
    instance.add_dynamic_partitions(PARTITIONS_NAME, ["a", "b", "c"])
    looking = Looking(instance, engine)
    probe = Probe(instance, error=ValueError())
    probe.run(**range_tags("a", "b"))
    began = looking.look()
    probe.error = None

    said = []
    for start, end in (("b", "c"), ("a", "a")):
        probe.run(**range_tags(start, end))
        said.append(looking.look())

    assert "began: run_failed of probe_job" in began
    assert said == ["1 firing.", "Nothing is firing. ended: run_failed of probe_job."]


def _update(instance: dg.DagsterInstance, engine: Engine, key: str) -> dg.ExecuteInProcessResult:
    job = build_definitions({"engine": engine}).resolve_job_def("update_index")
    return job.execute_in_process(instance=instance, run_config=QUIET, tags=range_tags(key, key), raise_on_error=False)

"""What starts by itself when notes change: the minute's sensor and the hour's schedule."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from pipeline_runs import TENANT, ImportTexts, RunJob, job_backfill, range_tags

from rag_assets.definitions import build_definitions
from rag_assets.evaluation_report import evaluation_report
from rag_assets.fulltext_index import fulltext_index
from rag_assets.jobs import INDEX_KEYS
from rag_assets.migration import migration_report
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys
from rag_assets.planning import PUBLISHING_JOBS
from rag_assets.tuned_configuration import tuned_configuration
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.notes import delete_notes, find_note

SENSOR = "index_new_and_changed_notes"
RESTING = "Notes changed since the last look; waiting for them to rest."
Tick = Callable[[], dg.SensorResult]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """An instance on disk: a schedule opens it anew from its reference."""
    with dg.instance_for_test() as opened:
        yield opened


@pytest.fixture
def tick(engine: Engine, instance: dg.DagsterInstance) -> Tick:
    """One tick of the sensor after another, each with the cursor that the one before left."""
    cursor: list[str | None] = [None]

    def ticked() -> dg.SensorResult:
        found = _sense(engine, instance, cursor[0])
        cursor[0] = found.cursor
        return found

    return ticked


def _sense(engine: Engine, instance: dg.DagsterInstance, cursor: str | None) -> dg.SensorResult:
    sensor = build_definitions().resolve_sensor_def(SENSOR)
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"engine": engine}) as context:
        return sensor.evaluate_tick(context)  # type: ignore[return-value]  # what evaluating gives has the same fields


def _clock_at(minutes: int) -> SimpleNamespace:
    """What the sensor asks for the time, so many minutes after two."""
    moment = datetime(2025, 3, 1, 14, minutes, tzinfo=UTC)
    return SimpleNamespace(now=lambda _zone: moment, fromisoformat=datetime.fromisoformat)


@pytest.fixture
def hour(engine: Engine, instance: dg.DagsterInstance) -> Callable[[], object]:
    """One tick of the hourly schedule."""

    def ticked() -> object:
        schedule = build_definitions().resolve_schedule_def("hourly_index")
        moment = datetime(2025, 3, 1, 14, 0, tzinfo=ZoneInfo("Europe/Madrid"))
        with dg.build_schedule_context(
            instance=instance, scheduled_execution_time=moment, resources={"engine": engine}
        ) as context:
            return schedule.evaluate_tick(context)

    return ticked


class TestSensor:
    """A run is asked for once notes have rested from one tick to the next."""

    def test_new_notes_are_indexed_by_one_run_at_the_tick_after_they_came_to_rest(
        self, tick: Tick, import_texts: ImportTexts
    ) -> None:
        import_texts([f"La nota número {number}." for number in range(101)])

        first, second = tick(), tick()

        assert (_reason(first), len(first.run_requests or [])) == (RESTING, 0)
        (request,) = second.run_requests or []
        assert range_tags("pruebas-000000", "pruebas-000001").items() <= request.tags.items()

    def test_notes_that_go_on_changing_are_waited_for(self, tick: Tick, import_texts: ImportTexts) -> None:
        import_texts(["Riego el huerto los martes."])
        reasons = [_reason(tick())]
        import_texts(["Riego el huerto los jueves."])
        reasons.append(_reason(tick()))

        last = tick()

        assert reasons == [RESTING, RESTING]
        assert len(last.run_requests or []) == 1

    def test_notes_that_change_all_the_time_are_waited_for_five_minutes_and_no_longer(
        self, engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cursor, requests = None, []
        for minutes in range(6):
            import_texts([f"Riego el huerto {minutes} veces."])
            monkeypatch.setattr("rag_assets.sensors.datetime", _clock_at(minutes))
            found = _sense(engine, instance, cursor)
            cursor = found.cursor
            requests.append(len(found.run_requests or []))

        assert requests == [0, 0, 0, 0, 0, 1]

    def test_what_it_asks_for_goes_before_the_runs_of_backfills(self, tick: Tick, import_texts: ImportTexts) -> None:
        import_texts(["Riego el huerto los martes."])
        tick()

        (request,) = tick().run_requests or []

        assert request.tags["dagster/priority"] == "2"

    def test_the_same_notes_are_asked_for_once(self, tick: Tick, import_texts: ImportTexts) -> None:
        import_texts(["Riego el huerto los martes."])
        tick()
        tick()

        found = tick()

        assert (_reason(found), found.run_requests) == ("Nothing has changed.", [])

    def test_nothing_is_asked_for_while_a_run_is_on_its_way_and_again_when_it_is_over(
        self, tick: Tick, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        run = instance.create_run_for_job(_some_job, status=dg.DagsterRunStatus.STARTING)
        tick()

        meanwhile = tick()
        instance.report_run_canceled(run)
        afterwards = tick()

        assert _reason(meanwhile) == f"Run {run.run_id} is indexing or waits to."
        assert len(afterwards.run_requests or []) == 1

    def test_after_the_run_every_note_is_indexed_and_nothing_is_asked_for(
        self, tick: Tick, engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        tick()
        (request,) = tick().run_requests or []
        _execute(engine, instance, request)
        tick()

        found = tick()

        assert _reason(found) == "Every note is indexed as it stands."

    def test_an_edit_after_that_is_a_run_of_its_own(
        self, tick: Tick, run_job: RunJob, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        run_job("update_index")
        tick()
        tick()
        import_texts(["Riego el huerto los jueves."])
        tick()

        found = tick()

        assert len(found.run_requests or []) == 1

    def test_what_a_run_could_not_make_is_not_asked_for_again_until_something_changes(
        self, tick: Tick, engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])
        tick()
        (request,) = tick().run_requests or []
        _execute(engine, instance, request)
        with engine.database.owner() as connection:
            _forget_the_index_of_n1(connection)
        tick()
        assert len(tick().run_requests or []) == 1
        _touch_the_version(engine)  # a run that changes something, but not what is stale
        tick()

        found = tick()

        assert _reason(found) == "What is stale was tried as it stands; `hourly_index` tries again."

    def test_deleting_a_note_starts_nothing(
        self, tick: Tick, engine: Engine, run_job: RunJob, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])
        run_job("update_index")
        with engine.database.transaction(TENANT) as connection:
            delete_notes(connection, TENANT, [find_note(connection, TENANT, "n1")])
        tick()

        found = tick()

        assert _reason(found) == "Every note is indexed as it stands."

    def test_legacy_notes_that_wait_for_their_migration_are_left_alone(
        self, tick: Tick, engine: Engine, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])
        with engine.database.owner() as connection:
            connection.execute("update brain.notes set legacy_state = 'pending'")
        import_texts(["El tren sale a las siete."], owner=TenantId("otra"))
        tick()

        (request,) = tick().run_requests or []

        assert range_tags("otra-000000", "otra-000000").items() <= request.tags.items()

    def test_a_range_does_not_run_over_batches_whose_notes_wait_for_their_migration(
        self, tick: Tick, engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        for tenant, state in (("a", None), ("b", "pending"), ("c", None)):
            import_texts(["Riego el huerto los martes."], owner=TenantId(tenant))
            with engine.database.owner() as connection:
                connection.execute("update brain.notes set legacy_state = %s where tenant_id = %s", [state, tenant])
        tick()

        requests = tick().run_requests or []

        assert instance.get_dynamic_partitions(PARTITIONS_NAME) == ["a-000000", "b.legacy-000000", "c-000000"]
        assert [request.tags["dagster/asset_partition_range_start"] for request in requests] == ["a-000000", "c-000000"]
        assert [request.tags["dagster/asset_partition_range_end"] for request in requests] == ["a-000000", "c-000000"]


class TestHourlySchedule:
    """What is stale at the full hour, whatever was tried before."""

    def test_stale_batches_are_one_run(self, hour: Callable[[], object], import_texts: ImportTexts) -> None:
        import_texts([f"La nota número {number}." for number in range(101)])

        (request,) = hour().run_requests  # type: ignore[attr-defined]

        assert request.tags["dagster/asset_partition_range_end"] == "pruebas-000001"
        assert request.run_key == "2025-03-01T14:00:00+01:00/pruebas-000000"

    def test_with_nothing_stale_it_says_so(
        self, hour: Callable[[], object], run_job: RunJob, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        run_job("update_index")

        found = hour()

        assert (found.run_requests, found.skip_message) == ([], "Every note is indexed as it stands.")  # type: ignore[attr-defined]

    def test_while_a_run_is_on_its_way_it_waits_for_the_next_hour(
        self, hour: Callable[[], object], instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        run = instance.create_run_for_job(_some_job, status=dg.DagsterRunStatus.STARTED)

        found = hour()

        assert found.skip_message == f"Run {run.run_id} is indexing or waits to."  # type: ignore[attr-defined]

    def test_batches_that_a_backfill_makes_are_left_to_it_and_others_are_not(
        self, hour: Callable[[], object], engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts([f"La nota número {number}." for number in range(101)])
        register_batches(engine.database, TENANT)
        add_missing_keys(instance, engine.database)
        _open_backfill(instance, "pruebas-000000")
        instance.create_run_for_job(_migration, status=dg.DagsterRunStatus.STARTED)

        (request,) = hour().run_requests  # type: ignore[attr-defined]

        assert range_tags("pruebas-000001", "pruebas-000001").items() <= request.tags.items()

    def test_an_edited_batch_that_a_backfill_has_made_already_is_not_left_to_it(
        self, hour: Callable[[], object], engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts([f"La nota número {number}." for number in range(101)])
        register_batches(engine.database, TENANT)
        add_missing_keys(instance, engine.database)
        backfill = _open_backfill(instance, "pruebas-000000", "pruebas-000001")
        _say_made(instance, backfill, "pruebas-000001")

        (request,) = hour().run_requests  # type: ignore[attr-defined]

        assert range_tags("pruebas-000001", "pruebas-000001").items() <= request.tags.items()

    @pytest.mark.parametrize(("job", "requests"), [("fill_in_models", 1), ("index_notes", 0), ("migrate_notes", 0)])
    def test_a_backfill_of_a_job_counts_if_the_job_publishes(
        self,
        hour: Callable[[], object],
        engine: Engine,
        instance: dg.DagsterInstance,
        import_texts: ImportTexts,
        job: str,
        requests: int,
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        register_batches(engine.database, TENANT)
        add_missing_keys(instance, engine.database)
        instance.add_backfill(job_backfill(job, ["pruebas-000000"]))

        assert len(hour().run_requests) == requests  # type: ignore[attr-defined]

    def test_batches_of_a_backfill_that_is_over_are_anybodys(
        self, hour: Callable[[], object], engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        register_batches(engine.database, TENANT)
        add_missing_keys(instance, engine.database)
        backfill = _open_backfill(instance, "pruebas-000000")
        instance.update_backfill(backfill.with_status(BulkActionStatus.COMPLETED_FAILED))

        assert len(hour().run_requests) == 1  # type: ignore[attr-defined]


def test_the_verification_runs_every_check_at_another_time_than_the_evaluation_and_after_whatever_waits() -> None:
    definitions = build_definitions()
    evaluation = definitions.resolve_schedule_def("nightly_index_and_evaluation")
    verification = definitions.resolve_schedule_def("nightly_verification")

    with dg.build_schedule_context(
        scheduled_execution_time=datetime(2025, 3, 1, 5, 30, tzinfo=ZoneInfo("Europe/Madrid"))
    ) as context:
        (request,) = verification.evaluate_tick(context).run_requests or []

    assert (evaluation.cron_schedule, verification.cron_schedule) == ("30 3 * * *", "30 5 * * *")
    assert request.tags["dagster/priority"] == "1"
    job = definitions.resolve_job_def("check_index")
    measured = {key for asset in (evaluation_report, migration_report, tuned_configuration) for key in asset.check_keys}
    every = definitions.resolve_asset_graph().asset_check_keys
    assert set(job.asset_layer.asset_graph.asset_check_keys) & every == every - measured
    assert job.asset_layer.executable_asset_keys == set()


def test_the_jobs_that_count_as_publishing_are_those_with_the_live_index() -> None:
    jobs = [job for job in build_definitions().get_repository_def().get_all_jobs() if not job.name.startswith("__")]

    publishing = {job.name for job in jobs if fulltext_index.key in job.asset_layer.executable_asset_keys}

    assert publishing == set(PUBLISHING_JOBS)


def _open_backfill(instance: dg.DagsterInstance, *keys: str) -> PartitionBackfill:
    """A backfill of the stages over the partitions, as the UI makes it."""
    backfill = PartitionBackfill.from_asset_partitions(
        backfill_id="una",
        asset_graph=build_definitions().resolve_asset_graph(),
        partition_names=keys,
        asset_selection=INDEX_KEYS,
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        all_partitions=False,
        title=None,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    return backfill


def _say_made(instance: dg.DagsterInstance, backfill: PartitionBackfill, key: str) -> None:
    """Have the backfill count the partition as made, as the daemon does."""
    data = backfill.asset_backfill_data
    assert data is not None
    graph = build_definitions().resolve_asset_graph()
    made = AssetGraphSubset.from_asset_partition_set(
        {AssetKeyPartitionKey(asset, key) for asset in INDEX_KEYS}, asset_graph=graph
    )
    changed = data._replace(materialized_subset=made)
    instance.update_backfill(
        backfill.with_asset_backfill_data(changed, dynamic_partitions_store=instance, asset_graph=graph)
    )


def _reason(found: dg.SensorResult) -> str | None:
    return found.skip_message  # type: ignore[attr-defined]


def _execute(engine: Engine, instance: dg.DagsterInstance, request: dg.RunRequest) -> None:
    job = build_definitions({"engine": engine}).resolve_job_def("update_index")
    assert job.execute_in_process(instance=instance, tags=request.tags).success


def _forget_the_index_of_n1(connection: object) -> None:
    connection.execute("update brain.notes set indexed_fingerprint = null where external_id = 'n1'")  # type: ignore[attr-defined]
    connection.execute(
        "delete from brain.chunks where note_id = (select note_id from brain.notes where external_id = 'n1')"
    )  # type: ignore[attr-defined]


def _touch_the_version(engine: Engine) -> None:
    with engine.database.owner() as connection:
        connection.execute(
            "delete from brain.chunks where note_id = (select note_id from brain.notes where external_id = 'n0')"
        )


@dg.job(name="update_index")
def _some_job() -> None:
    """A run of this name is all that is needed."""


@dg.job(name="migrate_notes")
def _migration() -> None:
    """A run of this name is all that is needed."""

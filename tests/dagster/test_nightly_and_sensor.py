"""What the clock and the minute sensor ask Dagster for."""

from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from pipeline_runs import ImportTexts, RunJob, range_tags

from rag_assets.definitions import build_definitions
from rag_assets.partitions import PARTITIONS_NAME, BatchRange
from rag_assets.schedules import run_requests
from rag_core.engine import Engine
from rag_core.model import TenantId

HALF_PAST_THREE = datetime(2025, 3, 1, 3, 30, tzinfo=ZoneInfo("Europe/Madrid"))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """An instance on disk: a schedule opens it anew from its reference."""
    with dg.instance_for_test() as opened:
        yield opened


@pytest.fixture
def tick(engine: Engine, instance: dg.DagsterInstance) -> Callable[[], list[dg.RunRequest]]:
    """One tick of the nightly schedule."""

    def ticked() -> list[dg.RunRequest]:
        schedule = build_definitions().resolve_schedule_def("nightly_index_and_evaluation")
        with dg.build_schedule_context(
            instance=instance, scheduled_execution_time=HALF_PAST_THREE, resources={"engine": engine}
        ) as context:
            return list(schedule.evaluate_tick(context).run_requests or [])

    return ticked


def sensed(engine: Engine, instance: dg.DagsterInstance) -> dg.SensorResult:
    """One tick of the sensor, its requests carried out as the daemon does."""
    sensor = build_definitions().resolve_sensor_def("register_note_batches")
    with dg.build_sensor_context(instance=instance, resources={"engine": engine}) as context:
        data = sensor.evaluate_tick(context)
    for request in data.dynamic_partitions_requests or []:
        instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
    return data


def test_stale_batches_are_one_run_over_their_range(
    tick: Callable[[], list[dg.RunRequest]], import_texts: ImportTexts
) -> None:
    import_texts([f"La nota número {number}." for number in range(101)])

    (request,) = tick()

    assert range_tags("pruebas-000000", "pruebas-000001").items() <= request.tags.items()
    assert request.asset_selection is None


def test_the_requested_run_indexes_and_evaluates(
    tick: Callable[[], list[dg.RunRequest]],
    engine: Engine,
    instance: dg.DagsterInstance,
    import_texts: ImportTexts,
) -> None:
    import_texts(["Riego el huerto los martes."])
    (request,) = tick()

    job = build_definitions({"engine": engine}).resolve_job_def("index_notes")
    result = job.execute_in_process(instance=instance, tags=request.tags)

    done = [event.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    assert done == ["notes", "chunks", "embeddings", "fulltext_index", "causal_graph", "evaluation_report"]


def test_with_nothing_stale_the_newest_batch_is_made_and_all_is_evaluated(
    tick: Callable[[], list[dg.RunRequest]], run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts([f"La nota número {number}." for number in range(101)])
    run_job("update_index")

    (request,) = tick()

    assert range_tags("pruebas-000001", "pruebas-000001").items() <= request.tags.items()
    assert request.asset_selection is None


def test_without_notes_only_the_evaluation_runs(tick: Callable[[], list[dg.RunRequest]]) -> None:
    (request,) = tick()

    assert request.asset_selection == [dg.AssetKey("evaluation_report")]
    assert not any(tag.startswith("dagster/asset_partition") for tag in request.tags)


def test_scattered_ranges_are_a_run_each_and_the_last_one_evaluates() -> None:
    ranges = [BatchRange(start=key, end=key, wanted=1) for key in ("a-000000", "a-000900")]

    first, last = run_requests("2025-03-01", ranges)

    assert [key.to_user_string() for key in first.asset_selection or []] == [
        "notes",
        "chunks",
        "embeddings",
        "fulltext_index",
        "causal_graph",
    ]
    assert last.asset_selection is None
    assert last.tags["dagster/priority"] == "-1"


def test_the_schedule_runs_from_the_start_at_half_past_three_of_the_configured_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BRAIN_TIMEZONE", "America/Bogota")

    schedule = build_definitions().resolve_schedule_def("nightly_index_and_evaluation")

    assert (schedule.cron_schedule, schedule.execution_timezone) == ("30 3 * * *", "America/Bogota")
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING


def test_the_sensor_makes_new_batches_partitions_and_starts_nothing(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
) -> None:
    import_texts([f"La nota número {number}." for number in range(101)])
    import_texts(["Otra persona."], owner=TenantId("otra"))

    found = sensed(engine, instance)

    assert instance.get_dynamic_partitions(PARTITIONS_NAME) == ["otra-000000", "pruebas-000000", "pruebas-000001"]
    assert not found.run_requests


def test_a_second_tick_of_the_sensor_asks_for_nothing(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    sensed(engine, instance)

    found = sensed(engine, instance)

    assert not found.dynamic_partitions_requests
    assert found.skip_message == "Every note has its batch, and every batch its partition."

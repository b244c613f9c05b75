"""Requests of the clock and the minute sensor to Dagster."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef
from legacy_notes import attach_notes
from pipeline_runs import TENANT, ImportTexts, RunJob, range_tags
from scheduling import reference as reference  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_assets.definitions import build_definitions
from rag_assets.jobs import INDEX_KEYS
from rag_assets.partitions import PARTITIONS_NAME, BatchRange
from rag_assets.schedules import run_requests
from rag_core.migration import control
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

INDEX = dg.AssetKey("fulltext_index")
HALF_PAST_THREE = datetime(2025, 3, 1, 3, 30, tzinfo=ZoneInfo("Europe/Madrid"))


@pytest.fixture
def tick(engine: Engine, reference: InstanceRef) -> Callable[[], list[dg.RunRequest]]:
    """One tick of the nightly schedule."""

    def ticked() -> list[dg.RunRequest]:
        schedule = build_definitions().resolve_schedule_def("nightly_index_and_evaluation")
        with dg.build_schedule_context(
            instance_ref=reference, scheduled_execution_time=HALF_PAST_THREE, resources={"engine": engine}
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

    request, _ = tick()

    assert range_tags("pruebas-000000", "pruebas-000001").items() <= request.tags.items()
    assert request.asset_selection == INDEX_KEYS


def test_the_requested_runs_index_and_then_evaluate(
    tick: Callable[[], list[dg.RunRequest]],
    engine: Engine,
    instance: dg.DagsterInstance,
    import_texts: ImportTexts,
) -> None:
    import_texts(["Riego el huerto los martes."])

    results = [_execute(engine, instance, request) for request in tick()]

    assert [_made(result) for result in results] == [
        ["notes", "chunks", "embeddings", "fulltext_index", "knowledge_graph"],
        ["evaluation_report"],
    ]


def test_damage_in_what_is_indexed_does_not_keep_it_from_being_evaluated(
    tick: Callable[[], list[dg.RunRequest]],
    engine: Engine,
    instance: dg.DagsterInstance,
    run_job: RunJob,
    import_texts: ImportTexts,
) -> None:
    import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])
    run_job("update_index")
    with engine.database.owner() as connection:
        connection.execute(
            "delete from brain.chunks c using brain.notes n where n.note_id = c.note_id and external_id = 'n0'"
        )
    import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao.", "El tren sale a las siete."])

    indexing, evaluation = (_execute(engine, instance, request) for request in tick())

    assert not indexing.success
    assert evaluation.success
    assert _made(evaluation) == ["evaluation_report"]
    assert {found.check_name for found in evaluation.get_asset_check_evaluations()} == {
        "both_legs_take_part",
        "hit_rate_reaches_target",
        "hybrid_is_not_below_its_better_leg",
        "latency_p95_is_within_target",
        "quality_has_not_dropped",
        "rankings_are_explained",
    }


def test_with_nothing_stale_the_index_is_said_to_be_up_to_date_and_all_is_evaluated(
    tick: Callable[[], list[dg.RunRequest]], instance: dg.DagsterInstance, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    run_job("update_index")
    before = instance.get_latest_materialization_event(INDEX)

    (request,) = tick()

    assert request.asset_selection == [dg.AssetKey("evaluation_report")]
    after = instance.get_latest_materialization_event(INDEX)
    assert (before and before.run_id) != (after and after.run_id)


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_the_index_of_legacy_notes_only_is_fresh_though_none_may_be_made(
    tick: Callable[[], list[dg.RunRequest]], engine: Engine, instance: dg.DagsterInstance, state: str
) -> None:
    attach_notes(engine, notes=1)
    if state == "stopped":
        control.stop(engine.database, TENANT)

    (request,) = tick()

    assert request.asset_selection == [dg.AssetKey("evaluation_report")]
    assert instance.get_latest_materialization_event(INDEX) is not None


def test_without_notes_only_the_evaluation_runs(tick: Callable[[], list[dg.RunRequest]]) -> None:
    (request,) = tick()

    assert request.asset_selection == [dg.AssetKey("evaluation_report")]
    assert not any(tag.startswith("dagster/asset_partition") for tag in request.tags)


def test_scattered_ranges_are_a_run_each_before_backfills_and_the_evaluation_is_the_last_of_the_night() -> None:
    ranges = [BatchRange(start=key, end=key, wanted=1) for key in ("a-000000", "a-000900")]

    *indexing, evaluation = run_requests("2025-03-01", ranges)

    assert [request.asset_selection for request in indexing] == [INDEX_KEYS, INDEX_KEYS]
    assert [request.tags["dagster/priority"] for request in (*indexing, evaluation)] == ["2", "2", "1"]
    assert {request.tags["brain/night"] for request in (*indexing, evaluation)} == {"yes"}


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


def _execute(engine: Engine, instance: dg.DagsterInstance, request: dg.RunRequest) -> dg.ExecuteInProcessResult:
    job = build_definitions({"engine": engine}).resolve_job_def("index_notes")
    subset = job.get_subset(
        asset_selection=set(request.asset_selection or ()),
        asset_check_selection=None if request.asset_check_keys is None else set(request.asset_check_keys),
    )
    return subset.execute_in_process(instance=instance, tags=request.tags, raise_on_error=False)


def _made(result: dg.ExecuteInProcessResult) -> list[str]:
    return [event.asset_key.to_user_string() for event in result.get_asset_materialization_events() if event.asset_key]

"""Automatic starts when notes change: the minute's sensor and the hour's schedule."""

from datetime import UTC, datetime
from types import SimpleNamespace

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts, RunJob, range_tags
from scheduling import Tick, _sense, _some_job
from scheduling import tick as tick  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_assets.definitions import build_definitions
from rag_assets.partitions import PARTITIONS_NAME
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.notes import delete_notes, find_note

RESTING = "Notes changed since the last look; waiting for them to rest."


def _clock_at(minutes: int) -> SimpleNamespace:
    """Clock of the sensor, so many minutes after two."""
    moment = datetime(2025, 3, 1, 14, minutes, tzinfo=UTC)
    return SimpleNamespace(now=lambda _zone: moment, fromisoformat=datetime.fromisoformat)


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

    def test_notes_of_a_tenant_do_not_wait_for_the_run_over_anothers(
        self, tick: Tick, instance: dg.DagsterInstance, import_texts: ImportTexts
    ) -> None:
        import_texts(["Riego el huerto los martes."])
        tick()
        (under_way,) = tick().run_requests or []
        instance.create_run_for_job(_some_job, tags=under_way.tags, status=dg.DagsterRunStatus.STARTED)
        import_texts(["El tren sale a las siete."], owner=TenantId("otra"))
        tick()

        (request,) = tick().run_requests or []
        instance.create_run_for_job(_some_job, tags=request.tags, status=dg.DagsterRunStatus.STARTED)
        meanwhile = tick()

        assert range_tags("otra-000000", "otra-000000").items() <= request.tags.items()
        assert (_reason(meanwhile) or "").endswith("is indexing or waits to.")

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

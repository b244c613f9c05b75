"""The hourly schedule, and the jobs that publish."""

import time
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.instance.ref import InstanceRef
from pipeline_runs import TENANT, ImportTexts, RunJob, job_backfill, range_tags
from scheduling import _some_job
from scheduling import reference as reference  # noqa: PLC0414  a fixture, re-exported to pytest
from scheduling import tick as tick  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_assets.definitions import build_definitions
from rag_assets.evaluation_report import evaluation_report
from rag_assets.fulltext_index import fulltext_index
from rag_assets.jobs import INDEX_KEYS
from rag_assets.migration import migration_report
from rag_assets.partitions import add_missing_keys
from rag_assets.planning import PUBLISHING_JOBS
from rag_assets.tuned_configuration import tuned_configuration
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches


@pytest.fixture
def hour(engine: Engine, reference: InstanceRef) -> Callable[[], object]:
    """One tick of the hourly schedule."""

    def ticked() -> object:
        schedule = build_definitions().resolve_schedule_def("hourly_index")
        moment = datetime(2025, 3, 1, 14, 0, tzinfo=ZoneInfo("Europe/Madrid"))
        with dg.build_schedule_context(
            instance_ref=reference, scheduled_execution_time=moment, resources={"engine": engine}
        ) as context:
            return schedule.evaluate_tick(context)

    return ticked


class TestHourlySchedule:
    """The schedule takes what is stale at the full hour, whatever was tried before."""

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


@dg.job(name="migrate_notes")
def _migration() -> None:
    """A run of this name is all that is needed."""

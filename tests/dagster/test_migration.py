"""The migration of legacy notes in this process, as `brain migration run` and the job `migrate_notes` do it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import dagster as dg
import pytest
from databases import cloned_database
from legacy_notes import BATCH, NOTES, add_golden_set, attach_notes, legacy_states, lose_golden_chunks
from migrated_notes import _evaluations, _report, _report_events, _run_range, engine_without_dagster
from migrated_notes import engine as engine  # noqa: PLC0414  a fixture, re-exported to pytest
from pipeline_runs import TENANT, ImportTexts, RunJob, run_over_all
from psycopg.conninfo import conninfo_to_dict

from rag_assets.indexing import IndexEvent
from rag_assets.migration import QUALITY_CHECK, MigrationRunReport, run_migration
from rag_assets.migration_checks import MIGRATION
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys
from rag_core.errors import ConflictError, NotFoundError
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.migration import control
from rag_core.migration.measuring import fetch_progress, follow, measure_before
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_batches, pending_batches


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str) -> str:
    """The database after the migration that the test asks for, or an empty one."""
    for name in ("whole", "regressed"):
        if name in request.fixturenames:
            return request.getfixturevalue(name).database  # type: ignore[no-any-return]
    return template


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """A database after a run of the migration, what was reported and told; nobody is connected to it."""

    database: str
    report: MigrationRunReport
    events: list[IndexEvent]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """A run of the job, and the evaluations afterwards, newest first."""

    result: dg.ExecuteInProcessResult
    evaluations: list[Any]


@pytest.fixture(scope="module")
def whole(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Migrated]:
    """All three batches migrated."""
    with cloned_database(server, template) as url:
        with engine_without_dagster(url, home=tmp_path_factory.mktemp("whole")) as engine:
            attach_notes(engine)
            add_golden_set(engine)
            events: list[IndexEvent] = []
            report = run_migration(engine, TENANT, on_event=events.append)
        yield Migrated(database=conninfo_to_dict(url)["dbname"], report=report, events=events)


@pytest.fixture(scope="module")
def regressed(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Migrated]:
    """Four batches, of which two are migrated: after the first the golden notes lost their chunks."""
    with cloned_database(server, template) as url:
        with engine_without_dagster(url, home=tmp_path_factory.mktemp("regressed")) as engine:
            attach_notes(engine, notes=4 * BATCH)
            add_golden_set(engine)
            report = run_migration(engine, TENANT, on_event=_after(BATCH, lambda: lose_golden_chunks(engine)))
        yield Migrated(database=conninfo_to_dict(url)["dbname"], report=report, events=[])


@pytest.fixture(scope="module")
def by_its_job(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobRun]:
    """A run of the job over all three batches, begun from Dagster."""
    with (
        cloned_database(server, template) as url,
        engine_without_dagster(url, home=tmp_path_factory.mktemp("job")) as engine,
        dg.DagsterInstance.ephemeral() as instance,
    ):
        attach_notes(engine)
        add_golden_set(engine)
        result = run_over_all("migrate_notes", engine.database, instance, with_engine=engine)
        yield JobRun(result=result, evaluations=_evaluations(engine))


def test_all_that_is_pending_is_migrated_newest_first_and_measured_after_each_batch(
    engine: Engine, whole: Migrated
) -> None:
    assert whole.report.batches == 3
    assert whole.report.migrated == NOTES
    assert whole.report.failed == 0
    assert whole.report.evaluations == 4
    assert whole.report.state == "running"
    assert whole.report.stopped is None
    assert legacy_states(engine) == {"migrated": NOTES}
    migrated = [BATCH, 2 * BATCH, 3 * BATCH]
    assert [run.circumstances["migratedNotes"] for run in reversed(_evaluations(engine))] == [0, *migrated]
    assert [event.message.partition(",")[0] for event in whole.events[-3:]] == [
        f"{done} of {NOTES} notes migrated" for done in migrated
    ]


def test_a_row_that_was_refused_is_no_failure_of_the_note_it_changed(engine: Engine) -> None:
    attach_notes(engine, notes=1)
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.migration_failures (tenant_id, source, external_id, stage, attempts, reason) "
            "select tenant_id, source, external_id, 'attachment', 5, 'sin fecha' from brain.notes"
        )

    before = fetch_progress(engine.database, TENANT)
    report = run_migration(engine, TENANT, on_event=lambda _event: None)

    assert before is not None
    assert before.waiting_batches == 1
    assert before.failed == 0
    assert report.migrated == 1
    assert report.failed == 0


@pytest.mark.usefixtures("whole")
def test_later_evaluations_are_compared_with_the_one_before_the_first_batch(engine: Engine) -> None:
    *later, first = _evaluations(engine)

    assert first.comparison is None
    assert [run.comparison and run.comparison.baseline_run_id for run in later] == [first.run_id] * 3


def test_a_regression_stops_the_migration_and_says_by_how_much_and_where(engine: Engine, regressed: Migrated) -> None:
    report = regressed.report
    last = _evaluations(engine)[0]
    assert report.batches == 2
    assert report.migrated == 2 * BATCH
    assert report.state == "stopped"
    assert report.stopped is not None
    assert "ndcg_at_10 fell by 1.000 from 1.000 to 0.000 (one-sided p = 0.0002) after 2 of 4 batches" in report.stopped
    assert str(last.run_id) in report.stopped
    assert _stopped_by(engine) == last.run_id
    assert legacy_states(engine) == {"migrated": 2 * BATCH, "pending": 2 * BATCH}


@pytest.mark.usefixtures("regressed")
def test_a_migration_whose_regression_was_mended_goes_on_to_the_end(engine: Engine) -> None:
    _index_newest_batch(engine)
    control.resume(engine.database, TENANT)

    report = run_migration(engine, TENANT)

    assert report.batches == 2
    assert report.migrated == 2 * BATCH
    assert report.evaluations == 2
    assert report.stopped is None
    assert legacy_states(engine) == {"migrated": 4 * BATCH}


@pytest.mark.usefixtures("regressed")
def test_a_regression_that_was_not_mended_stops_it_again_after_one_batch(engine: Engine) -> None:
    control.resume(engine.database, TENANT)

    report = run_migration(engine, TENANT)

    assert report.batches == 1
    assert report.state == "stopped"


def test_it_is_measured_as_often_as_the_migration_says_and_at_the_end(engine: Engine) -> None:
    attach_notes(engine, evaluate_every=2)
    add_golden_set(engine)

    report = run_migration(engine, TENANT)

    assert report.evaluations == 3
    assert [run.circumstances["batches"] for run in reversed(_evaluations(engine))] == [0, 2, 3]


def test_without_a_golden_set_it_is_migrated_unmeasured(engine: Engine) -> None:
    attach_notes(engine, notes=BATCH)

    report = run_migration(engine, TENANT)

    assert report.migrated == BATCH
    assert report.evaluations == 0
    assert report.stopped is None


def test_another_process_that_stops_it_ends_it_between_two_runs(engine: Engine) -> None:
    attach_notes(engine)

    report = run_migration(
        engine, TENANT, on_event=_after(BATCH, lambda: control.stop(engine.database, TENANT, reason="comida") and None)
    )

    assert report.migrated == BATCH
    assert report.state == "stopped"
    assert report.stopped == "comida"


def test_a_tenant_without_migration_is_told_how_to_begin_one(engine: Engine) -> None:
    with pytest.raises(NotFoundError, match="brain migration attach"):
        run_migration(engine, TENANT)


def test_a_stopped_migration_does_not_run_and_says_why(engine: Engine) -> None:
    attach_notes(engine, notes=1)
    control.stop(engine.database, TENANT, reason="mantenimiento")

    with pytest.raises(ConflictError, match=r"stopped \(mantenimiento\).*brain migration resume"):
        run_migration(engine, TENANT)


def test_the_report_tells_figures_to_plot_counts_by_partition_and_a_summary(by_its_job: JobRun) -> None:
    assert by_its_job.result.success
    metadata = _report(by_its_job.result)
    assert metadata["progress_percent"].value == 100.0
    assert metadata["errors"].value == 0.0
    assert metadata["hit_rate_at_10"].value == 1.0
    assert metadata["chunks_per_note"].value == 1.0
    assert metadata["notes_per_second"].value > 0
    assert metadata["latency_p50_ms"].value > 0
    assert metadata["chunks_table_bytes"].value > 8192
    assert f"- Notes: {NOTES} of {NOTES} migrated, 0 pending, 0 failed" in metadata["report"].value
    assert _migrated_by_partition(by_its_job.result) == [BATCH, BATCH, BATCH]


def test_every_promise_of_the_migration_is_checked_by_its_job(by_its_job: JobRun) -> None:
    verdicts = {e.check_name: e.passed for e in by_its_job.result.get_asset_check_evaluations()}
    assert all(verdicts.values())
    assert verdicts.keys() >= {QUALITY_CHECK, *(invariant.name for invariant in MIGRATION)}


def test_a_migration_begun_from_dagster_is_measured_before_its_first_batch(by_its_job: JobRun) -> None:
    assert [run.circumstances["migratedNotes"] for run in by_its_job.evaluations] == [NOTES, 0]


def test_an_evaluation_that_met_an_outage_is_no_baseline_and_is_made_again(engine: Engine) -> None:
    attach_notes(engine, notes=BATCH)
    add_golden_set(engine)
    measure_before(engine, TENANT)
    _plant_an_outage_in_the_evaluations(engine)

    report = run_migration(engine, TENANT)

    later, again, disturbed = _evaluations(engine)
    assert report.evaluations == 2
    assert disturbed.is_disturbed is True
    assert later.comparison.baseline_run_id == again.run_id


def test_a_migration_that_was_never_measured_undisturbed_warns_that_it_is_unguarded(
    engine: Engine, instance: dg.DagsterInstance
) -> None:
    attach_notes(engine)
    add_golden_set(engine)
    add_missing_keys(instance, engine.database)
    keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
    _run_range(engine, instance, keys[0], keys[0])
    _plant_an_outage_in_the_evaluations(engine)

    check = _quality_check(_run_range(engine, instance, keys[1], keys[1]))

    assert check.passed is False
    assert check.severity == dg.AssetCheckSeverity.WARN
    assert check.description == (
        f"{TENANT}: no undisturbed evaluation was made before the first batch, so there is nothing to compare with"
    )


def test_a_golden_set_too_small_for_a_verdict_is_warned_of(engine: Engine, run_job: RunJob) -> None:
    attach_notes(engine)
    add_golden_set(engine)
    with engine.database.owner() as connection:
        connection.execute(
            "delete from brain.golden_queries where query_id in (select query_id from brain.golden_queries limit 3)"
        )

    check = _quality_check(run_job("migrate_notes"))

    assert check.passed is False
    assert check.severity == dg.AssetCheckSeverity.WARN
    assert check.description == f"{TENANT}: the golden set has 9 queries, 10 are needed for a verdict"


@pytest.mark.usefixtures("regressed")
def test_a_step_tried_again_after_an_outage_still_knows_that_the_migration_was_stopped(engine: Engine) -> None:
    began = _evaluations(engine)[-1].created_at
    batches = [batch.key for batch in list_batches(engine.database)]

    again = follow(engine, TENANT, batches, since=began)
    another_run = follow(engine, TENANT, batches, since=datetime.now(UTC))

    assert again is not None
    assert another_run is not None
    assert again.has_stopped is True
    assert another_run.has_stopped is False


def test_notes_that_belong_to_no_migration_are_passed_over(run_job: RunJob, import_texts: ImportTexts) -> None:
    import_texts(["Una nota nueva."])

    result = run_job("migrate_notes")

    assert result.success
    assert "No note of these batches is being migrated" in _report(result)["report"].value


def _after(done: int, act: Callable[[], object]) -> Callable[[IndexEvent], None]:
    """Act once, when so many notes are migrated."""
    acted: list[bool] = []

    def see(event: IndexEvent) -> None:
        if event.message.startswith(f"{done} of ") and not acted:
            acted.append(True)
            act()

    return see


def _index_newest_batch(engine: Engine) -> None:
    newest = [batch.key for batch in list_batches(engine.database)][:1]
    assert newest not in pending_batches(engine.database, TENANT)
    stage_notes(engine.database, TENANT, newest, engine.pipeline, is_full=True)
    embed_staged(engine.database, TENANT, newest, engine.pipeline)
    publish_staged(engine.database, TENANT, newest, engine.pipeline)


def _plant_an_outage_in_the_evaluations(engine: Engine) -> None:
    with engine.database.owner() as connection:
        connection.execute("update brain.evaluation_runs set degraded_queries = 0, failed_queries = total_queries")


def _quality_check(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (check,) = [found for found in result.get_asset_check_evaluations() if found.check_name == QUALITY_CHECK]
    return check


def _stopped_by(engine: Engine) -> UUID | None:
    with engine.database.owner() as connection:
        row = connection.execute("select stopped_by_run from brain.migrations").fetchone()
    assert row is not None
    return row[0]  # type: ignore[no-any-return]


def _migrated_by_partition(result: dg.ExecuteInProcessResult) -> list[int]:
    return [int(str(event.metadata["migrated_in_batch"].value)) for event in _report_events(result)]

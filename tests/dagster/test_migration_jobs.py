"""The jobs that stop, resume, roll back and finish a migration, and backfills beside it."""

import time
from typing import Any

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from legacy_notes import BATCH, NOTES, add_golden_set, attach_notes, legacy_states, lose_golden_chunks
from migrated_notes import QUIET, _evaluations, _report, _run_range
from migrated_notes import engine as engine  # noqa: PLC0414  a fixture, re-exported to pytest
from pipeline_runs import TENANT, ImportTexts, job_backfill

from rag_assets.definitions import build_definitions
from rag_assets.migration import QUALITY_CHECK, cancel_backfills, run_migration
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys
from rag_core.migration import control
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_batches


def test_a_regression_fails_its_check_and_cancels_the_backfill_that_would_go_on(
    engine: Engine, instance: dg.DagsterInstance
) -> None:
    attach_notes(engine)
    add_golden_set(engine)
    add_missing_keys(instance, engine.database)
    keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
    _run_range(engine, instance, keys[0], keys[0])
    lose_golden_chunks(engine)
    backfill = _backfill(instance, keys)

    result = _run_range(engine, instance, keys[1], keys[1])

    failed = {e.check_name: e for e in result.get_asset_check_evaluations() if not e.passed}
    assert set(failed) == {QUALITY_CHECK}
    assert failed[QUALITY_CHECK].severity == dg.AssetCheckSeverity.ERROR
    assert "ndcg_at_10 fell by 1.000" in (failed[QUALITY_CHECK].description or "")
    assert _status(instance, backfill) == BulkActionStatus.CANCELING
    assert _report(result)["cancelled_backfills"].value == [backfill]


def test_backfills_of_other_notes_go_on(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
) -> None:
    import_texts(["Una nota nueva."])
    attach_notes(engine, notes=1)
    add_missing_keys(instance, engine.database)
    others = [batch.key for batch in list_batches(engine.database) if not batch.is_legacy]
    backfill = _backfill(instance, others)

    cancelled = cancel_backfills(instance, engine.database, TENANT)

    assert cancelled == []
    assert _status(instance, backfill) == BulkActionStatus.REQUESTED


@pytest.mark.parametrize("job", ["update_index", "index_notes", "migrate_notes"])
def test_the_backfill_of_any_job_that_would_chunk_legacy_notes_is_cancelled(
    engine: Engine, instance: dg.DagsterInstance, job: str
) -> None:
    attach_notes(engine, notes=1)
    add_missing_keys(instance, engine.database)
    backfill = job_backfill(job, list(instance.get_dynamic_partitions(PARTITIONS_NAME)))
    instance.add_backfill(backfill)

    cancelled = cancel_backfills(instance, engine.database, TENANT)

    assert cancelled == [backfill.backfill_id]
    assert _status(instance, backfill.backfill_id) == BulkActionStatus.CANCELING


def test_stopping_by_its_job_leaves_pending_notes_alone_and_cancels_backfills(
    engine: Engine, instance: dg.DagsterInstance
) -> None:
    attach_notes(engine)
    add_missing_keys(instance, engine.database)
    backfill = _backfill(instance, instance.get_dynamic_partitions(PARTITIONS_NAME))

    result = _run_op(engine, instance, "stop_migration", "stop_migrating", tenant=TENANT, reason="comida")

    assert _output(result) == {"state": "stopped", "pending": NOTES, "migrated": 0, "failed": 0, "tenant": TENANT} | {
        "cancelled_backfills": backfill
    }
    assert _status(instance, backfill) == BulkActionStatus.CANCELING


def test_resuming_by_its_job_lets_it_go_on(engine: Engine, instance: dg.DagsterInstance) -> None:
    attach_notes(engine, notes=1)
    control.stop(engine.database, TENANT)

    _run_op(engine, instance, "resume_migration", "resume_migrating", tenant=TENANT)

    assert run_migration(engine, TENANT).migrated == 1


def test_rolling_back_by_its_job_makes_every_note_whole_again(engine: Engine, instance: dg.DagsterInstance) -> None:
    attach_notes(engine, notes=BATCH)
    run_migration(engine, TENANT)

    result = _run_op(engine, instance, "roll_back_migration", "roll_notes_back", tenant=TENANT)

    assert (_output(result)["notes"], _output(result)["failed"]) == (BATCH, 0)
    assert legacy_states(engine) == {"pending": BATCH}
    assert control.fetch_state(engine.database, TENANT) == "rolled_back"


def test_finishing_by_its_job_measures_first_and_ends_the_migration(
    engine: Engine, instance: dg.DagsterInstance
) -> None:
    attach_notes(engine, notes=BATCH)
    add_golden_set(engine)
    run_migration(engine, TENANT)

    result = _run_op(engine, instance, "finish_migration", "finish_migrating", tenant=TENANT)

    assert _output(result)["evaluation_run"] == str(_evaluations(engine)[0].run_id)
    assert (_output(result)["migrated"], _output(result)["hit_rate_at_10"]) == (BATCH, 1.0)
    assert control.fetch_state(engine.database, TENANT) == "finished"


def _run_op(
    engine: Engine, instance: dg.DagsterInstance, job: str, op: str, **config: str
) -> dg.ExecuteInProcessResult:
    definition = build_definitions({"engine": engine}).resolve_job_def(job)
    return definition.execute_in_process(instance=instance, run_config=QUIET | {"ops": {op: {"config": config}}})


def _output(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    (event,) = [event for event in result.all_events if event.is_successful_output]
    return {name: value.value for name, value in event.step_output_data.metadata.items()}


def _backfill(instance: dg.DagsterInstance, keys: list[str]) -> str:
    """A backfill of all stages over these partitions, as the UI asks for it; its id."""
    graph = build_definitions().resolve_asset_graph()
    backfill = PartitionBackfill.from_asset_partitions(
        backfill_id="rellenado",
        asset_graph=graph,
        partition_names=list(keys),
        asset_selection=[dg.AssetKey(name) for name in ("notes", "chunks", "embeddings", "fulltext_index")],
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        all_partitions=False,
        title=None,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    return "rellenado"


def _status(instance: dg.DagsterInstance, backfill_id: str) -> BulkActionStatus:
    backfill = instance.get_backfill(backfill_id)
    assert backfill is not None
    return backfill.status

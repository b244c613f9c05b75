"""The causal graph as an asset: what it counts, and what makes it run again."""

from typing import Any

import dagster as dg
from migrated_notes import engine as engine  # noqa: PLC0414  a fixture, re-exported to pytest
from pipeline_runs import TENANT, ImportTexts, RunJob

from rag_assets.indexing import run_index
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

CHAIN = ["No dormí bien porque tomé café por la tarde.", "Llegué tarde a la reunión por no haber dormido bien."]


def test_the_asset_counts_notes_read_entities_and_relations_of_every_tenant(
    run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(CHAIN)
    import_texts(["La tormenta provocó el apagón."], owner=TenantId("otra"))

    result = run_job("update_index")

    assert result.success
    assert _counts(result) == (3, 5, 3)
    assert [e.passed for e in result.get_asset_check_evaluations() if e.check_name == "evidence_lies_in_its_note"] == [
        True
    ]


def test_a_second_run_reads_no_note_again(run_job: RunJob, import_texts: ImportTexts) -> None:
    import_texts(CHAIN)
    run_job("update_index")

    result = run_job("update_index")

    assert _counts(result) == (0, 3, 2)


def test_a_graph_that_is_behind_alone_makes_its_batch_stale(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(CHAIN)
    run_index(engine, tenants=[TENANT], is_full=False)
    with engine.database.owner() as connection:
        connection.execute("update brain.graph_notes set fingerprint = 'rules-0'")
        connection.execute("delete from brain.relations")

    report = run_index(engine, tenants=[TENANT], is_full=False)

    with engine.database.owner() as connection:
        row = connection.execute("select count(*) from brain.relations").fetchone()
    assert (report.embedded, row) == (0, (2,))


def _counts(result: dg.ExecuteInProcessResult) -> tuple[int, ...]:
    events = [e for e in result.get_asset_materialization_events() if e.asset_key == dg.AssetKey("knowledge_graph")]
    metadata: dict[str, Any] = dict(events[0].materialization.metadata)
    return tuple(metadata[name].value for name in ("notes", "entities", "relations"))

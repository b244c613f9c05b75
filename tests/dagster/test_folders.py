"""Followed folders in Dagster: the sensor asks for an import when something changed, and the job does it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from rag_assets.definitions import build_definitions
from rag_assets.folders import import_changed_folders
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.documents import watch_folder
from rag_core.storage.notes import count_notes, ensure_tenant

ANA = TenantId("ana")


@pytest.fixture
def folder(engine: Engine, tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("Uno", encoding="utf-8")
    with engine.database.transaction(ANA) as connection:
        ensure_tenant(connection, ANA)
        watch_folder(
            connection,
            ANA,
            source="notas",
            path=str(tmp_path),
            device=str(tmp_path.stat().st_dev),
            exclude=["*.tmp.md"],
            language=None,
        )
    return tmp_path


def looked(engine: Engine, instance: dg.DagsterInstance) -> dg.SensorResult:
    context = dg.build_sensor_context(instance=instance, resources={"engine": engine})
    result = import_changed_folders(context)
    assert isinstance(result, dg.SensorResult)
    return result


def imported(engine: Engine, instance: dg.DagsterInstance) -> int:
    """Run the job; the number of notes afterwards."""
    build_definitions({"engine": engine}).resolve_job_def("import_folders").execute_in_process(instance=instance)
    with engine.database.transaction(ANA) as connection:
        return count_notes(connection, ANA)["notes"]


def test_a_new_file_asks_for_a_run_that_imports_it(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    (request,) = looked(engine, instance).run_requests or []

    assert request.tags["brain/folder"] == "ana/notas"
    assert imported(engine, instance) == 1


@pytest.mark.usefixtures("folder")
def test_where_nothing_changed_nothing_is_asked_for(engine: Engine, instance: dg.DagsterInstance) -> None:
    imported(engine, instance)

    assert not looked(engine, instance).run_requests


def test_what_the_folder_leaves_out_is_no_change(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    imported(engine, instance)
    (folder / "b.tmp.md").write_text("Dos", encoding="utf-8")

    assert not looked(engine, instance).run_requests


def test_a_folder_that_is_away_fails_no_other(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    imported(engine, instance)
    folder.rename(folder.with_name("away"))

    assert imported(engine, instance) == 1


def materialised(engine: Engine, instance: dg.DagsterInstance) -> dict[str, Any]:
    """Run the job; the metadata of its asset."""
    result = (
        build_definitions({"engine": engine}).resolve_job_def("import_folders").execute_in_process(instance=instance)
    )
    (event,) = result.get_asset_materialization_events()
    assert event.asset_key == dg.AssetKey("documents")
    return {name: value.value for name, value in event.materialization.metadata.items()}


def test_what_became_of_the_files_is_counted(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    (folder / "b.csv").write_text("Cosa;Euros\nBroca;12\n", encoding="utf-8")
    (folder / "c.pdf").write_bytes(b"%PDF-1.7\nbroken")
    (folder / "d.md").write_text("---\ndate: someday\n---\nDos", encoding="utf-8")

    metadata = materialised(engine, instance)

    assert {name: metadata[name] for name in ("imported", "refused", "folders", "documents", "blocks", "warnings")} == {
        "imported": 3,
        "refused": 1,
        "folders": 1,
        "documents": 4,
        "blocks": 3,
        "warnings": 1,
    }
    rows = [record.data for record in metadata["by_state_format_and_parser"].records]
    assert [(row["state"], row["format"], row["documents"]) for row in rows] == [
        ("imported", "csv", 1),
        ("imported", "md", 2),
        ("refused", None, 1),
    ]


def test_what_was_imported_is_indexed_at_once(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    imported(engine, instance)

    with engine.database.owner() as connection:
        found = connection.execute("select indexed_fingerprint from brain.notes").fetchall()
    assert found == [(engine.pipeline.fingerprint,)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("is_on", "shown"), [(False, "*pages are shown of the demo's documents only*"), (True, "**a.md**\n\nUno")]
)
def test_pages_of_others_than_the_demo_are_shown_where_that_is_switched_on(
    engine: Engine, instance: dg.DagsterInstance, is_on: bool, shown: str
) -> None:
    settings = engine.settings.model_copy(update={"dagster_previews": is_on})

    assert materialised(replace(engine, settings=settings), instance)["preview"] == shown


def test_a_page_of_the_demo_is_shown(folder: Path, engine: Engine, instance: dg.DagsterInstance) -> None:
    with engine.database.owner() as connection:
        connection.execute("insert into brain.tenants (tenant_id) values ('demo') on conflict do nothing")
        connection.execute("update brain.folders set tenant_id = 'demo'")

    assert materialised(engine, instance)["preview"] == "**a.md**\n\nUno"

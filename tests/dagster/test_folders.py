"""Followed folders in Dagster: the sensor asks for an import when something changed, and the job does it."""

from pathlib import Path

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

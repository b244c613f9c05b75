"""Runs of the migration and what Dagster stored of them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pipeline_runs import TENANT, range_tags

from rag_assets.definitions import build_definitions
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.evaluations import list_runs

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def engine(database_url: str, tmp_path: Path) -> Iterator[Engine]:
    """An engine whose home cannot reach a database for Dagster, so that runs are kept in memory."""
    with engine_without_dagster(database_url, home=tmp_path / "home") as opened:
        yield opened


def engine_without_dagster(database_url: str, *, home: Path) -> AbstractContextManager[Engine]:
    unreachable = "postgresql://127.0.0.1:9/none"
    return open_engine(read_settings(home=home, database_url=database_url, dagster_database_url=unreachable))


def _evaluations(engine: Engine) -> list[Any]:
    """Newest first."""
    with engine.database.transaction(TENANT) as connection:
        return list_runs(connection, TENANT, limit=20)


def _report(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    return dict(_report_events(result)[0].metadata)


def _report_events(result: dg.ExecuteInProcessResult) -> list[dg.AssetMaterialization]:
    key = dg.AssetKey("migration_report")
    return [e.materialization for e in result.get_asset_materialization_events() if e.asset_key == key]


def _run_range(engine: Engine, instance: dg.DagsterInstance, start: str, end: str) -> dg.ExecuteInProcessResult:
    job = build_definitions({"engine": engine}).resolve_job_def("migrate_notes")
    return job.execute_in_process(instance=instance, run_config=QUIET, tags=range_tags(start, end))

"""An engine on the test's own database, and the pipeline run over all of its batches without a Dagster server."""

import json
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts, RunJob, range_tags

from rag_assets.definitions import build_definitions
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import list_tenants, register_batches

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def engine(database_url: str, tmp_path: Path) -> Iterator[Engine]:
    """The engine that a run would open."""
    with open_engine(read_settings(home=tmp_path / "home", database_url=database_url)) as opened:
        yield opened


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """A Dagster instance in memory."""
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
def import_texts(engine: Engine) -> ImportTexts:
    """Import texts as notes n0, n1, … of a tenant."""

    def imported(texts: list[str], *, owner: TenantId = TENANT) -> None:
        import_lines(
            engine.database,
            owner,
            [json.dumps({"id": f"n{number}", "text": text}).encode() for number, text in enumerate(texts)],
            source="notas",
            language="es",
            zone=ZoneInfo("Europe/Madrid"),
            max_characters=1_000_000,
        )

    return imported


@pytest.fixture
def run_job(engine: Engine, instance: dg.DagsterInstance) -> RunJob:
    """Run a job over all batches there are, as one range; or without partitions."""

    def run(name: str, *, with_engine: Engine = engine, is_partitioned: bool = True) -> dg.ExecuteInProcessResult:
        for tenant in list_tenants(engine.database):
            register_batches(engine.database, tenant)
        add_missing_keys(instance, engine.database)
        keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
        return (
            build_definitions({"engine": with_engine})
            .resolve_job_def(name)
            .execute_in_process(
                instance=instance,
                run_config=QUIET,
                tags=range_tags(keys[0], keys[-1]) if is_partitioned else None,
                raise_on_error=False,
            )
        )

    return run

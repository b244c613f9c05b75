"""An engine on the test's own database, and the pipeline run over all of its batches without a Dagster server."""

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
import sqlalchemy
from alembic.script import ScriptDirectory
from dagster._core.storage.event_log import InMemoryEventLogStorage
from pipeline_runs import TENANT, ImportTexts, RunJob, run_over_all
from sqlalchemy import MetaData, create_mock_engine

from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

_create_all = MetaData.create_all


@pytest.fixture(scope="session", autouse=True)
def _storage_made_once() -> Iterator[None]:
    """Read Dagster's migrations and compile its tables once, not for every instance and run; keep connections to memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptDirectory, "from_config", functools.cache(ScriptDirectory.from_config))
        patch.setattr(MetaData, "create_all", _create_tables)
        patch.setattr(InMemoryEventLogStorage, "_connect", _kept_connection)
        patch.setattr(InMemoryEventLogStorage, "has_table", lambda _storage, _name: True)
        yield


def _create_tables(metadata: MetaData, bind: sqlalchemy.Engine | sqlalchemy.Connection) -> None:
    if bind.dialect.name != "sqlite":
        _create_all(metadata, bind)
        return
    with bind.begin() if isinstance(bind, sqlalchemy.Engine) else nullcontext(bind) as connection:
        for statement in _statements(metadata):
            connection.exec_driver_sql(statement)


@functools.cache
def _statements(metadata: MetaData) -> list[str]:
    found: list[str] = []
    recorder = create_mock_engine("sqlite://", lambda ddl, *_: found.append(str(ddl.compile(dialect=recorder.dialect))))
    _create_all(metadata, recorder, checkfirst=False)
    return found


@contextmanager
def _kept_connection(storage: InMemoryEventLogStorage) -> Iterator[sqlalchemy.Connection]:
    """The connection that holds the database, instead of one for every statement; the lock keeps threads apart."""
    with storage._db_lock, storage._held_conn.begin():
        yield storage._held_conn


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
        return run_over_all(name, engine.database, instance, with_engine=with_engine, is_partitioned=is_partitioned)

    return run

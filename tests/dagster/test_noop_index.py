"""An index run with nothing to do: quick, and without a trace in the database."""

import json
import subprocess
import sys
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest

from rag_assets.indexing import run_index
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import register_batches

TENANT = TenantId("pruebas")
NOTES = 2000
MAX_SECONDS = 1.5
OTHERS = """
    select count(*) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
WRITES = """
    select relname, n_tup_ins, n_tup_upd, n_tup_del, vacuum_count, analyze_count
    from pg_stat_user_tables where schemaname = 'brain' order by relname
"""


def test_an_index_run_over_indexed_notes_is_quick_and_writes_nothing(database_url: str, tmp_path: Path) -> None:
    settings = read_settings(home=tmp_path / "home", database_url=database_url)
    with open_engine(settings) as engine:
        _index_notes(engine)
    before = _writes(database_url)

    with open_engine(settings) as engine:
        began = time.perf_counter()
        report = run_index(engine, tenants=[TENANT], is_full=False)
        seconds = time.perf_counter() - began

    assert (report.notes, report.embedded, report.reused, report.deleted) == (NOTES, 0, 0, 0)
    assert seconds < MAX_SECONDS
    assert _writes(database_url) == before


@pytest.mark.parametrize("module", ["rag_assets.indexing", "rag_core.operation.supervisor"])
def test_what_a_command_imports_at_first_leaves_dagster_out(module: str) -> None:
    imported = f"import sys, {module}; sys.exit('dagster' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", imported], check=False)

    assert done.returncode == 0


def _index_notes(engine: Engine) -> None:
    lines = [json.dumps({"id": f"n{n}", "text": f"La nota {n} habla del huerto."}).encode() for n in range(NOTES)]
    import_lines(
        engine.database,
        TENANT,
        lines,
        source="notas",
        language="es",
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=10_000,
    )
    batches = register_batches(engine.database, TENANT)
    stage_notes(engine.database, TENANT, batches, engine.pipeline)
    embed_staged(engine.database, TENANT, batches, engine.pipeline)
    publish_staged(engine.database, TENANT, batches, engine.pipeline)
    update_graph(engine.database, TENANT, batches, extractor=RuleExtractor())
    maintain(engine.database, TENANT, engine.pipeline)


def _writes(database_url: str) -> list[tuple[object, ...]]:
    """The counters of writes; a session reports its own at the latest when it ends, so all of them must have ended."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        while connection.execute(OTHERS).fetchone() != (0,):
            time.sleep(0.02)
        return connection.execute(WRITES).fetchall()

"""Indexing: chunks, vectors and posting lists of imported notes, and what it costs when there is nothing to do."""

import json
import subprocess
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import psycopg

from rag_assets.indexing import run_index
from rag_core.graph.llm import causal_extractor
from rag_core.indexing.graph import update_graph
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings
from rag_core.storage.batches import register_batches
from rag_core.storage.connecting import Connection, ensure_database
from rag_core.storage.embedded import embedded_server

from .corpus import Corpus, note_lines
from .measuring import Stopwatch, seconds_of
from .progress import step
from .scratch import TENANT, brain_command, brain_environment, import_notes, scratch_engine, scratch_home
from .sizes import Sizes
from .tables import copy_seconds, empty_index, finished_rows

GROUP = 50
"""Batches taken at once, as many as ``brain index`` gives one run."""
LEAVING_SECONDS = 10
EDITED_EVERY = 100


def run(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Chunks a second from imported to searchable, against COPY of the same chunks and vectors.

    The floor's chunks bring their posting lists by trigger, as published ones do. It is the median of its rounds.
    """
    lines = note_lines(corpus, sizes.import_notes)
    with step(f"index of {len(lines)} notes and its floor"), scratch_engine(is_durable=sizes.is_durable) as engine:
        import_notes(engine, lines)
        watch = index_all(engine)
        with engine.database.owner() as owner:
            chunks = count_chunks(owner)
            floor = _floor_seconds(owner, sizes.rounds)
    return {
        "chunks_per_second": round(chunks / watch.total, 1),
        "floor_chunks_per_second": round(chunks / floor, 1),
        "chunks": chunks,
        "notes": len(lines),
        "seconds": watch.rounded,
    }


def index_all(engine: Engine, *, tenant: TenantId = TENANT, is_for_search: bool = False) -> Stopwatch:
    """Index every note by the core's own steps, in groups of batches; the seconds of each step.

    For search alone nothing is maintained, because a vector index made last, of all vectors at once, takes 0.4 ms each, where
    adding to it takes 10 ms; and the causal graph, which questions that ask for no cause do not touch, is left out.
    """
    watch = Stopwatch()
    database, pipeline = engine.database, engine.pipeline
    keys = register_batches(database, tenant)
    for start in range(0, len(keys), GROUP):
        group = keys[start : start + GROUP]
        with watch.lap("stage"):
            stage_notes(database, tenant, group, pipeline)
        with watch.lap("embed"):
            embed_staged(database, tenant, group, pipeline)
        with watch.lap("publish"):
            publish_staged(database, tenant, group, pipeline)
        if not is_for_search:
            with watch.lap("graph"):
                update_graph(database, tenant, group, extractor=causal_extractor(engine.chat))
            with watch.lap("maintain"):
                maintain(database, tenant, pipeline)
    return watch


def count_chunks(owner: Connection) -> int:
    """All chunks there are."""
    row = owner.execute("select count(*) from brain.chunks").fetchone()
    assert row is not None
    return int(row[0])


def _floor_seconds(owner: Connection, rounds: int) -> float:
    rows = {table: finished_rows(owner, table) for table in ("chunks", "embeddings")}
    seconds = []
    for _ in range(rounds):
        empty_index(owner)
        seconds.append(copy_seconds(owner, rows))
    return median(seconds)


def run_noop(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Seconds of indexing where nothing is stale, in this process and as a command, and the rows it wrote: none.

    Then one note in a hundred is edited: what it takes to index those, and how many vectors that computes.

    Raises:
        RuntimeError: a row was written with nothing stale, or an edit cost other vectors than those of its own chunks.
    """
    lines = note_lines(corpus, sizes.noop_notes)
    with (
        step(f"index of {len(lines)} notes that are indexed already"),
        scratch_home(is_durable=sizes.is_durable) as settings,
    ):
        with open_engine(settings) as engine:
            import_notes(engine, lines)
            index_all(engine)
        return {"notes": len(lines), **_idle_figures(settings), "after_edits": _edited_figures(settings, lines)}


def _idle_figures(settings: Settings) -> dict[str, Any]:
    before = _rows_written(settings)
    with open_engine(settings) as engine:
        report = run_index(engine, tenants=[TENANT], is_full=False)
    command = brain_command("index", "--json")
    command_seconds = seconds_of(
        lambda: subprocess.run(command, env=brain_environment(settings), check=True, stdout=subprocess.DEVNULL)
    )
    if (after := _rows_written(settings)) != before:
        raise RuntimeError(f"indexing with nothing stale wrote rows: (inserted, updated, deleted) {before} → {after}")
    return {"seconds": report.seconds, "command_seconds": round(command_seconds, 3), "rows_written": 0}


def _edited_figures(settings: Settings, lines: Sequence[bytes]) -> dict[str, Any]:
    """A sentence more at the end of one note in a hundred; vectors are computed of what became other chunks, no others."""
    edited = [_with_a_sentence_more(line) for line in lines[::EDITED_EVERY]]
    with open_engine(settings) as engine:
        before = _embedded_inputs(engine)
        import_notes(engine, edited)
        report = run_index(engine, tenants=[TENANT], is_full=False)
        new = len(_embedded_inputs(engine) - before)
    if report.embedded != new:
        raise RuntimeError(f"{len(edited)} edits made {new} new inputs, {report.embedded} vectors were computed")
    return {"notes": len(edited), "embedded": report.embedded, "seconds": report.seconds}


def _embedded_inputs(engine: Engine) -> set[bytes]:
    with engine.database.owner() as owner:
        return {row[0] for row in owner.execute("select input_hash from brain.embeddings").fetchall()}


def _with_a_sentence_more(line: bytes) -> bytes:
    note = json.loads(line)
    return json.dumps(note | {"text": f"{note['text']} Así quedó la cosa."}, ensure_ascii=False).encode()


def _rows_written(settings: Settings) -> tuple[int, ...]:
    """Rows ever inserted, updated and deleted; exact, because a connection tells its counts at the latest when it ends."""
    with (
        embedded_server(settings.home) as server,
        psycopg.connect(ensure_database(server, "brain"), autocommit=True) as owner,
    ):
        _wait_until_alone(owner)
        row = owner.execute(
            "select sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_del) from pg_stat_user_tables where schemaname = 'brain'"
        ).fetchone()
    assert row is not None
    return tuple(map(int, row))


def _wait_until_alone(owner: Connection) -> None:
    others = (
        "select from pg_stat_activity"
        " where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()"
    )
    deadline = time.monotonic() + LEAVING_SECONDS
    while owner.execute(others).fetchone() is not None:
        if time.monotonic() > deadline:
            raise RuntimeError("a connection to the database is still open; its counts are not told yet")
        time.sleep(0.05)

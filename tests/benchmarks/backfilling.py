"""Backfill through Dagster's definitions in this process: fresh batches by one run or by many, and empty ones."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import dagster as dg

from rag_assets.definitions import build_definitions
from rag_assets.indexing import JOB, IndexEvent, _run, dagster_instance
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys, merge_ranges
from rag_core.engine import Engine
from rag_core.indexing.batches import BATCH_SIZE, list_batches, register_batches, stale_batches

from .corpus import Corpus, note_lines
from .measuring import seconds_of
from .progress import step
from .scratch import TENANT, import_notes, scratch_engine
from .sizes import Sizes


def run(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Notes a second of one run over all batches and of several runs, and seconds a batch where nothing is stale.

    Dagster's own work is in the figures: making the run, its events in its database, the checks. Not in them: its
    import and its database's first start.
    """
    batches = sizes.backfill_batches
    notes = batches * BATCH_SIZE
    lines = note_lines(corpus, 2 * notes)
    with ExitStack() as opened:
        with step("a home with Dagster's database"):
            engine = opened.enter_context(scratch_engine(is_durable=sizes.is_durable))
            instance = opened.enter_context(dagster_instance(engine, _refuse_unrecorded, batches))
        with step(f"backfill of {batches} batches by one run"):
            single = _fresh_seconds(engine, instance, lines[:notes], batches_per_run=batches)
        with step(f"backfill of {batches} batches with nothing stale"):
            empty = seconds_of(lambda: _run_all(engine, instance, _keys(engine), batches_per_run=batches))
        with step(f"backfill of {batches} more batches, {sizes.batches_per_run} a run"):
            multi = _fresh_seconds(engine, instance, lines[notes:], batches_per_run=sizes.batches_per_run)
    return {
        "notes_per_second_single_run": round(notes / single, 1),
        "notes_per_second_multi_run": round(notes / multi, 1),
        "seconds_per_empty_partition": round(empty / batches, 4),
        "notes": notes,
        "batches": batches,
        "batches_per_multi_run": sizes.batches_per_run,
    }


def _fresh_seconds(
    engine: Engine, instance: dg.DagsterInstance, lines: Sequence[bytes], *, batches_per_run: int
) -> float:
    """Seconds for batches of new notes; importing them is not counted.

    Raises:
        RuntimeError: a batch is still stale.
    """
    import_notes(engine, lines)
    keys = register_batches(engine.database, TENANT)
    add_missing_keys(instance, engine.database)
    seconds = seconds_of(lambda: _run_all(engine, instance, keys, batches_per_run=batches_per_run))
    if stale := stale_batches(engine.database, TENANT, fingerprint=engine.pipeline.fingerprint):
        raise RuntimeError(f"the backfill left {len(stale)} batches stale, the first {stale[0]}")
    return seconds


def _keys(engine: Engine) -> list[str]:
    return [batch.key for batch in list_batches(engine.database)]


def _run_all(engine: Engine, instance: dg.DagsterInstance, keys: Sequence[str], *, batches_per_run: int) -> None:
    job = build_definitions({"engine": engine}).resolve_job_def(JOB)
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    for batch_range in merge_ranges(order, keys, max_gap=0, max_wanted=batches_per_run):
        _run(job, instance, batch_range, is_full=False)


def _refuse_unrecorded(event: IndexEvent) -> None:
    """Runs that Dagster's database does not record cost less than they do in use."""
    raise RuntimeError(event.message)

"""Backfill through Dagster's definitions in this process: fresh batches by one run or by many, and empty ones."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import dagster as dg

from rag_assets.definitions import build_definitions
from rag_assets.indexing import JOB, IndexEvent, dagster_instance, run_range
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys, merge_ranges
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import BATCH_SIZE, register_batches, stale_batches

from .corpus import Corpus, note_lines
from .indexing import index_all
from .measuring import seconds_of
from .progress import step
from .scratch import import_notes, scratch_engine
from .sizes import Sizes

WARMUP, FLOOR, SINGLE, MULTI = (TenantId(name) for name in ("warmup", "floor", "single", "multi"))
"""The same notes each time, a tenant's own: nothing of the others' is found or reused."""


def run(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Notes a second of one run over all batches and of several runs, and seconds a batch where nothing is stale.

    A batch goes before, because what is used for the first time takes longer. The floor is the same batches indexed by the
    core's own steps, without Dagster: what is above it is Dagster's making the run, its events in its database, and the
    checks. Not in them: its import, its database's first start, the daemon.
    """
    batches = sizes.backfill_batches
    notes = batches * BATCH_SIZE
    lines = note_lines(corpus, notes)
    with ExitStack() as opened:
        with step("a home with Dagster's database"):
            engine = opened.enter_context(scratch_engine(is_durable=sizes.is_durable))
            instance = opened.enter_context(dagster_instance(engine.settings, engine.database, _refuse_unrecorded))
            import_notes(engine, lines[:BATCH_SIZE], tenant=WARMUP)
            index_all(engine, tenant=WARMUP)
        with step(f"the core's own steps over {batches} batches"):
            import_notes(engine, lines, tenant=FLOOR)
            floor = index_all(engine, tenant=FLOOR).total
        with step(f"backfill of {batches} batches by one run"):
            single = _fresh_seconds(engine, instance, SINGLE, lines, batches_per_run=batches)
        with step(f"backfill of {batches} batches with nothing stale"):
            empty = seconds_of(lambda: _run_all(engine, instance, SINGLE, batches_per_run=batches))
        with step(f"backfill of {batches} batches, {sizes.batches_per_run} a run"):
            multi = _fresh_seconds(engine, instance, MULTI, lines, batches_per_run=sizes.batches_per_run)
    return {
        "notes_per_second_single_run": round(notes / single, 1),
        "notes_per_second_multi_run": round(notes / multi, 1),
        "seconds_per_1000_notes_single_run": _per_thousand(single, notes),
        "seconds_per_1000_notes_multi_run": _per_thousand(multi, notes),
        "floor_seconds_per_1000_notes": _per_thousand(floor, notes),
        "dagster_seconds_per_1000_notes_single_run": _per_thousand(single - floor, notes),
        "dagster_seconds_per_1000_notes_multi_run": _per_thousand(multi - floor, notes),
        "seconds_per_empty_partition": round(empty / batches, 4),
        "notes": notes,
        "batches": batches,
        "batches_per_multi_run": sizes.batches_per_run,
    }


def _per_thousand(seconds: float, notes: int) -> float:
    return round(1000 * seconds / notes, 3)


def _fresh_seconds(
    engine: Engine, instance: dg.DagsterInstance, tenant: TenantId, lines: Sequence[bytes], *, batches_per_run: int
) -> float:
    """Seconds for batches of new notes; importing them is not counted.

    Raises:
        RuntimeError: a batch is still stale.
    """
    import_notes(engine, lines, tenant=tenant)
    register_batches(engine.database, tenant)
    add_missing_keys(instance, engine.database)
    seconds = seconds_of(lambda: _run_all(engine, instance, tenant, batches_per_run=batches_per_run))
    if stale := stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint):
        raise RuntimeError(f"the backfill left {len(stale)} batches stale, the first {stale[0]}")
    return seconds


def _run_all(engine: Engine, instance: dg.DagsterInstance, tenant: TenantId, *, batches_per_run: int) -> None:
    job = build_definitions({"engine": engine}).resolve_job_def(JOB)
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    keys = [key for key in order if key.startswith(f"{tenant}-")]
    for batch_range in merge_ranges(order, keys, max_gap=0, max_wanted=batches_per_run):
        run_range(job, instance, batch_range, is_full=False)


def _refuse_unrecorded(event: IndexEvent) -> None:
    """Runs that Dagster's database does not record cost less than they do in use."""
    raise RuntimeError(event.message)

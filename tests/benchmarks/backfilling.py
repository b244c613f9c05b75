"""Backfill through Dagster's definitions in this process: fresh batches by one run or by many, and empty ones."""

from typing import Any

import dagster as dg

from rag_assets.definitions import build_definitions
from rag_assets.indexing import JOB, IndexEvent, _run, dagster_instance
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys, merge_ranges
from rag_core.engine import Engine
from rag_core.indexing.batches import BATCH_SIZE, register_batches, stale_batches

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
    count = sizes.backfill_batches
    single, empty = _seconds(corpus, sizes, batches_per_run=count)
    multi, _ = _seconds(corpus, sizes, batches_per_run=sizes.batches_per_run)
    return {
        "notes_per_second_single_run": round(count * BATCH_SIZE / single, 1),
        "notes_per_second_multi_run": round(count * BATCH_SIZE / multi, 1),
        "seconds_per_empty_partition": round(empty / count, 4),
        "notes": count * BATCH_SIZE,
        "batches": count,
        "batches_per_multi_run": sizes.batches_per_run,
    }


def _seconds(corpus: Corpus, sizes: Sizes, *, batches_per_run: int) -> tuple[float, float]:
    """Seconds for the batches while all is stale, and once nothing is."""
    batches = sizes.backfill_batches
    described = f"backfill of {batches} batches, {batches_per_run} a run, then again with nothing stale"
    with step(described), scratch_engine(is_durable=sizes.is_durable) as engine:
        import_notes(engine, note_lines(corpus, batches * BATCH_SIZE))
        keys = register_batches(engine.database, TENANT)
        with dagster_instance(engine, _refuse_unrecorded, batches) as instance:
            add_missing_keys(instance, engine.database)
            fresh = seconds_of(lambda: _backfill(engine, instance, keys, batches_per_run))
            _check_nothing_stale(engine)
            return fresh, seconds_of(lambda: _backfill(engine, instance, keys, batches_per_run))


def _refuse_unrecorded(event: IndexEvent) -> None:
    """Runs that Dagster's database does not record cost less than they do in use."""
    raise RuntimeError(event.message)


def _backfill(engine: Engine, instance: dg.DagsterInstance, keys: list[str], batches_per_run: int) -> None:
    job = build_definitions({"engine": engine}).resolve_job_def(JOB)
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    for batch_range in merge_ranges(order, keys, max_gap=0, max_wanted=batches_per_run):
        _run(job, instance, batch_range, is_full=False)


def _check_nothing_stale(engine: Engine) -> None:
    if stale := stale_batches(engine.database, TENANT, fingerprint=engine.pipeline.fingerprint):
        raise RuntimeError(f"the backfill left {len(stale)} batches stale, the first {stale[0]}")

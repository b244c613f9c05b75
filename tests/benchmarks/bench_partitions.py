"""Costs of a great number of partitions: registering them, looking for new ones, the UI's queries, a backfill of all.

``python -m tests.benchmarks.bench_partitions [BATCHES…]`` prints one JSON object; 10,000 batches are a million notes. The
batches hold no notes, so what is measured is Dagster and our bookkeeping. A backfill of all is launched by the real daemon,
of the first number only, and cancelled once some of its runs are queued: all of them would take the better part of an hour.
"""

import json
import signal
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import dagster as dg

from rag_assets.indexing import IndexEvent, dagster_instance
from rag_assets.partitions import (
    BACKFILL_POLICY,
    PARTITIONS_NAME,
    add_missing_keys,
    merge_ranges,
    missing_keys,
    missing_keys_since,
)
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings
from rag_core.storage.batches import batches_by_tenant
from tests.e2e.installation import Installation, installed, wait_until

from .measuring import seconds_of
from .progress import step
from .scratch import TENANT, forget_environment, scratch_home

ROUNDS = 5
WANTED_EVERY = 100
ASSETS = ("notes", "chunks", "embeddings", "fulltext_index", "knowledge_graph")
QUEUED_RUNS = 30
HOUR = "2026-01-01T00"
BATCHES = """
    insert into brain.batches (tenant_id, batch_key, sequence)
    select %s, %s || '-' || lpad(n::text, 6, '0'), n from generate_series(0, %s - 1) n on conflict do nothing
"""
RUNS = """query($id: String!) { partitionBackfillOrError(backfillId: $id) {
  ... on PartitionBackfill { status runs(limit: 5000) { id } } } }"""
CANCEL = "mutation($id: String!) { cancelPartitionBackfill(backfillId: $id) { __typename } }"
ASSET_PAGE = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
  partitionKeys partitionStats { numMaterialized numFailed }
  assetPartitionStatuses { ... on DefaultPartitionStatuses { materializedPartitions unmaterializedPartitions } } } } }"""


def run(counts: list[int]) -> dict[str, Any]:
    """Figures by number of batches."""
    with scratch_home() as settings:
        return {str(count): _figures(settings, count, is_backfilled=count == counts[0]) for count in counts}


def _figures(settings: Settings, count: int, *, is_backfilled: bool) -> dict[str, Any]:
    with step(f"{count} batches in this process"), open_engine(settings) as engine:
        figures = _in_process(engine, count)
    with step(f"{count} batches in Dagster's UI and daemon"), installed(Path(settings.home)) as installation:
        return figures | _in_the_ui(installation) | (_backfilled(installation) if is_backfilled else {})


def _in_process(engine: Engine, count: int) -> dict[str, Any]:
    with engine.database.owner() as owner:
        owner.execute("insert into brain.tenants (tenant_id) values (%s) on conflict do nothing", [TENANT])
        owner.execute(BATCHES, [TENANT, TENANT, count])
    with dagster_instance(engine.settings, engine.database, _refuse) as instance:
        registered = seconds_of(lambda: add_missing_keys(instance, engine.database))
        return {"registration_seconds": round(registered, 3), **_lookups(engine, instance)}


def _lookups(engine: Engine, instance: dg.DagsterInstance) -> dict[str, float]:
    _, mark = missing_keys_since(instance, engine.database, mark=None, hour=HOUR)
    order = list(instance.get_dynamic_partitions(PARTITIONS_NAME))
    wanted = order[::WANTED_EVERY]
    return {
        "all_keys_compared_ms": _ms(lambda: missing_keys(instance, engine.database)),
        "nothing_new_ms": _ms(lambda: missing_keys_since(instance, engine.database, mark=mark, hour=HOUR)),
        "merge_ranges_ms": _ms(lambda: merge_ranges(order, wanted, max_gap=20, max_wanted=50)),
        "batches_of_a_run_ms": _ms(lambda: batches_by_tenant(engine.database, order[-10:])),
    }


def _in_the_ui(installation: Installation) -> dict[str, float]:
    return {"asset_page_ms": _ms(lambda: installation.graphql(ASSET_PAGE, key={"path": ["fulltext_index"]}))}


def _backfilled(installation: Installation) -> dict[str, float]:
    """Seconds until the daemon queues the first run of a backfill over all partitions, for each more, and to cancel it."""
    keys = installation.partition_keys()
    runs = -(-len(keys) // (BACKFILL_POLICY.max_partitions_per_run or len(keys)))
    counted = min(runs, QUEUED_RUNS)
    began = time.perf_counter()
    backfill = installation.launch_backfill(ASSETS, keys)
    asked = time.perf_counter()
    _wait(lambda: _runs(installation, backfill) > 0)
    first, before = time.perf_counter(), _runs(installation, backfill)
    _wait(lambda: _runs(installation, backfill) >= counted)
    queued, queued_runs = time.perf_counter(), _runs(installation, backfill)
    installation.graphql(CANCEL, id=backfill)
    _wait(lambda: installation.backfill(backfill)["status"] == "CANCELED")
    return {
        "backfill_runs": runs,
        "backfill_request_seconds": round(asked - began, 1),
        "backfill_first_run_seconds": round(first - began, 1),
        "backfill_seconds_per_queued_run": round((queued - first) / max(1, queued_runs - before), 2),
        "backfill_cancelled_seconds": round(time.perf_counter() - queued, 1),
    }


def _runs(installation: Installation, backfill: str) -> int:
    return len(installation.graphql(RUNS, id=backfill)["partitionBackfillOrError"].get("runs", []))


def _wait(condition: Any) -> None:
    wait_until(condition, what=lambda: "the daemon is not done after an hour", seconds=3600, every=1)


def _ms(work: Any) -> float:
    return round(median(seconds_of(work) for _ in range(ROUNDS)) * 1000, 1)


def _refuse(event: IndexEvent) -> None:
    """Keys in memory cost less than they do in use."""
    raise RuntimeError(event.message)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    forget_environment()
    print(json.dumps(run([int(argument) for argument in sys.argv[1:]] or [10_000, 50_000])))

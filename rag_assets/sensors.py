"""Sensors that run every minute: new batches, and notes that changed."""

import json
from datetime import UTC, datetime, timedelta

import dagster as dg

from rag_assets.jobs import update_index
from rag_assets.partitions import NOTE_BATCHES, missing_keys_since
from rag_assets.planning import (
    digest_of_stale,
    plan_index,
    register_everywhere,
    tenants_of,
    unfinished_index_runs,
    version_of_everything,
)
from rag_assets.schedules import SOON
from rag_core.runtime.engine import Engine

LONGEST_WAIT = timedelta(minutes=5)
"""A backfill changes what is found every minute, for hours; an edit beside it does not wait for its end."""


@dg.sensor(
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    tags={"brain/purpose": "registration"},
    description=(
        "Every minute: gives new notes a batch and makes new batches partitions, legacy notes in batches of their own. It "
        "starts no run."
    ),
)
def register_note_batches(context: dg.SensorEvaluationContext, engine: dg.ResourceParam[Engine]) -> dg.SensorResult:
    """Register batches and ask Dagster for their partitions."""
    register_everywhere(engine.database)
    keys, mark = missing_keys_since(
        context.instance, engine.database, mark=context.cursor, hour=f"{datetime.now(UTC):%Y-%m-%dT%H}"
    )
    if not keys:
        return dg.SensorResult(skip_reason="Every note has its batch, and every batch its partition.", cursor=mark)
    return dg.SensorResult(dynamic_partitions_requests=[NOTE_BATCHES.build_add_request(keys)], cursor=mark)


@dg.sensor(
    job=update_index,
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    tags={"brain/purpose": "indexing"},
    description=(
        "Every minute: once notes have rested for a minute after a change, or after five minutes of changes, starts the run "
        "that indexes what is stale, but for tenants that have one on its way. It asks once for the same state: what could "
        "not be made then is left to the hourly schedule. Legacy notes are left to their migration."
    ),
)
def index_new_and_changed_notes(
    context: dg.SensorEvaluationContext, engine: dg.ResourceParam[Engine]
) -> dg.SensorResult:
    """Request a run over the stale ranges when notes have come to rest.

    The cursor holds the version seen a tick ago, the one last looked into, since when changes are waited for, and what was
    stale when a run was last requested.
    """
    cursor: dict[str, str] = json.loads(context.cursor or "{}")
    register_everywhere(engine.database)  # which is a change too
    version = version_of_everything(engine.database, engine.pipeline, engine.chat)
    now = datetime.now(UTC)
    since = cursor.setdefault("since", now.isoformat())
    is_at_rest, cursor["seen"] = cursor.get("seen") == version, version
    if not is_at_rest and abs(now - datetime.fromisoformat(since)) < LONGEST_WAIT:
        return _skip("Notes changed since the last look; waiting for them to rest.", cursor)
    if cursor.get("settled") == version:
        return _skip("Nothing has changed.", _rested(cursor))
    runs = unfinished_index_runs(context.instance)
    busy = tenants_of(runs, context.instance, engine.database)
    ranges = plan_index(context.instance, engine.database, engine.pipeline, engine.chat, busy=busy)
    if runs and not ranges:
        return _skip(f"Run {runs[0].run_id} is indexing or waits to.", cursor)
    cursor = _rested(cursor) | ({} if runs else {"settled": version})
    if not ranges:
        return _skip("Every note is indexed as it stands.", cursor)
    digest = digest_of_stale(engine.database, engine.pipeline, engine.chat, ranges)
    if cursor.get("asked") == digest:
        return _skip("What is stale was tried as it stands; `hourly_index` tries again.", cursor)
    requests = [dg.RunRequest(run_key=f"{version}/{one.start}", tags=one.tags | SOON) for one in ranges]
    return dg.SensorResult(run_requests=requests, cursor=json.dumps(cursor | {"asked": digest}))


def _rested(cursor: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in cursor.items() if name != "since"}


def _skip(reason: str, cursor: dict[str, str]) -> dg.SensorResult:
    return dg.SensorResult(skip_reason=reason, cursor=json.dumps(cursor))

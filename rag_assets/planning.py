"""Planning of automatic runs: ranges that cover the stale batches, the inputs of the index, and runs under way."""

import hashlib
import json
from collections.abc import Collection, Sequence

import dagster as dg
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus, PartitionBackfill

from rag_assets.fulltext_index import fulltext_index
from rag_assets.partitions import (
    PARTITIONS_NAME,
    RANGE_END_TAG,
    RANGE_START_TAG,
    BatchRange,
    add_missing_keys,
    merge_ranges,
)
from rag_core.chat import ChatModel
from rag_core.graph.llm import causal_extractor
from rag_core.indexing.automatic import find_work
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.note import TenantId
from rag_core.storage.batches import batches_by_tenant, list_tenants, register_batches
from rag_core.storage.database import Database
from rag_core.storage.overviews import fetch_newest_stale_change
from rag_core.storage.versions import corpus_version

MAX_GAP = 200
"""A run of its own costs some 7 s, a batch that is passed over 30 ms."""
MAX_BATCHES = 500
"""50,000 notes: what a run that fails late has to do again stays bounded."""
VERSION_TIMEOUT_MS = 10_000

INDEX_JOBS = ("update_index", "index_notes")
MIGRATION_JOB = "migrate_notes"
PUBLISHING_JOBS = (*INDEX_JOBS, MIGRATION_JOB)
UNFINISHED = [dg.DagsterRunStatus[name] for name in ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")]


def register_everywhere(database: Database) -> None:
    """Give every note of every tenant a batch."""
    for tenant in list_tenants(database):
        register_batches(database, tenant)


def plan_index(
    instance: dg.DagsterInstance,
    database: Database,
    pipeline: Pipeline,
    chat: ChatModel | None,
    *,
    busy: Collection[TenantId] = (),
) -> list[BatchRange]:
    """Register what is new, and cover the stale batches of all tenants but those that are ``busy`` by ranges.

    Left out are batches that wait for a migration, and those that an open backfill makes.
    """
    extractor = causal_extractor(chat)
    work = [
        find_work(database, tenant, fingerprint=pipeline.fingerprint, extractor=extractor)
        for tenant in list_tenants(database)
        if tenant not in busy
    ]
    add_missing_keys(instance, database)
    taken = keys_in_backfills(instance)
    return merge_ranges(
        instance.get_dynamic_partitions(PARTITIONS_NAME),
        [key for tenant_work in work for key in tenant_work.wanted if key not in taken],
        passable=[key for tenant_work in work for key in tenant_work.passable if key not in taken],
        max_gap=MAX_GAP,
        max_wanted=MAX_BATCHES,
    )


def keys_in_backfills(instance: dg.DagsterInstance) -> set[str]:
    """The partitions of the index that open backfills are still to make."""
    return {key for backfill in open_backfills(instance) for key in keys_to_publish(backfill)}


def open_backfills(instance: dg.DagsterInstance) -> Sequence[PartitionBackfill]:
    """The backfills that go on, and were not told to end."""
    return instance.get_backfills(filters=BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED]))


def keys_to_publish(backfill: PartitionBackfill) -> set[str]:
    """The partitions that a backfill is still to publish; those of a job, which does not tell what is done, to its end."""
    data = backfill.asset_backfill_data
    if data is None:
        return set(backfill.partition_names or ()) if backfill.job_name in PUBLISHING_JOBS else set()
    if fulltext_index.key not in data.target_subset.asset_keys:
        return set()
    left = data.target_subset - data.materialized_subset - data.failed_and_downstream_subset
    return set(left.get_partitions_subset(fulltext_index.key).get_partition_keys())


def unfinished_index_runs(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """The runs of the index's jobs that are queued or in progress; backfills' runs are not theirs."""
    return [run for job in INDEX_JOBS for run in instance.get_runs(dg.RunsFilter(job_name=job, statuses=UNFINISHED))]


def tenants_of(runs: Sequence[dg.DagsterRun], instance: dg.DagsterInstance, database: Database) -> frozenset[TenantId]:
    """The tenants whose batches the runs make; all of them for a run that is over no range."""
    order = instance.get_dynamic_partitions(PARTITIONS_NAME)
    keys: set[str] = set()
    for run in runs:
        ends = [run.tags.get(name) for name in (RANGE_START_TAG, RANGE_END_TAG)]
        if not set(ends) <= set(order):
            return frozenset(list_tenants(database))
        start, end = map(order.index, ends)
        keys.update(order[start : end + 1])
    return frozenset(batches_by_tenant(database, sorted(keys)))


def version_of_everything(database: Database, pipeline: Pipeline, chat: ChatModel | None) -> str:
    """Another text after every change of any note, or of what the index is made by; cheap, however many notes there are."""
    tenants = list_tenants(database)
    versions = [corpus_version(database, tenant, timeout_ms=VERSION_TIMEOUT_MS) for tenant in tenants]
    return _digest([_makers(pipeline, chat), *zip(tenants, versions, strict=True)])


def digest_of_stale(database: Database, pipeline: Pipeline, chat: ChatModel | None, ranges: list[BatchRange]) -> str:
    """Another text when another note is stale or a stale one changed; the same when a run over them got nowhere."""
    changes = [
        (tenant, *fetch_newest_stale_change(database, tenant, fingerprint=pipeline.fingerprint))
        for tenant in list_tenants(database)
    ]
    return _digest([_makers(pipeline, chat), [(one.start, one.end, one.wanted) for one in ranges], changes])


def _makers(pipeline: Pipeline, chat: ChatModel | None) -> list[str]:
    return [pipeline.fingerprint, causal_extractor(chat).fingerprint]


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]

"""Deletion of a deleted tenant's records in Dagster: its partitions, and the runs over nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from rag_assets.partitions import PARTITIONS_NAME, RANGE_END_TAG, RANGE_START_TAG

PARTITION_TAG = "dagster/partition"
_KEYS_A_QUERY = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Numbers of deleted partitions and runs."""

    partitions: int = 0
    runs: int = 0


def forget_batches(instance: dg.DagsterInstance, keys: Sequence[str]) -> Forgotten:
    """Delete the partitions of these batches, and the runs that begin and end in them with their events.

    Events hold first rows of what a run did, texts among them. What cannot be deleted so is the last materialisation of each
    asset, which the next run replaces, and the record of a backfill.
    """
    known = sorted(set(keys) & set(instance.get_dynamic_partitions(PARTITIONS_NAME)))
    for key in known:
        instance.delete_dynamic_partition(PARTITIONS_NAME, key)
    runs = {run.run_id for run in _runs(instance, sorted(set(keys))) if run.is_finished}
    for run_id in runs:
        instance.delete_run(run_id)
    return Forgotten(partitions=len(known), runs=len(runs))


def _runs(instance: dg.DagsterInstance, keys: Sequence[str]) -> Iterator[dg.DagsterRun]:
    mine = set(keys)
    for at in range(0, len(keys), _KEYS_A_QUERY):
        some = list(keys[at : at + _KEYS_A_QUERY])
        yield from instance.get_runs(filters=dg.RunsFilter(tags={PARTITION_TAG: some}))
        begun = instance.get_runs(filters=dg.RunsFilter(tags={RANGE_START_TAG: some}))
        yield from (run for run in begun if run.tags.get(RANGE_END_TAG) in mine)

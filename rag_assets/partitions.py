"""The partitions: batches of up to 100 notes, and ranges of them that one run takes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import dagster as dg

from rag_core.storage.batches import list_batches
from rag_core.storage.database import Database
from rag_core.storage.migration_runs import fetch_batches_mark

PARTITIONS_NAME = "note_batches"
NOTE_BATCHES = dg.DynamicPartitionsDefinition(name=PARTITIONS_NAME)
BACKFILL_POLICY = dg.BackfillPolicy.multi_run(max_partitions_per_run=10)
"""All stages share it, or a backfill of them would not be one run a range. Why ten is in decision 18."""

RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRange:
    """Consecutive partitions, both ends included, and how many of them are to be done."""

    start: str
    end: str
    wanted: int

    @property
    def tags(self) -> dict[str, str]:
        """The tags of a run over the range."""
        return {RANGE_START_TAG: self.start, RANGE_END_TAG: self.end}


def missing_keys(instance: dg.DagsterInstance, database: Database) -> list[str]:
    """Keys of batches that Dagster does not know yet, in the order they were made: newest notes first."""
    known = set(instance.get_dynamic_partitions(PARTITIONS_NAME))
    return [batch.key for batch in list_batches(database) if batch.key not in known]


def missing_keys_since(
    instance: dg.DagsterInstance, database: Database, *, mark: str | None, hour: str
) -> tuple[list[str], str | None]:
    """As ``missing_keys``, and the mark to give the next time: with it nothing is compared until a batch is made.

    All keys are compared again in another ``hour``, for a partition may be deleted by hand in Dagster's UI. The mark is
    None while keys are missing, so that they are asked for again should the caller fail to add them.
    """
    now = f"{hour} {fetch_batches_mark(database)}"
    if now == mark:
        return [], now
    keys = missing_keys(instance, database)
    return keys, None if keys else now


def add_missing_keys(instance: dg.DagsterInstance, database: Database) -> list[str]:
    """Make every batch a partition; the keys added."""
    keys = missing_keys(instance, database)
    if keys:
        instance.add_dynamic_partitions(PARTITIONS_NAME, keys)
    return keys


def merge_ranges(
    order: Sequence[str],
    wanted: Collection[str],
    *,
    passable: Collection[str] | None = None,
    max_gap: int,
    max_wanted: int,
) -> list[BatchRange]:
    """Cover the wanted keys by ranges of ``order``, few but short.

    A range may run over up to ``max_gap`` keys in a row that are not wanted, if they are ``passable`` (None: all are), and
    has at most ``max_wanted`` wanted ones. Keys that ``order`` lacks are left out; nothing wanted gives [].
    """
    chosen, allowed = set(wanted), None if passable is None else set(passable)
    ranges: list[BatchRange] = []
    gap = max_gap + 1
    for key in order:
        if key in chosen:
            last = ranges[-1] if ranges else None
            if last is not None and gap <= max_gap and last.wanted < max_wanted:
                ranges[-1] = BatchRange(start=last.start, end=key, wanted=last.wanted + 1)
            else:
                ranges.append(BatchRange(start=key, end=key, wanted=1))
            gap = 0
        else:
            gap = gap + 1 if allowed is None or key in allowed else max_gap + 1
    return ranges

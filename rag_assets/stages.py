"""What the partitioned stages have in common: how they are declared, and how they tell what they did."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from rag_assets.partitions import NOTE_BATCHES
from rag_core.engine import Engine
from rag_core.model import TenantId
from rag_core.storage.overviews import PreviewName, fetch_preview

if TYPE_CHECKING:
    Materialized: TypeAlias = dg.MaterializeResult[None]
else:
    Materialized = dg.MaterializeResult  # as an annotation Dagster knows the bare class only

OWNERS = ["team:brain-sync"]


def batch_asset(
    *, kinds: set[str], code_version: str, description: str, deps: Sequence[dg.AssetsDefinition] = ()
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare a stage over batches. A range of them is one run: a run costs seconds, a batch in it milliseconds."""
    return dg.asset(
        deps=deps,
        kinds=kinds,
        code_version=code_version,
        description=description,
        partitions_def=NOTE_BATCHES,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name="index",
        owners=OWNERS,
        tags={"brain/scope": "note-batches"},
    )


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Seconds since it was made."""

    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Seconds until now."""
        return round(time.perf_counter() - self.began, 3)


def total(reports: Iterable[object], name: str) -> int:
    """The sum of one count over the tenants' reports."""
    return sum(getattr(report, name) for report in reports)


def stage_metadata(
    engine: Engine,
    batches: Mapping[TenantId, Sequence[str]],
    preview: PreviewName,
    clock: Stopwatch,
    **counts: int,
) -> dict[str, Any]:
    """What a stage shows of a run: its counts over all batches, the pipeline, the time it took and some rows."""
    return {
        **counts,
        "batches": sum(len(keys) for keys in batches.values()),
        "tenants": dg.MetadataValue.json(list(batches)),
        "pipeline": engine.pipeline.fingerprint,
        "preview": _preview(engine, batches, preview),
        "seconds": clock.seconds,
    }


def _preview(engine: Engine, batches: Mapping[TenantId, Sequence[str]], name: PreviewName) -> dg.MetadataValue[Any]:
    """The first tenant's first rows, as a table."""
    for tenant, keys in batches.items():
        rows = fetch_preview(engine.database, tenant, name, keys, fingerprint=engine.pipeline.fingerprint)
        if rows:
            return table(rows)
    return dg.MetadataValue.md("*nothing to show*")


def table(rows: Sequence[Mapping[str, Any]]) -> dg.MetadataValue[Any]:
    """Rows with the same columns as a table."""
    records = [dg.TableRecord({name: _cell(value) for name, value in row.items()}) for row in rows]
    columns = [dg.TableColumn(name, _column_type(value)) for name, value in rows[0].items()]
    return dg.MetadataValue.table(records, schema=dg.TableSchema(columns=columns))


def _cell(value: Any) -> str | int | float | bool | None:
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _column_type(value: Any) -> str:
    names = {bool: "bool", int: "int", float: "float"}
    return names.get(type(value), "string")

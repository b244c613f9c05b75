"""Common parts of the partitioned stages: their declaration, and the metadata that they report."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from rag_assets.partitions import BACKFILL_POLICY, NOTE_BATCHES
from rag_core.errors import DatabaseUnavailableError, DiskFullError, EmbeddingUnavailableError, RagError
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEMO_TENANT
from rag_core.storage.database import Database
from rag_core.storage.overviews import PreviewName, fetch_preview

if TYPE_CHECKING:
    Materialized: TypeAlias = dg.MaterializeResult[None]
else:
    Materialized = dg.MaterializeResult  # as an annotation Dagster knows the bare class only

OWNERS = ["team:brain-sync"]
EMBEDDING_POOL = "embedding"
"""Steps that ask an embedding provider. The limits of the pools are in dagster.yaml and, by pool, in Dagster's UI."""
PARSING_POOL = "parsing"
"""Steps that parse files, each in processes of its own."""
WRITING_POOL = "database_writes"
"""Steps that change what readers see."""
HOW_TO_GO_ON = (
    "Nothing live was touched: old chunks are still found, new notes by their words, and what was done is kept. When it is "
    "mended, run `brain index` or this run again."
)
OUTAGES = (EmbeddingUnavailableError, DatabaseUnavailableError)
OUTAGE_RETRIES = dg.RetryPolicy(max_retries=4, delay=2, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
"""After 2, 6, 14 and 30 seconds, each two more or less: a restart of a server is waited for, a longer absence is not."""
DAILY = dg.FreshnessPolicy.time_window(warn_window=timedelta(hours=26), fail_window=timedelta(hours=50))
"""Made every night, the nightly run taking its time; after two nights without it something is wrong."""


@contextmanager
def outages_retried(
    context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext | dg.OpExecutionContext,
) -> Iterator[None]:
    """A step that meets an outage is tried again later, and goes on where it was; what else fails, fails at once.

    Raises:
        dagster.RetryRequested: there was an outage.
        dagster.Failure: the last attempt met one too, the disk is full, or something else is wrong; it says what to do.
    """
    attempt = context.retry_number + 1
    try:
        yield
    except DiskFullError as error:  # ends when somebody makes room, so that trying again soon is of no use
        raise _failure(error.found) from error
    except OUTAGES as error:
        if attempt > OUTAGE_RETRIES.max_retries:
            raise _failure(f"{error}; {attempt} attempts failed") from error
        raise dg.RetryRequested(
            max_retries=OUTAGE_RETRIES.max_retries, seconds_to_wait=OUTAGE_RETRIES.calculate_delay(attempt)
        ) from error
    except RagError as error:
        raise _failure(str(error)) from error


def _failure(problem: str) -> dg.Failure:
    return dg.Failure(description=f"{problem.rstrip('.')}. {HOW_TO_GO_ON}", allow_retries=False)


def batch_asset(
    *,
    kinds: set[str],
    code_version: str,
    description: str,
    deps: Sequence[dg.AssetsDefinition] = (),
    group: str = "index",
    pool: str | None = None,
    freshness_policy: dg.FreshnessPolicy | None = None,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare a stage over batches. A range of them is one run: a run costs seconds, a batch in it milliseconds."""
    return dg.asset(
        deps=deps,
        kinds=kinds,
        code_version=code_version,
        description=description,
        partitions_def=NOTE_BATCHES,
        backfill_policy=BACKFILL_POLICY,
        group_name=group,
        owners=OWNERS,
        pool=pool,
        freshness_policy=freshness_policy,
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
    database: Database,
    pipeline: Pipeline,
    batches: Mapping[TenantId, Sequence[str]],
    preview: PreviewName,
    clock: Stopwatch,
    **counts: int,
) -> dict[str, Any]:
    """Metadata of a stage's run: its counts over all batches, the pipeline, the time it took and some rows of the demo's.

    Numbers are plotted over the runs; ``notes`` or ``published`` notes are also told by the second.
    """
    return {
        **counts,
        **_pace(counts.get("notes", counts.get("published")), clock.seconds),
        "batches": sum(len(keys) for keys in batches.values()),
        "tenants": dg.MetadataValue.json(list(batches)),
        "pipeline": pipeline.fingerprint,
        "preview": _preview(database, pipeline, batches, preview),
        "seconds": clock.seconds,
    }


def _pace(notes: int | None, seconds: float) -> dict[str, float]:
    return {} if notes is None else {"notes_per_second": ratio(notes, seconds)}


def ratio(part: float, whole: float) -> float:
    """The quotient to three places; 0 of nothing."""
    return round(part / whole, 3) if whole else 0.0


def _preview(
    database: Database, pipeline: Pipeline, batches: Mapping[TenantId, Sequence[str]], name: PreviewName
) -> dg.MetadataValue[Any]:
    """The demo's first rows, as a table. Metadata is kept for ever, for whoever uses Dagster: it has nobody else's notes."""
    keys = batches.get(DEMO_TENANT, ())
    rows = fetch_preview(database, DEMO_TENANT, name, keys, fingerprint=pipeline.fingerprint) if keys else ()
    return table(rows) if rows else dg.MetadataValue.md("*rows are shown of the demo's notes only*")


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

"""Progress of a migration: counts, rate, expected end, failures, and quality of retrieval."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, cast

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.migration_control import FailureStage, MigrationState
from rag_core.storage.migration_status import fetch_figures
from rag_core.wire.values import camel_keys, moment_to_wire

State = MigrationState | Literal["not_started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMeasurement:
    """Figures of an evaluation, and its time; the latency is the mean of its queries'."""

    hit_rate_at_10: float
    average_latency_ms: float | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A note or row that could not be taken, at which stage, after how many attempts, and why; no id before it is a note."""

    note_id: str | None
    source: str
    external_id: str
    stage: FailureStage
    attempts: int
    error: str
    last_failed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationStatus:
    """A tenant's migration as it stands.

    ``notes`` and ``chunked_notes`` are of all its notes, ``attached`` and ``pending`` of legacy ones, ``batches`` of those
    that hold them; ``failures`` are counted all, the last 20 are in ``latest_failures``. ``waiting`` are pending notes that
    did not fail for good. ``notes_per_second`` is of the last ten minutes, of legacy notes where there are any, None until
    two moments of them have marks.
    """

    tenant: TenantId
    state: State
    reason: str | None
    now: datetime
    notes: int
    chunked_notes: int
    chunks: int
    attached: int
    pending: int
    waiting: int
    batches: int
    batches_done: int
    last_mark: datetime | None
    notes_per_second: float | None
    failures: int
    latest_failures: tuple[Failure, ...]
    current: RetrievalMeasurement | None
    baseline: RetrievalMeasurement | None

    @property
    def remaining(self) -> int:
        """Notes that are not chunked."""
        return self.notes - self.chunked_notes

    @property
    def migrated(self) -> int:
        """Legacy notes that do not wait any more."""
        return max(0, self.attached - self.pending)

    @property
    def percent(self) -> float:
        """Chunked of all notes, from 0 to 100; 100 of none."""
        return percent_of(self.chunked_notes, self.notes)

    @property
    def estimated_completion(self) -> datetime | None:
        """Time at which no legacy note will wait at this rate; None unless the migration runs, has a rate and something to do."""
        if self.state != "running":
            return None
        return estimated_completion(self.waiting, self.notes_per_second, now=self.now)

    def summary(self) -> dict[str, Any]:
        """The few figures that ``brain status`` shows."""
        return {
            "state": self.state,
            "percent": self.percent,
            "remaining": self.remaining,
            "pending": self.pending,
            "failures": self.failures,
            "notes_per_second": self.notes_per_second,
            "estimated_completion": _moment(self.estimated_completion),
        }

    def to_wire(self) -> dict[str, Any]:
        """The body of ``GET /api/migration/status``."""
        return {
            "state": self.state,
            "reason": self.reason,
            "totalNotes": self.notes,
            "migratedNotes": self.chunked_notes,
            "remainingNotes": self.remaining,
            "progressPercentage": self.percent,
            "errorCount": self.failures,
            "errors": [_failure_to_wire(failure) for failure in self.latest_failures],
            "lastBatchTimestamp": _moment(self.last_mark),
            "notesPerSecond": self.notes_per_second,
            "estimatedCompletionTime": _moment(self.estimated_completion),
            "legacy": {"attached": self.attached, "pending": self.pending, "migrated": self.migrated},
            "batches": {"total": self.batches, "done": self.batches_done},
            "chunks": self.chunks,
            "currentMetrics": _metrics_to_wire(self.current),
            "baselineMetrics": _metrics_to_wire(self.baseline),
        }


def percent_of(done: int, total: int) -> float:
    """100 · done / total, rounded down to two digits, so that 100 means all; 100 of nothing."""
    return 100.0 if total <= 0 else math.floor(10_000 * done / total) / 100


def rate(count: int, *, first: datetime | None, last: datetime | None) -> float | None:
    """Notes a second between two moments, ``count`` being those after the first; None without two moments."""
    if first is None or last is None or last <= first:
        return None
    return round(count / (last - first).total_seconds(), 3)


def estimated_completion(remaining: int, notes_per_second: float | None, *, now: datetime) -> datetime | None:
    """Time at which the remaining notes will be done; None when none remain, without a rate, and beyond the calendar."""
    if remaining <= 0 or not notes_per_second:
        return None
    try:
        return now + timedelta(seconds=math.ceil(remaining / notes_per_second))
    except OverflowError:
        return None


def read_migration_status(database: Database, tenant: TenantId, *, timeout_ms: int | None = None) -> MigrationStatus:
    """Read the status in one query; a tenant without a migration has its counts all the same.

    Raises:
        DatabaseUnavailableError: the database does not answer.
        DeadlineExceededError: it takes longer than ``timeout_ms``.
    """
    figures = fetch_figures(database, tenant, timeout_ms=timeout_ms)
    return MigrationStatus(
        tenant=tenant,
        state=figures["state"] or "not_started",
        reason=figures["reason"],
        now=figures["now"],
        notes=figures["notes"],
        chunked_notes=figures["chunked_notes"],
        chunks=figures["chunks"],
        attached=figures["attached"],
        pending=figures["pending"],
        waiting=figures["waiting"],
        batches=figures["batches"],
        batches_done=figures["batches_done"],
        last_mark=figures["last_mark"],
        notes_per_second=rate(
            figures["marks_after_first"], first=figures["first_recent_mark"], last=figures["last_recent_mark"]
        ),
        failures=figures["failures"],
        latest_failures=tuple(_failure(failure) for failure in figures["errors"]),
        current=_metrics(figures["current_metrics"]),
        baseline=_metrics(figures["baseline_metrics"]),
    )


def _failure(found: Mapping[str, Any]) -> Failure:
    return Failure(
        note_id=found["noteId"],
        source=found["source"],
        external_id=found["externalId"],
        stage=cast("FailureStage", found["stage"]),
        attempts=found["attempts"],
        error=found["error"],
        last_failed_at=datetime.fromisoformat(found["lastFailedAt"]),
    )


def _metrics(found: Mapping[str, Any] | None) -> RetrievalMeasurement | None:
    if found is None:
        return None
    return RetrievalMeasurement(
        hit_rate_at_10=found["hitRateK10"],
        average_latency_ms=found["avgLatencyMs"],
        at=datetime.fromisoformat(found["at"]),
    )


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment_to_wire(moment)


def _failure_to_wire(failure: Failure) -> dict[str, Any]:
    return {**camel_keys(asdict(failure)), "lastFailedAt": moment_to_wire(failure.last_failed_at)}


def _metrics_to_wire(figures: RetrievalMeasurement | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    return {
        "hitRateK10": figures.hit_rate_at_10,
        "avgLatencyMs": figures.average_latency_ms,
        "at": moment_to_wire(figures.at),
    }

"""What the rules judge: how things stand, without an opinion. Times are in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from rag_core.alerting.incidents import EVERYTHING, Scope
from rag_core.model.note import TenantId
from rag_core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From when on something is trouble; the settings' ``BRAIN_ALERT_…``."""

    stalled_after: timedelta = timedelta(minutes=30)
    stale_after: timedelta = timedelta(hours=3)
    unevaluated_after: timedelta = timedelta(hours=36)
    silent_after: timedelta = timedelta(minutes=5)
    latency_p95_ms: float = 2000
    error_rate: float = 0.05
    least_requests: int = 20


def thresholds(settings: Settings) -> Thresholds:
    """The thresholds that the environment sets."""
    return Thresholds(
        stalled_after=timedelta(minutes=settings.alert_stalled_minutes),
        stale_after=timedelta(hours=settings.alert_stale_hours),
        unevaluated_after=timedelta(hours=settings.alert_unevaluated_hours),
        silent_after=timedelta(minutes=settings.alert_silent_minutes),
        latency_p95_ms=settings.alert_latency_ms,
        error_rate=settings.alert_error_rate,
        least_requests=settings.alert_least_requests,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyEvaluation:
    """The newest nightly run of a golden set under one strategy.

    ``comparison`` is as it was stored, None without a baseline; ``dagster_run`` is the run that evaluated, where one did.
    """

    tenant: TenantId
    set_name: str
    strategy: str
    run_id: str
    created_at: datetime
    comparison: Mapping[str, Any] | None
    dagster_run: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A tenant's golden set that could be evaluated, since when it can, and when it last was by night."""

    tenant: TenantId
    queries: int
    since: datetime
    evaluated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationFacts:
    """A migration that is not finished or rolled back.

    ``has_begun``: something was staged, chunked or failed. ``given_up`` pending notes failed too often. ``is_regressed``: the
    evaluation just before its last change of state was worse than the baseline.
    """

    tenant: TenantId
    state: Literal["running", "stopped"]
    reason: str | None
    changed_at: datetime
    pending: int
    given_up: int
    has_begun: bool
    last_mark_at: datetime | None
    is_regressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleNotes:
    """A tenant's stale notes last changed before the limit, and how many of them failed too often."""

    tenant: TenantId
    notes: int
    given_up: int
    oldest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceWindow:
    """What all API processes did in the last minutes.

    ``p95_ms`` is the mean of the minutes' p95, weighted by their requests: between the lowest and the highest of them. None
    without searches.
    """

    requests: int
    failed: int
    degraded: int
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProcess:
    """An API process of the last day: its first and last minute, and whether it ended as it should."""

    process: str
    first_minute: datetime
    last_minute: datetime
    has_ended: bool


WITHOUT_PARTITIONS: Scope = frozenset({"(without partitions)"})
"""What a run is over that is over no partitions: nothing that a run over partitions does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """A run of Dagster that ended; ``scope`` are its partitions.

    ``is_retried``: another run takes its place by itself. ``is_check_failure``: a failed blocking check stopped it, and nothing
    else. ``is_interrupted``: whoever ran it in a terminal stopped it.
    """

    run_id: str
    job: str
    is_success: bool
    ended_at: datetime
    is_retried: bool = False
    is_check_failure: bool = False
    is_interrupted: bool = False
    cause: str = ""
    scope: Scope = WITHOUT_PARTITIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnd:
    """An evaluation of an asset check; ``is_error`` where its failure is one, not a warning.

    ``scope`` are the batches or tenants it looked at; of one that failed, those of the tenants in which it did.
    """

    asset: str
    check: str
    run_id: str
    is_passed: bool
    is_error: bool
    evaluated_at: datetime
    description: str = ""
    scope: Scope = EVERYTHING

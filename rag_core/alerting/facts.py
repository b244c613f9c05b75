"""Facts that the rules judge. Times are in UTC."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from rag_core.model.incident import EVERYTHING, Scope
from rag_core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertThresholds:
    """From when on something is trouble; the settings' ``BRAIN_ALERT_…``."""

    stalled_after: timedelta = timedelta(minutes=30)
    stale_after: timedelta = timedelta(hours=3)
    graph_lag: timedelta = timedelta(minutes=15)
    unevaluated_after: timedelta = timedelta(hours=36)
    silent_after: timedelta = timedelta(minutes=5)
    latency_p95_ms: float = 2000
    error_rate: float = 0.05
    least_requests: int = 20


def thresholds(settings: Settings) -> AlertThresholds:
    """The thresholds that the environment sets."""
    return AlertThresholds(
        stalled_after=timedelta(minutes=settings.alert_stalled_minutes),
        stale_after=timedelta(hours=settings.alert_stale_hours),
        graph_lag=timedelta(minutes=settings.alert_graph_lag_minutes),
        unevaluated_after=timedelta(hours=settings.alert_unevaluated_hours),
        silent_after=timedelta(minutes=settings.alert_silent_minutes),
        latency_p95_ms=settings.alert_latency_ms,
        error_rate=settings.alert_error_rate,
        least_requests=settings.alert_least_requests,
    )


WITHOUT_PARTITIONS: Scope = frozenset({"(without partitions)"})
"""Scope of a run without partitions, which shares nothing with a run over partitions."""


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

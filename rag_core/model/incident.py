"""Troubles and incidents: what is known of them and who was told."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args
from uuid import UUID

from rag_core.model.note import TenantId

Severity = Literal["info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Least first."""
Kind = Literal["alert", "reminder", "resolution", "over"]
"""Kind of message: a new incident, one that continues, its end, or both at once where nobody was told in time."""
AddressId = str
Scope: TypeAlias = frozenset[str] | None
"""Parts of a subject, such as the batches that a check looked at; None is all of it."""
EVERYTHING: Scope = None
NOTHING: Scope = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Finding of a rule in a part of the subject. ``link`` is a page of Dagster's UI, from its root; ``details`` are figures."""

    rule: str
    subject: str
    severity: Severity
    title: str
    message: str
    tenant: TenantId | None = None
    link: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    scope: Scope = EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Last message about an incident to one address: its severity, and later its end."""

    alert_at: datetime
    severity: Severity
    resolution_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A trouble over time. ``is_settled``: it is over, and whoever is to know does. ``is_closed_by_hand``: somebody said so."""

    id: UUID
    trouble: Trouble
    first_seen_at: datetime
    last_seen_at: datetime
    times_seen: int = 1
    resolved_at: datetime | None = None
    is_closed_by_hand: bool = False
    is_settled: bool = False
    told: Mapping[AddressId, Told] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """Rule and subject."""
        return (self.trouble.rule, self.trouble.subject)

    @property
    def is_firing(self) -> bool:
        """Tell whether the incident continues."""
        return self.resolved_at is None

    @property
    def notified_at(self) -> datetime | None:
        """Time of the last message about it."""
        return max((told.alert_at for told in self.told.values()), default=None)


def close(incident: Incident, *, now: datetime) -> Incident:
    """A firing incident, ended because somebody says that it is over; if it is not, the rule finds it again."""
    ended = replace(incident.trouble, scope=NOTHING)
    return replace(incident, trouble=ended, resolved_at=now, is_closed_by_hand=True)


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
class GoldenSetState:
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
    """Work of all API processes in the last minutes.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFigures:
    """Requests of a stretch of time, those that failed or were degraded, and nearest-rank percentiles in milliseconds.

    The percentiles are of searches, of the last thousand at most; None without any.
    """

    requests: int = 0
    failed: int = 0
    degraded: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None

"""What is known of each trouble: since when, how often, who was told what. No I/O.

An incident is firing or resolved; there is at most one firing a (rule, subject). One that fires again within the cooldown
after its end is the same incident, so that flapping does not tell people twice.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal, get_args
from uuid import UUID, uuid4

from rag_core.model import TenantId

Severity = Literal["info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Least first."""
Kind = Literal["alert", "reminder", "resolution", "over"]
"""What is told: trouble, trouble that goes on, its end, or both at once where nobody was told in time."""
AddressId = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What a rule found. ``link`` is a page of Dagster's UI, from its root; ``details`` are figures."""

    rule: str
    subject: str
    severity: Severity
    title: str
    message: str
    tenant: TenantId | None = None
    link: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a rule says now. ``over`` are the subjects whose trouble has ended; None means all but those in ``troubles``."""

    rule: str
    troubles: Sequence[Trouble] = ()
    over: Collection[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one address was last told of an incident: that it is there and how bad, and later that it is over."""

    alert_at: datetime
    severity: Severity
    resolution_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A trouble over time. ``is_settled``: it is over, and whoever is to know does."""

    id: UUID
    trouble: Trouble
    first_seen_at: datetime
    last_seen_at: datetime
    times_seen: int = 1
    resolved_at: datetime | None = None
    is_settled: bool = False
    told: Mapping[AddressId, Told] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """Rule and subject."""
        return (self.trouble.rule, self.trouble.subject)

    @property
    def is_firing(self) -> bool:
        """Whether the trouble goes on."""
        return self.resolved_at is None

    @property
    def notified_at(self) -> datetime | None:
        """When somebody was last told that it is there."""
        return max((told.alert_at for told in self.told.values()), default=None)


def advance(
    incidents: Sequence[Incident], judgement: Judgement, *, now: datetime, cooldown: timedelta
) -> list[Incident]:
    """The incidents that a judgement changes or makes, as they are now.

    ``incidents`` are the firing ones and those that ended within the cooldown, of all rules or of this one.
    """
    known = _newest([incident for incident in incidents if incident.trouble.rule == judgement.rule])
    after = dict(known)
    for trouble in judgement.troubles:
        key = (trouble.rule, trouble.subject)
        after[key] = _seen(after.get(key), trouble, now=now, cooldown=cooldown)
    found = {trouble.subject for trouble in judgement.troubles}
    for key, incident in after.items():
        is_over = key[1] not in found if judgement.over is None else key[1] in judgement.over
        if is_over and incident.is_firing:
            after[key] = replace(incident, resolved_at=now)
    return [incident for key, incident in after.items() if incident != known.get(key)]


def _newest(incidents: Sequence[Incident]) -> dict[tuple[str, str], Incident]:
    """By rule and subject; a firing one before any that ended."""
    ordered = sorted(incidents, key=lambda incident: (incident.is_firing, incident.last_seen_at))
    return {incident.key: incident for incident in ordered}


def _seen(known: Incident | None, trouble: Trouble, *, now: datetime, cooldown: timedelta) -> Incident:
    if known is None or (known.resolved_at is not None and now - known.resolved_at >= cooldown):
        return Incident(id=uuid4(), trouble=trouble, first_seen_at=now, last_seen_at=now)
    return replace(
        known,
        trouble=trouble,
        last_seen_at=now,
        times_seen=known.times_seen + 1,
        resolved_at=None,
        is_settled=False,
    )


def due(
    incident: Incident, address: AddressId, *, now: datetime, cooldown: timedelta, least_severity: Severity
) -> Kind | None:
    """What an address is to be told of an incident now.

    An incident that got worse is told at once; one that came back within the cooldown and went again is not told anew, because
    its end was told already.
    """
    told = incident.told.get(address)
    if told is None:
        if incident.is_settled or not _reaches(incident.trouble.severity, least_severity):
            return None
        return "alert" if incident.is_firing else "over"
    if not incident.is_firing:
        is_known = told.resolution_at is not None and told.resolution_at >= told.alert_at
        return None if is_known else "resolution"
    if not _reaches(incident.trouble.severity, told.severity, by=1) and now - told.alert_at < cooldown:
        return None
    if not _reaches(incident.trouble.severity, least_severity):
        return None
    return "reminder" if _reaches(told.severity, incident.trouble.severity) else "alert"


def _reaches(severity: Severity, least: Severity, *, by: int = 0) -> bool:
    return SEVERITIES.index(severity) >= SEVERITIES.index(least) + by


def tell(incident: Incident, address: AddressId, kind: Kind, *, now: datetime) -> Incident:
    """The incident once the address has been told."""
    before = incident.told.get(address)
    if kind == "resolution" and before is not None:
        told = replace(before, resolution_at=now)
    else:
        ended = now if kind == "over" else before.resolution_at if before else None
        told = Told(alert_at=now, severity=incident.trouble.severity, resolution_at=ended)
    return replace(incident, told={**incident.told, address: told})


def settle(
    incident: Incident,
    addresses: Collection[AddressId],
    *,
    now: datetime,
    cooldown: timedelta,
    least_severity: Severity,
) -> Incident:
    """The incident, settled if it is over and no address is to be told any more."""
    if incident.is_firing or incident.is_settled:
        return incident
    is_open = any(
        due(incident, address, now=now, cooldown=cooldown, least_severity=least_severity) for address in addresses
    )
    return incident if is_open else replace(incident, is_settled=True)

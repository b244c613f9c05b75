"""State of each incident: its begin, its count, and the messages sent about it. No I/O.

An incident is firing or resolved; there is at most one firing a (rule, subject). One that fires again within the cooldown
after its end is the same incident, so that flapping does not tell people twice.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from rag_core.model.incident import (
    EVERYTHING,
    NOTHING,
    SEVERITIES,
    AddressId,
    Incident,
    Kind,
    Scope,
    Severity,
    Told,
    Trouble,
)

BACK_AFTER = timedelta(minutes=10)
"""Time after the message of an end from which a critical incident that returns is reported again; before it may be flapping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """Result of a rule.

    ``over`` are the subjects whose trouble has ended, and in which part; None means all but those in ``troubles``. Of a
    subject in both, what is over ended before its trouble began.
    """

    rule: str
    troubles: Sequence[Trouble] = ()
    over: Mapping[str, Scope] | None = None


def advance(
    incidents: Sequence[Incident], judgement: RuleVerdict, *, now: datetime, cooldown: timedelta
) -> list[Incident]:
    """The incidents that a judgement changes or makes, as they are now.

    ``incidents`` are the firing ones and those that ended within the cooldown, of all rules or of this one.
    """
    known = _newest([incident for incident in incidents if incident.trouble.rule == judgement.rule])
    found = {trouble.subject for trouble in judgement.troubles}
    over = judgement.over
    if over is None:
        over = {subject: EVERYTHING for _, subject in known if subject not in found}
    after = {key: _eased(incident, over) for key, incident in known.items()}
    for trouble in judgement.troubles:
        key = (trouble.rule, trouble.subject)
        after[key] = _seen(after.get(key), trouble, now=now, cooldown=cooldown)
    for key, incident in after.items():
        if incident.is_firing and key[1] in over and incident.trouble.scope == NOTHING:
            after[key] = replace(incident, resolved_at=now)
    return [incident for key, incident in after.items() if incident != known.get(key)]


def joined(one: Scope, other: Scope) -> Scope:
    """Return the union of two scopes."""
    return EVERYTHING if one is None or other is None else one | other


def without(scope: Scope, gone: Scope) -> Scope:
    """Return a scope without some parts; everything without a part stays everything, because the other parts are unknown."""
    if gone is None:
        return NOTHING
    return EVERYTHING if scope is None else scope - gone


def _eased(incident: Incident, over: Mapping[str, Scope]) -> Incident:
    trouble = incident.trouble
    if not incident.is_firing or trouble.subject not in over:
        return incident
    return replace(incident, trouble=replace(trouble, scope=without(trouble.scope, over[trouble.subject])))


def _newest(incidents: Sequence[Incident]) -> dict[tuple[str, str], Incident]:
    """By rule and subject; a firing one before any that ended."""
    ordered = sorted(incidents, key=lambda incident: (incident.is_firing, incident.last_seen_at))
    return {incident.key: incident for incident in ordered}


def _seen(known: Incident | None, trouble: Trouble, *, now: datetime, cooldown: timedelta) -> Incident:
    if known is None or (known.resolved_at is not None and now - known.resolved_at >= cooldown):
        return Incident(id=uuid4(), trouble=trouble, first_seen_at=now, last_seen_at=now)
    left = known.trouble.scope if known.is_firing else NOTHING
    return replace(
        known,
        trouble=replace(trouble, scope=joined(left, trouble.scope)),
        last_seen_at=now,
        times_seen=known.times_seen + 1,
        resolved_at=None,
        is_closed_by_hand=False,
        is_settled=False,
    )


def due(
    incident: Incident, address: AddressId, *, now: datetime, cooldown: timedelta, least_severity: Severity
) -> Kind | None:
    """Return the kind of message that is due to an address about an incident; None without one.

    An incident that got worse is told at once; one that came back within the cooldown and went again is not told anew, because
    its end was told already, unless it is critical and there ``BACK_AFTER`` that end. Who was told is reminded of what was seen
    since then: a failed run is an event, which nobody sees again.
    """
    told = incident.told.get(address)
    severity = incident.trouble.severity
    if told is None:
        if incident.is_settled or not _reaches(severity, least_severity):
            return None
        return "alert" if incident.is_firing else "over"
    ended = told.resolution_at if told.resolution_at is not None and told.resolution_at >= told.alert_at else None
    if not incident.is_firing:
        return "resolution" if ended is None else None
    if not _reaches(severity, least_severity):
        return None
    is_back = ended is not None and severity == "critical" and now - ended >= BACK_AFTER
    if is_back or _reaches(severity, told.severity, by=1):
        return "alert"
    is_new = incident.last_seen_at > told.alert_at
    return "reminder" if is_new and now - told.alert_at >= cooldown else None


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

"""Once a minute: judge every rule, remember what became of it, tell who is to know.

A rule that fails leaves its incidents as they are and is an incident itself; the others are judged all the same. What an
address was told is written right after it took the message: if the process dies in between, it is told twice rather than
never.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.alerting import rules
from rag_core.alerting.delivery import Address, Notifier
from rag_core.alerting.facts import AlertThresholds
from rag_core.alerting.incidents import RuleVerdict, advance, due, settle, tell
from rag_core.alerting.messages import AlertMessage, digest_of, message_of
from rag_core.alerting.rules import Rule
from rag_core.errors import DeliveryError
from rag_core.indexing.failures import MAX_ATTEMPTS
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.incident import SEVERITIES, Incident, Kind, Severity
from rag_core.settings import Settings
from rag_core.storage import alerts as store
from rag_core.storage.database import Connection, Database
from rag_core.telemetry.logs import log_degraded, log_failed

DELIVERY_SECONDS = 25.0
"""After so long no further message is begun; Dagster ends a tick after 60 s."""
LOOK_BACK = timedelta(days=30)
"""Period in which API processes are looked for; the figures of the service are kept as long."""

MOST_AT_ONCE = 5
"""Most incidents of one rule that are sent one by one, to a service that opens an incident for each message."""

_PLACES: Mapping[str, int] = {rule: place for place, rule in enumerate(rules.RULES)}
"""Causes before what follows from them."""

Judge = Callable[[Connection], RuleVerdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Policy of messages: addresses, severity, frequency and links."""

    cooldown: timedelta = timedelta(hours=6)
    least_severity: Severity = "warning"
    dagster_url: str = "http://127.0.0.1:3000"
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))


def policy_of(settings: Settings) -> Policy:
    """The policy that the environment sets."""
    return Policy(
        cooldown=timedelta(hours=settings.alert_cooldown_hours),
        least_severity=settings.alert_least_severity,
        dagster_url=settings.dagster_page,
        zone=settings.zone,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchReport:
    """Result of one watch: subjects as ``rule of subject``; with ``is_watched_elsewhere`` nothing was done."""

    firing: int = 0
    began: Sequence[str] = ()
    ended: Sequence[str] = ()
    sent: int = 0
    undelivered: Sequence[str] = ()
    not_judged: Sequence[Rule] = ()
    is_watched_elsewhere: bool = False

    @property
    def summary(self) -> str:
        """One line for the log of the tick."""
        if self.is_watched_elsewhere:
            return "Another process is watching."
        parts = [f"{self.firing} firing" if self.firing else "Nothing is firing"]
        parts += [f"began: {', '.join(self.began)}"] if self.began else []
        parts += [f"ended: {', '.join(self.ended)}"] if self.ended else []
        parts += [f"{self.sent} messages sent"] if self.sent else []
        parts += [f"not delivered: {'; '.join(self.undelivered)}"] if self.undelivered else []
        parts += [f"could not be judged: {', '.join(self.not_judged)}"] if self.not_judged else []
        return ". ".join(parts) + "."


def service_rules(limits: AlertThresholds, *, now: datetime) -> dict[Rule, Judge]:
    """The rules that are judged by the API's own figures."""
    since = now - rules.WINDOW
    return {
        "latency_high": lambda connection: rules.latency_high(
            store.fetch_service_window(connection, since=since), limits=limits
        ),
        "error_rate_high": lambda connection: rules.error_rate_high(
            store.fetch_service_window(connection, since=since), limits=limits
        ),
        "service_silent": lambda connection: rules.service_silent(
            store.list_service_processes(connection, since=now - LOOK_BACK), now=now, limits=limits
        ),
    }


def quality_rules(limits: AlertThresholds, *, now: datetime) -> dict[Rule, Judge]:
    """The rules that are judged by evaluations, migrations and the knowledge graph."""
    return {
        "evaluation_regression": lambda connection: rules.evaluation_regression(
            store.list_nightly_evaluations(connection)
        ),
        "evaluation_missing": lambda connection: rules.evaluation_missing(
            store.list_golden_sets(connection, set_name=DEFAULT_SET), now=now, limits=limits
        ),
        "migration_stalled": lambda connection: rules.migration_stalled(
            store.list_open_migrations(connection, most_attempts=MAX_ATTEMPTS), now=now, limits=limits
        ),
        "graph_sync_lag": lambda connection: rules.graph_sync_lag(
            store.list_unread_notes(connection, before=now - limits.graph_lag), now=now
        ),
    }


def stale_rule(
    limits: AlertThresholds, *, fingerprint: str, pipeline_since: datetime, now: datetime
) -> dict[Rule, Judge]:
    """The rule that looks at every note; a pipeline that is new has the same time for all notes as an edit has for one."""

    def judge(connection: Connection) -> RuleVerdict:
        if now - pipeline_since < limits.stale_after:
            return RuleVerdict(rule="index_stale", over={})
        stale = store.list_stale_notes(
            connection, fingerprint=fingerprint, before=now - limits.stale_after, most_attempts=MAX_ATTEMPTS
        )
        since = [replace(facts, oldest=max(facts.oldest, pipeline_since)) for facts in stale]
        return rules.index_stale(since, now=now, limits=limits)

    return {"index_stale": judge}


def watch(
    database: Database, judges: Mapping[Rule, Judge], *, notifier: Notifier, policy: Policy, now: datetime
) -> WatchReport:
    """Judge the rules, write what became of their incidents, and deliver what is due.

    Incidents of rules that are not among ``judges`` stay as they are; messages about them are delivered all the same.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: incidents cannot be read or written. What was
            sent before is written down, but for the last message.
    """
    with store.operator_connection(database, timeout_ms=store.STATEMENT_MS) as connection:
        if not store.try_watch_lock(connection):
            return WatchReport(is_watched_elsewhere=True)
        judgements, failed = judge_all(connection, judges)
        before = {found.id: found for found in store.list_current_incidents(connection, since=now - policy.cooldown)}
        changed = {
            incident.id: incident
            for judgement in judgements
            for incident in advance(list(before.values()), judgement, now=now, cooldown=policy.cooldown)
        }
        store.write_incidents(connection, list(changed.values()))
        ledger = _Ledger(connection, before | changed)
        sent, undelivered = _deliver(ledger, notifier, policy, now=now)
        _settle(ledger, notifier, policy, now=now)
    return WatchReport(
        firing=sum(incident.is_firing for incident in ledger.incidents.values()),
        began=_named(one for one in changed.values() if one.is_firing and not _was_firing(before, one)),
        ended=_named(one for one in changed.values() if not one.is_firing),
        sent=sent,
        undelivered=undelivered,
        not_judged=failed,
    )


def judge_all(connection: Connection, judges: Mapping[Rule, Judge]) -> tuple[list[RuleVerdict], list[Rule]]:
    """The judgements, the last of which is about the rules themselves, and the rules that could not be judged."""
    judgements: list[RuleVerdict] = []
    failed: dict[Rule, str] = {}
    for rule, judge in judges.items():
        try:
            judgements.append(judge(connection))
        except Exception as error:  # noqa: BLE001  whatever one rule meets, the others are judged
            failed[rule] = type(error).__name__
            log_failed(f"alert rule {rule}", error, has_stack=True)
    judged = [rule for rule in judges if rule not in failed]
    return [*judgements, rules.watch_failed(failed.items(), judged=judged)], list(failed)


class _Ledger:
    """The incidents of one look; who changes one writes it down at once."""

    def __init__(self, connection: Connection, incidents: Mapping[UUID, Incident]) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.incidents = dict(incidents)

    def change(self, incidents: Iterable[UUID], how: Callable[[Incident], Incident]) -> None:
        with self._lock:
            after = {incident: how(self.incidents[incident]) for incident in incidents}
            changed = [one for incident, one in after.items() if one != self.incidents[incident]]
            store.write_incidents(self._connection, changed)
            self.incidents |= after

    @property
    def by_urgency(self) -> list[Incident]:
        return sorted(
            self.incidents.values(),
            key=lambda incident: (
                -SEVERITIES.index(incident.trouble.severity),
                incident.first_seen_at,
                _PLACES.get(incident.trouble.rule, len(_PLACES)),
            ),
        )


def _deliver(ledger: _Ledger, notifier: Notifier, policy: Policy, *, now: datetime) -> tuple[int, list[str]]:
    """Tell every address what is due, all at once, so that one that hangs delays no other."""
    if not notifier.addresses:
        return 0, []
    until = time.monotonic() + DELIVERY_SECONDS
    with ThreadPoolExecutor(max_workers=len(notifier.addresses), thread_name_prefix="alerts") as threads:
        tasks = [
            threads.submit(_tell_address, ledger, notifier, address, policy, now=now, until=until)
            for address in notifier.addresses
        ]
        outcomes = [task.result() for task in tasks]
    return sum(sent for sent, _ in outcomes), [problem for _, problem in outcomes if problem is not None]


def _tell_address(
    ledger: _Ledger, notifier: Notifier, address: Address, policy: Policy, *, now: datetime, until: float
) -> tuple[int, str | None]:
    """Send an address its messages; return the number taken, and the reason to stop. The rest waits for the next watch."""
    sent = 0
    for incidents, kind in _to_tell(ledger, address, policy, now=now):
        if time.monotonic() >= until:
            return sent, f"{address.name}: no time left, the next look goes on"
        try:
            notifier.send(address, _message(incidents, kind, policy, now=now))
        except DeliveryError as error:
            log_degraded(f"alerts, {address.name}", error)
            return sent, str(error)
        ledger.change([one.id for one in incidents], partial(tell, address=address.id, kind=kind, now=now))
        sent += 1
    return sent, None


def _to_tell(ledger: _Ledger, address: Address, policy: Policy, *, now: datetime) -> list[tuple[list[Incident], Kind]]:
    """Return the messages due to an address, the most urgent first.

    One cause often makes several rules fire: what becomes due at one look is one message, except where the service opens
    an incident a message, which must be closed by itself.
    """
    wanted: dict[tuple[str, Kind], list[Incident]] = {}
    for incident in ledger.by_urgency:
        kind = due(incident, address.id, now=now, cooldown=policy.cooldown, least_severity=policy.least_severity)
        if kind is not None:
            rule = incident.trouble.rule if address.opens_incidents else ""
            wanted.setdefault((rule, kind), []).append(incident)
    return [
        (told, kind)
        for (rule, kind), found in wanted.items()
        for told in ([found] if not rule or len(found) > MOST_AT_ONCE else [[one] for one in found])
    ]


def _message(incidents: Sequence[Incident], kind: Kind, policy: Policy, *, now: datetime) -> AlertMessage:
    if len(incidents) == 1:
        return message_of(incidents[0], kind, now=now, dagster_url=policy.dagster_url, zone=policy.zone)
    return digest_of(incidents, kind, now=now, dagster_url=policy.dagster_url, zone=policy.zone)


def _settle(ledger: _Ledger, notifier: Notifier, policy: Policy, *, now: datetime) -> None:
    settled = partial(
        settle,
        addresses=[address.id for address in notifier.addresses],
        now=now,
        cooldown=policy.cooldown,
        least_severity=policy.least_severity,
    )
    ledger.change(list(ledger.incidents), settled)


def _was_firing(before: Mapping[UUID, Incident], incident: Incident) -> bool:
    return incident.id in before and before[incident.id].is_firing


def _named(incidents: Iterable[Incident]) -> list[str]:
    return [f"{incident.trouble.rule} of {incident.trouble.subject}" for incident in incidents]

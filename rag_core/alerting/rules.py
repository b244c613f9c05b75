"""Rules of alerting: one pure function each, from facts to a judgement. No I/O.

No data is no alarm, except where data must be there: a night without evaluation and a process that fell silent are rules of
their own. Nor does it end one: what is over was seen to be.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from rag_core.alerting.facts import AlertThresholds, CheckEnd, RunEnd
from rag_core.alerting.incidents import RuleVerdict, joined, without
from rag_core.model.counting import in_english, lasting
from rag_core.model.incident import (
    EVERYTHING,
    NOTHING,
    GoldenSetState,
    MigrationFacts,
    NightlyEvaluation,
    Scope,
    ServiceProcess,
    ServiceWindow,
    Severity,
    StaleNotes,
    Trouble,
)
from rag_core.model.metrics.registry import title_of
from rag_core.telemetry.process_names import host_of

Rule = Literal[
    "evaluation_regression",
    "run_failed",
    "check_failed",
    "migration_stalled",
    "index_stale",
    "graph_sync_lag",
    "evaluation_missing",
    "latency_high",
    "error_rate_high",
    "service_silent",
    "watch_failed",
]
RULES: tuple[Rule, ...] = get_args(Rule)
WINDOW = timedelta(minutes=10)
"""Period over which latency and errors are judged."""
MINUTE = timedelta(minutes=1)
GIVEN_UP_AFTER = timedelta(days=1)
"""Silence after which an API process is no longer reported; its incident stays open."""
SERVICE = "api"


def evaluation_regression(evaluations: Iterable[NightlyEvaluation]) -> RuleVerdict:
    """The newest nightly runs of a golden set are significantly worse than their baselines, by one strategy or several.

    It is over for a strategy whose newest run has a verdict and is not worse; a night without a verdict changes nothing.
    """
    worse: dict[str, list[NightlyEvaluation]] = {}
    over: dict[str, Scope] = {}
    for found in evaluations:
        subject = f"{found.tenant}/{found.set_name}"
        match _is_worse(found.comparison or {}):
            case True:
                worse.setdefault(subject, []).append(found)
            case False:
                over[subject] = joined(over.get(subject, NOTHING), frozenset({found.strategy}))
    troubles = [_regression(subject, found) for subject, found in worse.items()]
    return RuleVerdict(rule="evaluation_regression", troubles=troubles, over=over)


def _is_worse(comparison: Mapping[str, Any]) -> bool | None:
    """None without a verdict."""
    verdict = comparison.get("is_regression")
    return verdict if isinstance(verdict, bool) and comparison.get("obstacle") is None else None


def _regression(subject: str, found: Sequence[NightlyEvaluation]) -> Trouble:
    tenant = found[0].tenant
    run = next((one.dagster_run for one in found if one.dagster_run), None)
    lines = [f"{one.strategy}: {_drop(one.comparison or {})}" for one in found]
    return Trouble(
        rule="evaluation_regression",
        subject=subject,
        severity="critical",
        title=f"Retrieval of {tenant} got worse",
        message=f"More than chance explains, on the golden set {found[0].set_name}. {'; '.join(lines)}.",
        tenant=tenant,
        link=f"/runs/{run}" if run else "/assets/evaluation_report",
        details={one.strategy: _figures(one) for one in found},
        scope=frozenset(one.strategy for one in found),
    )


def _drop(comparison: Mapping[str, Any]) -> str:
    metric = str(comparison.get("metric"))
    before, after = _number(comparison.get("baseline")), _number(comparison.get("current"))
    asked = in_english(int(comparison.get("queries") or 0), "question")
    return (
        f"{title_of(metric)} fell from {before} to {after} on {asked} "
        f"(p = {_number(comparison.get('p_worse'), digits=4)})"
    )


def _figures(found: NightlyEvaluation) -> dict[str, Any]:
    comparison = found.comparison or {}
    names = ("baseline", "current", "difference", "p_worse", "queries", "baseline_run_id")
    return {"run_id": found.run_id, **{name: comparison.get(name) for name in names}}


def _number(value: object, *, digits: int = 3) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "?"


def run_failed(ends: Iterable[RunEnd]) -> RuleVerdict:
    """A run failed for good; later runs of the same job that succeed over the same partitions end it.

    Not a run that another one takes the place of, nor one that only a failed check stopped, which is an alert of its own, nor one
    that its owner stopped. ``ends`` are in the order they happened.
    """
    outcomes = [
        (end.job, end.scope, None if end.is_success else _failed_run(end))
        for end in ends
        if end.is_success or not (end.is_retried or end.is_check_failure or end.is_interrupted)
    ]
    return _judged("run_failed", outcomes)


def _judged(rule: Rule, outcomes: Iterable[tuple[str, Scope, Trouble | None]]) -> RuleVerdict:
    """From subjects, what of them was tried, and the trouble if that failed, in the order it happened."""
    failed: dict[str, Trouble] = {}
    over: dict[str, Scope] = {}
    for subject, scope, trouble in outcomes:
        left = failed[subject].scope if subject in failed else NOTHING
        if trouble is not None:
            failed[subject] = replace(trouble, scope=joined(left, scope))
            continue
        over[subject] = joined(over.get(subject, NOTHING), scope)
        if subject in failed:
            failed[subject] = replace(failed[subject], scope=without(left, scope))
    return RuleVerdict(rule=rule, troubles=list(failed.values()), over=over)


def _failed_run(end: RunEnd) -> Trouble:
    cause = f": {end.cause}" if end.cause else "; its events say why."
    return Trouble(
        rule="run_failed",
        subject=end.job,
        severity="warning",
        title=f"A run of {_job(end.job)} failed",
        message=f"Run {end.run_id[:8]} failed{cause}",
        link=f"/runs/{end.run_id}",
        details={"run_id": end.run_id, "ended_at": end.ended_at.isoformat(), "cause": end.cause},
    )


def _job(name: str) -> str:
    return "assets started by hand or by a condition" if name.startswith("__ASSET_JOB") else name


def check_failed(ends: Iterable[CheckEnd], *, with_own_rule: Iterable[tuple[str, str]] = ()) -> RuleVerdict:
    """An asset check failed; later evaluations that pass over everything, or over all that it failed on, end it.

    ``ends`` are in the order they happened. ``with_own_rule`` are checks, by asset and name, whose errors another rule tells;
    their warnings are told here.
    """
    told_elsewhere = set(with_own_rule)

    def is_over(end: CheckEnd) -> bool:
        return end.is_passed or (end.is_error and (end.asset, end.check) in told_elsewhere)

    outcomes = [(f"{end.asset}/{end.check}", end.scope, None if is_over(end) else _failed_check(end)) for end in ends]
    return _judged("check_failed", outcomes)


def _failed_check(end: CheckEnd) -> Trouble:
    return Trouble(
        rule="check_failed",
        subject=f"{end.asset}/{end.check}",
        severity="critical" if end.is_error else "warning",
        title=f"The check {end.check} of {end.asset} failed",
        message=end.description or "Its page lists what it found.",
        link=f"/assets/{end.asset}?view=checks&checkDetail={end.check}",
        details={"run_id": end.run_id, "evaluated_at": end.evaluated_at.isoformat()},
    )


def migration_stalled(migrations: Iterable[MigrationFacts], *, now: datetime, limits: AlertThresholds) -> RuleVerdict:
    """A migration that is running chunks nothing, or one was stopped because retrieval got worse."""
    found = [_migration(facts, now=now, limits=limits) for facts in migrations]
    return RuleVerdict(rule="migration_stalled", troubles=[trouble for trouble in found if trouble is not None])


def _migration(facts: MigrationFacts, *, now: datetime, limits: AlertThresholds) -> Trouble | None:
    if facts.state == "stopped":
        return _stopped(facts) if facts.is_regressed else None
    last = max(facts.changed_at, facts.last_mark_at or facts.changed_at)
    if not facts.pending or not facts.has_begun or now - last < limits.stalled_after:
        return None
    given_up = f", {facts.given_up} of them given up after too many failures" if facts.given_up else ""
    return _migration_trouble(
        facts,
        severity="warning",
        title=f"The migration of {facts.tenant} stands still",
        message=f"No note was chunked for {lasting(now - last)}; {_waiting(facts)}{given_up}.",
    )


def _waiting(facts: MigrationFacts) -> str:
    return in_english(facts.pending, "note waits", "notes wait")


def _stopped(facts: MigrationFacts) -> Trouble:
    return _migration_trouble(
        facts,
        severity="critical",
        title=f"The migration of {facts.tenant} was stopped: retrieval got worse",
        message=f"{facts.reason or 'An evaluation was worse than the baseline'}. {_waiting(facts)}.",
    )


def _migration_trouble(facts: MigrationFacts, *, severity: Severity, title: str, message: str) -> Trouble:
    return Trouble(
        rule="migration_stalled",
        subject=facts.tenant,
        severity=severity,
        title=title,
        message=message,
        tenant=facts.tenant,
        link="/assets/migration_report",
        details={"state": facts.state, "pending": facts.pending, "given_up": facts.given_up},
    )


def index_stale(stale: Iterable[StaleNotes], *, now: datetime, limits: AlertThresholds) -> RuleVerdict:
    """Notes are not indexed as they are now, and have not been for too long."""
    late = [facts for facts in stale if facts.notes and now - facts.oldest >= limits.stale_after]
    return RuleVerdict(rule="index_stale", troubles=[_stale(facts, now=now, limits=limits) for facts in late])


def _stale(facts: StaleNotes, *, now: datetime, limits: AlertThresholds) -> Trouble:
    given_up = f" {facts.given_up} of them failed too often and are passed over." if facts.given_up else ""
    return Trouble(
        rule="index_stale",
        subject=facts.tenant,
        severity="warning",
        title=f"The index of {facts.tenant} is out of date",
        message=(
            f"{in_english(facts.notes, 'note has', 'notes have')} not been indexed as {'it is' if facts.notes == 1 else 'they are'} "
            f"for more than {lasting(limits.stale_after)}, the first for {lasting(now - facts.oldest)}.{given_up}"
        ),
        tenant=facts.tenant,
        link="/assets/notes",
        details={"notes": facts.notes, "given_up": facts.given_up, "oldest": facts.oldest.isoformat()},
    )


def graph_sync_lag(unread: Iterable[StaleNotes], *, now: datetime) -> RuleVerdict:
    """The knowledge graph has not read notes that were published too long ago."""
    return RuleVerdict(rule="graph_sync_lag", troubles=[_unread(facts, now=now) for facts in unread])


def _unread(facts: StaleNotes, *, now: datetime) -> Trouble:
    return Trouble(
        rule="graph_sync_lag",
        subject=facts.tenant,
        severity="warning",
        title=f"The knowledge graph of {facts.tenant} lags behind",
        message=f"It has not read {in_english(facts.notes, 'note')}, the first for {lasting(now - facts.oldest)}.",
        tenant=facts.tenant,
        link="/assets/knowledge_graph",
        details={"notes": facts.notes, "oldest": facts.oldest.isoformat()},
    )


def evaluation_missing(golden_sets: Iterable[GoldenSetState], *, now: datetime, limits: AlertThresholds) -> RuleVerdict:
    """A golden set was not evaluated by night for too long, so nobody knows how good retrieval is."""
    late = [
        facts
        for facts in golden_sets
        if facts.queries and now - (facts.evaluated_at or facts.since) >= limits.unevaluated_after
    ]
    return RuleVerdict(rule="evaluation_missing", troubles=[_missing(facts, now=now) for facts in late])


def _missing(facts: GoldenSetState, *, now: datetime) -> Trouble:
    asked = f"{'is' if facts.queries == 1 else 'are'} {in_english(facts.queries, 'golden question')}"
    last = "never was" if facts.evaluated_at is None else f"last was {lasting(now - facts.evaluated_at)} ago"
    return Trouble(
        rule="evaluation_missing",
        subject=facts.tenant,
        severity="warning",
        title=f"Retrieval of {facts.tenant} is not measured",
        message=f"There {asked}, and a nightly evaluation {last}.",
        tenant=facts.tenant,
        link="/assets/evaluation_report",
        details={
            "queries": facts.queries,
            "evaluated_at": facts.evaluated_at.isoformat() if facts.evaluated_at else None,
        },
    )


def latency_high(window: ServiceWindow, *, limits: AlertThresholds) -> RuleVerdict:
    """One search in twenty takes longer than it may; too few searches are judged by nobody, and end nothing."""
    if window.p95_ms is None or window.requests < limits.least_requests:
        return RuleVerdict(rule="latency_high", over={})
    if window.p95_ms <= limits.latency_p95_ms:
        return RuleVerdict(rule="latency_high")
    trouble = Trouble(
        rule="latency_high",
        subject=SERVICE,
        severity="warning",
        title="Searches are slow",
        message=(
            f"The p95 of the last {lasting(WINDOW)} is {window.p95_ms:,.0f} ms over {window.requests} requests; "
            f"{limits.latency_p95_ms:,.0f} ms is the aim. {window.degraded} answers were degraded."
        ),
        details={"p95_ms": window.p95_ms, "requests": window.requests, "degraded": window.degraded},
    )
    return RuleVerdict(rule="latency_high", troubles=[trouble])


def error_rate_high(window: ServiceWindow, *, limits: AlertThresholds) -> RuleVerdict:
    """Too large a share of the requests failed; too few requests are judged by nobody, and end nothing."""
    if window.requests < max(limits.least_requests, 1):
        return RuleVerdict(rule="error_rate_high", over={})
    if window.failed / window.requests <= limits.error_rate:
        return RuleVerdict(rule="error_rate_high")
    trouble = Trouble(
        rule="error_rate_high",
        subject=SERVICE,
        severity="critical",
        title="Requests fail",
        message=(
            f"{window.failed} of {window.requests} requests of the last {lasting(WINDOW)} failed "
            f"({window.failed / window.requests:.0%}); more than {limits.error_rate:.0%} is too many."
        ),
        details={"failed": window.failed, "requests": window.requests, "degraded": window.degraded},
    )
    return RuleVerdict(rule="error_rate_high", troubles=[trouble])


def service_silent(processes: Sequence[ServiceProcess], *, now: datetime, limits: AlertThresholds) -> RuleVerdict:
    """An API process wrote its figures and then no more, without having ended.

    It is over when that process writes again or ends as it should, or when one of the same host that began since takes its place.
    """
    silent = [facts for facts in processes if _is_silent(facts, processes, now=now, limits=limits)]
    over = {facts.process: EVERYTHING for facts in processes if facts not in silent}
    troubles = [_silent(facts, now=now) for facts in silent if now - facts.last_minute < GIVEN_UP_AFTER]
    return RuleVerdict(rule="service_silent", troubles=troubles, over=over)


def _is_silent(
    facts: ServiceProcess, processes: Sequence[ServiceProcess], *, now: datetime, limits: AlertThresholds
) -> bool:
    is_late = not facts.has_ended and now - (facts.last_minute + MINUTE) >= limits.silent_after
    return is_late and not any(_replaces(other, facts) for other in processes)


def _replaces(other: ServiceProcess, silent: ServiceProcess) -> bool:
    is_neighbour = other.process != silent.process and host_of(other.process) == host_of(silent.process)
    return is_neighbour and other.first_minute >= silent.last_minute


def _silent(facts: ServiceProcess, *, now: datetime) -> Trouble:
    host, _, rest = facts.process.partition("/")
    number = rest.partition("/")[0]
    return Trouble(
        rule="service_silent",
        subject=facts.process,
        severity="critical",
        title=f"The API on {host} fell silent",
        message=(
            f"Process {number} wrote its figures every minute and has not for {lasting(now - facts.last_minute - MINUTE)}; "
            "it was not stopped as it should be."
        ),
        details={"process": facts.process, "last_minute": facts.last_minute.isoformat()},
    )


def watch_failed(failures: Iterable[tuple[str, str]], *, judged: Iterable[str]) -> RuleVerdict:
    """A rule could not be judged: ``failures`` are rules with the class of what was raised."""
    troubles = [
        Trouble(
            rule="watch_failed",
            subject=rule,
            severity="warning",
            title=f"The rule {rule} cannot be judged",
            message=f"Looking for it ended in {error}; until it works again nobody is told of such trouble.",
            details={"error": error},
        )
        for rule, error in failures
    ]
    return RuleVerdict(rule="watch_failed", troubles=troubles, over=dict.fromkeys(judged, EVERYTHING))

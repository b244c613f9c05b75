"""Text of messages, in plain text and in Markdown. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from rag_core.alerting.rules import Rule
from rag_core.model.incident import SEVERITIES, Incident, Kind, Severity

RUNBOOK = "docs/operations/alerts.md"
REMEDIES: Mapping[Rule, str] = {
    "evaluation_regression": (
        "Look at the report's worst questions, and at what changed since the baseline: notes, model, configuration. Mend it, or "
        "promote the run as the new baseline if the loss is meant."
    ),
    "run_failed": "Open the run, mend what it names, and run the job again; what earlier runs published is kept.",
    "check_failed": "Open the check: it lists the notes, what is wrong with them, and the remedy.",
    "migration_stalled": "`brain migration status` lists what waits and what failed; `brain migration resume` goes on.",
    "index_stale": "`brain status` tells how many are stale; `brain index` brings them up to date.",
    "graph_sync_lag": "Open the asset's last run and mend what it names; `brain index` reads what is left.",
    "evaluation_missing": (
        "Look whether the schedule `nightly_index_and_evaluation` is on and its last run succeeded; the job `index_notes` "
        "evaluates at once."
    ),
    "latency_high": "`brain status --verbose` shows which stage takes the time.",
    "error_rate_high": "`brain doctor` tells what does not answer; the API's log has each failure.",
    "service_silent": "Look whether the API runs, and start it again: `brain up` or `brain serve`.",
    "watch_failed": "The log of Dagster's code server has the whole error. If it is none of the above, please report it.",
}
DIGEST_LINES = 10
_HEADS: Mapping[Kind, str] = {
    "alert": "{severity}",
    "reminder": "still {severity}",
    "resolution": "resolved",
    "over": "resolved before you could be told",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMessage:
    """One message. ``severity`` is None for good news; ``key`` is the same for all messages about one incident."""

    title: str
    text: str
    markdown: str
    severity: Severity | None
    key: str


def message_of(incident: Incident, kind: Kind, *, now: datetime, dagster_url: str, zone: ZoneInfo) -> AlertMessage:
    """Build the message of an incident: its finding, its begin, the remedy, and a link."""
    trouble = incident.trouble
    is_good_news = kind in {"resolution", "over"}
    facts = _facts(incident, now=now, dagster_url=dagster_url, zone=zone)
    remedy = "" if is_good_news else REMEDIES.get(trouble.rule, "")  # type: ignore[call-overload]
    return AlertMessage(
        title=f"[{_HEADS[kind].format(severity=trouble.severity)}] {trouble.title}",
        text=_text(trouble.message, remedy, facts),
        markdown=_markdown(trouble.message, remedy, facts),
        severity=None if is_good_news else trouble.severity,
        key=f"brain-sync/{incident.id}",
    )


def digest_of(
    incidents: Sequence[Incident], kind: Kind, *, now: datetime, dagster_url: str, zone: ZoneInfo
) -> AlertMessage:
    """One message about incidents that are due together: the first in full, of the others a line each."""
    first, *others = incidents
    severity = max((incident.trouble.severity for incident in incidents), key=SEVERITIES.index)
    whole = message_of(first, kind, now=now, dagster_url=dagster_url, zone=zone)
    lines = [f"{one.trouble.title} ({one.trouble.rule} of {one.trouble.subject})" for one in others[:DIGEST_LINES]]
    more = len(others) - len(lines)
    lines += [f"and {more} more, which `brain alerts` lists"] if more else []
    heading = (
        "Over as well" if kind in {"resolution", "over"} else "Found at the same time, perhaps from the same cause"
    )
    listed = "\n".join(f"- {line}" for line in lines)
    return AlertMessage(
        title=f"[{_HEADS[kind].format(severity=severity)}] {first.trouble.title}, and {len(others)} more",
        text=f"{whole.text}\n\n{heading}:\n{listed.replace('`', '')}",
        markdown=f"{whole.markdown}\n\n{heading}:\n{_escaped(listed)}",
        severity=None if whole.severity is None else severity,
        key=f"brain-sync/{first.trouble.rule}",
    )


def demo_message(*, zone: ZoneInfo, now: datetime) -> AlertMessage:
    """Build the message of ``brain alerts test``."""
    said = (
        f"Sent by `brain alerts test` on {_moment(now, zone)}. Nothing is wrong: alerts of Brain Sync reach you here."
    )
    return AlertMessage(title="[test] Brain Sync", text=said, markdown=said, severity="info", key="brain-sync/test")


def _facts(incident: Incident, *, now: datetime, dagster_url: str, zone: ZoneInfo) -> dict[str, str]:
    trouble = incident.trouble
    facts = {"Rule": trouble.rule, "Of": trouble.subject, "Since": _moment(incident.first_seen_at, zone)}
    if incident.resolved_at is not None:
        by_hand = ", closed by hand" if incident.is_closed_by_hand else ""
        facts["Over since"] = _moment(incident.resolved_at, zone) + by_hand
    else:
        facts["As of"] = _moment(now, zone)
    if trouble.link:
        facts["Look at"] = dagster_url.rstrip("/") + trouble.link
    facts["How to read this"] = f"{RUNBOOK}#{trouble.rule}"
    return facts


def _moment(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")


def _text(message: str, remedy: str, facts: Mapping[str, str]) -> str:
    lines = [message.replace("`", ""), "", *([f"What to do: {remedy.replace('`', '')}", ""] if remedy else [])]
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in facts.items())])


def _markdown(message: str, remedy: str, facts: Mapping[str, str]) -> str:
    lines = [_escaped(message), "", *([f"**What to do:** {remedy}", ""] if remedy else [])]
    return "\n".join([*lines, *(f"- **{name}:** {_shown(value)}" for name, value in facts.items())])


def _shown(value: str) -> str:
    return f"<{value}>" if value.startswith("http") else f"`{value}`"


def _escaped(text: str) -> str:
    """Text of others, such as a check's finding: as Markdown, Slack's too, it shows tags instead of having them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

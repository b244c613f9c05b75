"""Alerts, what they are judged from, and the service's figures by the minute; of the whole installation, as its owner.

The application's role has no access to these tables: what it can read reaches whoever asks it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from rag_core.errors import DeadlineExceededError, InvalidInputError, NotFoundError, QueryFailedError
from rag_core.model.incident import (
    GoldenSetState,
    Incident,
    MigrationFacts,
    NightlyEvaluation,
    ServiceProcess,
    ServiceWindow,
    StaleNotes,
    Told,
    Trouble,
    WindowFigures,
    close,
)
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one

STATEMENT_MS = 15_000
"""Limit of one of the operator's statements; the longest reads every note."""
CLOSING_MS = 60_000
"""A look that tells people takes up to half a minute, and who closes an alert waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMinute:
    """Work of one process in the minute that begins at a time; ``is_last`` marks an orderly end."""

    process: str
    minute: datetime
    figures: WindowFigures
    is_last: bool = False


@contextmanager
def operator_connection(database: Database, *, timeout_ms: int) -> Iterator[Connection]:
    """An autocommit connection as owner, each of whose statements ends after so long.

    Raises:
        DatabaseUnavailableError: the database cannot be reached, or the connection broke.
        DeadlineExceededError: a statement took longer.
        QueryFailedError: a statement was refused.
    """
    try:
        with database.owner() as connection:
            connection.execute("select set_config('statement_timeout', %s, false)", (str(timeout_ms),))
            yield connection
    except psycopg.errors.QueryCanceled as error:
        raise DeadlineExceededError(f"PostgreSQL did not answer within {timeout_ms} ms") from error
    except psycopg.Error as error:
        raise QueryFailedError(f"PostgreSQL refused a statement: {type(error).__name__}, {error}") from error


def write_service_minutes(connection: Connection, minutes: Sequence[ServiceMinute], *, prune_before: datetime) -> None:
    """Write minutes, all or none, each as it stands now; drop those before the limit."""
    with connection.transaction():
        for minute in minutes:
            connection.execute(query("write_service_minute"), _minute_row(minute))
        connection.execute(query("prune_service_minutes"), {"before": prune_before})


def _minute_row(minute: ServiceMinute) -> dict[str, Any]:
    figures = minute.figures
    return {
        "process": minute.process,
        "minute": minute.minute,
        "requests": figures.requests,
        "failed": figures.failed,
        "degraded": figures.degraded,
        "p50_ms": figures.p50_ms,
        "p95_ms": figures.p95_ms,
        "is_last": minute.is_last,
    }


def fetch_service_window(connection: Connection, *, since: datetime) -> ServiceWindow:
    """Fetch the work of all API processes in the minutes that began since a time; zeros and no p95 without any."""
    window = fetch_one(connection, ServiceWindow, "service_window", {"since": since})
    assert window is not None  # it adds up
    return window


def list_service_processes(connection: Connection, *, since: datetime) -> list[ServiceProcess]:
    """The processes that wrote figures since then."""
    return fetch_all(connection, ServiceProcess, "list_service_processes", {"since": since})


def list_nightly_evaluations(connection: Connection) -> list[NightlyEvaluation]:
    """The newest nightly run of each golden set and strategy."""
    return fetch_all(connection, NightlyEvaluation, "list_nightly_evaluations")


def list_golden_sets(connection: Connection, *, set_name: str) -> list[GoldenSetState]:
    """The tenants that have questions with an existing note in the set of that name."""
    return fetch_all(connection, GoldenSetState, "list_golden_sets", {"set_name": set_name})


def list_open_migrations(connection: Connection, *, most_attempts: int) -> list[MigrationFacts]:
    """The migrations that run or were stopped."""
    return fetch_all(connection, MigrationFacts, "list_open_migrations", {"most_attempts": most_attempts})


def list_stale_notes(
    connection: Connection, *, fingerprint: str, before: datetime, most_attempts: int
) -> list[StaleNotes]:
    """Tenants with notes last changed before then that this pipeline has not indexed. Looks at every note."""
    parameters = {"fingerprint": fingerprint, "before": before, "most_attempts": most_attempts}
    return fetch_all(connection, StaleNotes, "list_stale_notes", parameters)


def list_unread_notes(connection: Connection, *, before: datetime) -> list[StaleNotes]:
    """Tenants with notes published before then that the knowledge graph has not read."""
    return fetch_all(connection, StaleNotes, "list_unread_notes", {"before": before})


def try_watch_lock(connection: Connection) -> bool:
    """Become the one who watches, until the connection is closed; False while somebody else is."""
    row = connection.execute(query("try_watch_lock")).fetchone()
    return row == (True,)


def list_current_incidents(connection: Connection, *, since: datetime) -> list[Incident]:
    """Incidents that are firing, that not everybody was told the end of, or that ended since then."""
    return [_incident(row) for row in connection.execute(query("list_current_alerts"), {"since": since})]


def list_incidents(connection: Connection, *, limit: int) -> list[Incident]:
    """Firing incidents first, then the newest."""
    return [_incident(row) for row in connection.execute(query("list_alerts"), {"limit": limit})]


def close_incident(connection: Connection, id_or_beginning: str, *, now: datetime) -> Incident:
    """End a firing incident by hand, told at the next look; waits for a look that is under way.

    Raises:
        NotFoundError: no firing incident's id begins so.
        InvalidInputError: several do.
    """
    connection.execute(query("wait_for_watch_lock"))
    found = [_incident(row) for row in connection.execute(query("find_firing_alerts"), {"id": id_or_beginning})]
    if not found:
        raise NotFoundError(
            f"no firing alert has an id that begins with {id_or_beginning!r}; `brain alerts` lists them"
        )
    if len(found) > 1:
        raise InvalidInputError(
            f"{len(found)} firing alerts have an id that begins with {id_or_beginning!r}; give more of it"
        )
    closed = close(found[0], now=now)
    write_incidents(connection, [closed])
    return closed


def write_incidents(connection: Connection, incidents: Sequence[Incident]) -> None:
    """Write incidents as they are now, all or none."""
    with connection.transaction():
        for incident in sorted(incidents, key=lambda incident: incident.is_firing):  # an end first: one fires at a time
            connection.execute(query("write_alert"), _incident_row(incident))


def _incident_row(incident: Incident) -> dict[str, Any]:
    trouble = incident.trouble
    ends = [told.resolution_at for told in incident.told.values() if told.resolution_at is not None]
    return {
        "id": incident.id,
        "tenant": trouble.tenant,
        "rule": trouble.rule,
        "subject": trouble.subject,
        "severity": trouble.severity,
        "state": "firing" if incident.is_firing else "resolved",
        "title": trouble.title,
        "message": trouble.message,
        "link": trouble.link or None,
        "details": Jsonb(
            {
                "figures": dict(trouble.details),
                "told": {address: _told_to_json(told) for address, told in incident.told.items()},
                "is_settled": incident.is_settled,
                "is_closed_by_hand": incident.is_closed_by_hand,
                "scope": None if trouble.scope is None else sorted(trouble.scope),
            }
        ),
        "times_seen": incident.times_seen,
        "first_seen_at": incident.first_seen_at,
        "last_seen_at": incident.last_seen_at,
        "resolved_at": incident.resolved_at,
        "notified_at": incident.notified_at,
        "resolution_notified_at": None if incident.is_firing else max(ends, default=None),
    }


def _incident(row: tuple[Any, ...]) -> Incident:
    (id_, tenant, rule, subject, severity, title, message, link, details, times_seen, first, last, resolved) = row
    return Incident(
        id=id_,
        trouble=Trouble(
            rule=rule,
            subject=subject,
            severity=severity,
            title=title,
            message=message,
            tenant=None if tenant is None else TenantId(tenant),
            link=link or "",
            details=details.get("figures", {}),
            scope=None if details.get("scope") is None else frozenset(details["scope"]),
        ),
        first_seen_at=first,
        last_seen_at=last,
        times_seen=times_seen,
        resolved_at=resolved,
        is_closed_by_hand=bool(details.get("is_closed_by_hand")),
        is_settled=bool(details.get("is_settled")),
        told={address: _told_from_json(told) for address, told in details.get("told", {}).items()},
    )


def _told_to_json(told: Told) -> dict[str, str | None]:
    return {
        "alert_at": told.alert_at.isoformat(),
        "severity": told.severity,
        "resolution_at": told.resolution_at.isoformat() if told.resolution_at else None,
    }


def _told_from_json(told: dict[str, Any]) -> Told:
    ended = told["resolution_at"]
    return Told(
        alert_at=datetime.fromisoformat(told["alert_at"]),
        severity=told["severity"],
        resolution_at=datetime.fromisoformat(ended) if ended else None,
    )

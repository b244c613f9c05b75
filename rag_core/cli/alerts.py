"""Alerts: what is firing, what was, and whether messages arrive."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, app, command, iso_moment, print_json, say, table
from rag_core.cli.messages import label, localised, tr

if TYPE_CHECKING:
    from rag_core.model.incident import Incident
    from rag_core.settings import Settings

alerts_app = typer.Typer(no_args_is_help=False, help="Alerts: what is firing, what was, and whether messages arrive.")
app.add_typer(alerts_app, name="alerts")

LIMIT = 20
ID_CHARACTERS = 8


@alerts_app.callback(invoke_without_command=True)
def show_alerts(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many alerts to show; firing ones first.")] = LIMIT,
    is_json: JsonOption = False,
) -> None:
    """Show what is firing and what was. `docs/operations/alerts.md` says what each alert means and what to do.

    Example: brain alerts --json
    """
    if context.invoked_subcommand is not None:
        return
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.alerts import STATEMENT_MS, list_incidents, operator_connection
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings_to_read()
        with (
            open_database(settings) as database,
            operator_connection(database, timeout_ms=STATEMENT_MS) as connection,
        ):
            incidents = list_incidents(connection, limit=limit)
        if is_json:
            print_json(_document(incidents, settings))
        else:
            _show(incidents, settings)


def _document(incidents: "list[Incident]", settings: "Settings") -> dict[str, Any]:
    rows = [_to_json(incident, settings) for incident in incidents]
    return {
        "firing": [row for row in rows if row["state"] == "firing"],
        "recent": [row for row in rows if row["state"] == "resolved"],
        "addresses": [address.name for address in _addresses(settings)],
    }


def _to_json(incident: "Incident", settings: "Settings") -> dict[str, Any]:
    trouble = incident.trouble
    return {
        "id": str(incident.id),
        "tenant": trouble.tenant,
        "rule": trouble.rule,
        "subject": trouble.subject,
        "severity": trouble.severity,
        "state": "firing" if incident.is_firing else "resolved",
        "title": trouble.title,
        "message": trouble.message,
        "link": settings.dagster_page.rstrip("/") + trouble.link if trouble.link else None,
        "details": dict(trouble.details),
        "times_seen": incident.times_seen,
        "first_seen_at": incident.first_seen_at.isoformat(),
        "last_seen_at": incident.last_seen_at.isoformat(),
        "resolved_at": iso_moment(incident.resolved_at),
        "is_closed_by_hand": incident.is_closed_by_hand,
        "notified_at": iso_moment(incident.notified_at),
    }


def _addresses(settings: "Settings") -> Any:
    from rag_core.alerting.delivery import parse_addresses

    return parse_addresses(settings.alert_urls.get_secret_value() if settings.alert_urls else "")


def _show(incidents: "list[Incident]", settings: "Settings") -> None:
    def local(moment: datetime | None) -> str:
        return moment.astimezone(settings.zone).strftime("%m-%d %H:%M") if moment else ""

    rows = [
        [
            str(incident.id)[:ID_CHARACTERS],
            label(incident.trouble.severity) if incident.is_firing else tr("over"),
            incident.trouble.rule,
            localised(incident.trouble.title),
            localised(incident.trouble.message),
            local(incident.first_seen_at),
            local(incident.resolved_at),
        ]
        for incident in incidents
    ]
    firing = sum(incident.is_firing for incident in incidents)
    table(
        tr("Alerts: {firing} firing", firing=firing),
        [tr("id"), "", tr("rule"), tr("what"), tr("figures"), tr("since"), tr("until")],
        rows,
    )
    if not _addresses(settings):
        say(tr("BRAIN_ALERT_URLS is not set here; a `brain up` that was started with addresses notifies those."))


@alerts_app.command("close")
def close_alert(
    id_or_beginning: Annotated[
        str, typer.Argument(metavar="ID", help="The id, or enough of its beginning, as `brain alerts` shows it.")
    ],
    is_json: JsonOption = False,
) -> None:
    """Say that an alert is over, such as that of a run nobody will repeat. Trouble that is still there begins it anew.

    Example: brain alerts close 3f2a91c0
    """
    from datetime import UTC

    from rag_core.settings import read_settings
    from rag_core.storage.alerts import CLOSING_MS, close_incident, operator_connection
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings()
        with (
            open_database(settings) as database,
            operator_connection(database, timeout_ms=CLOSING_MS) as connection,
        ):
            closed = close_incident(connection, id_or_beginning, now=datetime.now(UTC))
        if is_json:
            print_json(_to_json(closed, settings))
        else:
            say(tr("Closed: {title}.", title=closed.trouble.title))


@alerts_app.command("test")
def send_test(is_json: JsonOption = False) -> None:
    """Send a test message to every address of BRAIN_ALERT_URLS, and say which did not take it. Exits 1 if one did not.

    Example: BRAIN_ALERT_URLS=json://127.0.0.1:9000/hook brain alerts test
    """
    from datetime import UTC

    from rag_core.alerting.delivery import try_addresses
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        settings = read_settings()
        outcomes = try_addresses(_addresses(settings), now=datetime.now(UTC), zone=settings.zone)
        failed = {name: problem for name, problem in outcomes.items() if problem is not None}
        if is_json:
            print_json(
                {
                    "sent": [name for name in outcomes if name not in failed],
                    "failed": [{"address": name, "error": problem} for name, problem in failed.items()],
                }
            )
        else:
            for name, problem in outcomes.items():
                print(tr("{name}: accepted", name=name) if problem is None else problem)
        _leave(is_ok=not failed)


def _leave(*, is_ok: bool) -> None:
    """Exit with 1 if something failed, at once where a server still holds a message that was given up."""
    import os
    import sys

    from rag_core.alerting.delivery import is_any_under_way

    if is_any_under_way():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if not is_ok:
        raise typer.Exit(1)

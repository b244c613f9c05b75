"""Progress of a migration."""

from typing import TYPE_CHECKING

from rag_core.cli.app import JsonOption, TenantOption, command, own_tenant, print_json, progress_bar, say, table
from rag_core.cli.messages import amount, headings, label, localised, tr
from rag_core.cli.migration_app import migration_app

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from rag_core.migration.status import MigrationStatus, RetrievalMeasurement


@migration_app.command("status")
def show_status(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show how far the migration is: notes, batches, rate and when it will be done, what failed and why, and how retrieval does.

    Example: brain migration status --json
    """
    from rag_core.migration.status import read_migration_status
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings_to_read()
        with open_database(settings) as database:
            found = read_migration_status(database, own_tenant(settings, tenant))
        if is_json:
            print_json(found.to_wire())
        else:
            _show_status(found, zone=settings.zone)


def _show_status(found: "MigrationStatus", *, zone: "ZoneInfo") -> None:
    print(f"{progress_bar(found.percent)} {found.percent:.2f} %  {label(found.state)}")
    speed = (
        tr("unknown")
        if found.notes_per_second is None
        else tr("{notes_per_second:,.2f} notes a second", notes_per_second=found.notes_per_second)
    )
    rows = [
        [
            tr("notes"),
            tr(
                "{chunked_notes:,} of {notes:,} chunked, {remaining:,} to come; {chunks}",
                chunked_notes=found.chunked_notes,
                notes=found.notes,
                remaining=found.remaining,
                chunks=amount(found.chunks, "chunk"),
            ),
        ],
        [
            tr("legacy notes"),
            tr(
                "{attached:,} attached, {migrated:,} migrated, {pending:,} pending",
                attached=found.attached,
                migrated=found.migrated,
                pending=found.pending,
            ),
        ],
        [
            tr("batches"),
            tr("{batches_done:,} of {batches:,} done", batches_done=found.batches_done, batches=found.batches),
        ],
        [tr("last batch"), _when(found.last_mark, zone)],
        [tr("rate"), speed],
        [tr("done by"), _when(found.estimated_completion, zone)],
        [tr("failures"), f"{found.failures:,}"],
        [tr("retrieval now"), _measured(found.current, zone)],
        [tr("retrieval before"), _measured(found.baseline, zone)],
    ]
    table(tr("Migration of {tenant}", tenant=found.tenant), headings("what", "value"), rows)
    _tell_failures(found)


def _tell_failures(found: "MigrationStatus") -> None:
    if found.reason:
        say(tr("Why it is {state}: {reason}", state=label(found.state), reason=localised(found.reason)))
    for failure in found.latest_failures:
        say(
            tr(
                "  {source}:{external_id}, {stage}, attempt {attempts}: {error}",
                source=failure.source,
                external_id=failure.external_id,
                stage=failure.stage,
                attempts=failure.attempts,
                error=localised(failure.error),
            )
        )
    if found.failures > len(found.latest_failures):
        say(tr("  … and {failures} more", failures=found.failures - len(found.latest_failures)))
    if any(failure.stage != "attachment" for failure in found.latest_failures):
        say(tr("`brain migration retry` tries them again."))


def _when(moment: "datetime | None", zone: "ZoneInfo") -> str:
    return tr("unknown") if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _measured(figures: "RetrievalMeasurement | None", zone: "ZoneInfo") -> str:
    if figures is None:
        return tr("not measured")
    latency = (
        ""
        if figures.average_latency_ms is None
        else tr(", {average_latency_ms:.0f} ms on average", average_latency_ms=figures.average_latency_ms)
    )
    return tr(
        "hit rate @10 {hit_rate_at_10:.3f}{latency}, {at}",
        hit_rate_at_10=figures.hit_rate_at_10,
        latency=latency,
        at=_when(figures.at, zone),
    )

"""How far a migration is."""

from typing import TYPE_CHECKING

from rag_core.cli.app import JsonOption, TenantOption, command, own_tenant, print_json, progress_bar, say, table
from rag_core.cli.migration_app import migration_app
from rag_core.model.counting import in_english

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from rag_core.migration.status import MigrationStatus, RetrievalFigures


@migration_app.command("status")
def show_status(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show how far the migration is: notes, batches, rate and when it will be done, what failed and why, and how retrieval does.

    Example: brain migration status --json
    """
    from rag_core.migration.status import read_migration_status
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings()
        with open_database(settings) as database:
            found = read_migration_status(database, own_tenant(settings, tenant))
        if is_json:
            print_json(found.to_wire())
        else:
            _show_status(found, zone=settings.zone)


def _show_status(found: "MigrationStatus", *, zone: "ZoneInfo") -> None:
    print(f"{progress_bar(found.percent)} {found.percent:.2f} %  {found.state.replace('_', ' ')}")
    speed = "unknown" if found.notes_per_second is None else f"{found.notes_per_second:,.2f} notes a second"
    rows = [
        [
            "notes",
            f"{found.chunked_notes:,} of {found.notes:,} chunked, {found.remaining:,} to come; {in_english(found.chunks, 'chunk')}",
        ],
        ["legacy notes", f"{found.attached:,} attached, {found.migrated:,} migrated, {found.pending:,} pending"],
        ["batches", f"{found.batches_done:,} of {found.batches:,} done"],
        ["last batch", _when(found.last_mark, zone)],
        ["rate", speed],
        ["done by", _when(found.estimated_completion, zone)],
        ["failures", f"{found.failures:,}"],
        ["retrieval now", _measured(found.current, zone)],
        ["retrieval before", _measured(found.baseline, zone)],
    ]
    table(f"Migration of {found.tenant}", ["what", "value"], rows)
    if found.reason:
        say(f"Why it is {found.state.replace('_', ' ')}: {found.reason}")
    for failure in found.latest_failures:
        say(f"  {failure.source}:{failure.external_id}, {failure.stage}, attempt {failure.attempts}: {failure.error}")
    if found.failures > len(found.latest_failures):
        say(f"  … and {found.failures - len(found.latest_failures)} more")
    if any(failure.stage != "attachment" for failure in found.latest_failures):
        say("`brain migration retry` has them tried again.")


def _when(moment: "datetime | None", zone: "ZoneInfo") -> str:
    return "unknown" if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _measured(figures: "RetrievalFigures | None", zone: "ZoneInfo") -> str:
    if figures is None:
        return "not measured"
    latency = "" if figures.average_latency_ms is None else f", {figures.average_latency_ms:.0f} ms on average"
    return f"hit rate @10 {figures.hit_rate_at_10:.3f}{latency}, {_when(figures.at, zone)}"

"""The way back from a migration: only stop, or whole notes again."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, progress, say
from rag_core.cli.messages import localised, tr
from rag_core.cli.migration_app import opened_engine, tell

if TYPE_CHECKING:
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

ReasonOption = Annotated[str | None, typer.Option(help="Why, for whoever looks at the status later.")]


@app.command("rollback")
def roll_back_migration(
    is_partial: Annotated[
        bool, typer.Option("--partial", help="Only stop: what is chunked stays so, what is pending waits.")
    ] = False,
    reason: ReasonOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Go back to whole notes, at once: nothing is chunked any more, chunks are dropped, everything stays found.

    Notes, ids, dates and texts are untouched, also of notes that came later. Killed in the middle, the same command goes on.
    Backfills that would go on chunking are cancelled. `brain migration resume` is the way forward again.

    - `brain rollback --reason "hit rate fell"`

    - `brain rollback --partial`: stop, keep what is chunked, mend what is wrong, `brain migration resume`
    """
    from rag_core.migration.control import roll_back, stop

    with command(is_json=is_json), opened_engine() as engine:
        owner = engine.writing_tenant(tenant)
        if is_partial:
            tell(
                asdict(stop(engine.database, owner, reason=reason))
                | _cancelled(engine.settings, engine.database, owner),
                is_json=is_json,
            )
            return
        with progress(tr("rolling back"), None) as advance:
            report = roll_back(engine.database, owner, engine.pipeline, reason=reason, on_progress=advance)
        failed = [{"note": str(note), "error": error} for note, error in report.failed.items()]
        tell(asdict(report) | {"failed": failed} | _cancelled(engine.settings, engine.database, owner), is_json=is_json)
        if failed:
            say(tr("brain: some notes are still chunked; run it again"))
            raise typer.Exit(1)


def _cancelled(settings: "Settings", database: "Database", owner: "TenantId") -> dict[str, list[str]]:
    """Cancel Dagster's backfills that would go on, where Dagster has been used at all."""
    if not settings.dagster_home.exists():
        return {"cancelled_backfills": []}
    from rag_assets.indexing import dagster_instance
    from rag_assets.migration import cancel_backfills

    with dagster_instance(settings, database, lambda event: say(localised(event.message))) as instance:
        return {"cancelled_backfills": cancel_backfills(instance, database, owner)}

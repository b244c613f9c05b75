"""The way of a migration: run, let go on, try again, finish.

Taking the notes over is in ``attaching``, how far it is in ``migration_status``, the way back in ``rolling_back``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, batch_progress, command, print_json, progress, say
from rag_core.cli.messages import localised, tr
from rag_core.cli.migration_app import EveryOption, migration_app, opened_engine, tell

if TYPE_CHECKING:
    from rag_core.model.note import TenantId
    from rag_core.storage.database import Database

FATAL = "Error durante la migración de notas"


@migration_app.command("run")
def run_batches(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Chunk all that is pending, newest notes first, in this process, and measure retrieval on the way.

    It can be stopped at any moment (Ctrl-C, `brain rollback --partial`) and goes on where it was. A significant drop against
    the evaluation made before it stops it. Exits 1 when it was stopped. Backfills in Dagster's UI do the same.

    Example: brain migration run
    """
    from rag_assets.migration import run_migration

    with command(is_json=is_json), opened_engine() as engine:
        owner = engine.writing_tenant(tenant)
        with batch_progress(tr("migrating")) as show, _told_as_fatal():
            report = run_migration(engine, owner, on_event=show)
        is_success = report.stopped is None and not report.failed
        errors = _errors(engine.database, owner) if is_json and report.failed else []
        tell({"success": is_success, **asdict(report)} | ({"errors": errors} if is_json else {}), is_json=is_json)
        if not is_json and report.failed:
            say(tr("`brain migration status` lists what failed, `brain migration retry` tries it again."))
        if report.stopped is not None:
            say(tr("brain: stopped: {stopped}", stopped=localised(report.stopped)))
            raise typer.Exit(1)


@contextmanager
def _told_as_fatal() -> Iterator[None]:
    """Say of an error that ends a run that it is the migration's, in the words of the contract."""
    from rag_core.errors import IndexingError

    try:
        yield
    except IndexingError as error:
        raise IndexingError(f"{FATAL}: {error}") from error


def _errors(database: "Database", tenant: "TenantId") -> list[dict[str, Any]]:
    """The latest of the notes that failed, with the reason; rows that never became notes are ``attach``'s."""
    from rag_core.migration.status import read_migration_status

    told = read_migration_status(database, tenant).to_wire()["errors"]
    return [{"noteId": one["noteId"], "error": one["error"]} for one in told if one["stage"] != "attachment"]


@migration_app.command("resume")
def resume_batches(every: EveryOption = None, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Let the migration go on after `brain rollback` or after it was stopped; `brain migration run` then goes on with it.

    Example: brain migration resume --evaluate-every 5
    """
    from rag_core.migration.control import measure_every, resume

    with command(is_json=is_json), opened_engine() as engine:
        owner = engine.writing_tenant(tenant)
        counts = resume(engine.database, owner)
        measure_every(engine.database, owner, every)
        tell(asdict(counts), is_json=is_json)
        if not is_json:
            say(tr("Next: `brain migration run`, or a backfill of migrate_notes in Dagster's UI."))


@migration_app.command("retry")
def retry_notes(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Have notes tried again that failed three times and are passed over; the next run takes them.

    Rows that could not be attached are not among them: mend them where they are and attach again.

    Example: brain migration retry
    """
    from rag_core.migration.control import retry_failed

    with command(is_json=is_json), opened_engine() as engine:
        owner = engine.writing_tenant(tenant)
        retried = retry_failed(engine.database, owner, fingerprint=engine.pipeline.fingerprint)
        tell({"retried": retried}, is_json=is_json)


@migration_app.command("finish")
def finish_migration(
    least_hit_rate: Annotated[
        float, typer.Option(min=0, max=1, help="Hit rate at 10 that retrieval must reach.")
    ] = 0.85,
    accepts_rejected: Annotated[
        bool, typer.Option("--accept-rejected", help="Leave out for good the rows that could not be attached.")
    ] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Measure retrieval, and end the migration if every note is migrated and retrieval is good; exits 1 with what is missing.

    Vectors that only a rollback needs are dropped.

    Example: brain migration finish
    """
    from rag_core.errors import MigrationIncompleteError
    from rag_core.migration.control import finish
    from rag_core.migration.measuring import measure_now

    with command(is_json=is_json), opened_engine() as engine:
        owner = engine.writing_tenant(tenant)
        with progress(tr("evaluating"), None) as advance:
            run = measure_now(engine, owner, on_progress=lambda *_: advance(1))
        try:
            report = finish(
                engine.database,
                owner,
                evaluation=None if run is None else run.run_id,
                least_hit_rate=least_hit_rate,
                accepts_rejected=accepts_rejected,
            )
        except MigrationIncompleteError as error:
            if not is_json:
                raise
            print_json({"error": localised(str(error)), "reasons": [localised(reason) for reason in error.reasons]})
            raise typer.Exit(1) from None
        tell(asdict(report), is_json=is_json)
        if run is None or run.comparison is None:
            say(tr("Nothing was measured before the first batch, so there is no comparison."))

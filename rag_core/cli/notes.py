"""The index over the notes, and notes out."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    batch_progress,
    command,
    print_json,
)
from rag_core.cli.messages import amount, label, tr

if TYPE_CHECKING:
    from rag_assets.indexing import IndexReport


@app.command("index")
def index_notes(
    is_full: Annotated[
        bool, typer.Option("--full", help="Chunk and publish every note again, not only stale ones.")
    ] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Bring the index up to date: chunk, embed and publish what is new or changed, through the Dagster pipeline.

    Unchanged notes cost nothing, an edited note embeds only its changed chunks, and search goes on meanwhile. Without --tenant and
    BRAIN_TENANT all tenants' notes are; notes and chunks are counted of those for which something was to be done.

    Example: brain index
    """
    from rag_assets.indexing import run_index
    from rag_core.model.note import TenantId
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings
    from rag_core.storage.batches import list_tenants

    with command(is_json=is_json):
        settings = read_settings()
        with open_engine(settings) as engine:
            named = tenant or settings.tenant
            tenants = [TenantId(named)] if named else list_tenants(engine.database)
            with batch_progress(tr("indexing")) as show:
                report = run_index(engine, tenants=tenants, is_full=is_full, on_event=show)
        if is_json:
            print_json(asdict(report))
        else:
            _show_indexed(report)


def _show_indexed(report: "IndexReport") -> None:
    shown = {**asdict(report), "tenants": ", ".join(report.tenants) or tr("none")}
    print("  ".join(f"{label(name)} {value}" for name, value in shown.items()))
    if report.pending:
        waiting = amount(report.pending, "legacy note")
        print(tr("Not chunked yet: {waiting}, found as a whole. Run `brain migration run` to chunk.", waiting=waiting))


@app.command("delete")
def delete(
    notes: Annotated[list[str], typer.Argument(help="External ids, source:id or uuids.")],
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Delete notes with everything made of them. It never asks; an unknown note deletes nothing and exits 1.

    Example: brain delete 2025-03-01 diario:2025-03-02
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings
    from rag_core.storage.notes import delete_notes, find_note

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.writing_tenant(tenant)
        with engine.database.transaction(owner) as connection:
            found = [find_note(connection, owner, name) for name in notes]
            deleted = delete_notes(connection, owner, found)
        if is_json:
            print_json({"deleted": len(deleted), "notes": [str(note) for note in deleted]})
        else:
            print(tr("deleted {deleted}", deleted=len(deleted)))

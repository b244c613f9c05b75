"""The index over the notes, and notes out."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    batch_progress,
    command,
    print_json,
    say,
)
from rag_core.cli.messages import amount, label, tr

if TYPE_CHECKING:
    from rag_assets.indexing import IndexReport
    from rag_core.model.note import NoteId, TenantId
    from rag_core.runtime.engine import Engine


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
    is_undo: Annotated[bool, typer.Option("--undo", help="Bring deleted notes back.")] = False,
    is_forever: Annotated[bool, typer.Option("--forever", help="Keep no version of them.")] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Delete notes with everything made of them. It never asks; an unknown note deletes nothing and exits 1.

    Nothing finds them any more; --undo brings notes back for BRAIN_NOTE_VERSION_DAYS (30 days), documents not.

    Example: brain delete 2025-03-01 diario:2025-03-02
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.writing_tenant(tenant)
        if is_undo:
            restored = _bring_back(engine, owner, notes)
            document: dict[str, Any] = {"restored": restored}
            told = tr("restored {restored}", restored=restored)
        else:
            deleted, kept = _delete(engine, owner, notes, is_forever=is_forever)
            document = {"deleted": len(deleted), "notes": [str(note) for note in deleted], "kept": kept}
            told = tr("deleted {deleted}", deleted=len(deleted))
            if kept:
                days = engine.settings.note_version_days
                say(tr("`brain delete --undo NOTE` brings a note back for {days} days.", days=days))
        if is_json:
            print_json(document)
        else:
            print(told)


def _delete(
    engine: "Engine", owner: "TenantId", names: Sequence[str], *, is_forever: bool
) -> "tuple[list[NoteId], int]":
    """Delete notes; their ids, and the number of those that can be brought back."""
    from rag_core.storage.note_versions import count_deleted, forget_versions
    from rag_core.storage.notes import delete_notes, find_note

    with engine.database.transaction(owner) as connection:
        found = [find_note(connection, owner, name) for name in names]
        deleted = delete_notes(connection, owner, found)
        if is_forever:
            forget_versions(connection, owner, deleted)
        return deleted, count_deleted(connection, owner, deleted)


def _bring_back(engine: "Engine", owner: "TenantId", names: Sequence[str]) -> int:
    """Store deleted notes again; all of them or none.

    Raises:
        NotFoundError: a name is of no deleted note that is kept.
    """
    from rag_core.errors import NotFoundError
    from rag_core.folders.reading import written_contents
    from rag_core.notes.versions import restored
    from rag_core.storage.documents import store_contents
    from rag_core.storage.note_versions import kept_since, list_deleted
    from rag_core.storage.notes import store_notes

    since = kept_since(engine.settings.note_version_days)
    with engine.database.transaction(owner, has_copy=True) as connection:
        versions = []
        for name in dict.fromkeys(names):
            found = list_deleted(connection, owner, since=since, names=[name])
            if not found:
                raise NotFoundError(f"no deleted note called {name!r} is kept")
            versions += found
        notes = {version.note_id: restored(version) for version in versions}
        stored = store_notes(connection, owner, list(notes.values())).imported
        for note_id, note in notes.items():
            contents = written_contents(note, max_characters=engine.settings.max_note_characters)
            store_contents(connection, owner, note.source, [(note_id, contents)])
        return stored

"""Notes in, notes out, and the index over them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    batch_progress,
    command,
    names_like,
    own_tenant,
    print_json,
    progress,
    say,
    say_waiting,
)
from rag_core.cli.messages import amount, label, localised, tr
from rag_core.language import LANGUAGES

if TYPE_CHECKING:
    from rag_assets.indexing import IndexReport
    from rag_core.model.note import TenantId
    from rag_core.notes.importing import ImportReport, Problem


def _language(value: str | None) -> str | None:
    if value is not None and value not in LANGUAGES:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(LANGUAGES)}")
    return value


NoteLanguageOption = Annotated[
    str | None, typer.Option(callback=_language, help="es, de or en; default: the line's, then detected.")
]


@app.command("import")
def import_notes(
    file: Annotated[Path, typer.Argument(help="JSON lines; `-` is not taken, a file can be read again.")],
    source: Annotated[str, typer.Option(help="Where the notes come from; ids are unique within it.")] = "notes",
    language: NoteLanguageOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Take notes from a file; they are found by their words at once, by meaning after `brain index`.

    Each line: {"id": "2025-03-01", "text": "…", "title": "…", "created_at": "2025-03-01T21:00", "tags": ["…"]}; id and
    text are required, other fields become metadata. Importing a file again changes nothing; changed lines update their
    notes; bad lines are listed and the good ones go in.

    Example: brain import diario.jsonl --source diario
    """
    from rag_core.notes.importing import import_lines, line_bytes, read_lines, require_note_lines
    from rag_core.settings import read_settings
    from rag_core.storage.batches import has_unindexed_notes, list_tenants
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings()
        require_note_lines(file, max_characters=settings.max_note_characters)
        owner = own_tenant(settings, tenant)
        with (
            open_database(settings) as database,
            file.open("rb") as lines,
            progress(tr("importing {name}", name=file.name), file.stat().st_size) as advance,
        ):
            report = import_lines(
                database,
                owner,
                read_lines(lines, max_bytes=line_bytes(settings.max_note_characters)),
                source=source,
                language=language,
                zone=settings.zone,
                max_characters=settings.max_note_characters,
                on_progress=advance,
                on_waiting=say_waiting,
                file_bytes=file.stat().st_size,
            )
            is_index_needed = has_unindexed_notes(database, owner)
            near = names_like(owner, list_tenants(database), settings) if report.is_new_tenant else []
        _show_imported(report, is_json=is_json)
        if report.is_new_tenant and not is_json:
            say(_made(owner, near))
        if is_index_needed and not is_json:
            say(tr("Run `brain index` to find all of them by meaning too."))
        if report.rejected_count and not report.taken:
            raise typer.Exit(1)


def _show_imported(report: "ImportReport", *, is_json: bool) -> None:
    counts = {"imported": report.imported, "updated": report.updated, "unchanged": report.unchanged}
    if is_json:
        print_json({**counts, **_details(report)})
        return
    print(
        "  ".join(f"{label(name)} {count}" for name, count in counts.items())
        + tr("  rejected {rejected_count}", rejected_count=report.rejected_count)
    )
    for problem in (*report.problems, *report.warnings):
        say(f"  {lines_of(problem)}: {localised(problem.text)}")


def _details(report: "ImportReport") -> dict[str, Any]:
    return {
        "rejected": [asdict(each) | {"error": localised(each.error)} for each in report.rejected],
        "rejected_count": report.rejected_count,
        "problems": [{"error": localised(one.text), "count": one.count, "lines": one.lines} for one in report.problems],
        "warnings": [
            {"warning": localised(one.text), "count": one.count, "lines": one.lines} for one in report.warnings
        ],
        "is_new_tenant": report.is_new_tenant,
    }


def lines_of(problem: "Problem") -> str:
    """The first lines of a problem, and how many more have it."""
    more = problem.count - len(problem.lines)
    numbers = ", ".join(map(str, problem.lines)) + (tr(" and {more:,} more", more=more) if more else "")
    return tr("line {numbers}", numbers=numbers) if problem.count == 1 else tr("lines {numbers}", numbers=numbers)


def _made(tenant: "TenantId", near: list[str]) -> str:
    meant = (
        tr(" If {near} was meant, `brain tenant delete {tenant}` removes it.", near=" or ".join(near), tenant=tenant)
        if near
        else ""
    )
    return tr("The tenant {tenant} did not exist and was created.{meant}", tenant=tenant, meant=meant)


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

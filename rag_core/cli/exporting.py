"""`brain export`: notes as Markdown or JSON lines."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, progress
from rag_core.cli.messages import amount, tr
from rag_core.cli.searching import (
    FromOption,
    KindOption,
    LanguageOption,
    SourceOption,
    TagOption,
    ToOption,
    TypeOption,
)

if TYPE_CHECKING:
    from rag_core.folders.exporting import ExportFormat, ExportReport
    from rag_core.runtime.engine import Engine

_FORMATS = ("markdown", "jsonl")


def _format(value: str) -> str:
    if value not in _FORMATS:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(_FORMATS)}")
    return value


@app.command("export")
def export(
    folder: Annotated[Path, typer.Argument(help="The folder to write; it is made where it is not there.")],
    form: Annotated[
        str, typer.Option("--format", callback=_format, help="markdown: a file a note; jsonl: a file a source.")
    ] = "markdown",
    is_replacing: Annotated[
        bool, typer.Option("--replace", help="Write into a folder that has files, over those of the same names.")
    ] = False,
    since: FromOption = None,
    until: ToOption = None,
    kinds: KindOption = None,
    types: TypeOption = None,
    sources: SourceOption = None,
    languages: LanguageOption = None,
    tags: TagOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Write notes, and the texts of documents, as files that other programs read and `brain import` takes back.

    Markdown has title, date, tags and further fields as front matter, in a folder a source. A file of JSON lines keeps everything:

    - `brain export ~/copia --format jsonl`

    - `brain import ~/copia/diario.jsonl --source diario`

    Example: brain export ~/copia --source diario --from 2025-01-01
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    conditions = {"from": since, "to": until, "kinds": kinds, "sources": sources, "languages": languages}
    conditions |= {"tags": tags, "documentTypes": types}
    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        report = _write(engine, tenant, conditions, folder, form=form, is_replacing=is_replacing)  # type: ignore[arg-type]
        if is_json:
            print_json(asdict(report))
        else:
            print(
                tr(
                    "exported {notes} in {files} to {folder}",
                    notes=amount(report.notes, "note"),
                    files=amount(report.files, "file"),
                    folder=folder,
                )
            )


def _write(
    engine: "Engine",
    tenant: str | None,
    conditions: dict[str, Any],
    folder: Path,
    *,
    form: "ExportFormat",
    is_replacing: bool,
) -> "ExportReport":
    from rag_core.folders.exporting import export_notes
    from rag_core.retrieval.filters import fetch_filters
    from rag_core.storage.library import count_library, notes_by_name

    owner, database, settings = engine.named_tenant(tenant), engine.database, engine.settings
    filters = fetch_filters(database, owner, conditions, zone=settings.zone, timeout_ms=settings.request_timeout_ms)
    with database.transaction(owner) as connection:
        total = count_library(connection, owner, filters)
    with progress(tr("exporting"), total) as advance:
        return export_notes(
            notes_by_name(database, owner, filters),
            folder,
            form=form,
            zone=settings.zone,
            is_replacing=is_replacing,
            on_progress=advance,
        )

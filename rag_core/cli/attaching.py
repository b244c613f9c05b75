"""Taking over the notes of another program as they are: from a table or a file."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, command, own_tenant, print_json, progress, say, say_waiting
from rag_core.cli.importing import NoteLanguageOption
from rag_core.cli.messages import label, localised, tr
from rag_core.cli.migration_app import EveryOption, migration_app

if TYPE_CHECKING:
    from rag_core.migration.attach import AttachReport, LegacyNote, Refusal
    from rag_core.model.embedding import EmbeddingModel
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database
    from rag_core.storage.legacy import TableColumn

SHOWN = 20
_VECTORS = "The rows' own vectors"
_TABLE = "A table instead of a file"

FileArgument = Annotated[Path | None, typer.Argument(help="JSON lines; or give --table.")]
TableOption = Annotated[
    str | None, typer.Option("--table", help="A table or view: public.notes.", rich_help_panel=_TABLE)
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="URL", help="PostgreSQL that has it; default: Brain Sync's own.", rich_help_panel=_TABLE
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="content=NAME", help="A column that is called otherwise.", rich_help_panel=_TABLE),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--embedding-model",
        metavar="NAME",
        help="Which model they are of; it must be the active one.",
        rich_help_panel=_VECTORS,
    ),
]
WithoutVectorsOption = Annotated[
    bool, typer.Option("--without-vectors", help="Leave them out.", rich_help_panel=_VECTORS)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Options on the source of the rows."""

    file: Path | None
    table_name: str | None
    server: str | None
    columns: dict[str, str]
    model_name: str | None
    is_without_vectors: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Rows to attach, their number if it is known, their source, and a message to print first."""

    notes: Iterable["LegacyNote"]
    origin: str
    count: int | None = None
    remarks: tuple[str, ...] = ()


@migration_app.command("attach")
def attach_notes(
    file: FileArgument = None,
    table_name: TableOption = None,
    server: ServerOption = None,
    columns: ColumnsOption = None,
    model_name: ModelOption = None,
    is_without_vectors: WithoutVectorsOption = False,
    source: Annotated[str, typer.Option(help="The notes' source; ids are unique within it.")] = "legacy",
    language: NoteLanguageOption = None,
    every: EveryOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Take over somebody's notes as they are: found by their words at once, chunked later, never written to.

    - `brain migration attach --table public.notes`: a table of Brain Sync's own database

    - `brain migration attach --table apuntes --from postgresql://me@db/old --column content=texto --column id=clave`

    - `brain migration attach --table public.notes --embedding-model hashing`: with vectors of the active model

    - `brain migration attach notas.jsonl --source cuaderno`: lines {"id": "…", "text": "…", "title": "…", "created_at": "…",
    "updated_at": "…", "metadata": {}, "tags": [], "embedding": [0.1, …]}; id and text are required

    Columns are found by name: id, content (text, body), title, created_at, updated_at, tags, metadata, language, embedding
    (vector). Ids that are uuids stay the notes' ids, dates stay as they are. Rows that cannot be taken are listed with the
    reason, and the others go in.

    All rows are taken, whatever `brain tenant limit` says: a migration of a part could not be finished. They count for later imports.

    Attaching again takes what is new and what has changed there; notes that were edited here are left alone. A note deleted
    here comes back with its row, so delete that too.
    """
    wanted = _Wanted(
        file=file,
        table_name=table_name,
        server=server,
        columns=_chosen_columns(columns or []),
        model_name=model_name,
        is_without_vectors=is_without_vectors,
    )
    _check(wanted)
    with command(is_json=is_json):
        _attach(wanted, tenant=tenant, source=source, language=language, every=every, is_json=is_json)


def _attach(
    wanted: _Wanted, *, tenant: str | None, source: str, language: str | None, every: int | None, is_json: bool
) -> None:
    """Attach and tell; exit status 1 where nothing could be taken."""
    from rag_core.migration.control import fetch_state, measure_every
    from rag_core.notes.importing import require_note_lines
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    settings = read_settings()
    if wanted.file is not None:
        require_note_lines(wanted.file, max_characters=settings.max_note_characters, may_be_empty=True)
    owner = own_tenant(settings, tenant)
    with open_database(settings) as database:
        report = _attached(database, settings, owner, wanted, source=source, language=language)
        measure_every(database, owner, every)
        state = fetch_state(database, owner)
    if is_json:
        print_json({"source": source, "tenant": owner, "state": state, **asdict(report)})
    else:
        _show_attached(report, owner, state=state)
    if report.rejected_count and not report.taken:
        raise typer.Exit(1)


def _chosen_columns(values: list[str]) -> dict[str, str]:
    chosen = {}
    for value in values:
        role, _, name = value.partition("=")
        if not role or not name:
            raise typer.BadParameter(f"{value!r} is not of the form content=NAME", param_hint="--column")
        chosen[role] = name
    return chosen


def _check(wanted: _Wanted) -> None:
    if (wanted.file is None) == (wanted.table_name is None):
        raise typer.BadParameter("give either a FILE or --table", param_hint="FILE")
    if wanted.table_name is None and (wanted.server is not None or wanted.columns):
        raise typer.BadParameter("--from and --column need it", param_hint="--table")
    if wanted.model_name is not None and wanted.is_without_vectors:
        raise typer.BadParameter("it excludes --embedding-model", param_hint="--without-vectors")


def _attached(
    database: "Database",
    settings: "Settings",
    owner: "TenantId",
    wanted: _Wanted,
    *,
    source: str,
    language: str | None,
) -> "AttachReport":
    from rag_core.migration.attach import attach, maintain_after

    model = _model(database, wanted.model_name)
    with (
        _source(database, settings, wanted) as rows,
        progress(tr("attaching {origin}", origin=rows.origin), rows.count) as advance,
    ):
        for remark in rows.remarks:
            say(remark)
        report = attach(
            database,
            owner,
            rows.notes,
            source=source,
            model=model,
            zone=settings.zone,
            max_characters=settings.max_note_characters,
            language=language,
            origin=rows.origin,
            on_progress=advance,
            on_waiting=say_waiting,
        )
    maintain_after(report, database, model)
    return report


def _source(database: "Database", settings: "Settings", wanted: _Wanted) -> AbstractContextManager[_Rows]:
    is_with_vectors = wanted.model_name is not None
    if wanted.file is not None:
        return _file(wanted.file, settings, is_with_vectors=is_with_vectors)
    return _table(
        database,
        str(wanted.table_name),
        server=wanted.server,
        chosen=wanted.columns,
        is_with_vectors=is_with_vectors,
        is_silent=wanted.is_without_vectors,
    )


def _model(database: "Database", name: str | None) -> "EmbeddingModel":
    """The active model, which is the one named if one is."""
    from rag_core.migration.attach import require_model
    from rag_core.storage.models import fetch_active_model

    with database.owner() as connection:
        active = fetch_active_model(connection)
    if name is not None:
        require_model(active, name)
    return active


@contextmanager
def _file(file: Path, settings: "Settings", *, is_with_vectors: bool) -> Iterator[_Rows]:
    from rag_core.migration.legacy_file import read_notes
    from rag_core.notes.importing import line_bytes, read_lines

    max_bytes = line_bytes(settings.max_note_characters)
    with file.open("rb") as counted:
        count = sum(1 for _ in read_lines(counted, max_bytes=max_bytes))
    with file.open("rb") as lines:
        notes = read_notes(read_lines(lines, max_bytes=max_bytes), is_with_vectors=is_with_vectors)
        yield _Rows(notes=notes, origin=str(file.resolve()), count=count)


@contextmanager
def _table(
    database: "Database",
    name: str,
    *,
    server: str | None,
    chosen: dict[str, str],
    is_with_vectors: bool,
    is_silent: bool,
) -> Iterator[_Rows]:
    """The table's rows; ``is_silent`` says nothing of vectors that are left out."""
    from rag_core.migration.legacy_table import open_table

    with open_table(
        server or database.owner_conninfo,
        name,
        is_ours=server is None,
        chosen=chosen,
        is_with_vectors=is_with_vectors,
    ) as opened:
        remarks = []
        if opened.ignored:
            remarks.append(tr("unused columns: ") + ", ".join(_ignored(one) for one in opened.ignored))
        if opened.vectors is not None and not is_with_vectors and not is_silent:
            remarks.append(
                tr(
                    "the vectors in {name} are left out: notes are found by meaning once they are chunked, or at once with "
                    "--embedding-model NAME, if they are of the active model",
                    name=opened.vectors.name,
                )
            )
        if not opened.is_newest_first:
            remarks.append(tr("no column gives the date of a note: all are dated now"))
        yield _Rows(notes=opened.notes, origin=opened.origin, count=opened.rows, remarks=tuple(remarks))


def _ignored(column: "TableColumn") -> str:
    return (
        tr("{name} (the full-text index makes its own)", name=column.name) if column.type == "tsvector" else column.name
    )


def _show_attached(report: "AttachReport", owner: "TenantId", *, state: str | None) -> None:
    counts = {
        "attached": report.attached,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "kept here": report.kept_here_count,
        "with a vector": report.with_vector,
        "rejected": report.rejected_count,
    }
    print("  ".join(f"{label(name)} {count}" for name, count in counts.items()))
    _list_refusals(tr("not taken"), report.rejected, report.rejected_count)
    _list_refusals(tr("taken without their vectors"), report.unusable_vectors, report.unusable_vector_count)
    if report.kept_here:
        say(
            tr(
                "Kept as edited here, though their rows changed: {kept_here}",
                kept_here=_first(report.kept_here),
            )
        )
    if report.attached and report.unchanged:
        say(tr("New rows were attached; a note deleted here returns as long as its row exists."))
    if report.attached + report.updated:
        say(tr("Full-text search finds all of them now. `brain golden import` and `brain evaluate` measure how well."))
    if state in {"stopped", "rolled_back"}:
        say(tr("The migration is {state}: `brain migration resume` lets it go on.", state=state))
    if report.taken:
        say(
            tr(
                "Next: chunk them with `brain migration run`, or in Dagster's UI as a backfill of the job migrate_notes over "
                "the partitions {owner}.legacy-…; `brain migration status` says how far it is.",
                owner=owner,
            )
        )


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (
        tr(" … and {names} more; --json lists them", names=len(names) - SHOWN) if len(names) > SHOWN else ""
    )


def _list_refusals(what: str, refusals: Sequence["Refusal"], count: int) -> None:
    if not count:
        return
    say(f"{count} {what}:")
    for refusal in refusals[:SHOWN]:
        say(f"  {refusal.id}: {localised(refusal.error)}")
    if count > SHOWN:
        say(tr("  … and {count} more; --json lists them", count=count - SHOWN))

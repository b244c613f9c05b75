"""Taking over legacy notes: attach, watch, run, try again, finish, and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    batch_progress,
    command,
    print_json,
    progress,
    progress_bar,
    say,
    table,
)
from rag_core.cli.notes import NoteLanguageOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from rag_core.embedding import EmbeddingModel
    from rag_core.engine import Engine
    from rag_core.migration.attach import AttachReport, LegacyNote, Refusal
    from rag_core.migration.status import MigrationStatus, RetrievalFigures
    from rag_core.model import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database
    from rag_core.storage.legacy import TableColumn

migration_app = typer.Typer(
    no_args_is_help=True,
    help=(
        "Take over the notes of another program: attach its table or file, chunk it batch by batch while everything stays "
        "found, and finish. `brain rollback` is the way back. The whole way is in docs/operations/migrate.md."
    ),
)
app.add_typer(migration_app, name="migration")

SHOWN = 20
_VECTORS = "The rows' own vectors"
_TABLE = "A table instead of a file"

EveryOption = Annotated[
    int | None,
    typer.Option("--evaluate-every", min=1, metavar="N", help="Measure retrieval after so many batches; at first 10."),
]
ReasonOption = Annotated[str | None, typer.Option(help="Why, for whoever looks at the status later.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What is attached: the rows, how many there are if that is known, where from, and what is to be said first."""

    notes: "Iterable[LegacyNote]"
    origin: str
    count: int | None = None
    remarks: tuple[str, ...] = ()


def _columns(values: list[str]) -> dict[str, str]:
    chosen = {}
    for value in values:
        role, sign, name = value.partition("=")
        if not sign or not role or not name:
            raise typer.BadParameter(f"{value!r} is not of the form content=NAME", param_hint="--column")
        chosen[role] = name
    return chosen


@migration_app.command("attach")
def attach_notes(
    file: Annotated[Path | None, typer.Argument(help="JSON lines; or give --table.")] = None,
    table_name: Annotated[
        str | None,
        typer.Option("--table", help="A table or view: public.notes.", rich_help_panel=_TABLE),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="URL", help="PostgreSQL that has it; default: Brain Sync's own.", rich_help_panel=_TABLE
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="content=NAME", help="A column that is called otherwise.", rich_help_panel=_TABLE
        ),
    ] = None,
    model_name: Annotated[
        str | None,
        typer.Option(
            "--embedding-model",
            metavar="NAME",
            help="Which model they are of; it must be the active one.",
            rich_help_panel=_VECTORS,
        ),
    ] = None,
    is_without_vectors: Annotated[
        bool, typer.Option("--without-vectors", help="Leave them out.", rich_help_panel=_VECTORS)
    ] = False,
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

    Attaching again takes what is new and what has changed there; notes that were edited here are left alone. A note deleted
    here comes back with its row, so delete that too.
    """
    from rag_core.engine import DEFAULT_TENANT
    from rag_core.migration.attach import attach, maintain_after
    from rag_core.migration.control import fetch_state, measure_every
    from rag_core.model import TenantId
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    chosen = _chosen_columns(columns or [])
    _require_one_source(file, table_name, is_table_described=server is not None or bool(chosen))
    if model_name is not None and is_without_vectors:
        raise typer.BadParameter("it excludes --embedding-model", param_hint="--without-vectors")
    with command(is_json=is_json):
        settings = read_settings()
        owner = TenantId(tenant or settings.tenant or DEFAULT_TENANT)
        with open_database(settings) as database:
            model = _model(database, model_name)
            source_rows = (
                _file(file, settings, is_with_vectors=model_name is not None)
                if file is not None
                else _table(
                    database,
                    str(table_name),
                    server=server,
                    chosen=chosen,
                    is_with_vectors=model_name is not None,
                    is_silent=is_without_vectors,
                )
            )
            with source_rows as rows, progress(f"attaching {rows.origin}", rows.count) as advance:
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
                    language=language,  # type: ignore[arg-type]
                    origin=rows.origin,
                    on_progress=advance,
                )
            maintain_after(report, database, model)
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


def _require_one_source(file: Path | None, table_name: str | None, *, is_table_described: bool) -> None:
    if (file is None) == (table_name is None):
        raise typer.BadParameter("give a FILE or --table, one of the two", param_hint="FILE")
    if table_name is None and is_table_described:
        raise typer.BadParameter("--from and --column belong to it", param_hint="--table")


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
def _file(file: Path, settings: "Settings", *, is_with_vectors: bool) -> "Iterator[_Rows]":
    from rag_core.errors import InvalidInputError
    from rag_core.importing import LINE_BYTES_A_CHARACTER, read_lines
    from rag_core.migration.legacy_file import read_notes

    if not file.is_file():
        raise InvalidInputError(f"there is no file {file}; give the path of a file of JSON lines, or --table")
    max_bytes = LINE_BYTES_A_CHARACTER * settings.max_note_characters + 1_000_000
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
) -> "Iterator[_Rows]":
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
            remarks.append("columns that nothing is taken from: " + ", ".join(_ignored(one) for one in opened.ignored))
        if opened.vectors is not None and not is_with_vectors and not is_silent:
            remarks.append(
                f"the vectors in {opened.vectors.name} are left out: notes are found by meaning once they are chunked, or "
                "at once with --embedding-model NAME, if they are of the active model"
            )
        if not opened.is_newest_first:
            remarks.append("no column says when a note was written: all are taken to be of this moment")
        yield _Rows(notes=opened.notes, origin=opened.origin, count=opened.rows, remarks=tuple(remarks))


def _ignored(column: "TableColumn") -> str:
    return f"{column.name} (the full-text index makes its own)" if column.type == "tsvector" else column.name


def _show_attached(report: "AttachReport", owner: "TenantId", *, state: str | None) -> None:
    counts = {
        "attached": report.attached,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "kept here": report.kept_here_count,
        "with a vector": report.with_vector,
        "rejected": report.rejected_count,
    }
    print("  ".join(f"{name} {count}" for name, count in counts.items()))
    _list_refusals("not taken", report.rejected, report.rejected_count)
    _list_refusals("taken without their vectors", report.unusable_vectors, report.unusable_vector_count)
    if report.kept_here:
        say(
            f"{report.kept_here_count} rows changed whose notes were edited here and stay so: {_first(report.kept_here)}"
        )
    if report.attached and report.unchanged:
        say("What was new came in; a note that was deleted here comes back as long as its row is there.")
    if report.attached + report.updated:
        say("All of them are found by their words now. `brain golden import` and `brain evaluate` say how well.")
    if state in {"stopped", "rolled_back"}:
        say(f"The migration is {state}: `brain migration resume` lets it go on.")
    if report.taken:
        say(
            f"Next: chunk them with `brain migration run`, or in Dagster's UI as a backfill of the job migrate_notes over "
            f"the partitions {owner}.legacy-…; `brain migration status` says how far it is."
        )


def _first(names: "Sequence[str]") -> str:
    return ", ".join(names[:SHOWN]) + (
        f" … and {len(names) - SHOWN} more; --json lists them" if len(names) > SHOWN else ""
    )


def _list_refusals(what: str, refusals: "Sequence[Refusal]", count: int) -> None:
    if not count:
        return
    say(f"{count} {what}:")
    for refusal in refusals[:SHOWN]:
        say(f"  {refusal.id}: {refusal.error}")
    if count > SHOWN:
        say(f"  … and {count - SHOWN} more; --json lists them")


@migration_app.command("status")
def show_status(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show how far the migration is: notes, batches, rate and when it will be done, what failed and why, and how retrieval does.

    Example: brain migration status --json
    """
    from rag_core.engine import DEFAULT_TENANT
    from rag_core.migration.status import read_migration_status
    from rag_core.model import TenantId
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings()
        with open_database(settings) as database:
            found = read_migration_status(database, TenantId(tenant or settings.tenant or DEFAULT_TENANT))
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
            f"{found.chunked_notes:,} of {found.notes:,} chunked, {found.remaining:,} to come; {found.chunks:,} chunks",
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


@migration_app.command("run")
def run_batches(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Chunk all that is pending, newest notes first, in this process, and measure retrieval on the way.

    It can be stopped at any moment (Ctrl-C, `brain rollback --partial`) and goes on where it was. A significant drop against
    the evaluation made before it stops it. Exits 1 when it was stopped. Backfills in Dagster's UI do the same.

    Example: brain migration run
    """
    from rag_assets.migration import run_migration

    with command(is_json=is_json), _engine() as engine:
        with batch_progress("migrating") as show:
            report = run_migration(engine, engine.writing_tenant(tenant), on_event=show)
        is_success = report.stopped is None and not report.failed
        _tell({"success": is_success, **asdict(report)}, is_json=is_json)
        if not is_json and report.failed:
            say("`brain migration status` lists what failed, `brain migration retry` has it tried again.")
        if report.stopped is not None:
            say(f"brain: stopped: {report.stopped}")
            raise typer.Exit(1)


@migration_app.command("resume")
def resume_batches(every: EveryOption = None, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Let the migration go on after `brain rollback` or after it was stopped; `brain migration run` then goes on with it.

    Example: brain migration resume --evaluate-every 5
    """
    from rag_core.migration.control import measure_every, resume

    with command(is_json=is_json), _engine() as engine:
        owner = engine.writing_tenant(tenant)
        counts = resume(engine.database, owner)
        measure_every(engine.database, owner, every)
        _tell(asdict(counts), is_json=is_json)
        if not is_json:
            say("Next: `brain migration run`, or a backfill of migrate_notes in Dagster's UI.")


@migration_app.command("retry")
def retry_notes(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Have notes tried again that failed three times and are passed over; the next run takes them.

    Rows that could not be attached are not among them: mend them where they are and attach again.

    Example: brain migration retry
    """
    from rag_core.migration.control import retry_failed

    with command(is_json=is_json), _engine() as engine:
        owner = engine.writing_tenant(tenant)
        retried = retry_failed(engine.database, owner, fingerprint=engine.pipeline.fingerprint)
        _tell({"retried": retried}, is_json=is_json)


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

    with command(is_json=is_json), _engine() as engine:
        owner = engine.writing_tenant(tenant)
        with progress("evaluating", None) as advance:
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
            print_json({"error": str(error), "reasons": list(error.reasons)})
            raise typer.Exit(1) from None
        _tell(asdict(report), is_json=is_json)
        if run is None or run.comparison is None:
            say(
                "Nothing was measured before the first batch: nobody can say whether retrieval is better or worse for it."
            )


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

    with command(is_json=is_json), _engine() as engine:
        owner = engine.writing_tenant(tenant)
        if is_partial:
            _tell(asdict(stop(engine.database, owner, reason=reason)) | _cancelled(engine, owner), is_json=is_json)
            return
        with progress("rolling back", None) as advance:
            report = roll_back(engine.database, owner, engine.pipeline, reason=reason, on_progress=advance)
        failed = [{"note": str(note), "error": error} for note, error in report.failed.items()]
        _tell(asdict(report) | {"failed": failed} | _cancelled(engine, owner), is_json=is_json)
        if failed:
            say("brain: some notes are still chunked; run it again")
            raise typer.Exit(1)


def _cancelled(engine: "Engine", owner: "TenantId") -> dict[str, list[str]]:
    """Cancel Dagster's backfills that would go on, where Dagster has been used at all."""
    if not engine.settings.dagster_home.exists():
        return {"cancelled_backfills": []}
    from rag_assets.indexing import dagster_instance
    from rag_assets.migration import cancel_backfills

    with dagster_instance(engine, lambda event: say(event.message), 0) as instance:
        return {"cancelled_backfills": cancel_backfills(instance, engine, owner)}


@contextmanager
def _engine() -> "Iterator[Engine]":
    from rag_core.engine import open_engine
    from rag_core.settings import read_settings

    with open_engine(read_settings()) as engine:
        yield engine


def _tell(document: "dict[str, Any]", *, is_json: bool) -> None:
    if is_json:
        print_json(document)
    else:
        print("  ".join(f"{name.replace('_', ' ')} {_in_words(value)}" for name, value in document.items()))


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | dict):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).replace("rolled_back", "rolled back")

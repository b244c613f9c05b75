"""Reports of evaluations as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say
from rag_core.cli.messages import label, language, tr
from rag_core.cli.runs import named_run, run_name

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rag_core.model.evaluation import StoredRun
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

CommonOption = Annotated[
    bool, typer.Option("--common", help="Compare what both asked, though set, version or category differ.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write; default: brain-report-RUN.html in the current folder."),
]


@app.command("report")
def write_report(
    run: Annotated[
        str | None,
        typer.Argument(parser=run_name, metavar="[RUN]", help="A run; default: the newest of what is served."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", parser=run_name, metavar="RUN", help="Report on the run against this one."),
    ] = None,
    is_common: CommonOption = False,
    output: OutputOption = None,
    is_opened: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Write the report of a run, or of a run against another, as one HTML file that needs no server.

    Without -o it is written into the current folder; where that is, is printed.

    It shows metrics with their intervals, categories, latencies and every query with what it brought back. The same is served
    at /evaluation. Without RUN it is the newest one of what was served then; candidates, benchmarks and evaluations with a
    configuration of their own are reported on by their ids. Which one it is stands on stderr.

    Example: brain report --open
    """
    from rag_core.api.pages.evaluation.files import run_to_report
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        with open_engine(read_settings()) as engine:
            owner = engine.named_tenant(tenant)
            reported = run_to_report(
                engine.database, owner, None if run is None else named_run(engine.database, owner, run)
            )
            run_id = reported.run_id
            say(_described(reported, owner, engine.settings.zone))
            text = _text(engine.database, engine.settings, owner, run_id, baseline, is_common=is_common)
        file = output or Path(f"brain-report-{str(run_id)[:8]}.html")
        _write(file, text)
        if is_opened:
            typer.launch(file.resolve().as_uri())
        if is_json:
            print_json({"file": str(file.resolve()), "run_id": str(run_id), "bytes": file.stat().st_size})
        else:
            print(file.resolve())


def _text(
    database: "Database",
    settings: "Settings",
    owner: "TenantId",
    run_id: UUID,
    baseline: str | None,
    *,
    is_common: bool,
) -> str:
    from rag_core.api.pages.evaluation.files import comparison_file, run_file
    from rag_core.api.pages.texts import speaking

    with speaking(language()):
        if baseline is None:
            return run_file(database, settings, owner, run_id)
        other = named_run(database, owner, baseline)
        return comparison_file(database, settings, owner, run_id, other, is_common=is_common)


def _described(run: "StoredRun", owner: str, zone: "ZoneInfo") -> str:
    return tr(
        "run {run_id} of {owner}: {strategy}, {purpose}, model {model}, {when}",
        run_id=run.run_id,
        owner=owner,
        strategy=run.strategy,
        purpose=label(run.purpose),
        model=run.models.get("embedding"),
        when=f"{run.created_at.astimezone(zone):%Y-%m-%d %H:%M}",
    )


def _write(file: Path, text: str) -> None:
    from rag_core.errors import InvalidInputError
    from rag_core.home.private_files import open_private

    try:
        with open_private(file, "w") as opened:
            opened.write(text)
    except OSError as error:
        raise InvalidInputError(f"cannot write {file}: {error.strerror}; name another file with -o") from error

"""Commands of an operator: check the installation, show its status, stop it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    batch_progress,
    command,
    print_json,
    progress_bar,
    say,
    table,
)
from rag_core.cli.asking import show_answer
from rag_core.cli.messages import amount, headings, label, localised, tr

if TYPE_CHECKING:
    from rag_core.operation.doctor import DoctorFinding

VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Show every detail, for engineers.")]


@app.command("status")
def status(tenant: TenantOption = None, is_verbose: VerboseOption = False, is_json: JsonOption = False) -> None:
    """Show how many notes there are, if all are indexed, what answers questions, and whether the page runs.

    With --verbose also the models and configuration in use, the last evaluation, and the running API's figures.
    """
    from rag_core.operation.status import read_status
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        found = read_status(engine, engine.named_tenant(tenant))
        if is_json:
            print_json(found)
        elif is_verbose:
            _show_status(found)
        else:
            for line in _status_lines(found):
                print(line)
            say(tr("`brain status --verbose` shows every detail."))


def _status_lines(found: dict[str, Any]) -> Iterator[str]:
    """Facts that people want to know of their notes, a line each."""
    from rag_core.runtime.engine import DEFAULT_TENANT

    notes, stale, migration, parts = (found[name] for name in ("notes", "stale_notes", "migration", "parts"))
    indexed = tr("all indexed") if not stale else tr("{stale:,} to be indexed: `brain index`", stale=stale)
    if stale and parts:
        indexed = tr("{stale:,} to be indexed; `brain up` runs and indexes them", stale=stale)
    owner = "" if found["tenant"] == DEFAULT_TENANT else tr(" of {tenant}", tenant=found["tenant"])
    yield f"{amount(notes, 'note')}{owner}" + (f", {indexed}" if notes else "")
    if not notes:
        yield tr("`brain import ~/Notas` takes a folder of notes and documents.")
    if migration["state"] != "not_started":
        yield tr("migration: {progress}", progress=_migration(migration))
    yield tr("answers: {writer}", writer=_writer(found))
    is_up = found["performance"] is not None or (parts or {}).get("api") == "runs"
    yield tr("page: {page}", page=found["page"]) if is_up else tr("page: does not run; `brain up` starts it")
    yield from (
        tr("{name} is {state}", name=name, state=label(state))
        for name, state in (parts or {}).items()
        if state != "runs"
    )
    yield tr("everything is kept in {home}", home=found["home"])


def _writer(found: dict[str, Any]) -> str:
    """Who writes answers, and if questions leave the machine."""
    if found["chat_model"] is None:
        return tr("passages of your notes, word for word (no chat model)")
    server = found["chat_server"] or {}
    leaving = tr(", on another machine: {address}", address=server["address"]) if server.get("leaves_machine") else ""
    return f"{found['chat_model']}{leaving}"


def _show_status(found: dict[str, Any]) -> None:
    figures, migration, parts = found.pop("performance"), found.pop("migration"), found.pop("parts") or {}
    rows = [[label(name), _shown(value)] for name, value in found.items()]
    if migration["state"] != "not_started":
        rows.append([tr("migration"), _migration(migration)])
    table("Brain Sync", headings("what", "value"), rows)
    for name, state in parts.items():
        if state != "runs":
            say(tr("{name} is {state}", name=name, state=label(state)))
    if figures is not None:
        _show_performance(figures)
    elif parts.get("api") == "runs":
        say(tr("The API of this home runs, but did not give its figures."))
    else:
        say(tr("The API of this home does not run, so there are no figures of requests."))
    if found["stale_notes"] and not parts:
        say(tr("Run `brain index`: the index of some notes is out of date."))


def _migration(found: dict[str, Any]) -> str:
    """Progress of the migration, in a line."""
    bar = progress_bar(found["percent"])
    parts = [
        f"{bar} {found['percent']:.2f} %, {label(found['state'])}",
        tr("{notes} to come", notes=amount(found["remaining"], "note")),
    ]
    if found["failures"]:
        parts.append(tr("{failures:,} failed (brain migration status)", failures=found["failures"]))
    if found["notes_per_second"] is not None:
        parts.append(tr("{notes_per_second:,.2f} a second", notes_per_second=found["notes_per_second"]))
    if found["estimated_completion"] is not None:
        parts.append(tr("done by {estimated_completion}", estimated_completion=found["estimated_completion"]))
    return ", ".join(parts)


def _show_performance(figures: dict[str, Any]) -> None:
    columns = ("avg", "p50", "p95", "p99")
    rows = [
        [label(stage), str(stats["count"]), *(f"{stats[name]:.1f}" for name in columns)]
        for stage, stats in figures["stages"].items()
        if stats["count"]
    ]
    table(tr("The API's requests, in milliseconds"), [tr("stage"), tr("count"), *headings(*columns)], rows)
    caches = [
        [label(name), f"{figures['cache'][f'{name}HitRate']:.0%}", str(counts["size"])]
        for name, counts in figures["caches"].items()
    ]
    table(tr("Caches"), headings("cache", "hit rate", "entries"), caches)
    rows = [[label(name), _shown(figures[name])] for name in ("requests", "database", "resources", "breakers")]
    table(tr("The API's process"), headings("what", "value"), rows)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{label(key)} {_shown(inner)}" for key, inner in value.items())
    if isinstance(value, bool):
        return tr("yes" if value else "no")
    return "—" if value is None else localised(str(value))


_OF_EVERYBODY = ("brain up", "chat model", "folders")
"""Checks that everybody is told of, well or not; folders only where a file of one was not taken."""


@app.command("doctor")
def doctor(is_verbose: VerboseOption = False, is_json: JsonOption = False) -> None:
    """Check that everything works, and say what to do where something does not. Exits 1 if something fails.

    With --verbose every check: settings, server, pgvector, roles, schema, models, Ollama.
    """
    from rag_core.operation.doctor import examine

    with command(is_json=is_json):
        findings = examine()
        is_well = all(f.is_ok for f in findings)
        if is_json:
            checks = [f.to_json() | {"found": localised(f.found), "remedy": localised(f.remedy)} for f in findings]
            print_json({"ok": is_well, "checks": checks})
        elif is_verbose:
            table("brain doctor", ["", tr("check"), tr("found"), tr("remedy")], list(map(_finding_row, findings)))
        else:
            _show_findings(findings)
        if not is_well:
            raise typer.Exit(1)


def _finding_row(finding: "DoctorFinding") -> list[str]:
    mark = tr("ok" if finding.is_ok else "FAILS")
    return [mark, localised(finding.name), localised(finding.found), localised(finding.remedy)]


def _show_findings(findings: "Sequence[DoctorFinding]") -> None:
    """Print what fails with its remedy, and of what is well what everybody uses."""
    failing = [finding for finding in findings if not finding.is_ok]
    print(
        tr("{count} of {all} checks FAIL", count=len(failing), all=len(findings))
        if failing
        else tr("Everything works.")
    )
    for finding in [*failing, *(one for one in findings if one.is_ok and one.name in _OF_EVERYBODY)]:
        _, name, found, remedy = _finding_row(finding)
        print(f"  {name}: {found}" + (f"\n    → {remedy}" if remedy else ""))
    say(tr("`brain doctor --verbose` shows every check."))


@app.command("down")
def down(is_json: JsonOption = False) -> None:
    """Stop all that runs in this home: `brain up` with its parts, what a killed one left, and the embedded server, whoever uses it.

    A server named by DATABASE_URL is left alone.
    """
    from rag_core.operation.running_parts import stopped
    from rag_core.settings import read_settings
    from rag_core.storage.embedded import stop

    with command(is_json=is_json):
        home = read_settings().home
        with stopped(home) as has_ended:
            was_running = stop(home) or has_ended
        if is_json:
            print_json({"stopped": was_running})
        else:
            print(tr("stopped") if was_running else tr("was not running"))


@app.command("up")
def up(
    is_demo_loaded: Annotated[
        bool, typer.Option("--demo/--no-demo", help="Load the demo notes into an empty home.")
    ] = True,
) -> None:
    """Start everything: database, Dagster's UI and daemon, the API with its page. Ctrl-C stops it cleanly."""
    from rag_core.operation.supervisor import run_up
    from rag_core.settings import read_settings

    with command(is_json=False):
        status = run_up(
            read_settings(),
            say=lambda text: say(localised(text)),
            announce=lambda text: print(localised(text), flush=True),
            is_demo_loaded=is_demo_loaded,
        )
        raise typer.Exit(status)


@app.command("demo")
def demo() -> None:
    """Do the main job once: demo notes in, every asset materialised, the evaluation report and three cited answers."""
    from rag_assets.demo import answer_questions, load_and_index, materialise_report
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings
    from rag_core.terminal.asking import shown_events

    with command(is_json=False), open_engine(read_settings()) as engine, batch_progress(tr("indexing")) as show:
        say(tr("1/3  Demo notes in, and through notes → chunks → embeddings → full-text index → causal graph…"))
        load_and_index(engine, on_event=show)
        say(tr("2/3  Evaluation report…"))
        report = materialise_report(engine, on_event=show)
        say(tr("3/3  Three questions…"))
        for question, events in answer_questions(engine):
            show_answer(shown_events(events, engine.settings), heading=question)
        _show_report(report)
        say(tr("The whole report, by category and with the worst queries, is the asset evaluation_report in Dagster."))
        say(tr("Next: `make up` for the page and Dagster, or `brain import FILE` for notes of your own."))


def _show_report(figures: dict[str, float]) -> None:
    shown = {"hit@10": "hit_rate_at_10", "MRR": "mrr", "nDCG@10": "ndcg_at_10", "recall@20": "recall_at_20"}
    rows = [
        [
            strategy,
            *(f"{figures[f'demo_{strategy}_{name}']:.3f}" for name in shown.values()),
            f"{figures[f'demo_{strategy}_latency_p95_ms']:.0f} ms",
        ]
        for strategy in ("fulltext", "semantic", "hybrid", "hybrid+rerank")
    ]
    table(tr("Evaluation report: questions in other words than the notes'"), [tr("strategy"), *shown, "p95"], rows)

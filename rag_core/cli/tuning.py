"""Fitting of the embedded re-ranker to the user's own notes."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, progress, say, table
from rag_core.cli.evaluation import SetOption
from rag_core.cli.searching import CLI_TIMEOUT_MS

if TYPE_CHECKING:
    from rag_core.engine import Engine
    from rag_core.model import TenantId


@app.command("tune")
def tune_reranker(
    set_name: SetOption = "default",
    tenant: TenantOption = None,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and show, store nothing.")] = False,
    is_reset: Annotated[
        bool, typer.Option("--reset", help="Go back to the weights that come with the program.")
    ] = False,
    is_json: JsonOption = False,
) -> None:
    """Fit the embedded re-ranker to a golden set of your notes, of 30 queries or more.

    The weights are compared on queries they were not fitted on, with an interval, and stored only when nDCG@10 or MRR is
    higher than with the shipped weights and neither interval begins below 0. A running server serves them some seconds later.

    Example: brain tune --set diario --dry-run
    """
    from rag_core.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        if is_reset:
            _reset(engine, owner, is_json=is_json)
        else:
            _tune(engine, owner, set_name, is_dry_run=is_dry_run, is_json=is_json)


def _reset(engine: "Engine", owner: "TenantId", *, is_json: bool) -> None:
    from rag_core.reranking.embedded import shipped_weights
    from rag_core.storage.rerankers import retire_weights

    with engine.database.transaction(owner) as connection:
        was_tuned = retire_weights(connection, owner)
    if is_json:
        print_json({"reset": was_tuned, "version": shipped_weights().version})
    elif was_tuned:
        print(f"the shipped weights (version {shipped_weights().version}) are in use again")
    else:
        print(f"the shipped weights (version {shipped_weights().version}) were in use already")


def _tune(engine: "Engine", owner: "TenantId", set_name: str, *, is_dry_run: bool, is_json: bool) -> None:
    from rag_core.reranking.embedded import shipped_weights
    from rag_core.reranking.fitting import FOLDS
    from rag_core.reranking.tuning import fetch_queries, searching, to_json, tune
    from rag_core.storage.rerankers import activate_weights

    queries = fetch_queries(engine.database, owner, set_name)
    with progress("tuning", len(queries) + FOLDS) as advance:
        tuning = tune(
            queries,
            search=searching(engine, owner, timeout_ms=CLI_TIMEOUT_MS),
            set_name=set_name,
            shipped=shipped_weights(),
            on_progress=lambda: advance(1),
        )
    is_stored = tuning.is_worth_keeping and not is_dry_run
    if is_stored:
        with engine.database.transaction(owner) as connection:
            activate_weights(connection, owner, tuning.weights.to_json())
    document = to_json(tuning, set_name=set_name, is_stored=is_stored)
    if is_json:
        print_json(document)
    else:
        _show(document, is_dry_run=is_dry_run)


def _show(document: dict[str, Any], *, is_dry_run: bool) -> None:
    from rag_core.reranking.tuning import METRICS

    rows = [
        [
            METRICS[name],
            *(f"{values[when]:.4f}" for when in ("without_reranking", "shipped", "tuned")),
            "{mean:+.4f} ({low:+.4f} to {high:+.4f})".format(**values["difference"]),
        ]
        for name, values in document["metrics"].items()
    ]
    headers = ["metric", "not re-ranked", "shipped", "tuned", "difference (95 %)"]
    table(f"{document['queries']} queries of {document['set']}, {document['folds']} folds", headers, rows)
    if document["left_out"]:
        say(f"{document['left_out']} queries were left out: their notes are deleted, or nothing is found")
    if document["stored"]:
        print(f"stored as {document['version']}; brain tune --reset goes back to the shipped weights")
    elif is_dry_run and document["is_worth_keeping"]:
        print("not stored (--dry-run); without it the new weights would be used")
    else:
        print(f"not stored: {document['objection']}")

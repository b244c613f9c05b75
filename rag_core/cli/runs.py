"""Stored evaluation runs: listed, and named by the beginning of their id."""

import re
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say, table
from rag_core.cli.messages import tr

if TYPE_CHECKING:
    from rag_core.model.evaluation import StoredRun
    from rag_core.model.note import TenantId
    from rag_core.storage.database import Database

SHORT_ID = 8
LEAST_CHARACTERS = 4


def run_name(value: str) -> str:
    """Parse the name of a run: its id, or the first characters of it, four at least.

    Raises:
        typer.BadParameter: it is neither.
    """
    characters = value.lower().replace("-", "")
    if not re.fullmatch(f"[0-9a-f]{{{LEAST_CHARACTERS},32}}", characters):
        raise typer.BadParameter(
            f"{value!r} is no run; give its id, or the first characters of it, {LEAST_CHARACTERS} at least: brain runs lists them"
        )
    return characters


def named_run(database: "Database", owner: "TenantId", name: str) -> UUID:
    """The run that ``run_name`` let through.

    Raises:
        NotFoundError, InvalidInputError: none begins so, or several do.
    """
    from rag_core.storage.evaluations import find_run_id

    with database.transaction(owner) as connection:
        return find_run_id(connection, owner, name)


def short_id(run_id: UUID | str) -> str:
    """Prefix of a run's id that tells it from others, for tables that are to fit."""
    return str(run_id)[:SHORT_ID]


@app.command("runs")
def list_stored(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="So many of the newest.")] = 20,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """List evaluation runs, newest first: what was asked, how good it was, and what for.

    The first characters of an id stand for a run in `brain compare`, `brain report`, `brain evaluate --baseline` and
    `brain golden baseline`.

    Example: brain runs --limit 5
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.evaluations import list_baselines, list_runs

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.named_tenant(tenant)
        with engine.database.transaction(owner) as connection:
            found = list_runs(connection, owner, limit=limit)
            baselines = {one.run_id for one in list_baselines(connection, owner)}
        if is_json:
            print_json({"runs": [_to_json(run, is_baseline=run.run_id in baselines) for run in found]})
        elif found:
            rows = [_row(run, is_baseline=run.run_id in baselines) for run in found]
            table(
                tr("runs"),
                [tr("id"), tr("when (UTC)"), tr("strategy"), tr("set"), "nDCG@10", tr("what for")],
                rows,
                whole=(0, 1, 2, 4),
            )
        else:
            say(tr("no runs yet; brain evaluate makes one"))


def _to_json(run: "StoredRun", *, is_baseline: bool) -> dict[str, Any]:
    from rag_core.evaluation.golden.origins import known_circumstances

    return {
        "run_id": str(run.run_id),
        "created_at": run.created_at.isoformat(),
        "strategy": run.strategy,
        "set": run.set_name,
        "set_version": run.set_version,
        "category": run.category,
        "total_queries": run.total_queries,
        "ndcg_at_10": run.metrics.ndcg_at_10,
        "purpose": run.purpose,
        "circumstances": known_circumstances(run),
        "is_baseline": is_baseline,
    }


def _row(run: "StoredRun", *, is_baseline: bool) -> list[str]:
    from datetime import UTC

    asked = "" if run.category is None else f", {run.category}"
    role = run.circumstances.get("role")
    return [
        short_id(run.run_id),
        f"{run.created_at.astimezone(UTC):%y-%m-%d %H:%M}",
        run.strategy or "",
        f"{run.set_name} {run.set_version}{asked}",
        f"{run.metrics.ndcg_at_10:.3f}",
        f"{run.purpose}{f', {role}' if role else ''}{tr(', baseline') if is_baseline else ''}",
    ]

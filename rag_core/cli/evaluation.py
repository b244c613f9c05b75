"""Golden sets and evaluation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, golden_app, print_json, progress, say, table
from rag_core.cli.searching import CLI_TIMEOUT_MS, ConfigOption, StrategyOption, read_config

if TYPE_CHECKING:
    from rag_core.evaluation.runs import EvaluationRun
    from rag_core.model import TenantId
    from rag_core.storage.database import Database

SetOption = Annotated[str, typer.Option("--set", help="Name of the golden set.")]


@golden_app.command("import")
def import_golden_set(
    file: Annotated[Path, typer.Argument(help="JSON lines.")],
    set_name: SetOption = "default",
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Take queries with the notes that answer them; a query that is there already is updated.

    Each line: {"query": "…", "relevant_ids": ["2025-03-01"], "answer": "…", "category": "factual", "difficulty": 2}; query
    and relevant_ids are required.
    """
    from rag_core.engine import open_engine
    from rag_core.errors import InvalidInputError
    from rag_core.evaluation.golden_set import import_golden
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        if not file.is_file():
            raise InvalidInputError(f"there is no file {file}; give the path of a file of JSON lines")
        with open_engine(read_settings()) as engine, file.open("rb") as lines:
            report = import_golden(engine.database, engine.writing_tenant(tenant), lines, set_name=set_name)
        if is_json:
            print_json({"imported": report.imported, "rejected": [{"line": n, "error": e} for n, e in report.rejected]})
        else:
            print(f"imported {report.imported}  rejected {len(report.rejected)}")
            for number, reason in report.rejected[:20]:
                say(f"  line {number}: {reason}")
        if report.rejected and not report.imported:
            raise typer.Exit(1)


@golden_app.command("export")
def export_golden_set(
    set_name: SetOption = "default",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; default: stdout.")] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Write a golden set as JSON lines (with --json as one array), everything kept, ready to be imported again."""
    import json

    from rag_core.engine import open_engine
    from rag_core.evaluation.golden_set import export_golden
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        entries = export_golden(engine.database, engine.named_tenant(tenant), set_name=set_name)
        lines = "".join(json.dumps(entry, ensure_ascii=False, default=str) + "\n" for entry in entries)
        if output is not None:
            output.write_text(lines, encoding="utf-8")
        if is_json:
            print_json({"set": set_name, "queries": entries})
        elif output is None:
            print(lines, end="")


@golden_app.command("baseline")
def promote_baselines(
    runs: Annotated[
        list[UUID] | None, typer.Argument(metavar="[RUN]...", help="Runs to promote, as brain evaluate prints them.")
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Promote runs to baselines of their golden set and strategy, for others to be compared with; without RUN list them.

    The first nightly evaluation makes baselines by itself. Promote a run when its level is the one to hold from now on.

    Example: brain golden baseline 0b5c7a52-9f0e-4a55-8b64-5d3a3a1c2f10
    """
    from rag_core.engine import open_engine
    from rag_core.evaluation.baselines import promote_baseline
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        for run_id in runs or []:
            promote_baseline(engine.database, owner, run_id)
        baselines = _baselines(engine.database, owner)
        if is_json:
            print_json({"baselines": baselines})
        elif baselines:
            _show_baselines(baselines)
        else:
            say("no baselines yet; brain evaluate makes a run, brain golden baseline RUN promotes it")


def _baselines(database: "Database", tenant: "TenantId") -> list[dict[str, Any]]:
    from rag_core.storage.evaluations import fetch_run, list_baselines

    with database.transaction(tenant) as connection:
        found = [(one, fetch_run(connection, tenant, one.run_id)) for one in list_baselines(connection, tenant)]
    return [
        {
            "set": baseline.set_name,
            "strategy": baseline.strategy,
            "run_id": str(baseline.run_id),
            "is_automatic": baseline.is_automatic,
            "promoted_at": baseline.promoted_at.isoformat(),
            "total_queries": run.total_queries,
            "ndcg_at_10": run.metrics.ndcg_at_10,
            "mrr": run.metrics.mrr,
            "hit_rate_at_10": run.metrics.hit_rate_at[10],
        }
        for baseline, run in found
    ]


def _show_baselines(baselines: list[dict[str, Any]]) -> None:
    rows = [
        [
            one["set"],
            one["strategy"],
            one["run_id"],
            f"{one['ndcg_at_10']:.3f}",
            f"{one['mrr']:.3f}",
            f"{one['hit_rate_at_10']:.3f}",
            f"{one['promoted_at'][:10]} {'by itself' if one['is_automatic'] else 'promoted'}",
        ]
        for one in baselines
    ]
    table("baselines", ["set", "strategy", "run", "nDCG@10", "MRR", "hit rate @10", "since"], rows)


@app.command("evaluate")
def evaluate_set(
    set_name: SetOption = "default",
    strategy: StrategyOption = None,
    config: ConfigOption = None,
    baseline: Annotated[
        UUID | None,
        typer.Option(
            "--baseline", metavar="RUN", help="Compare with this run; default: the baseline of the set and strategy."
        ),
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Measure retrieval on a golden set: hit rate, MRR, nDCG, recall and latency, by category. The run is stored.

    Every query is searched as `brain search --top-k 50` would, and unique notes are ranked. The run is compared with its
    baseline, if there is one, by a paired randomisation test: `brain golden baseline`.

    Example: brain evaluate --strategy hybrid
    """
    from rag_core.engine import open_engine
    from rag_core.evaluation.runs import evaluate, to_json
    from rag_core.evaluation.served import evaluation_config, searcher
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        wanted = evaluation_config(read_config(config, strategy=strategy))
        with open_engine(read_settings()) as engine, progress("evaluating", None) as advance:
            owner = engine.named_tenant(tenant)
            run = evaluate(
                engine.database,
                owner,
                set_name=set_name,
                config=wanted,
                search=searcher(engine, owner, config=wanted, timeout_ms=CLI_TIMEOUT_MS),
                models=engine.model_names(owner, wanted),
                pipeline_fingerprint=engine.pipeline.fingerprint,
                baseline_run_id=baseline,
                on_progress=lambda *_: advance(1),
            )
        if is_json:
            print_json(to_json(run))
        else:
            _show(run)


def _show(run: "EvaluationRun") -> None:
    metrics, latency = run.metrics, run.latency_ms
    rows = [[f"hit rate @{k}", f"{rate:.3f}"] for k, rate in metrics.hit_rate_at.items()]
    rows += [["MRR", f"{metrics.mrr:.3f}"], ["nDCG@10", f"{metrics.ndcg_at_10:.3f}"]]
    rows += [["recall@20", f"{metrics.recall_at_20:.3f}"]]
    rows += [
        [f"latency {name}", f"{value:.1f} ms"]
        for name, value in (("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99))
    ]
    table(f"{run.total_queries} queries, run {run.run_id}", ["metric", "value"], rows)
    _show_comparison(run)
    if run.degraded_queries:
        say(f"{run.degraded_queries} queries were degraded: the figures are not this strategy's")


def _show_comparison(run: "EvaluationRun") -> None:
    from rag_core.evaluation.quality_check import verdict_on
    from rag_core.evaluation.report import comparison_line

    meanings = {"regression": "Worse than", "improvement": "Better than", "steady": "About as good as"}
    if run.comparison is not None:
        meaning = meanings.get(verdict_on(run), "Beside")
        print(f"{meaning} run {run.comparison.baseline_run_id}: {comparison_line(run.comparison)}")

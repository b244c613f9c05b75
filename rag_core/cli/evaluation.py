"""Golden sets and evaluation."""

from pathlib import Path
from typing import Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, golden_app, print_json, progress, say, table
from rag_core.cli.searching import CLI_TIMEOUT_MS, ConfigOption, StrategyOption, read_config

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


@app.command("evaluate")
def evaluate_set(
    set_name: SetOption = "default",
    strategy: StrategyOption = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Measure retrieval on a golden set: hit rate, MRR, nDCG, recall and latency, by category. The run is stored.

    Every query is searched as `brain search --top-k 50` would, and unique notes are ranked.

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
                on_progress=lambda *_: advance(1),
            )
        document = to_json(run)
        if is_json:
            print_json(document)
        else:
            _show(document)


def _show(document: dict[str, object]) -> None:
    from typing import Any, cast

    run = cast("dict[str, Any]", document)
    metrics, latency = run["metrics"], run["latency_ms"]
    hits = metrics["hit_rate_at"]
    rows = [[f"hit rate @{k}", f"{hits[k]:.3f}"] for k in ("1", "3", "5", "10")]
    rows += [["MRR", f"{metrics['mrr']:.3f}"], ["nDCG@10", f"{metrics['ndcg_at_10']:.3f}"]]
    rows += [["recall@20", f"{metrics['recall_at_20']:.3f}"]]
    rows += [[f"latency {p}", f"{latency[p]:.1f} ms"] for p in ("p50", "p95", "p99")]
    table(f"{run['total_queries']} queries, run {run['run_id']}", ["metric", "value"], rows)
    if run["degraded_queries"]:
        say(f"{run['degraded_queries']} queries were degraded: the figures are not this strategy's")

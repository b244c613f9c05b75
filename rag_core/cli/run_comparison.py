"""Evaluation runs held against each other, and the gate."""

import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say, table
from rag_core.cli.messages import amount, language, localised, tr
from rag_core.cli.runs import named_run, run_name

if TYPE_CHECKING:
    from rag_core.configuration.schema import RetrievalConfig
    from rag_core.evaluation.comparison.gate import GateReport
    from rag_core.evaluation.comparison.stored import RunComparison
    from rag_core.evaluation.runs.results import EvaluationRun
    from rag_core.model.note import TenantId
    from rag_core.model.retrieval import Strategy
    from rag_core.runtime.engine import Engine

SHOWN_CHANGES = 5
MAX_QUERY_CHARACTERS = 70
CommonOption = Annotated[
    bool,
    typer.Option("--common", help="Compare runs of different sets, versions or categories too, on what they share."),
]


@app.command("compare")
def compare_runs(
    baseline: Annotated[
        str,
        typer.Argument(parser=run_name, metavar="BASELINE", help="A run, or how its id begins: brain runs lists them."),
    ],
    candidate: Annotated[str, typer.Argument(parser=run_name, metavar="RUN", help="The run to hold against it.")],
    is_common: CommonOption = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Say whether one evaluation run is better than another, by more than chance, and which queries made it so.

    Every metric comes with a 95 % interval, p of a paired randomisation test, and p after Holm's correction for the number
    of metrics; below are the queries that won and lost most, and how many queries a difference would need to be seen.

    Example: brain compare 0b5c7a52 7c1d1f0e
    """
    from rag_core.evaluation.comparison.stored import compare_stored_runs
    from rag_core.evaluation.report.addresses import comparison_address
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        first, second = (named_run(engine.database, owner, name) for name in (baseline, candidate))
        with engine.database.transaction(owner) as connection:
            found = compare_stored_runs(connection, owner, first, second, common_only=is_common)
        link = comparison_address(engine.settings.api_url, owner, first, second, is_common=is_common)
        if is_json:
            print_json(_to_json(found, link=link))
        else:
            _show(found, link=link)


def _to_json(found: "RunComparison", *, link: str) -> dict[str, Any]:
    return {
        "baseline_run_id": str(found.baseline.run_id),
        "candidate_run_id": str(found.candidate.run_id),
        "asked_differently": list(found.asked_differently),
        "has_significant_metric": found.has_significant_metric,
        "comparison": found.comparison.to_json(),
        "effects": [
            {**asdict(effect), "query_id": str(effect.query_id), "difference": effect.difference}
            for effect in found.effects
        ],
        "report": link,
    }


def _show(found: "RunComparison", *, link: str) -> None:
    from rag_core.model.metrics.registry import title_of

    compared = found.comparison
    for reason in found.asked_differently:
        say(tr("compared on the queries in common only: {reason}", reason=localised(reason)))
    if compared.objection is not None:
        say(localised(compared.objection))
    rows = [
        [
            title_of(name, language()),
            f"{metric.baseline:.4f}",
            f"{metric.current:.4f}",
            tr(
                "{difference:+.4f} ({low:+.4f} to {high:+.4f})",
                difference=metric.difference,
                low=metric.interval[0],
                high=metric.interval[1],
            ),
            f"{metric.p_value:.4f}",
            "" if metric.p_adjusted is None else f"{metric.p_adjusted:.4f}",
        ]
        for name, metric in compared.metrics.items()
    ]
    headers = [tr("metric"), tr("baseline"), tr("run"), tr("difference (95 %)"), "p", tr("p, Holm")]
    table(
        tr(
            "{queries} in common, {left_out} left out",
            queries=amount(compared.queries, "query", "queries"),
            left_out=compared.left_out,
        ),
        headers,
        rows,
    )
    _show_changes(found)
    print(_verdict(found))
    print(_needed(found))
    print(tr("report: {link}", link=link))


def _show_changes(found: "RunComparison") -> None:
    from rag_core.model.metrics.registry import title_of

    title = title_of(found.comparison.metric, language())
    for name, changes in ((tr("lost"), found.comparison.losses), (tr("won"), found.comparison.wins)):
        if changes:
            rows = [
                [
                    textwrap.shorten(change.query, MAX_QUERY_CHARACTERS, placeholder="…"),
                    f"{change.baseline:.3f}",
                    f"{change.current:.3f}",
                    str(change.baseline_rank or "-"),
                    str(change.current_rank or "-"),
                ]
                for change in changes[:SHOWN_CHANGES]
            ]
            headers = [
                tr("query"),
                tr("{title} then", title=title),
                tr("now"),
                tr("first relevant rank then"),
                tr("now"),
            ]
            table(tr("queries that {name} most", name=name), headers, rows)


def _verdict(found: "RunComparison") -> str:
    from rag_core.model.metrics.registry import title_of

    compared = found.comparison
    if compared.objection is not None:
        return tr("no verdict")
    if compared.is_regression:
        fell = ", ".join(title_of(name, language()) for name in compared.regressed)
        return tr(
            "worse than the baseline: {fell} fell significantly (one-sided, Holm-corrected over the decisive metrics)",
            fell=fell,
        )
    if compared.is_significant:
        way = tr("better") if compared.difference > 0 else tr("lower")
        return tr("significantly {way} than the baseline (two-sided, Holm-corrected over all metrics)", way=way)
    return tr("no significant difference")


def _needed(found: "RunComparison") -> str:
    shown, needed = found.comparison.detectable_difference, found.comparison.queries_needed
    if shown is None:
        return tr("the number of queries needed cannot be estimated: too few queries differ for a small p")
    told = ", ".join(tr("{count} for {wanted}", count=count, wanted=wanted) for wanted, count in needed.items())
    return tr(
        "queries needed to detect a difference with power 0.8 (this set detects {shown:.3f}): {told}",
        shown=shown,
        told=told,
    )


def run_and_show_gate(
    engine: "Engine",
    owner: "TenantId",
    *,
    set_name: str,
    config: "RetrievalConfig",
    is_json: bool,
) -> None:
    """Measure, judge and print; exit status 1 when a check fails."""
    from rag_core.cli.app import progress
    from rag_core.evaluation.comparison.gate_runs import gate_targets, run_gate

    with progress(tr("evaluating"), None) as advance:
        report, runs = run_gate(
            engine,
            owner,
            targets=gate_targets(engine.settings),
            set_name=set_name,
            config=config,
            on_progress=lambda *_: advance(1),
        )
    if is_json:
        _print_gate(report, runs)
    else:
        _show_gate(report, runs)
    if not report.passed:
        raise typer.Exit(1)


def _print_gate(report: "GateReport", runs: "dict[Strategy, EvaluationRun]") -> None:
    from rag_core.evaluation.runs.run_json import to_json

    checks = [check.to_json() | {"message": localised(check.message)} for check in report.checks]
    print_json({"gate": report.to_json() | {"checks": checks}, "runs": [to_json(run) for run in runs.values()]})


def _hit_rate(run: "EvaluationRun") -> str:
    from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures

    sure = metric_intervals({"hit": query_figures(query)["hit_rate_at_10"]} for query in run.queries)["hit"]
    return tr("{mean:.3f} ({low:.3f} to {high:.3f})", mean=sure.mean, low=sure.low, high=sure.high)


def _show_gate(report: "GateReport", runs: "dict[Strategy, EvaluationRun]") -> None:
    from rag_core.evaluation.comparison.gate import LEAST_FOR_P95

    marks = {True: tr("passed"), False: tr("FAILED"), None: tr("not judged")}
    rows = [
        [
            name,
            str(run.total_queries),
            _hit_rate(run),
            f"{run.metrics.mrr:.3f}",
            f"{run.metrics.ndcg_at_10:.3f}",
            tr("{p95:.0f} ms", p95=run.latency_ms.p95) if run.total_queries >= LEAST_FOR_P95 else "-",
        ]
        for name, run in runs.items()
    ]
    table(
        tr("runs (hit rate with its 95 % interval)"),
        [tr("strategy"), tr("queries"), tr("hit rate @10"), "MRR", "nDCG@10", "p95"],
        rows,
    )
    table(
        tr("gate"),
        [tr("check"), "", tr("what was found")],
        [[localised(c.name), marks[c.passed], localised(c.message)] for c in report.checks],
    )
    if new := [str(run.run_id) for run in runs.values() if run.comparison is None]:
        say(tr("to compare later runs with these: brain golden baseline {new}", new=" ".join(new)))
    print(tr("the gate is open") if report.passed else tr("the gate is closed"))

"""The search for a better configuration on a golden set of one's own notes."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, measuring, print_json, say, table
from rag_core.cli.golden import SetOption
from rag_core.cli.messages import amount, headings, localised, tr
from rag_core.terminal.requests import COMMAND_TIMEOUT_MS

if TYPE_CHECKING:
    from rag_core.evaluation.tuning.report import Change, HeldOut, Tuning

PartsOption = Annotated[
    str, typer.Option(help="What may change: some of fusion, threshold, candidates and reranking, with commas.")
]


@app.command("tune")
def tune_configuration(
    set_name: SetOption = "default",
    parts: PartsOption = "fusion,threshold,candidates,reranking",
    minutes: Annotated[float, typer.Option(min=0.1, help="How long it may take.")] = 5.0,
    tenant: TenantOption = None,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and show, propose nothing.")] = False,
    is_json: JsonOption = False,
) -> None:
    """Look for a configuration that is better for a golden set of your notes, of 30 queries or more.

    Every query is searched once; then fusion, threshold, candidate counts and the embedded re-ranker are tried out on what was
    found. A configuration is proposed only when it is significantly better on queries that it was not chosen on. Nothing is
    served otherwise until you promote it.

    Examples: brain tune --dry-run · brain tune --set diario --parts fusion,threshold --minutes 2
    """
    from rag_core.evaluation.tuning.record import leg_search
    from rag_core.evaluation.tuning.space import parse_parts
    from rag_core.evaluation.tuning.tune import propose, tune
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        chosen = parse_parts(parts)
        with open_engine(read_settings()) as engine, measuring() as show:
            owner = engine.named_tenant(tenant)
            searched = leg_search(engine, owner, timeout_ms=COMMAND_TIMEOUT_MS)
            found = tune(
                searched,
                set_name=set_name,
                parts=chosen,
                minutes=minutes,
                on_progress=show,
            )
            found = found if is_dry_run else propose(searched, found)
        if is_json:
            print_json(found.to_json())
        else:
            _show(found, is_dry_run=is_dry_run)


def _show(found: "Tuning", *, is_dry_run: bool) -> None:
    headers = [tr("metric"), tr("served"), tr("tuned"), tr("difference (95 %)"), "p"]
    asked = amount(found.queries, "query", "queries")
    title = tr(
        "cross-validated on {asked} of {set_name} ({strategy})",
        asked=asked,
        set_name=found.set_name,
        strategy=found.strategy,
    )
    table(title, headers, [_metric_row(item) for item in found.metrics])
    rows = [
        [item.category, str(item.queries), f"{item.served:.4f}", f"{item.tuned:.4f}", str(item.gained), str(item.lost)]
        for item in found.categories
    ]
    table(tr("nDCG@10 by category"), headings("category", "queries", "served", "tuned", "gained", "lost"), rows)
    if found.changes or found.choice.weights is not None:
        changes = [_change_row(item) for item in found.changes]
        title = tr("What would change") if found.objection is None else tr("The choice on all queries, not proposed")
        table(title, headings("what", "served", "tuned", "in folds"), [*changes, *_weights_rows(found)])
        if any(item.knob == "balance" and 0.0 in item.tuned for item in found.changes):
            say(tr("A weight of 0: what only that leg finds is ranked last; a re-ranker may still move it up"))
    say(
        tr(
            "Tried {configurations} in {seconds:.0f} s{why_ended}",
            configurations=amount(found.tried, "configuration"),
            seconds=found.seconds,
            why_ended=_why_ended(found),
        )
    )
    if found.left_out:
        left_out = amount(found.left_out, "query", "queries")
        say(tr("Left out: {left_out} whose notes are deleted or whose search failed in part", left_out=left_out))
    print(_verdict(found, is_dry_run=is_dry_run))


def _metric_row(item: "HeldOut") -> list[str]:
    from rag_core.evaluation.tuning.report import METRICS

    low, high = item.test.interval
    difference = tr(
        "{difference:+.4f} ({low:+.4f} to {high:+.4f})", difference=item.test.difference, low=low, high=high
    )
    return [METRICS[item.metric], f"{item.served:.4f}", f"{item.tuned:.4f}", difference, f"{item.test.p_value:.4f}"]


def _change_row(item: "Change") -> list[str]:
    served, tuned = (" / ".join(map(str, values)) for values in (item.served, item.tuned))
    return [", ".join(item.keys), served, tuned, tr("{folds} of 5", folds=item.folds)]


def _weights_rows(found: "Tuning") -> list[list[str]]:
    weights = found.choice.weights
    if weights is None:
        return []
    return [
        [
            tr("weights of the re-ranker"),
            found.served.weights.version,
            weights.version,
            tr("{fitted_folds} of 5", fitted_folds=found.fitted_folds),
        ]
    ]


def _why_ended(found: "Tuning") -> str:
    return tr("; --minutes ended the search, more would try more") if found.is_out_of_time else ""


def _verdict(found: "Tuning", *, is_dry_run: bool) -> str:
    if found.objection is not None:
        return tr("nothing is proposed: {objection}", objection=localised(found.objection))
    if is_dry_run:
        return tr("not stored (--dry-run); without it this would be proposed under a number")
    return tr("proposed as configuration {number}; brain promote {number} serves it", number=found.number)

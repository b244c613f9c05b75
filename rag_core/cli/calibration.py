"""The similarity threshold of an embedding model, calibrated on a golden set."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, command, measuring, models_app, print_json, say, table
from rag_core.cli.golden import SetOption
from rag_core.cli.messages import amount, headings, tr
from rag_core.terminal.requests import COMMAND_TIMEOUT_MS

if TYPE_CHECKING:
    from rag_core.evaluation.tuning.thresholds import Calibration


@models_app.command("calibrate")
def calibrate_threshold(
    name: Annotated[str | None, typer.Argument(help="Name of the model; default: the active one.")] = None,
    set_name: SetOption = "default",
    tenant: TenantOption = None,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and show, store nothing.")] = False,
    is_json: JsonOption = False,
) -> None:
    """Find how similar a result must be at least, and keep it with the model for every tenant.

    The threshold is the highest that keeps 99 % of the relevant notes found, on queries that did not choose it, and lowers nDCG@10
    on them no more than by chance. Where there is none the model has no threshold.

    Examples: brain models calibrate --dry-run · brain models calibrate nomic-embed-text --set diario
    """
    from rag_core.evaluation.tuning.calibrating import calibrate_model, store_threshold
    from rag_core.evaluation.tuning.record import leg_search
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings(), model_name=name) as engine:
        with measuring() as show:
            owner = engine.named_tenant(tenant)
            searched = leg_search(engine, owner, timeout_ms=COMMAND_TIMEOUT_MS)
            found = calibrate_model(searched, set_name=set_name, on_progress=show)
        former = engine.model.similarity_threshold
        if not is_dry_run:
            store_threshold(engine.database, engine.model, found.threshold)
        names = {"model": engine.model.name, "set": set_name, "former": former, "stored": not is_dry_run}
        if is_json:
            print_json(names | found.to_json())
        else:
            _show(found, names)


def _show(found: "Calibration", names: dict[str, Any]) -> None:
    rows = [
        [
            f"{row.threshold:.2f}{' ←' if row.threshold == found.threshold else ''}",
            f"{100 * row.kept:.1f} %",
            f"{100 * row.dropped:.1f} %",
            f"{row.ndcg_semantic:.4f}",
            f"{row.ndcg_served:.4f}",
        ]
        for row in found.table
        if row.kept > 0 or row.dropped < 1
    ]
    counts = tr(
        "{relevant} found, {others}",
        relevant=amount(found.relevant, "relevant note"),
        others=amount(found.others, "other"),
    )
    title = tr(
        "{model} on {queries} of {set}: {counts}",
        model=names["model"],
        queries=amount(found.queries, "query", "queries"),
        set=names["set"],
        counts=counts,
    )
    headers = headings("threshold", "relevant kept", "others dropped", "nDCG@10 semantic", "nDCG@10 served")
    table(title, headers, rows)
    if folded := len(found.table) - len(rows):
        higher = amount(folded, "higher threshold")
        say(tr("Omitted: {higher} above every score; nDCG@10 equals that without a threshold", higher=higher))
    for attempt in found.attempts:
        say(
            tr(
                "chosen to keep {target:g} %: {kept:.1f} % kept and {dropped:.1f} % of the others dropped on held-out queries; "
                "nDCG@10 {difference:+.4f} by meaning alone, {served:+.4f} as served",
                target=100 * attempt.target,
                kept=100 * attempt.kept,
                dropped=100 * attempt.dropped,
                difference=attempt.semantic.difference,
                served=attempt.served.difference,
            )
        )
    if found.left_out:
        left_out = amount(found.left_out, "query", "queries")
        say(tr("Left out: {left_out} whose notes are deleted or whose search failed in part", left_out=left_out))
    print(_verdict(found, names))


def _verdict(found: "Calibration", names: dict[str, Any]) -> str:
    was = tr("none") if names["former"] is None else f"{names['former']:g}"
    if found.threshold is None:
        return f"{_why_none(found)}; {_outcome(was, tr('none'), names)}"
    return _outcome(was, f"{found.threshold:g}", names)


def _why_none(found: "Calibration") -> str:
    """Reason for the lack of a threshold: it drops nothing, keeps too little, or costs rank."""
    from rag_core.evaluation.tuning.thresholds import KEPT

    if found.attempts[-1].is_borne_out:
        return tr("no threshold drops anything without losing relevant notes")
    if all(attempt.kept < KEPT for attempt in found.attempts):
        return tr("no threshold keeps {kept:g} % of the relevant notes on held-out queries", kept=100 * KEPT)
    return tr("no threshold keeps enough of the relevant notes on held-out queries without lowering nDCG@10")


def _outcome(was: str, now: str, names: dict[str, Any]) -> str:
    if not names["stored"]:
        return tr("not stored (--dry-run); the threshold is {was}, this would make it {now}", was=was, now=now)
    return tr(
        "the threshold of {model} is {now} (was {was}); it holds where a configuration names none",
        model=names["model"],
        now=now,
        was=was,
    )

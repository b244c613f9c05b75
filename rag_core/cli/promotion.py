"""Commands for the served configuration: show it, promote one that proves no worse, roll back."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, measuring, print_json, say, shown_p, table
from rag_core.cli.messages import amount, headings, label, language, localised, tr
from rag_core.cli.runs import short_id
from rag_core.cli.searching import read_override

if TYPE_CHECKING:
    from rag_core.model.embedding import EmbeddingModel
    from rag_core.model.note import TenantId
    from rag_core.runtime.engine import Engine
    from rag_core.storage.configurations import ConfigurationPromotion
    from rag_core.storage.database import Database

HISTORY = 20
LEAST_FOR_P95 = 20
"""Of fewer queries the slowest one is p95."""
NumberArgument = Annotated[
    int | None,
    typer.Argument(metavar="[N]", min=1, help="A configuration, as brain tune and this command number them."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", help="A JSON file with the values that are to differ from what is served; it gets a number."
    ),
]
BackOption = Annotated[bool, typer.Option("--back", help="Serve again what was served before; nothing is measured.")]
DefaultsOption = Annotated[
    bool, typer.Option("--defaults", help="Serve the program's defaults again; nothing is measured.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Promote it even if it is worse or the result is inconclusive.")
]


@app.command("promote")
def promote(
    number: NumberArgument = None,
    config: ConfigOption = None,
    is_back: BackOption = False,
    is_defaults: DefaultsOption = False,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and show, promote nothing.")] = False,
    is_forced: ForceOption = False,
    set_name: Annotated[str, typer.Option("--set", help="The golden set it is measured on.")] = "default",
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in the history.")] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Show what is served by default, or serve another configuration from now on.

    A configuration is measured on the golden set beside what is served, and refused (exit 1) when it is significantly worse, too
    slow, or too few queries tell. A running server serves it ten seconds later, without a restart.

    - `brain promote` shows what is served, what was, and the configurations there are
    - `brain promote 3` serves configuration 3; `brain promote --back` takes that back
    - `brain promote --config mine.json --reason "more context"` numbers a file and promotes it
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    if sum((number is not None, config is not None, is_back, is_defaults)) > 1:
        raise typer.BadParameter("N, --config, --back and --defaults exclude each other; give one of them")
    if is_dry_run and number is None and config is None:
        raise typer.BadParameter("--dry-run measures a configuration; give N or --config FILE")
    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        if config is not None and is_dry_run:
            _try_file(engine, owner, config, set_name, is_json=is_json)
            return
        if config is not None:
            number = _numbered(engine.database, engine.model, owner, config, reason)
        if number is not None and is_dry_run:
            _try(engine, owner, number, set_name, is_json=is_json)
        elif number is not None:
            _promote(engine, owner, number, set_name, reason, is_forced=is_forced, is_json=is_json)
        elif is_back or is_defaults:
            _take_back(engine.database, engine.model, owner, reason, is_back=is_back, is_json=is_json)
        else:
            _show(engine.database, engine.model, owner, is_json=is_json)


def _numbered(database: "Database", model: "EmbeddingModel", owner: "TenantId", file: Path, reason: str | None) -> int:
    from rag_core.configuration.overrides import adopt_override

    configuration = adopt_override(database, model, owner, read_override(file), reason=reason)
    say(tr("{file} is configuration {number}", file=file, number=configuration.number))
    return configuration.number


def _promote(
    engine: "Engine",
    owner: "TenantId",
    number: int,
    set_name: str,
    reason: str | None,
    *,
    is_forced: bool,
    is_json: bool,
) -> None:
    from rag_core.configuration.served import served_configuration
    from rag_core.errors import PromotionRefusedError
    from rag_core.promotion.promote import promote_configuration
    from rag_core.promotion.trial import trial_bench

    former = served_configuration(engine.database, owner, engine.model)
    try:
        with measuring() as show:
            promotion = promote_configuration(
                trial_bench(engine, owner), number, force=is_forced, set_name=set_name, reason=reason, on_progress=show
            )
    except PromotionRefusedError as error:
        if not is_json:
            _show_trial(_worded(error.evidence))
            raise
        print_json(
            {
                "error": localised(str(error)),
                "promoted": False,
                "configuration": number,
                "evidence": _worded(error.evidence),
            }
        )
        say(f"brain: {localised(str(error))}")
        raise typer.Exit(1) from None
    is_changed = promotion.number != former.promotion
    if is_json:
        print_json(_changed(promotion, former=former.number, is_changed=is_changed))
    elif is_changed:
        _show_trial(_worded(promotion.evidence))
        print(
            tr(
                "configuration {number} is served instead of {name}; brain promote --back undoes it",
                number=number,
                name=_name(former.number),
            )
        )
    else:
        print(tr("configuration {number} is served already", number=number))


def _try(engine: "Engine", owner: "TenantId", number: int, set_name: str, *, is_json: bool) -> None:
    from rag_core.promotion.trial import trial_bench, try_configuration

    with measuring() as show:
        tried = try_configuration(trial_bench(engine, owner), number, set_name=set_name, on_progress=show)
    trial = _worded(tried.to_json())
    if is_json:
        print_json({"promoted": False, "configuration": number, "objection": trial["objection"], "evidence": trial})
        return
    _show_trial(trial)
    told = trial["objection"] or tr("it is not significantly worse: brain promote {number} serves it", number=number)
    print(tr("configuration {number} was measured and not promoted (--dry-run); {told}", number=number, told=told))


def _try_file(engine: "Engine", owner: "TenantId", file: Path, set_name: str, *, is_json: bool) -> None:
    from rag_core.promotion.trial import trial_bench, try_override

    with measuring() as show:
        tried = try_override(trial_bench(engine, owner), read_override(file), set_name=set_name, on_progress=show)
    trial = _worded(tried.to_json())
    if is_json:
        print_json({"promoted": False, "configuration": None, "objection": trial["objection"], "evidence": trial})
        return
    _show_trial(trial)
    told = trial["objection"] or tr(
        "it is not significantly worse: brain promote --config {file} numbers and serves it", file=file
    )
    print(tr("{file} was measured and not stored (--dry-run); {told}", file=file, told=told))


def _worded(trial: Mapping[str, Any]) -> dict[str, Any]:
    """A trial with its sentences in the reader's language."""
    objection = trial["objection"]
    remarks = [localised(remark) for remark in trial["remarks"]]
    return {**trial, "objection": None if objection is None else localised(objection), "remarks": remarks}


def _take_back(
    database: "Database",
    model: "EmbeddingModel",
    owner: "TenantId",
    reason: str | None,
    *,
    is_back: bool,
    is_json: bool,
) -> None:
    from rag_core.configuration.served import served_configuration
    from rag_core.promotion.promote import reset_to_defaults, return_to_former

    former = served_configuration(database, owner, model)
    change = return_to_former if is_back else reset_to_defaults
    promotion = change(database, owner, reason=reason)
    if is_json:
        print_json(
            {"promoted": False, "configuration": None, "former": None}
            if promotion is None
            else _changed(promotion, former=former.number, is_changed=True)
        )
    elif promotion is None:
        print(tr("the program's defaults are served already"))
    else:
        print(
            tr(
                "Served again: {configuration}, instead of {name}",
                configuration=_name(promotion.configuration),
                name=_name(former.number),
            )
        )


def _changed(promotion: "ConfigurationPromotion", *, former: int | None, is_changed: bool) -> dict[str, Any]:
    return {
        "promoted": is_changed,
        "configuration": promotion.configuration,
        "former": former,
        "promotion": promotion.to_json(),
    }


def _name(number: int | None) -> str:
    return tr("the program's defaults") if number is None else tr("configuration {number}", number=number)


def _show(database: "Database", model: "EmbeddingModel", owner: "TenantId", *, is_json: bool) -> None:
    from rag_core.configuration.served import served_configuration
    from rag_core.storage.configurations import list_configurations, list_promotions

    served = served_configuration(database, owner, model)
    with database.transaction(owner) as connection:
        history = [one.to_json() for one in list_promotions(connection, owner, limit=HISTORY)]
        known = [one.to_json() for one in list_configurations(connection, owner, limit=HISTORY)]
    if is_json:
        print_json({"served": served.to_json(), "history": history, "configurations": known})
        return
    print(
        tr(
            "served: {name}{override}, re-ranker weights {version}",
            name=_name(served.number),
            override=_override_words(served.override),
            version=served.weights.version,
        )
    )
    if served.is_model_dependent_left_out:
        say(
            tr(
                "Its values for {embedding_model} are left out: {name} embeds now. brain tune finds new ones.",
                embedding_model=served.embedding_model,
                name=model.name,
            )
        )
    for problem in served.problems:
        say(tr("Part of it cannot be used: {problem}", problem=localised(problem)))
    if known:
        _show_configurations(known, served.number)
    if history:
        _show_history(history)
    else:
        say(
            tr(
                "Nothing was promoted yet; brain tune proposes a configuration, brain promote --config FILE takes yours."
            )
        )


def _override_words(override: Any) -> str:
    """``: hybridSearch.method rrf, …``; nothing when nothing differs from the defaults."""
    pairs = [
        f"{place} {value}"
        for group, values in override.items()
        for place, value in (
            [(f"{group}.{key}", inner) for key, inner in values.items()]
            if isinstance(values, dict)
            else [(group, values)]
        )
    ]
    return f": {', '.join(pairs)}" if pairs else ""


def _show_configurations(known: list[dict[str, Any]], served: int | None) -> None:
    rows = [
        [
            f"{one['number']}{tr(' (served)') if one['number'] == served else ''}",
            _override_words(one["override"]).removeprefix(": ") or tr("the defaults"),
            one["reranker"] or tr("shipped"),
            one["embedding_model"] or tr("any"),
            f"{label(one['origin'])}, {one['created_at'][:10]}",
        ]
        for one in known
    ]
    table(
        tr("configurations"), headings("number", "what differs", "re-ranker weights", "embedding model", "origin"), rows
    )


def _show_history(history: list[dict[str, Any]]) -> None:
    words = {"promote": tr("promoted"), "return": tr("went back to"), "reset": tr("went back to")}
    rows = [
        [
            one["promoted_at"][:16].replace("T", " "),
            f"{words[one['action']]} {one['configuration'] or tr('the defaults')}",
            one["reason"] or "",
            _gain(one["evidence"]),
        ]
        for one in history
    ]
    table(tr("history"), headings("when (UTC)", "what", "why", "measured"), rows)


def _gain(evidence: dict[str, Any]) -> str:
    comparison = evidence.get("comparison")
    if not comparison:
        return tr("forced") if evidence.get("is_forced") else ""
    told = f"{comparison['metric']} {comparison['difference']:+.3f}, p {comparison['p_value']:.3f}"
    return tr("{told}, forced", told=told) if evidence.get("is_forced") else told


def _show_trial(trial: Any) -> None:
    from rag_core.model.evaluation import HEADLINE_METRICS
    from rag_core.model.metrics.registry import title_of

    runs = trial["runs"]
    for remark in trial["remarks"]:
        say(remark)
    if runs["candidate"] is None:
        return
    before, after = runs["served"], runs["candidate"]
    compared = (trial["comparison"] or {}).get("metrics", {})
    rows = [
        [
            title_of(name, language()),
            _figure(before, name),
            _figure(after, name),
            *_difference(before, after, name, compared.get(name)),
        ]
        for name in HEADLINE_METRICS
    ]
    p95 = [run["latency_p95_ms"] for run in (before, after)]
    if after["total_queries"] >= LEAST_FOR_P95:
        rows.append(
            [
                tr("latency p95"),
                *(f"{value:.0f} ms" for value in p95),
                f"{p95[1] - p95[0]:+.0f} ms",
                "",
            ]
        )
    number = trial["configuration"]
    asked = amount(after["total_queries"], "query", "queries")
    title = tr(
        "{asked} of {set}; runs {run_id} and {candidate}; 95 % intervals",
        asked=asked,
        set=after["set"],
        run_id=short_id(before["run_id"]),
        candidate=short_id(after["run_id"]),
    )
    candidate = tr("on trial") if number is None else tr("configuration {number}", number=number)
    table(title, [tr("metric"), tr("served"), candidate, tr("difference"), "p"], rows)


def _figure(run: Any, name: str) -> str:
    interval = run["intervals"].get(name)
    return (
        f"{run[name]:.3f}"
        if interval is None
        else tr("{mean:.3f} ({low:.3f} to {high:.3f})", mean=run[name], low=interval[0], high=interval[1])
    )


def _difference(before: Any, after: Any, name: str, compared: Any) -> list[str]:
    """With its interval and two-sided p where the runs were compared by this metric."""
    if compared is None:
        return [f"{after[name] - before[name]:+.3f}", ""]
    low, high = compared["interval"]
    return [
        tr("{difference:+.3f} ({low:+.3f} to {high:+.3f})", difference=compared["difference"], low=low, high=high),
        shown_p(compared["p_value"]),
    ]

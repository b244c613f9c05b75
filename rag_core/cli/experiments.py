"""Experiments on live queries: begun, watched, ended."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say, table
from rag_core.cli.messages import headings, label, localised, tr
from rag_core.cli.searching import read_override

if TYPE_CHECKING:
    from rag_core.experiments.report import ExperimentReport
    from rag_core.experiments.statistics import InterleavingFigures, Latency, ShadowFigures, SplitFigures

experiment_app = typer.Typer(
    no_args_is_help=True, help="Experiments on live queries: a candidate configuration beside what is served."
)
app.add_typer(experiment_app, name="experiment")

NameArgument = Annotated[str, typer.Argument(help="The experiment's name, or its id.")]
ModeOption = Annotated[
    Literal["split", "shadow", "interleave"],
    typer.Option(
        help="split: the candidate answers a share of the queries. shadow: it answers beside, unseen. interleave: one list "
        "of both, and readers choose without knowing."
    ),
]


@experiment_app.command("start")
def start(
    name: Annotated[str, typer.Argument(help="What to call it; names are not used twice.")],
    mode: ModeOption = "interleave",
    share: Annotated[
        float,
        typer.Option(help="Of the queries: those the candidate answers (split), else those that take part. 0 to 1."),
    ] = 0.5,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="The candidate: a JSON file with the values that differ from what is served."),
    ] = None,
    configuration: Annotated[
        int | None, typer.Option("--configuration", metavar="N", min=1, help="The candidate: a stored configuration.")
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Try a candidate configuration on live queries: those over HTTP and on the page that say nothing of how to search.

    What is served now is the control. A running server takes part five seconds later. When the candidate fails or is slow the
    control answers. Interleaving needs the fewest queries to tell which side readers prefer; a shadow shows what would change
    and costs nobody anything.

    Example: brain experiment start "more candidates" --mode interleave --share 0.3 --config wide.json
    """
    from rag_core.experiments.lifecycle import begin_experiment
    from rag_core.experiments.report import experiment_to_json
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    if (config is None) == (configuration is None):
        raise typer.BadParameter("give the candidate: --config FILE or --configuration N")
    with command(is_json=is_json), open_engine(read_settings()) as engine:
        experiment = begin_experiment(
            engine,
            engine.named_tenant(tenant),
            name=name,
            mode=mode,
            share=share,
            override=None if config is None else read_override(config),
            configuration=configuration,
        )
        if is_json:
            print_json(experiment_to_json(experiment))
        else:
            running = tr("{name} is running: {mode}, share {share:g}", name=name, mode=mode, share=share)
            print(running)
            say(tr("`brain experiment show {name!r}` shows what it tells, `… stop …` ends it.", name=experiment.name))


@experiment_app.command("list")
def list_all(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show all experiments, newest first."""
    from rag_core.experiments.report import experiment_to_json
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.experiments import list_experiments

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.named_tenant(tenant)
        with engine.database.transaction(owner) as connection:
            found = list_experiments(connection, owner)
        if is_json:
            print_json({"experiments": [experiment_to_json(one) | {"queries": queries} for one, queries in found]})
        elif found:
            rows = [
                [one.name, one.mode, f"{one.share:g}", one.state, f"{one.started_at:%Y-%m-%d %H:%M}", str(queries)]
                for one, queries in found
            ]
            table(tr("Experiments"), headings("name", "mode", "share", "state", "since", "queries"), rows)
        else:
            say(tr("no experiments yet; brain experiment start makes one"))


@experiment_app.command("show")
def show(name: NameArgument, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show what an experiment tells up to now, and how many more live queries it needs.

    Decide beforehand how many to wait for: who looks again and again until p is small finds a difference sooner or later,
    whether there is one or not.

    Example: brain experiment show "more candidates"
    """
    from rag_core.experiments.report import fetch_report
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.named_tenant(tenant)
        report = fetch_report(engine.database, owner, name, served=engine.served(owner), model=engine.model)
        if is_json:
            print_json(_to_json(report))
        else:
            _show(report)


@experiment_app.command("stop")
def stop(name: NameArgument, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """End an experiment; what was served before it goes on being served, and its records stay.

    Example: brain experiment stop "more candidates"
    """
    from rag_core.experiments.lifecycle import end_experiment
    from rag_core.experiments.report import fetch_report
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        ended = end_experiment(engine.database, owner, name)
        report = fetch_report(engine.database, owner, ended.name, served=engine.served(owner), model=engine.model)
        if is_json:
            print_json(_to_json(report))
        else:
            _show(report)


def _to_json(report: "ExperimentReport") -> dict[str, Any]:
    pause = None if report.pause is None else localised(report.pause)
    return report.to_json() | {"conclusion": localised(report.conclusion), "pause": pause}


def _show(report: "ExperimentReport") -> None:
    from rag_core.experiments.statistics import InterleavingFigures, SplitFigures

    figures, experiment = report.figures, report.experiment
    title = tr(
        "{name}: {mode}, share {share:g}, {state}",
        name=experiment.name,
        mode=experiment.mode,
        share=experiment.share,
        state=label(experiment.state),
    )
    if isinstance(figures, InterleavingFigures):
        table(title, headings("what", "value"), _interleaving(figures))
    elif isinstance(figures, SplitFigures):
        table(title, headings("what", "control", "candidate"), _split(figures))
    else:
        table(title, headings("what", "value"), _shadow(figures))
    print(localised(report.conclusion))
    if report.pause is not None:
        say(tr("paused: {pause}. Stop it and start another one.", pause=localised(report.pause)))


def _interleaving(figures: "InterleavingFigures") -> list[list[str]]:
    return [
        [tr("queries"), str(figures.queries)],
        [tr("won by the candidate"), str(figures.wins)],
        [tr("won by the control"), str(figures.losses)],
        [tr("ties"), str(figures.ties)],
        [tr("nothing opened or judged"), str(figures.undecided)],
        [tr("candidate did not answer"), str(figures.failed_candidates)],
        [tr("candidate's share of decided queries"), _share(figures.preference)],
        [tr("its 95 % interval"), "-" if figures.interval is None else tr(" to ").join(map(_share, figures.interval))],
        [tr("p, binomial test"), _number(figures.p_value, 4)],
        [tr("more live queries needed"), _number(figures.more_queries, 0)],
    ]


def _split(figures: "SplitFigures") -> list[list[str]]:
    arms = (figures.control, figures.candidate)
    tests: list[tuple[str, Any]] = [(tr("found helpful"), figures.helpful), (tr("opened"), figures.opened)]
    return [
        [tr("queries"), *(str(arm.queries) for arm in arms)],
        [tr("with a note opened"), *(f"{arm.opened}, {_share(arm.open_rate)}" for arm in arms)],
        [tr("judged"), *(str(arm.judged) for arm in arms)],
        [tr("found helpful"), *(f"{arm.helpful}, {_share(arm.helpful_rate)}" for arm in arms)],
        [tr("degraded"), *(str(arm.degraded) for arm in arms)],
        [tr("candidate did not answer"), *(str(arm.failed) for arm in arms)],
        [tr("latency p50 / p95"), *(_latency(arm.latency) for arm in arms)],
        *(
            [
                tr("{what}: p, more live queries needed", what=what),
                "",
                f"{_number(test.p_value, 4)}, {_number(test.more_queries, 0)}",
            ]
            for what, test in tests
        ),
    ]


def _shadow(figures: "ShadowFigures") -> list[list[str]]:
    return [
        [tr("queries"), str(figures.queries)],
        [tr("answered by both"), str(figures.compared)],
        [tr("candidate not asked: at its limit"), str(figures.dropped)],
        [tr("candidate did not answer"), str(figures.failed_candidates)],
        [tr("degraded"), str(figures.degraded)],
        [tr("rank-biased overlap, p 0.9"), _number(figures.rank_biased_overlap, 3)],
        [tr("overlap of the first ten"), _number(figures.overlap_at_10, 3)],
        [tr("same best note"), _share(figures.same_top)],
        [tr("latency p50 / p95, control"), _latency(figures.control_latency)],
        [tr("latency p50 / p95, candidate in the background (does not compare)"), _latency(figures.candidate_latency)],
        [tr("live queries still needed for an overlap within ± 0.02"), _number(figures.more_queries, 0)],
    ]


def _latency(latency: "Latency") -> str:
    return tr(
        "{p50_ms} / {p95_ms} ms, {queries} measured",
        p50_ms=_number(latency.p50_ms, 0),
        p95_ms=_number(latency.p95_ms, 0),
        queries=latency.queries,
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:,.{decimals}f}"

"""Evaluation: measured on a golden set."""

import textwrap
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.answers import show_answers
from rag_core.cli.app import JsonOption, TenantOption, app, command, measuring, print_json, say, table
from rag_core.cli.golden import SetOption
from rag_core.cli.messages import amount, headings, language, localised, tr
from rag_core.cli.run_comparison import CommonOption, run_and_show_gate
from rag_core.cli.runs import named_run, run_name, short_id
from rag_core.cli.searching import ConfigOption, StrategyOption, read_config, read_override
from rag_core.terminal.requests import COMMAND_TIMEOUT_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rag_core.configuration.schema import RetrievalConfig
    from rag_core.evaluation.runs.results import EvaluationRun, GroupMetrics
    from rag_core.model.embedding import EmbeddingModel
    from rag_core.model.note import TenantId
    from rag_core.runtime.engine import Engine
    from rag_core.storage.database import Database


SHOWN_WORST = 5
MAX_QUERY_CHARACTERS = 60
LEAST_QUERIES_FOR = {"p95": 20, "p99": 100}
"""Of fewer queries a percentile is the slowest of them, so it is not shown."""


BaselineOption = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        parser=run_name,
        metavar="RUN",
        help="Compare with this run; default: the baseline of the set and strategy.",
    ),
]
CategoryOption = Annotated[
    str | None, typer.Option("--category", help="Only queries of this category, such as causal or multi_hop.")
]
AnswersOption = Annotated[
    bool,
    typer.Option("--answers", help="Answer the queries too, and measure the answers; a chat model judges them."),
]
ConcurrencyOption = Annotated[
    int,
    typer.Option("--concurrency", min=1, max=8, help="Queries asked at a time; more than one lengthens latencies."),
]
GateOption = Annotated[
    bool,
    typer.Option("--gate", help="Measure every strategy and judge them; exit status 1 when a check fails."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Options on the measurement of a set."""

    set_name: str
    baseline: str | None
    is_common: bool
    category: str | None
    has_answers: bool
    concurrency: int

    @property
    def is_plain(self) -> bool:
        """True when no option but the set is given."""
        is_compared = self.baseline is not None or self.is_common
        return not (is_compared or self.category or self.has_answers or self.concurrency > 1)


@app.command("evaluate")
def evaluate_set(
    set_name: SetOption = "default",
    strategy: StrategyOption = None,
    config: ConfigOption = None,
    baseline: BaselineOption = None,
    is_common: CommonOption = False,
    category: CategoryOption = None,
    has_answers: AnswersOption = False,
    concurrency: ConcurrencyOption = 1,
    is_gate: GateOption = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Measure retrieval on a golden set: hit rate, MRR, nDCG, precision, recall, MAP and latency, by category and difficulty.

    The run is stored. Where the set says in which passage the answer stands, it measures too how far a reader has to read.

    Every query is searched as it is served; what the search found beside is ranked below that, so that twenty unique notes are
    judged. The run is compared with its baseline, if there is one, by a paired randomisation test: `brain golden baseline`.

    `--gate` is for scripts: every strategy is measured and held against its baseline, and the hit rate, the fusion and the
    latency against what is wanted (BRAIN_GATE_HIT_RATE, BRAIN_GATE_LATENCY_MS).

    Examples: brain evaluate --strategy hybrid · brain evaluate --gate --json
    """
    asked = _Asked(
        set_name=set_name,
        baseline=baseline,
        is_common=is_common,
        category=category,
        has_answers=has_answers,
        concurrency=concurrency,
    )
    if is_gate and (strategy or not asked.is_plain):
        raise typer.BadParameter("--gate measures every strategy against its own baseline; leave the others out")
    from rag_core.evaluation.runs.served import pinned
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings(), pool_size=4 * max(1, concurrency)) as opened:
        owner = opened.named_tenant(tenant)
        engine = pinned(opened, owner)
        wanted = read_config(config, strategy=strategy, base=engine.served_config(owner))
        if is_gate:
            run_and_show_gate(engine, owner, set_name=set_name, config=wanted, is_json=is_json)
            return
        run = _measured(engine, owner, wanted, asked, override={} if config is None else read_override(config))
        searches_by_meaning = wanted.strategy != "fulltext"
        bare, notes = _without_vectors(engine.database, engine.model, owner) if searches_by_meaning else (0, 0)
        _tell(run, bare=bare, notes=notes, is_json=is_json)


def _measured(
    engine: "Engine", owner: "TenantId", wanted: "RetrievalConfig", asked: _Asked, *, override: "Mapping[str, object]"
) -> "EvaluationRun":
    from dataclasses import replace

    from rag_core.evaluation.runs.judges import build_judge
    from rag_core.evaluation.runs.run import evaluate
    from rag_core.evaluation.runs.served import evaluated_search
    from rag_core.evaluation.runs.served_answers import ServedAnswers

    evaluated = evaluated_search(engine, owner, config=wanted, timeout_ms=COMMAND_TIMEOUT_MS)
    if asked.has_answers:
        answerer = ServedAnswers(engine=engine, tenant=owner, config=wanted, override=override)
        evaluated = replace(evaluated, answerer=answerer, judge=build_judge(engine))
    with measuring() as tell:
        return evaluate(
            engine.database,
            owner,
            evaluated,
            set_name=asked.set_name,
            baseline_run_id=None if asked.baseline is None else named_run(engine.database, owner, asked.baseline),
            common_only=asked.is_common,
            category=asked.category,
            concurrency=asked.concurrency,
            on_progress=lambda done, total: tell(tr("evaluating"), done, total),
        )


def _tell(run: "EvaluationRun", *, bare: int, notes: int, is_json: bool) -> None:
    """The run, and how many of the ``notes`` are ``bare`` of vectors."""
    from rag_core.evaluation.runs.run_json import to_json

    if is_json:
        print_json(to_json(run) | {"notes_without_vectors": bare})
    else:
        _show(run)
    if bare:
        say(
            tr(
                "Notes without vectors: {bare:,} of {notes:,}. Search by meaning does not find them; run `brain index`",
                bare=bare,
                notes=notes,
            )
        )


def _without_vectors(database: "Database", model: "EmbeddingModel", owner: "TenantId") -> tuple[int, int]:
    from rag_core.storage.evaluations import count_notes_without_vectors

    with database.transaction(owner) as connection:
        return count_notes_without_vectors(connection, owner, model.id)


def _show(run: "EvaluationRun") -> None:
    print(tr("run {run_id}", run_id=run.run_id))
    table(
        tr("{queries} of {set_name}", queries=amount(run.total_queries, "query", "queries"), set_name=run.set_name),
        headings("metric", "mean", "95 % interval"),
        _metric_rows(run),
    )
    percentiles = ", ".join(
        f"{name} {value:.1f} ms"
        for name, value in asdict(run.latency_ms).items()
        if run.total_queries >= LEAST_QUERIES_FOR.get(name, 1)
    )
    print(tr("latency {percentiles}", percentiles=percentiles))
    _show_groups(run)
    _show_origins(run)
    _show_worst(run)
    show_answers(run)
    if run.unanswerable is not None:
        print(localised(run.unanswerable.line))
    _show_comparison(run)
    if run.degraded_queries:
        say(
            tr("Degraded queries: {queries:,}. The figures are not this strategy's alone", queries=run.degraded_queries)
        )
    if run.lost_spans:
        say(tr("Lost golden spans: {lost:,}. Notes were edited and no longer hold the quotes", lost=run.lost_spans))


def _metric_rows(run: "EvaluationRun") -> list[list[str]]:
    """Every metric with its interval, and with its queries where not all define it."""
    from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures
    from rag_core.model.metrics.registry import metrics

    found = metric_intervals(query_figures(query) for query in run.queries)
    return [
        [
            metric.title(language())
            if sure.queries == run.total_queries
            else f"{metric.title(language())}, {amount(sure.queries, 'query', 'queries')}",
            f"{sure.mean:.3f}",
            tr("{low:.3f} to {high:.3f}", low=sure.low, high=sure.high),
        ]
        for name, metric in metrics().items()
        if metric.is_shown and (sure := found.get(name)) is not None
    ]


def _show_worst(run: "EvaluationRun") -> None:
    from rag_core.evaluation.report.markdown import worst_queries

    rows = [
        [
            textwrap.shorten(result.query, MAX_QUERY_CHARACTERS, placeholder="…"),
            result.category,
            localised(result.error) or str(result.first_relevant_rank or tr("not found")),
        ]
        for result in worst_queries(run, limit=SHOWN_WORST)
    ]
    if rows:
        table(tr("worst queries"), headings("query", "category", "first relevant rank"), rows)


def _show_groups(run: "EvaluationRun") -> None:
    from rag_core.evaluation.runs.results import metrics_by

    groups = [*metrics_by("category", run.queries).items()]
    groups += [
        (tr("difficulty {name}", name=name), found) for name, found in metrics_by("difficulty", run.queries).items()
    ]
    rows = [[name, str(found.total_queries), *(f"{value:.3f}" for value in _means(found))] for name, found in groups]
    table(
        tr("by category and difficulty"),
        [tr("group"), tr("queries"), tr("hit rate @10"), "MRR", "nDCG@10", tr("recall@20")],
        rows,
    )


def _show_origins(run: "EvaluationRun") -> None:
    """One's own questions and proposed ones apart, where the set has both."""
    from rag_core.evaluation.golden.origins import metrics_by_origin

    told = [
        tr(
            "{total_queries} {origin}: hit rate @10 {hit_rate:.3f}, nDCG@10 {ndcg_at_10:.3f}",
            total_queries=found.total_queries,
            origin=tr(origin),
            hit_rate=found.metrics.hit_rate_at[10],
            ndcg_at_10=found.metrics.ndcg_at_10,
        )
        for origin, found in metrics_by_origin(run.circumstances, run.queries).items()
    ]
    if told:
        print(tr("questions by origin: {told} (proposed ones are easier)", told="; ".join(told)))


def _means(found: "GroupMetrics") -> tuple[float, ...]:
    metrics = found.metrics
    return metrics.hit_rate_at[10], metrics.mrr, metrics.ndcg_at_10, metrics.recall_at_20


def _show_comparison(run: "EvaluationRun") -> None:
    from rag_core.evaluation.comparison.quality_check import verdict_on
    from rag_core.evaluation.report.markdown import comparison_line

    if run.comparison is None:
        return
    line = comparison_line(run.comparison, asked=run.total_queries)
    print(
        tr(
            "{run} run {baseline_run_id}: {line}",
            run=_meaning(run),
            baseline_run_id=run.comparison.baseline_run_id,
            line=localised(line),
        )
    )
    if verdict_on(run) == "outdated baseline":
        say(
            tr(
                "most queries were not compared; `brain golden baseline {run_id}` makes this run the baseline",
                run_id=short_id(run.run_id),
            )
        )


def _meaning(run: "EvaluationRun") -> str:
    from rag_core.evaluation.comparison.quality_check import is_improvement

    compared = run.comparison
    if compared is None or run.is_disturbed or compared.obstacle is not None:
        return tr("Beside")
    if compared.is_regression:
        return tr("Worse than")
    if compared.disturbance is not None:
        return tr("Beside")
    return tr("Better than") if is_improvement(compared) else tr("No difference shown from")

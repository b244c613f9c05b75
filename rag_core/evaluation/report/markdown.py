"""An evaluation run as a page of Markdown, for the pipeline's metadata and for the terminal. No I/O."""

from collections.abc import Iterable, Sequence

from rag_core.evaluation.runs.results import EvaluationRun, metrics_by_category, queries_of
from rag_core.model.counting import in_english
from rag_core.model.evaluation import COLUMN_METRICS, QueryResult, RetrievalMetrics, StoredRun
from rag_core.model.metrics.registry import title_of
from rag_core.model.run_comparison import Comparison

MAX_WORST_QUERIES = 10
MAX_QUERY_CHARACTERS = 100


def markdown_report(run: EvaluationRun) -> str:
    """Report of a run as Markdown tables: its settings, its metrics in all and by category, and its worst queries."""
    parts = [
        _heading(run),
        _metrics_table(run),
        _latency_line(run),
        *_unanswerable(run),
        *_compared(run),
        _worst_queries(run),
    ]
    return "\n\n".join(parts) + "\n"


def comparison_line(comparison: Comparison, *, asked: int | None = None) -> str:
    """A comparison in a line: then and now, the difference with its interval and p, the queries it rests on, of how many.

    A drop is judged by the one-sided p, and has that; what is no drop has the two-sided one.
    """
    if comparison.objection is not None:
        return comparison.objection
    beside = "" if comparison.disturbance is None else f"; {comparison.disturbance}"
    low, high = comparison.metrics[comparison.metric].interval
    return (
        f"{title_of(comparison.metric)} {comparison.current:.3f}, was {comparison.baseline:.3f}: {comparison.difference:+.3f} "
        f"({low:+.3f} to {high:+.3f}), {_shown_p(comparison)}, on {_shared(comparison, asked)}{beside}"
    )


def _shared(comparison: Comparison, asked: int | None) -> str:
    if asked is None or comparison.queries == asked:
        return in_english(comparison.queries, "query", "queries")
    return f"the {in_english(comparison.queries, 'query', 'queries')} both asked, of {asked}"


def worst_queries(run: EvaluationRun, *, limit: int = MAX_WORST_QUERIES) -> list[QueryResult]:
    """The queries without a relevant note at rank 1: misses first, then by the rank of the first one, the last first."""
    return sorted((result for result in run.queries if result.first_relevant_rank != 1), key=_badness)[:limit]


def coverage_line(runs: Iterable[StoredRun]) -> str:
    """On how many of the queries of their sets runs were compared: "14 of 41 queries"; without a comparison nothing."""
    counts = dict.fromkeys(
        f"{run.comparison.queries} of {run.total_queries}" for run in runs if run.comparison is not None
    )
    return f"{', '.join(counts)} queries" if counts else ""


def disturbance_line(run: StoredRun) -> str:
    """Number of a run's queries that were degraded or failed, in a line."""
    asked = in_english(run.total_queries, "query was", "queries were")
    return f"{run.degraded_queries} of {asked} degraded and {run.failed_queries} failed"


def _shown_p(comparison: Comparison) -> str:
    """The p with as many digits as tell something: 10,000 resamples cannot tell less than 0.0001."""
    name, p = ("one-sided p", comparison.p_worse) if comparison.difference < 0 else ("p", comparison.p_value)
    return f"{name} {p:.4f}" if p < 0.01 else f"{name} {p:.2f}"


def _heading(run: EvaluationRun) -> str:
    counts = [f"{run.total_queries} {'query' if run.total_queries == 1 else 'queries'}"]
    for count, what in (
        (run.degraded_queries, "degraded"),
        (run.failed_queries, "failed"),
        (run.orphaned_queries, "left out, their notes are deleted"),
    ):
        if count:
            counts.append(f"{count} {what}")
    title = f"## Evaluation of `{run.set_name}` (version {run.set_version})"
    return f"{title}\n\n{', '.join(counts)}; configuration `{run.config_hash}`, run `{run.run_id}`"


def _metrics_table(run: EvaluationRun) -> str:
    rows = [["all", str(run.total_queries), *_means(run.metrics)]]
    for category, metrics in metrics_by_category(run.queries).items():
        rows.append([category, str(len(queries_of(category, run.queries))), *_means(metrics)])
    return _table(["category", "queries", *map(title_of, COLUMN_METRICS)], rows, has_figures_from=1)


def _means(metrics: RetrievalMetrics) -> list[str]:
    return [f"{value:.3f}" for value in metrics.by_name.values()]


def _latency_line(run: EvaluationRun) -> str:
    latency = run.latency_ms
    return f"Latency: p50 {latency.p50:.0f} ms, p95 {latency.p95:.0f} ms, p99 {latency.p99:.0f} ms."


def _unanswerable(run: EvaluationRun) -> list[str]:
    if run.unanswerable is None:
        return []
    line = _escaped(run.unanswerable.line)
    return [f"{line[0].upper()}{line[1:]}."]


def _compared(run: EvaluationRun) -> list[str]:
    if run.comparison is None:
        return []
    line = f"Against the baseline `{run.comparison.baseline_run_id}`: {comparison_line(run.comparison)}."
    if run.comparison.left_out:
        line += f" Queries of one or the other that are not compared: {run.comparison.left_out}."
    return [line, *_losses(run.comparison)]


def _losses(comparison: Comparison) -> list[str]:
    if comparison.obstacle is not None or not comparison.losses:
        return []
    rows = [
        [
            _cell(loss.query),
            f"{loss.baseline:.3f}",
            f"{loss.current:.3f}",
            _rank(loss.baseline_rank),
            _rank(loss.current_rank),
        ]
        for loss in comparison.losses
    ]
    head = ["query", f"{title_of(comparison.metric)} then", "now", "first relevant rank then", "now"]
    return ["### Queries that lost most\n\n" + _table(head, rows, has_figures_from=1)]


def _worst_queries(run: EvaluationRun) -> str:
    worst = worst_queries(run)
    if not worst:
        return "Every query has a relevant note at rank 1."
    rows = [
        [_cell(result.query), result.category, _rank(result.first_relevant_rank), result.error or ""]
        for result in worst
    ]
    return "### Worst queries\n\n" + _table(["query", "category", "first relevant rank", "error"], rows)


def _badness(result: QueryResult) -> tuple[float, float, str]:
    """Sorts misses first, then by the rank of the first relevant note, the last first."""
    return -(result.first_relevant_rank or float("inf")), result.ndcg_at_10, result.query


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _cell(text: str) -> str:
    line = " ".join(text.split())
    short = line if len(line) <= MAX_QUERY_CHARACTERS else f"{line[: MAX_QUERY_CHARACTERS - 1]}…"
    return _escaped(short)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, has_figures_from: int | None = None) -> str:
    first_figure = len(head) if has_figures_from is None else has_figures_from
    rule = ["---" if column < first_figure else "---:" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))

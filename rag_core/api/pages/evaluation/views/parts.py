"""Common parts of several evaluation pages: a chart with its figures as a table, and a run in a few words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.texts import tr
from rag_core.model.evaluation import StoredRun
from rag_core.model.run_comparison import Comparison
from rag_core.promotion.served_runs import ServingHistory, Source, source_of

RUNS_ADDRESS = "/evaluation/runs"
CONFIGURATIONS_ADDRESS = "/evaluation/tuning"
NOTHING_PROMOTED = ServingHistory()
LEAST_QUERIES: Mapping[str, int] = {"p50": 1, "p95": 20, "p99": 100}
"""Below so many queries the nearest rank of a percentile is the slowest query, and no percentile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Figures in rows; the first column is what they are of."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing with its heading, what to see in it, and the same figures as a table."""

    title: str
    about: str
    drawing: Markup
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run in the lists: where its page is, when and why it was made, with which model and configuration, its figures."""

    run_id: str
    short_id: str
    address: str
    set_name: str
    when: str
    created_at: str
    strategy: str
    purpose: str
    category: str
    config: str
    config_address: str
    model: str
    queries: int
    ndcg_at_10: str
    mrr: str
    hit_rate_at_10: str
    latency: str
    is_disturbed: bool
    is_baseline: bool
    verdict: str
    verdict_kind: str


def run_line(
    run: StoredRun,
    *,
    zone: ZoneInfo,
    baselines: frozenset[str] = frozenset(),
    history: ServingHistory = NOTHING_PROMOTED,
) -> RunLine:
    """The run as lists show it; ``baselines`` are the ids of the runs that others are compared with."""
    verdict, kind = verdict_words(run)
    source = source_of(run, history)
    return RunLine(
        run_id=str(run.run_id),
        short_id=str(run.run_id)[:8],
        address=f"{RUNS_ADDRESS}/{run.run_id}",
        set_name=run.set_name,
        when=words.exact_moment(run.created_at, zone),
        created_at=run.created_at.isoformat(),
        strategy=words.strategy(run.strategy),
        purpose=words.PURPOSES.get(run.purpose, run.purpose),
        category="" if run.category is None else words.category(run.category),
        config=_configuration_words(source, run.config_hash),
        config_address=f"{CONFIGURATIONS_ADDRESS}/{source}" if isinstance(source, int) else "",
        model=run.models.get("embedding", words.UNDEFINED),
        queries=run.total_queries,
        ndcg_at_10=words.figure(run.metrics.ndcg_at_10),
        mrr=words.figure(run.metrics.mrr),
        hit_rate_at_10=words.figure(run.metrics.hit_rate_at[10]),
        latency=_latency_words(run),
        is_disturbed=run.is_disturbed,
        is_baseline=str(run.run_id) in baselines,
        verdict=verdict,
        verdict_kind=kind,
    )


def _configuration_words(source: Source, config_hash: str) -> str:
    if isinstance(source, int):
        return tr("configuración {number}", number=source)
    return (
        tr("configuración de fábrica")
        if source == "factory"
        else tr("configuración propia ({hash})", hash=config_hash[:8])
    )


def _latency_words(run: StoredRun) -> str:
    """p95, or p50 where the queries are too few to tell more."""
    name, value = percentiles(run)[:2][-1]
    return f"{name} {words.milliseconds(value)}"


def percentiles(run: StoredRun) -> list[tuple[str, float]]:
    """The percentiles of a run's latency that its queries are enough for, by name; p50 always."""
    return [
        (name, getattr(run.latency_ms, name)) for name, least in LEAST_QUERIES.items() if run.total_queries >= least
    ]


def settings_words(changed: Mapping[str, Any]) -> str:
    """Differences of a configuration, by their paths; words where there are none."""
    return "; ".join(words.setting(name, value) for name, value in changed.items()) or tr("nada")


def flat(document: Mapping[str, Any], *, prefix: str = "") -> dict[str, Any]:
    """Values within values by their places: ``{"a": {"b": 1}}`` is ``{"a.b": 1}``."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        place = f"{prefix}{name}"
        found |= flat(value, prefix=f"{place}.") if isinstance(value, Mapping) else {place: value}
    return found


def verdict_words(run: StoredRun) -> tuple[str, str]:
    """Verdict of the run's stored comparison and its class in the style sheet; empty strings without one."""
    compared = run.comparison
    if run.is_disturbed:
        return tr("perturbada"), "unclear"
    if compared is None:
        return "", ""
    if compared.obstacle is not None:
        return tr("sin veredicto"), "unclear"
    return _compared_words(compared)


def _compared_words(compared: Comparison) -> tuple[str, str]:
    if compared.is_regression:
        return tr("peor"), "worse"
    if compared.disturbance is not None:
        return tr("perturbada"), "unclear"
    if compared.is_significant and compared.difference > 0:
        return tr("mejor"), "better"
    return tr("sin diferencia demostrada"), "unclear"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The rows as values for the template."""
    return Table(head=tuple(head), rows=tuple(tuple(row) for row in rows))

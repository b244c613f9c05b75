"""The charts of one run: its metrics with their intervals, its groups of queries, its latencies."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import LEAST_QUERIES, Chart, Table, percentiles, table
from rag_core.api.pages.texts import Texts, headings, spoken, tr
from rag_core.evaluation.comparison.intervals import MeanInterval
from rag_core.evaluation.report.charts.bars import BarGroup, bar_chart
from rag_core.evaluation.report.charts.drawing import Frame, for_both_widths
from rag_core.evaluation.report.charts.histogram import histogram
from rag_core.evaluation.report.charts.intervals import IntervalRow, interval_chart
from rag_core.evaluation.runs.results import Grouping, group_of, latency_by_stage
from rag_core.model.evaluation import LatencyPercentiles, QueryResult, StoredRun
from rag_core.model.golden import ALL_CATEGORIES, DIFFICULTIES, DIFFICULTY_WORDS, JOINT_GROUPS
from rag_core.model.metrics.registry import metrics
from rag_core.model.statistics import mean

Figures = tuple[QueryResult, Mapping[str, float | None]]
"""A query with its metrics by name."""
_GROUP_METRICS = ("ndcg_at_10", "hit_rate_at_10", "mrr")
_ORDERS: Mapping[Grouping, Sequence[str]] = {
    "category": ALL_CATEGORIES,
    "difficulty": tuple(map(str, DIFFICULTIES)),
    "joint_group": JOINT_GROUPS,
    "joint_difficulty": tuple(DIFFICULTY_WORDS),
}
_PERCENTILES_TOLD = Texts(
    {
        1: "La mitad tardó como mucho el p50; con menos de {p95} consultas no se puede decir más.",
        2: "La mitad tardó como mucho el p50; de cada cien, cinco tardaron más que el p95. "
        "Para el p99 hacen falta {p99} consultas.",
        3: "La mitad tardó como mucho el p50; de cada cien, cinco tardaron más que el p95 y una más que el p99.",
    }
)
_STAGES_TOLD = Texts(
    {
        1: "El punto y la cifra son el p50; con menos de {p95} consultas no se puede decir más.",
        2: "La línea va del p50 al p95; el punto y la cifra son el p95.",
        3: "La línea va del p50 al p99; el punto y la cifra son el p95.",
    }
)
"""By how many percentiles the queries are enough for; the placeholders are ``LEAST_QUERIES``."""


def metrics_chart(intervals: Mapping[str, MeanInterval]) -> Chart:
    """Each metric that some query defines, with its interval."""
    shown = [(metric, intervals[name]) for name, metric in metrics().items() if metric.is_shown and name in intervals]
    asked = max((found.queries for _, found in shown), default=0)
    rows = [
        IntervalRow(
            label=metric.title(spoken()) if found.queries == asked else f"{metric.title(spoken())} ({found.queries})",
            value=found.mean,
            low=found.low,
            high=found.high,
        )
        for metric, found in shown
    ]
    about = tr(
        "El punto es la media de las consultas; la línea, el intervalo en el que está el 95 % de las medias por remuestreo. "
        "Entre paréntesis, sobre cuántas consultas, donde no son todas."
    )
    return Chart(
        title=tr("Métricas"),
        about=about,
        drawing=for_both_widths(
            lambda frame: interval_chart(frame, rows, bounds=(0, 1), show=words.figure, show_tick=words.tick),
            name="metricas",
            title=tr("Métricas con su intervalo del 95 %"),
            description="; ".join(f"{row.label} {words.figure(row.value)}" for row in rows),
        ),
        table=table(
            headings("métrica", "valor medio", "intervalo del 95 %", "consultas", "qué dice", "fórmula"),
            [
                (metric.title(spoken()), words.figure(found.mean), words.between(words.figure(found.low), words.figure(found.high)),
                 str(found.queries), metric.meanings.get(spoken(), metric.meanings.get("en", "")), metric.formula)
                for metric, found in shown
            ],
        ),
    )  # fmt: skip


def shown_groupings(run: StoredRun) -> Sequence[tuple[Grouping, str, str]]:
    """Groupings of the run's queries: not by category when all are of one."""
    groupings: tuple[tuple[Grouping, str, str], ...] = (
        ("category", tr("Por categoría"), tr("categoría")),
        ("difficulty", tr("Por dificultad"), tr("dificultad")),
    )
    return [grouping for grouping in groupings if run.category is None or grouping[0] == "difficulty"]


def group_chart(grouping: Grouping, title: str, column: str, figures: Sequence[Figures]) -> Chart:
    """The main metrics of each group of queries."""
    rows = [(words.group(name), count, means) for name, count, means in _grouped(grouping, figures)]
    groups = [BarGroup(label=label, values=values, note=str(count)) for label, count, values in rows]
    return Chart(
        title=title,
        about=tr("Bajo cada nombre, cuántas consultas son: con pocas, la diferencia entre dos grupos dice poco."),
        drawing=for_both_widths(
            lambda frame: bar_chart(
                frame,
                groups,
                legend=tuple(map(words.metric, _GROUP_METRICS)),
                high=1,
                show=partial(words.figure, decimals=2),
                show_tick=words.tick,
            ),
            name=f"grupos-{grouping}".replace("_", "-"),
            title=f"{', '.join(map(words.metric, _GROUP_METRICS))}. {title}",
            description="; ".join(f"{label}: nDCG@10 {words.figure(values[0])}" for label, _, values in rows),
        ),
        table=table(
            (column, tr("consultas"), *map(words.metric, _GROUP_METRICS)),
            [(label, str(count), *map(words.figure, values)) for label, count, values in rows],
        ),
    )


def joint_table(figures: Sequence[Figures]) -> Table:
    """The figures by the groups that sets of either vocabulary share, to be laid beside those of other sets."""
    groups: tuple[Grouping, ...] = ("joint_group", "joint_difficulty")
    rows = [
        (words.group(name), str(count), *map(words.figure, means))
        for grouping in groups
        for name, count, means in _grouped(grouping, figures)
    ]
    return table((*headings("grupo", "consultas"), *map(words.metric, _GROUP_METRICS)), rows)


def _grouped(grouping: Grouping, figures: Sequence[Figures]) -> list[tuple[str, int, tuple[float | None, ...]]]:
    """Each group's name, its queries, and the means of the metrics shown."""
    found: dict[str, list[Mapping[str, float | None]]] = {name: [] for name in _ORDERS[grouping]}
    for result, one in figures:
        found[group_of(grouping, result)].append(one)
    return [
        (name, len(members), tuple(mean(one[metric] for one in members) for metric in _GROUP_METRICS))
        for name, members in found.items()
        if members
    ]


def latency_chart(run: StoredRun, results: Collection[QueryResult]) -> Chart:
    """Chart of the distribution of latencies."""
    marks = percentiles(run)
    values = [result.latency_ms for result in results]

    def draw(frame: Frame) -> Markup:
        return histogram(frame, values, marks=marks, show=words.milliseconds)

    return Chart(
        title=tr("Latencia"),
        about=f"{tr('Cuántas consultas tardaron cuánto.')} {_PERCENTILES_TOLD[len(marks)].format(**LEAST_QUERIES)}",
        drawing=for_both_widths(
            draw,
            name="latencia",
            title=tr("Distribución de la latencia"),
            description=", ".join(f"{name} {words.milliseconds(value)}" for name, value in marks),
        ),
        table=table(headings("percentil", "latencia"), [(name, words.milliseconds(value)) for name, value in marks]),
    )


def stages_chart(run: StoredRun, results: Collection[QueryResult]) -> Chart | None:
    """The latencies by stage; None for runs from before they were kept."""
    stages: Mapping[str, LatencyPercentiles] = run.latency_stages or latency_by_stage(results)
    if not stages:
        return None
    names = [name for name, _ in percentiles(run)]
    rows = [
        IntervalRow(
            label=words.STAGES.get(name, name),
            value=getattr(found, names[:2][-1]),
            low=found.p50,
            high=getattr(found, names[-1]),
        )
        for name, found in stages.items()
    ]
    high = max(row.high for row in rows) or 1.0
    return Chart(
        title=tr("Latencia por etapa"),
        about=_STAGES_TOLD[len(names)].format(**LEAST_QUERIES),
        drawing=for_both_widths(
            lambda frame: interval_chart(frame, rows, bounds=(0, high), show=words.milliseconds, show_tick=words.tick),
            name="etapas",
            title=tr("Latencia por etapa, en milisegundos"),
            description="; ".join(f"{row.label}: {names[:2][-1]} {words.milliseconds(row.value)}" for row in rows),
        ),
        table=table(
            (tr("etapa"), *names),
            [
                (words.STAGES.get(name, name), *(words.milliseconds(getattr(found, one)) for one in names))
                for name, found in stages.items()
            ],
        ),
    )

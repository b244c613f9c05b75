"""The charts of the report of one run against another."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import Chart, table
from rag_core.api.pages.texts import headings, tr
from rag_core.evaluation.comparison.effects import QueryEffect
from rag_core.evaluation.report.charts.bars import BarGroup, Effect, bar_chart
from rag_core.evaluation.report.charts.bars import effects_chart as draw_effects
from rag_core.evaluation.report.charts.drawing import for_both_widths
from rag_core.evaluation.report.charts.intervals import IntervalRow, interval_chart
from rag_core.evaluation.report.charts.scales import round_bounds
from rag_core.model.run_comparison import SIGNIFICANCE, Comparison, MetricComparison


def metrics_chart(comparison: Comparison) -> Chart:
    """Difference of each metric with its 95 % interval."""
    found = comparison.metrics
    rows = [
        IntervalRow(
            label=words.metric(name)
            + (f" ({one.queries})" if one.queries is not None and one.queries < comparison.queries else ""),
            value=one.difference,
            low=min(one.interval[0], one.difference),
            high=max(one.interval[1], one.difference),
            kind="worse" if name in comparison.regressed else _kind(one),
        )
        for name, one in found.items()
    ]
    bounds = round_bounds([0.0, *(edge for row in rows for edge in (row.low, row.high))], least=0.04)
    return Chart(
        title=tr("Diferencia de cada métrica"),
        about=tr(
            "A la derecha del cero, mejor. La línea es el intervalo del 95 %; en verde o rojo, las diferencias significativas "
            "tras la corrección de Holm y las que deciden que es peor."
        ),
        drawing=for_both_widths(
            lambda frame: interval_chart(
                frame, rows, bounds=bounds, show=words.difference, show_tick=words.signed_tick, has_zero=True
            ),
            name="diferencias",
            title=tr("Diferencia de cada métrica con su intervalo del 95 %"),
            description="; ".join(f"{row.label} {words.difference(row.value)}" for row in rows),
        ),
        table=table(
            headings(
                "métrica", "antes", "después", "diferencia", "intervalo del 95 %", "p", "p corregida", "consultas"
            ),
            [_metric_row(name, one) for name, one in found.items()],
        ),
    )


def _metric_row(name: str, one: MetricComparison) -> tuple[str, ...]:
    low, high = one.interval
    return (
        words.metric(name),
        words.figure(one.baseline),
        words.figure(one.current),
        words.difference(one.difference),
        words.between(words.difference(low), words.difference(high)),
        words.p_value(one.p_value),
        words.p_value(one.p_adjusted),
        words.UNDEFINED if one.queries is None else str(one.queries),
    )


def _kind(one: MetricComparison) -> str:
    """The style sheet's class for a difference: better or worse only where chance is no good explanation."""
    p = one.p_value if one.p_adjusted is None else one.p_adjusted
    if p >= SIGNIFICANCE or one.difference == 0:
        return "unclear"
    return "better" if one.difference > 0 else "worse"


def groups_chart(effects: Collection[QueryEffect], label: str) -> Chart:
    """Mean of the metric before and after, by category of the query."""
    by_category: dict[str, list[QueryEffect]] = {}
    for effect in effects:
        by_category.setdefault(effect.category, []).append(effect)
    means = [
        (
            words.category(name),
            len(found),
            _mean([one.baseline for one in found]),
            _mean([one.current for one in found]),
        )
        for name, found in sorted(by_category.items(), key=lambda item: words.category(item[0]))
    ]
    groups = [BarGroup(label=name, values=(before, after), note=str(count)) for name, count, before, after in means]
    return Chart(
        title=tr("{metric} por categoría", metric=label),
        about=tr("Bajo cada nombre, cuántas consultas son."),
        drawing=for_both_widths(
            lambda frame: bar_chart(
                frame, groups, legend=headings("antes", "después"), high=1, show=partial(words.figure, decimals=2),
                show_tick=words.tick,
            ),
            name="categorias",
            title=tr("{metric} por categoría, antes y después", metric=label),
            description="; ".join(f"{name}: {words.difference(after - before)}" for name, _, before, after in means),
        ),
        table=table(
            headings("categoría", "consultas", "antes", "después", "diferencia"),
            [
                (name, str(count), words.figure(before), words.figure(after), words.difference(after - before))
                for name, count, before, after in means
            ],
        ),
    )  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def effects_chart(effects: Sequence[QueryEffect], label: str) -> Chart:
    """Difference of the metric for each query, best first."""
    bars = [Effect(label=effect.query, difference=effect.difference) for effect in effects]
    counts: Mapping[str, int] = {
        tr("mejora"): sum(bar.difference > 0 for bar in bars),
        tr("sin cambio"): sum(bar.difference == 0 for bar in bars),
        tr("empeora"): sum(bar.difference < 0 for bar in bars),
    }
    return Chart(
        title=tr("Efecto en cada consulta"),
        about=tr(
            "Una barra por consulta, de la que más gana a la que más pierde en {metric}; en medio, las que no cambian.",
            metric=label,
        ),
        drawing=for_both_widths(
            lambda frame: draw_effects(frame, bars, show=words.signed_tick),
            name="efectos",
            title=tr("Diferencia de {metric} en cada consulta", metric=label),
            description=", ".join(f"{name}: {count}" for name, count in counts.items()),
        ),
        table=table(headings("efecto", "consultas"), [(name, str(count)) for name, count in counts.items()]),
    )

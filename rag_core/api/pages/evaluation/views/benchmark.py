"""The report of embedding models side by side: what they cost and what they find."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import Chart, Table, table
from rag_core.api.pages.evaluation.views.work import WorkReport
from rag_core.api.pages.texts import counted, headings, tr
from rag_core.evaluation.report.charts.bars import BarGroup, bar_chart
from rag_core.evaluation.report.charts.drawing import for_both_widths

_PRECISION = ("ndcgAt10", "mrr", "hitRateAt10")
_PRECISION_METRICS = ("ndcg_at_10", "mrr", "hit_rate_at_10")


def benchmark_report(found: Mapping[str, Any]) -> WorkReport:
    """A benchmark of embedding models by what ``Benchmark.to_json`` kept."""
    models = found["models"]
    quality = [(model, one) for model in models for one in model["quality"]]
    kinds = list(dict.fromkeys((one["set"], one["strategy"]) for _, one in quality))
    tried = counted("{count} modelo", "{count} modelos", len(models))
    return WorkReport(
        title=tr("Comparación de modelos"),
        verdict=tr("{models}; el que está en uso va primero", models=tried),
        kind="",
        explanations=tuple(
            tr("{name} no se midió; causa, en inglés: {reason}", name=name, reason=reason)
            for name, reason in found["leftOut"].items()
        ),
        charts=tuple(_models_chart(quality, number, *kind) for number, kind in enumerate(kinds, 1)),
        tables=(
            (tr("Lo que cuestan"), table(_cost_head(), [_cost_row(model) for model in models])),
            (
                tr("Lo que encuentran"),
                without_empty_columns(table(_quality_head(), [_quality_row(model, one) for model, one in quality])),
            ),
        ),
        facts=(),
    )


def _cost_head() -> tuple[str, ...]:
    return headings(
        "modelo", "dimensiones", "consulta p50", "consulta p95", "fragmentos/s", "memoria", "vectores", "índice"
    )


def _quality_head() -> tuple[str, ...]:
    return headings("modelo", "conjunto", "búsqueda", "nDCG@10", "MRR", "precisión@5", "exhaust.@20", "en alemán",
                    "con términos técnicos", "frente al que está en uso", "p ajustada")  # fmt: skip


def without_empty_columns(found: Table) -> Table:
    """The table without columns that hold nothing, such as those of German queries where there are none."""
    kept = [
        place
        for place in range(len(found.head))
        if not found.rows or any(row[place] != words.UNDEFINED for row in found.rows)
    ]
    return table([found.head[place] for place in kept], [[row[place] for place in kept] for row in found.rows])


def _cost_row(model: Mapping[str, Any]) -> tuple[str, ...]:
    name = tr("{model} (en uso)", model=model["modelName"]) if model["isActive"] else model["modelName"]
    if model["failure"] is not None or "embeddingLatencyMs" not in model:
        return (
            name,
            str(model["dimensions"]),
            tr("no se pudo medir; causa, en inglés: {reason}", reason=model["failure"]),
            *([words.UNDEFINED] * 5),
        )
    latency, storage = model["embeddingLatencyMs"], model["storageBytes"]
    return (
        name,
        str(model["dimensions"]),
        words.milliseconds(latency["p50"]),
        words.milliseconds(latency["p95"]),
        words.figure(model["chunksPerSecond"], decimals=0),
        f"{words.figure(model['memoryUsageMb'], decimals=0)} MB",
        _megabytes(storage["vectors"]),
        _megabytes(storage["index"]),
    )


def _megabytes(size: float | None) -> str:
    return words.UNDEFINED if size is None else f"{words.figure(size / 1e6, decimals=1)} MB"


def _quality_row(model: Mapping[str, Any], one: Mapping[str, Any]) -> tuple[str, ...]:
    compared = one["comparedWithActive"] or {}
    return (
        model["modelName"],
        one["set"],
        words.strategy(one["strategy"]),
        *(words.figure(one[name]) for name in ("ndcgAt10", "mrr", "precisionAt5", "recallAt20")),
        words.figure(one["germanQueryAccuracy"]),
        words.figure(one["technicalTermAccuracy"]),
        words.difference(compared.get("difference")),
        words.p_value(compared.get("pAdjusted")),
    )


def _models_chart(
    quality: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], number: int, set_name: str, strategy: str
) -> Chart:
    chosen = [(model, one) for model, one in quality if (one["set"], one["strategy"]) == (set_name, strategy)]
    groups = [
        BarGroup(
            label=model["modelName"],
            values=tuple(one[name] for name in _PRECISION),
            note=tr("{count} cons.", count=one["queries"]),
        )
        for model, one in chosen
    ]
    title = tr("«{name}», búsqueda {strategy}", name=set_name, strategy=words.strategy(strategy))
    names = tuple(map(words.metric, _PRECISION_METRICS))
    return Chart(
        title=title,
        about=tr("Los mismos textos y las mismas consultas; solo cambia el modelo."),
        drawing=for_both_widths(
            lambda frame: bar_chart(
                frame,
                groups,
                legend=names,
                high=1,
                show=partial(words.figure, decimals=2),
                show_tick=words.tick,
            ),
            name=f"modelos-{number}",
            title=title,
            description="; ".join(f"{group.label}: nDCG@10 {words.figure(group.values[0])}" for group in groups),
        ),
        table=table((tr("modelo"), *names), [(group.label, *map(words.figure, group.values)) for group in groups]),
    )

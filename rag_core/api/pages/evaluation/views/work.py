"""View of a job, and the report of a tuning and of a configuration."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import (
    RUNS_ADDRESS,
    Chart,
    Table,
    flat,
    settings_words,
    table,
    verdict_words,
)
from rag_core.api.pages.evaluation.views.run import Fact
from rag_core.api.pages.texts import counted, headings, tr
from rag_core.evaluation.report.charts.drawing import for_both_widths
from rag_core.evaluation.report.charts.intervals import IntervalRow, interval_chart
from rag_core.evaluation.report.charts.scales import round_bounds
from rag_core.evaluation.tuning.report import SIGNIFICANCE
from rag_core.model.evaluation import StoredRun
from rag_core.model.run_comparison import Comparison
from rag_core.storage.configurations import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReport:
    """Result of a job: a sentence, charts, tables with their headings, and the settings it ran with.

    ``trials`` are those of a configuration before a promotion.
    """

    title: str
    verdict: str
    kind: str
    explanations: tuple[str, ...]
    charts: tuple[Chart, ...]
    tables: tuple[tuple[str, Table], ...]
    facts: tuple[Fact, ...]
    trials: tuple["TrialLine", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLine:
    """A configuration's run against what was served at the time, with where both pages are."""

    when: str
    address: str
    about: str
    ndcg_at_10: str
    difference: str
    verdict: str
    verdict_kind: str
    comparison_address: str


def trial_lines(runs: Sequence[StoredRun], zone: ZoneInfo) -> tuple[TrialLine, ...]:
    """The runs that tried a configuration, as its page lists them."""
    return tuple(_trial_line(run, zone) for run in runs)


def _trial_line(run: StoredRun, zone: ZoneInfo) -> TrialLine:
    verdict, kind = verdict_words(run)
    compared = run.comparison
    return TrialLine(
        when=words.exact_moment(run.created_at, zone),
        address=f"{RUNS_ADDRESS}/{run.run_id}",
        about=counted(
            "«{name}», {count} consulta, búsqueda {strategy}",
            "«{name}», {count} consultas, búsqueda {strategy}",
            run.total_queries,
            name=run.set_name,
            strategy=words.strategy(run.strategy),
        ),
        ndcg_at_10=words.figure(run.metrics.ndcg_at_10),
        difference=words.UNDEFINED if compared is None else _with_interval(compared),
        verdict=verdict,
        verdict_kind=kind,
        comparison_address=""
        if compared is None
        else f"/evaluation/compare?baseline={compared.baseline_run_id}&candidate={run.run_id}&common=1",
    )


def _with_interval(compared: Comparison) -> str:
    found = compared.metrics["ndcg_at_10"]
    low, high = map(words.difference, found.interval)
    return f"{words.difference(found.difference)} ({words.between(low, high)})"


def tuning_report(
    found: Mapping[str, Any], configuration: Configuration | None, trials: tuple[TrialLine, ...] = ()
) -> WorkReport:
    """A tuning by what ``Tuning.to_json`` kept; with the configuration it proposed, if it did."""
    verdict, kind = _tuning_verdict(found)
    seconds = words.figure(found["seconds"], decimals=1)
    changes = [
        (
            "; ".join(words.SETTINGS.get(key, key) for key in change["keys"]),
            _joined(change["served"]),
            _joined(change["tuned"]),
            tr("{done} de {total}", done=change["folds"], total=found["folds"]),
        )
        for change in found["changes"]
    ]
    categories = [
        (words.category(one["category"]), str(one["queries"]), words.figure(one["served"]), words.figure(one["tuned"]),
         words.difference(one["tuned"] - one["served"]), str(one["gained"]), str(one["lost"]))
        for one in found["categories"]
    ]  # fmt: skip
    return WorkReport(
        title=tr("Ajuste") if configuration is None else tr("Configuración {number}", number=configuration.number),
        verdict=verdict,
        kind=kind,
        explanations=(tr("Validación cruzada: cada consulta se mide con la configuración elegida sin ella."),),
        charts=(_tuning_chart(found["metrics"]),),
        tables=(
            (tr("Qué cambia"), table(headings("opción", "se sirve", "elegido", "partes que lo eligen"), changes)),
            (
                tr("Por categoría, en nDCG@10"),
                table(
                    headings("categoría", "consultas", "se sirve", "ajustado", "diferencia", "ganan", "pierden"),
                    categories,
                ),
            ),
        ),
        facts=(
            Fact(
                name=tr("Conjunto"),
                value=counted(
                    "{name}, {count} consulta", "{name}, {count} consultas", found["queries"], name=found["set"]
                ),
            ),
            Fact(
                name=tr("Probadas"),
                value=counted("{count} configuración", "{count} configuraciones", found["configurations_tried"]),
            ),
            Fact(
                name=tr("Duró"),
                value=tr("{seconds} s, hasta agotar el tiempo", seconds=seconds)
                if found["is_out_of_time"]
                else f"{seconds} s",
            ),
            Fact(name=tr("Búsqueda"), value=words.strategy(found["strategy"])),
            Fact(name=tr("Modelo"), value=found["embedding_model"], is_code=True),
            *_configuration_facts(configuration),
        ),
        trials=trials,
    )


def configuration_report(configuration: Configuration, trials: tuple[TrialLine, ...], zone: ZoneInfo) -> WorkReport:
    """A configuration that no tuning proposed: what it says, and what is known of it."""
    made = words.moment(configuration.created_at, zone)
    tried = counted("{count} vez", "{count} veces", len(trials)) if trials else tr("ninguna vez todavía")
    return WorkReport(
        title=tr("Configuración {number}", number=configuration.number),
        verdict=tr("Escrita a mano el {when}; medida contra lo que se servía: {times}", when=made, times=tried),
        kind="",
        explanations=(),
        charts=(),
        tables=(),
        facts=_configuration_facts(configuration),
        trials=trials,
    )


def _configuration_facts(configuration: Configuration | None) -> tuple[Fact, ...]:
    if configuration is None:
        return ()
    override = json.dumps(dict(configuration.override), ensure_ascii=False)
    return (
        Fact(
            name=tr("Diferencias con la configuración predeterminada"),
            value=settings_words(flat(configuration.override)),
        ),
        Fact(name=tr("Como archivo"), value=override, is_code=True),
        Fact(name=tr("Elegida para el modelo"), value=configuration.embedding_model or tr("cualquiera")),
        Fact(name=tr("Pesos del reordenador"), value=configuration.reranker_version or tr("los de fábrica")),
    )


def _tuning_verdict(found: Mapping[str, Any]) -> tuple[str, str]:
    gain = found["metrics"]["ndcg_at_10"]
    moved = words.difference(gain["difference"], decimals=4)
    if found["is_worth_proposing"]:
        better = tr("Mejor en consultas que no se usaron para elegir: nDCG@10 {difference}", difference=moved)
        number = found["number"]
        return better + (tr("; «brain promote {number}» la pone en uso", number=number) if number else ""), "better"
    if not found["changes"] and found["reranker"] is None:
        return tr("Ninguna configuración probada mejora de forma significativa la servida"), "unclear"
    if gain["difference"] <= 0:
        told = tr("En consultas que no se usaron para elegir no mejora: nDCG@10 {difference}", difference=moved)
        return told, "unclear"
    if gain["p_value"] >= SIGNIFICANCE:
        p = words.p_phrase(gain["p_value"])
        return tr("La mejora de {difference} en nDCG@10 no es significativa ({p})", difference=moved, p=p), "unclear"
    return tr("nDCG@10 mejora, pero MRR empeora"), "unclear"


def _tuning_chart(metrics: Mapping[str, Mapping[str, Any]]) -> Chart:
    rows = [
        IntervalRow(
            label=words.metric(name),
            value=one["difference"],
            low=min(one["interval"][0], one["difference"]),
            high=max(one["interval"][1], one["difference"]),
            kind="unclear" if one["p_value"] >= SIGNIFICANCE else "better" if one["difference"] > 0 else "worse",
        )
        for name, one in metrics.items()
    ]
    shown = [
        (row.label, words.figure(one["served"]), words.figure(one["tuned"]), words.difference(one["difference"], decimals=4),
         words.p_value(one["p_value"]))
        for row, one in zip(rows, metrics.values(), strict=True)
    ]  # fmt: skip
    return _differences_chart(
        rows, shown, title=tr("Diferencia con lo que se sirve"), name="ajuste", columns=headings("se sirve", "ajustado")
    )


def _differences_chart(
    rows: Sequence[IntervalRow], shown: Sequence[tuple[str, ...]], *, title: str, name: str, columns: Sequence[str]
) -> Chart:
    bounds = round_bounds([0.0, *(edge for row in rows for edge in (row.low, row.high))], least=0.04)
    return Chart(
        title=title,
        about=tr(
            "A la derecha del cero, mejor; la línea es el intervalo del 95 %. En verde o rojo, lo que tiene una p menor que {p}: "
            "con dos métricas, un azar de menos del 5 %.",
            p=words.figure(SIGNIFICANCE, decimals=2),
        ),
        drawing=for_both_widths(
            lambda frame: interval_chart(
                frame, rows, bounds=bounds, show=words.difference, show_tick=words.signed_tick, has_zero=True
            ),
            name=name,
            title=title,
            description="; ".join(f"{row.label} {words.difference(row.value)}" for row in rows),
        ),
        table=table(("", *columns, *headings("diferencia", "p")), shown),
    )


def _joined(values: Any) -> str:
    """A knob's values in a line; null is the model's own."""
    listed = values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    return ", ".join(words.SPOKEN[None] if one is None else words.value_words(one) for one in listed)

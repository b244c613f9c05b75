"""The report of an experiment on live queries: what readers preferred, or how alike both sides are."""

import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.beside import MODES
from rag_core.api.pages.evaluation.views.parts import Chart, table
from rag_core.api.pages.evaluation.views.run import Fact, differences
from rag_core.api.pages.evaluation.views.work import WorkReport
from rag_core.api.pages.texts import counted, headings, tr
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.evaluation.report.charts.drawing import for_both_widths
from rag_core.evaluation.report.charts.intervals import IntervalRow, interval_chart
from rag_core.experiments.report import Figures
from rag_core.experiments.statistics import InterleavingFigures, Latency, RateTest, SplitFigures
from rag_core.model.experiment import Experiment
from rag_core.model.run_comparison import SIGNIFICANCE

_FACTORY = DEFAULT_RETRIEVAL_CONFIG.to_wire()


def experiment_report(experiment: Experiment, figures: Figures, zone: ZoneInfo) -> WorkReport:
    """An experiment on live queries, with what its records tell up to now."""
    rows = _experiment_rows(figures)
    head = ("", *headings("se sirve", "candidata")) if isinstance(figures, SplitFigures) else ("", "")
    verdict, kind = experiment_verdict(figures)
    since = words.moment(experiment.started_at, zone)
    period = (
        tr("desde el {since} al {until}", since=since, until=words.moment(experiment.stopped_at, zone))
        if experiment.stopped_at
        else tr("desde el {since}, en marcha", since=since)
    )
    mode, share = MODES[experiment.mode], words.percent(experiment.share)
    return WorkReport(
        title=tr("Experimento «{name}»", name=experiment.name),
        verdict=verdict,
        kind=kind,
        explanations=(),
        charts=_preference_chart(figures),
        tables=((tr("Cifras"), table(head, rows)),),
        facts=(
            Fact(name=tr("Modo"), value=tr("{mode}, {share} de las consultas", mode=mode, share=share)),
            Fact(name=tr("Periodo"), value=period),
            _configuration_fact(
                tr("Configuración servida: diferencias con la predeterminada"), experiment.control, _FACTORY
            ),
            _configuration_fact(tr("Candidata: diferencias con la servida"), experiment.candidate, experiment.control),
        ),
    )


def _configuration_fact(name: str, config: Mapping[str, Any], other: Mapping[str, Any]) -> Fact:
    changed = differences(config, other)
    return Fact(
        name=name, value=json.dumps(changed, ensure_ascii=False) if changed else tr("nada"), is_code=bool(changed)
    )


def experiment_verdict(figures: Figures) -> tuple[str, str]:
    """Verdict of the figures, and its class: better, worse or unclear."""
    if isinstance(figures, InterleavingFigures):
        better = None if figures.preference is None else figures.preference > 0.5
        return _preferred(figures.p_value, better, figures.more_queries)
    if isinstance(figures, SplitFigures):
        helpful = figures.helpful
        better = None if helpful.difference is None else helpful.difference > 0
        return _preferred(helpful.p_value, better, helpful.more_queries)
    if figures.rank_biased_overlap is None:
        return tr("Todavía no hay consultas con respuesta de las dos configuraciones"), "unclear"
    overlap = words.figure(figures.rank_biased_overlap)
    return tr("Semejanza de las listas: {overlap} (1: las mismas notas en el mismo orden)", overlap=overlap), ""


def _preferred(p: float | None, is_better: bool | None, more: int | None) -> tuple[str, str]:
    """Readers' preference, and its class: better, worse or unclear."""
    needed = ""
    if more:
        needed = counted("; se necesita {count} consulta más", "; se necesitan unas {count} consultas más", more)
    if p is None or is_better is None:
        return tr("Todavía no hay resultado") + needed, "unclear"
    if p >= SIGNIFICANCE:
        return tr("Sin diferencia significativa ({p})", p=words.p_phrase(p)) + needed, "unclear"
    if is_better:
        return tr("Los lectores prefieren la candidata ({p})", p=words.p_phrase(p)), "better"
    return tr("Los lectores prefieren la configuración servida ({p})", p=words.p_phrase(p)), "worse"


def _preference_chart(figures: Figures) -> tuple[Chart, ...]:
    if not isinstance(figures, InterleavingFigures) or figures.preference is None or figures.interval is None:
        return ()
    low, high = figures.interval
    row = IntervalRow(
        label=tr("candidata"),
        value=figures.preference,
        low=min(low, figures.preference),
        high=max(high, figures.preference),
    )
    drawing = for_both_widths(
        lambda frame: interval_chart(frame, [row], bounds=(0, 1), show=words.percent),
        name="preferencia",
        title=tr("Parte de las consultas decididas que ganó la candidata"),
        description=words.percent(figures.preference),
    )
    bounds = words.between(words.percent(low), words.percent(high))
    return (
        Chart(
            title=tr("Preferencia"),
            about=tr(
                "Parte de las consultas decididas que ganó la candidata, con su intervalo del 95 %; la mitad es un empate."
            ),
            drawing=drawing,
            table=table(
                ("", *headings("parte", "intervalo")), [(tr("candidata"), words.percent(figures.preference), bounds)]
            ),
        ),
    )


def _experiment_rows(figures: Figures) -> list[tuple[str, ...]]:
    if isinstance(figures, InterleavingFigures):
        return [
            (tr("consultas"), str(figures.queries)),
            (tr("ganadas por la candidata"), str(figures.wins)),
            (tr("ganadas por la configuración servida"), str(figures.losses)),
            (tr("empates"), str(figures.ties)),
            (tr("sin notas abiertas ni valoraciones"), str(figures.undecided)),
            (tr("sin respuesta de la candidata"), str(figures.failed_candidates)),
        ]
    if isinstance(figures, SplitFigures):
        return _split_rows(figures)
    return [
        (tr("consultas"), str(figures.queries)),
        (tr("con respuesta de las dos"), str(figures.compared)),
        (tr("no enviadas a la candidata por falta de capacidad"), str(figures.dropped)),
        (tr("sin respuesta de la candidata"), str(figures.failed_candidates)),
        (tr("parecido (RBO, p = 0,9)"), words.figure(figures.rank_biased_overlap)),
        (tr("notas en común entre las diez primeras"), words.figure(figures.overlap_at_10)),
        (tr("misma nota en primer lugar"), words.percent(figures.same_top)),
        (tr("latencia de lo que se sirve, p50 y p95"), _latencies(figures.control_latency)),
        (
            tr("latencia de la candidata en segundo plano (no comparable), p50 y p95"),
            _latencies(figures.candidate_latency),
        ),
    ]


def _split_rows(figures: SplitFigures) -> list[tuple[str, ...]]:
    def told(test: RateTest) -> str:
        return f"{words.difference(test.difference)} ({words.UNDEFINED if test.p_value is None else words.p_phrase(test.p_value)})"

    def both(name: str, one: Any) -> tuple[str, ...]:
        return (name, one(figures.control), one(figures.candidate))

    return [
        both(tr("consultas"), lambda arm: str(arm.queries)),
        both(tr("con alguna nota abierta"), lambda arm: f"{arm.opened}, {words.percent(arm.open_rate)}"),
        both(tr("valoradas"), lambda arm: str(arm.judged)),
        both(tr("valoradas como útiles"), lambda arm: f"{arm.helpful}, {words.percent(arm.helpful_rate)}"),
        both(tr("degradadas"), lambda arm: str(arm.degraded)),
        both(tr("latencia, p50 y p95"), lambda arm: _latencies(arm.latency)),
        (tr("diferencia en útiles"), "", told(figures.helpful)),
        (tr("diferencia en abiertas"), "", told(figures.opened)),
    ]


def _latencies(latency: Latency) -> str:
    return tr(" y ").join((words.milliseconds(latency.p50_ms), words.milliseconds(latency.p95_ms)))

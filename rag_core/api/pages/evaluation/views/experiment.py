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
    head = ("", "se sirve", "candidata") if isinstance(figures, SplitFigures) else ("", "")
    verdict, kind = experiment_verdict(figures)
    stopped = f" al {words.moment(experiment.stopped_at, zone)}" if experiment.stopped_at else ", en marcha"
    return WorkReport(
        title=f"Experimento «{experiment.name}»",
        verdict=verdict,
        kind=kind,
        explanations=(),
        charts=_preference_chart(figures),
        tables=(("Cifras", table(head, rows)),),
        facts=(
            Fact(name="Modo", value=f"{MODES[experiment.mode]}, {words.percent(experiment.share)} de las consultas"),
            Fact(name="Periodo", value=f"desde el {words.moment(experiment.started_at, zone)}{stopped}"),
            _configuration_fact(
                "Configuración servida: diferencias con la predeterminada", experiment.control, _FACTORY
            ),
            _configuration_fact("Candidata: diferencias con la servida", experiment.candidate, experiment.control),
        ),
    )


def _configuration_fact(name: str, config: Mapping[str, Any], other: Mapping[str, Any]) -> Fact:
    changed = differences(config, other)
    return Fact(name=name, value=json.dumps(changed, ensure_ascii=False) if changed else "nada", is_code=bool(changed))


def experiment_verdict(figures: Figures) -> tuple[str, str]:
    """Verdict of the figures in Spanish, and its class: better, worse or unclear."""
    if isinstance(figures, InterleavingFigures):
        better = None if figures.preference is None else figures.preference > 0.5
        return _preferred(figures.p_value, better, figures.more_queries)
    if isinstance(figures, SplitFigures):
        helpful = figures.helpful
        better = None if helpful.difference is None else helpful.difference > 0
        return _preferred(helpful.p_value, better, helpful.more_queries)
    if figures.rank_biased_overlap is None:
        return "Todavía no hay consultas con respuesta de las dos configuraciones", "unclear"
    return (
        f"Semejanza de las listas: {words.figure(figures.rank_biased_overlap)} (1: las mismas notas en el mismo orden)",
        "",
    )


def _preferred(p: float | None, is_better: bool | None, more: int | None) -> tuple[str, str]:
    """Readers' preference in Spanish, and its class: better, worse or unclear."""
    needed = "" if not more else f"; se necesitan unas {words.counted(more, 'consulta', 'consultas')} más"
    if p is None or is_better is None:
        return f"Todavía no hay resultado{needed}", "unclear"
    if p >= SIGNIFICANCE:
        return f"Sin diferencia significativa ({words.p_phrase(p)}){needed}", "unclear"
    if is_better:
        return f"Los lectores prefieren la candidata ({words.p_phrase(p)})", "better"
    return f"Los lectores prefieren la configuración servida ({words.p_phrase(p)})", "worse"


def _preference_chart(figures: Figures) -> tuple[Chart, ...]:
    if not isinstance(figures, InterleavingFigures) or figures.preference is None or figures.interval is None:
        return ()
    low, high = figures.interval
    row = IntervalRow(
        label="candidata",
        value=figures.preference,
        low=min(low, figures.preference),
        high=max(high, figures.preference),
    )
    drawing = for_both_widths(
        lambda frame: interval_chart(frame, [row], bounds=(0, 1), show=words.percent),
        name="preferencia",
        title="Parte de las consultas decididas que ganó la candidata",
        description=words.percent(figures.preference),
    )
    bounds = f"{words.percent(low)} a {words.percent(high)}"
    return (
        Chart(
            title="Preferencia",
            about="Parte de las consultas decididas que ganó la candidata, con su intervalo del 95 %; la mitad es un empate.",
            drawing=drawing,
            table=table(("", "parte", "intervalo"), [("candidata", words.percent(figures.preference), bounds)]),
        ),
    )


def _experiment_rows(figures: Figures) -> list[tuple[str, ...]]:
    if isinstance(figures, InterleavingFigures):
        return [
            ("consultas", str(figures.queries)),
            ("ganadas por la candidata", str(figures.wins)),
            ("ganadas por la configuración servida", str(figures.losses)),
            ("empates", str(figures.ties)),
            ("sin notas abiertas ni valoraciones", str(figures.undecided)),
            ("sin respuesta de la candidata", str(figures.failed_candidates)),
        ]
    if isinstance(figures, SplitFigures):
        return _split_rows(figures)
    return [
        ("consultas", str(figures.queries)),
        ("con respuesta de las dos", str(figures.compared)),
        ("no enviadas a la candidata por falta de capacidad", str(figures.dropped)),
        ("sin respuesta de la candidata", str(figures.failed_candidates)),
        ("parecido (RBO, p = 0,9)", words.figure(figures.rank_biased_overlap)),
        ("notas en común entre las diez primeras", words.figure(figures.overlap_at_10)),
        ("misma nota en primer lugar", words.percent(figures.same_top)),
        ("latencia de lo que se sirve, p50 y p95", _latencies(figures.control_latency)),
        ("latencia de la candidata en segundo plano (no comparable), p50 y p95", _latencies(figures.candidate_latency)),
    ]


def _split_rows(figures: SplitFigures) -> list[tuple[str, ...]]:
    def told(test: RateTest) -> str:
        return f"{words.difference(test.difference)} ({words.UNDEFINED if test.p_value is None else words.p_phrase(test.p_value)})"

    def both(name: str, one: Any) -> tuple[str, ...]:
        return (name, one(figures.control), one(figures.candidate))

    return [
        both("consultas", lambda arm: str(arm.queries)),
        both("con alguna nota abierta", lambda arm: f"{arm.opened}, {words.percent(arm.open_rate)}"),
        both("valoradas", lambda arm: str(arm.judged)),
        both("valoradas como útiles", lambda arm: f"{arm.helpful}, {words.percent(arm.helpful_rate)}"),
        both("degradadas", lambda arm: str(arm.degraded)),
        both("latencia, p50 y p95", lambda arm: _latencies(arm.latency)),
        ("diferencia en útiles", "", told(figures.helpful)),
        ("diferencia en abiertas", "", told(figures.opened)),
    ]


def _latencies(latency: Latency) -> str:
    return f"{words.milliseconds(latency.p50_ms)} y {words.milliseconds(latency.p95_ms)}"
